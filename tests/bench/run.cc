// What one run() of a session costs: a graph of one node, fed and fetched by name, ready to run.
#include "graph/status_macros.h"
#include "tests/bench/families.h"
#include "tests/bench/runnable.h"

namespace berth {
namespace {

// The floor: the same addition behind a function call that cannot be seen through.
[[gnu::noinline]] void AddOne(const Tensor& x, std::vector<Tensor>& results) {
  *results[0].kernel<float>() = *x.kernel<float>() + 1;
}

absl::StatusOr<std::vector<Row>> OneNode(const Effort& effort) {
  const Scope root = Scope::Root();
  const Operation x = root.WithName("x").Op(
      "Placeholder", {}, {{"dtype", AttrValue(DType::kFloat32)}, {"shape", AttrValue(PartialShape::Scalar())}});
  root.WithName("y").Op("AddV2", {x, Const(root, 1.0f)});
  BERTH_ASSIGN_OR_RETURN(Graph graph, root.Finish());
  BERTH_ASSIGN_OR_RETURN(auto session, MakeSession(std::move(graph), "cpu:1", {"y:0"}, {"x:0"}));
  const Dims scalar;
  BERTH_ASSIGN_OR_RETURN(const Tensor fed, FilledTensor(scalar, 2));
  const RunOptions run{.feeds = {{"x:0", fed}}, .fetches = {"y:0"}};
  std::vector<Tensor> bare(1);
  BERTH_ASSIGN_OR_RETURN(bare[0], FilledTensor(scalar, 0));

  const int repeats = effort.small ? 1 : 1000;
  const Sample ours = [&](Stopwatch& watch) -> absl::Status {
    float value = 0;
    watch.Start();
    for (int i = 0; i < repeats; ++i) {
      const absl::StatusOr<std::vector<Tensor>> values = session->Run(run);
      BERTH_RETURN_IF_ERROR(values.status());
      value = ScalarOf((*values)[0]);
    }
    watch.Stop();
    return ExpectEqual("y", 3, value);
  };
  const Sample floor = [&](Stopwatch& watch) {
    watch.Start();
    for (int i = 0; i < repeats; ++i) AddOne(fed, bare);
    watch.Stop();
    return ExpectEqual("bare y", 3, ScalarOf(bare[0]));
  };
  BERTH_ASSIGN_OR_RETURN(const std::vector<Times> times, TakeTimes(effort, Clock::kProcessor, {ours, floor}));
  return std::vector<Row>{Beside(TimeRow("run/one-node", "ns a run", times[0], repeats, 1e9), "bare call",
                                 TimeRow("", "", times[1], repeats, 1e9))};
}

}  // namespace

void AddRunBenchmarks(std::vector<Benchmark>& list) { list.push_back({"run/one-node", OneNode}); }

}  // namespace berth
