// Real models on one thread, with the inputs of their `image` golden, beside the faster of TensorFlow and ONNX Runtime
// as the shared data's peers.tsv has them: measured on a machine of this kind, not in this run.
#include <sstream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "graph/graphdef.h"
#include "graph/status_macros.h"
#include "tests/bench/families.h"
#include "tests/bench/runnable.h"
#include "tools/golden.h"

namespace berth {
namespace {

struct Peer {
  std::string name;
  double load_ms = 0, first_run_ms = 0, min_ms = 0;
};

// The peer of smallest run time, and the smallest load and first run of any.
absl::StatusOr<Peer> BestPeer(const std::string& shared, absl::string_view model, Io& io) {
  BERTH_ASSIGN_OR_RETURN(const std::string text, ReadInput(absl::StrCat(shared, "/data/peers.tsv"), io));
  Peer best;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const std::vector<absl::string_view> cells = absl::StrSplit(line, '\t');
    Peer peer;
    if (cells.size() < 7 || cells[0] != model || cells[1] != "1") continue;
    if (!absl::SimpleAtod(cells[4], &peer.load_ms) || !absl::SimpleAtod(cells[5], &peer.first_run_ms) ||
        !absl::SimpleAtod(cells[6], &peer.min_ms)) {
      continue;
    }
    peer.name = absl::StrCat(cells[2], " ", cells[3]);
    if (best.name.empty() || peer.min_ms < best.min_ms) best = peer;
  }
  return best;
}

absl::StatusOr<std::vector<Row>> Model(const std::string& model, const Effort& effort) {
  if (effort.shared.empty()) return std::vector<Row>();
  std::istringstream none;
  std::ostringstream ignored;
  Io io{none, ignored, ignored};
  BERTH_ASSIGN_OR_RETURN(const Golden golden,
                         LoadGolden(absl::StrCat(effort.shared, "/data/goldens/", model, "/image"), io));
  BERTH_ASSIGN_OR_RETURN(const Peer peer, BestPeer(effort.shared, model, io));
  RunOptions run;
  std::vector<std::string> feeds;
  for (const auto& [name, value] : golden.inputs) {
    run.feeds.emplace_back(name, value);
    feeds.push_back(name);
  }
  for (const Golden::Output& output : golden.outputs) run.fetches.push_back(output.tensor);

  std::unique_ptr<Session> session;
  Times load(1), first(1);
  const auto run_once = [&](Stopwatch& watch) -> absl::Status {
    watch.Start();
    const absl::StatusOr<std::vector<Tensor>> values = session->Run(run);
    watch.Stop();
    BERTH_RETURN_IF_ERROR(values.status());
    for (size_t i = 0; i < values->size(); ++i) {
      const GoldenVerdict verdict = CompareGolden(golden.outputs[i], (*values)[i]);
      if (!verdict.right) return absl::InternalError(absl::StrCat(model, " ", golden.outputs[i].tensor, " is off"));
    }
    return absl::OkStatus();
  };
  {
    Stopwatch watch(Clock::kProcessor);
    watch.Start();
    BERTH_ASSIGN_OR_RETURN(const std::string bytes,
                           ReadInput(absl::StrCat(effort.shared, "/data/models/", model, ".pb"), io));
    BERTH_ASSIGN_OR_RETURN(Graph graph, ImportGraphDef(bytes, StandardOps()));
    BERTH_ASSIGN_OR_RETURN(session, MakeSession(std::move(graph), "cpu:1", run.fetches, feeds));
    watch.Stop();
    load[0] = watch.seconds();
    Stopwatch first_watch(Clock::kProcessor);
    BERTH_RETURN_IF_ERROR(run_once(first_watch));
    first[0] = first_watch.seconds();
  }
  BERTH_ASSIGN_OR_RETURN(const std::vector<Times> times, TakeTimes(effort, Clock::kProcessor, {run_once}));
  const std::string name = absl::StrCat("model/", model);
  const auto beside = [&](Row row, double peer_ms) {
    return peer.name.empty() ? row : Beside(std::move(row), peer.name, {.min = peer_ms});
  };
  return std::vector<Row>{beside(TimeRow(name, "ms a run", times[0], 1, 1e3), peer.min_ms),
                          beside(TimeRow(absl::StrCat(name, "/load"), "ms", load, 1, 1e3), peer.load_ms),
                          beside(TimeRow(absl::StrCat(name, "/first-run"), "ms", first, 1, 1e3), peer.first_run_ms)};
}

}  // namespace

void AddModelBenchmarks(std::vector<Benchmark>& list) {
  for (const char* model :
       {"posenet", "emotion", "blazeface-back", "facemesh", "selfie", "basic-pitch", "movenet-lightning"}) {
    list.push_back({absl::StrCat("model/", model),
                    [model = std::string(model)](const Effort& effort) { return Model(model, effort); }});
  }
}

}  // namespace berth
