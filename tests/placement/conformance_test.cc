// What holds of every policy on every graph and machine: all nodes placed, only on candidates, groups together, the same answer
// again, and a dump that replays. A new word of policy text is covered through PolicyWords() without a line here.
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "placement/place.h"
#include "placement/policy.h"
#include "placement/report.h"
#include "tests/graph/random_graph.h"
#include "tests/placement/every_policy.h"
#include "tests/placement/place_text.h"
#include "tests/placement/placement_fault.h"
#include "tests/testing.h"

namespace berth {
namespace {

constexpr int kGraphs = 24;

// Every word, alone and after and before others; on some graphs also the other forms that a word has.
std::vector<std::string> Policies(bool all_forms) {
  std::vector<std::string> policies;
  for (const auto& [text, kind, is_first] : EveryPolicy(TestFile("some.tsv"))) {
    if (is_first || all_forms) policies.push_back(text);
    if (!is_first) continue;
    if (kind == "rule") {
      policies.push_back(absl::StrCat("pins | ", text, " | else cpu:0"));
      policies.push_back(absl::StrCat(text, " | pins | round-robin"));
    } else if (kind == "solver") {
      policies.push_back(absl::StrCat("match \"op=*a*\" prefer gpu:1 | match \"name=*3\" forbid gpu:0 | ", text));
    }
  }
  return policies;
}

TEST_CASE("every policy on random graphs and machines") {
  const std::vector<std::string> first_forms = Policies(false), all_forms = Policies(true);
  std::ofstream(TestFile("some.tsv")) << "node\tdevice\nn0\tgpu:0\nnone\tcpu:0\n";
  const OpSupport supports[] = {SupportOf(""),
                                SupportOf("Const:cpu,gpu Identity:cpu,gpu Neg:gpu Relu:cpu Add:cpu,gpu")};
  int placed_strictly = 0;
  for (int seed = 0; seed < kGraphs; ++seed) {
    RandomGraphOptions options;
    options.nodes = 5 + seed;
    options.loops = seed % 3 == 0;
    options.opaque_ops = seed % 2 == 0;
    options.shuffled = seed % 5 == 0;
    options.colocation = seed % 4 == 0;
    if (seed % 2 == 1) options.devices = {"/gpu:0", "/cpu:0", "/gpu:5", "/job:b/task:1"};
    const Graph graph = RandomGraph(seed, options);
    const OpSupport& support = supports[seed % 2];
    for (const char* text : {"cpu:1", "cpu:1,gpu:2", "gpu:1,cpu:1", "a(cpu:1,gpu:1),b*2(cpu:1,gpu:1)"}) {
      const Machine machine = MachineOf(text);
      for (const std::string& policy_text : seed % 4 == 0 ? all_forms : first_forms) {
        if (absl::StartsWith(policy_text, "tensorflow")) continue;  // has groups and kernels of its own
        INFO("seed " << seed << ", machine " << text << ", policy " << policy_text);
        const auto policy = ParsePolicy(policy_text);
        if (!policy.ok()) FAIL(policy.status().ToString());
        placed_strictly += PlaceGraph(graph, machine, *policy, support).ok() ? 1 : 0;
        const auto placed = PlaceGraph(graph, machine, *policy, support, {PlacementMode::kSoft});
        if (!placed.ok()) {
          // Facts alone can leave a group nothing; no policy changes that.
          CHECK(!PlaceGraph(graph, machine, Policy(), support, {PlacementMode::kSoft}).ok());
          continue;
        }
        CHECK(PlacementFault(graph, machine, support, *placed) == "");
        const std::string report = PrintPlacement(graph, machine, *placed);
        CHECK(PrintPlacement(graph, machine, *PlaceGraph(graph, machine, *policy, support, {PlacementMode::kSoft})) ==
              report);
        std::ofstream(TestFile("dump.txt")) << report;
        const auto replayed = PlaceGraph(graph, machine, Replay(TestFile("dump.txt")), support);
        REQUIRE(replayed.ok());
        CHECK(replayed->device_of == placed->device_of);
      }
    }
  }
  CHECK(placed_strictly > 100);
}

}  // namespace
}  // namespace berth
