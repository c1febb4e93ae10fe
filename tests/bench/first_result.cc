// From the bytes of a GraphDef of 400,000 nodes to its first value: importing, making the session (pruning, inferring,
// verifying, placing), and the first run (cutting, planning, running).
#include "absl/strings/str_cat.h"
#include "graph/graphdef.h"
#include "graph/status_macros.h"
#include "tests/bench/families.h"
#include "tests/bench/runnable.h"

namespace berth {
namespace {

absl::StatusOr<std::vector<Row>> FirstResult(const Effort& effort) {
  const int nodes = effort.small ? 100 : 400000;
  const Scope root = Scope::Root();
  const Output one = Const(root, 1.0f);
  Output last = one;
  for (int i = 1; i < nodes; ++i) last = last + one;
  const std::string fetch = absl::StrCat(last.name(), ":0");
  BERTH_ASSIGN_OR_RETURN(const Graph built, root.Finish());
  const std::string bytes = ExportGraphDef(built);

  std::vector<Times> stages(3);
  const Sample sample = [&](Stopwatch& watch) -> absl::Status {
    auto stage = [&, before = watch.seconds()](int s) mutable {
      watch.Stop();
      stages[s].push_back(watch.seconds() - before);
      before = watch.seconds();
      watch.Start();
    };
    watch.Start();
    BERTH_ASSIGN_OR_RETURN(Graph graph, ImportGraphDef(bytes, StandardOps()));
    stage(0);
    BERTH_ASSIGN_OR_RETURN(const auto session, MakeSession(std::move(graph), "cpu:1", {fetch}));
    stage(1);
    BERTH_ASSIGN_OR_RETURN(const std::vector<Tensor> values, session->Run({.fetches = {fetch}}));
    stage(2);
    watch.Stop();
    return ExpectEqual("sum of ones", nodes, ScalarOf(values[0]));
  };
  BERTH_ASSIGN_OR_RETURN(const std::vector<Times> times, TakeTimes(effort, Clock::kProcessor, {sample}));
  std::vector<Row> rows = {TimeRow("first-result", "us a node", times[0], nodes, 1e6)};
  const char* const names[] = {"import", "create", "first-run"};
  for (int s = 0; s < 3; ++s) {
    std::sort(stages[s].begin(), stages[s].end());
    rows.push_back(TimeRow(absl::StrCat("first-result/", names[s]), "us a node", stages[s], nodes, 1e6));
  }
  return rows;
}

}  // namespace

void AddFirstResultBenchmarks(std::vector<Benchmark>& list) { list.push_back({"first-result", FirstResult}); }

}  // namespace berth
