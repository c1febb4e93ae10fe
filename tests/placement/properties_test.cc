// What holds of every placement: of random graphs, on random machines with random kernels, by random policies, strict and soft.
//
//   placed completely, only on candidates, groups together    PlacementFault
//   strict and soft agree where strict places                  a demand that can be met is met in both
//   the dump replays to the same placement                     and a diff of the two is empty
//   the same again                                             byte for byte
//
// One seed, one case, printed when a check fails; BERTH_SEEDS=N tries N of them, BERTH_FIRST_SEED=S from there.
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "placement/dump.h"
#include "placement/place.h"
#include "placement/placement_diff.h"
#include "placement/policy.h"
#include "placement/report.h"
#include "tests/graph/random_graph.h"
#include "tests/placement/every_policy.h"
#include "tests/placement/place_text.h"
#include "tests/placement/placement_fault.h"
#include "tests/placement/random_policy.h"
#include "tests/testing.h"

namespace berth {
namespace {

int EnvOr(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

struct PropertyCase {
  Graph graph;
  std::string machine, policy, kernels;
};

Graph DrawGraph(uint64_t seed, Draw& draw) {
  RandomGraphOptions options;
  options.nodes = 3 + draw.Below(14);
  options.loops = draw.Chance(20);
  options.opaque_ops = draw.Chance(50);
  options.shuffled = draw.Chance(20);
  options.colocation = draw.Chance(40);
  if (draw.Chance(70)) {
    options.devices = {"/gpu:0", "/cpu:0", "/gpu:1", "/gpu:*"};
    if (draw.Chance(30)) options.devices.insert(options.devices.end(), {"/gpu:5", "/job:b/task:1", "/job:none"});
  }
  return RandomGraph(seed, options);
}

// Nothing is known of most ops; some have kernels on one kind only.
std::string DrawKernels(Draw& draw) {
  std::vector<std::string> kernels;
  for (const char* op : {"Const", "Identity", "Neg", "Relu", "Add", "Mul", "Assign", "FancyOp", "ReadVariableOp"}) {
    if (!draw.Chance(30)) continue;
    kernels.push_back(absl::StrCat(op, draw.Chance(40) ? ":cpu,gpu" : draw.Chance(60) ? ":cpu" : ":gpu"));
  }
  return absl::StrJoin(kernels, " ");
}

PropertyCase DrawCase(uint64_t seed, const std::vector<PolicyExample>& words) {
  Draw draw(seed * 7919 + 17);
  static const auto& machines = *new std::vector<std::string>{
      "cpu:1", "cpu:1,gpu:1", "cpu:1,gpu:2", "gpu:2,cpu:1", "cpu:2,gpu:3", "a(cpu:1,gpu:1),b*2(cpu:1,gpu:2)"};
  PropertyCase c{DrawGraph(seed, draw), "", "", ""};
  c.machine = draw.Of(machines);
  c.kernels = DrawKernels(draw);
  c.policy = RandomPolicy(words, draw);
  return c;
}

// "" or what does not hold of this case.
std::string Broken(const PropertyCase& c, int* strictly, int* refused) {
  const Machine machine = MachineOf(c.machine);
  const OpSupport support = SupportOf(c.kernels);
  const auto policy = ParsePolicy(c.policy);
  if (!policy.ok()) return policy.status().ToString();
  const auto strict = PlaceGraph(c.graph, machine, *policy, support);
  const auto soft = PlaceGraph(c.graph, machine, *policy, support, {PlacementMode::kSoft});
  *strictly += strict.ok();
  if (!soft.ok()) {
    ++*refused;
    // Facts alone can leave a group nothing; no policy changes that.
    const bool facts = !PlaceGraph(c.graph, machine, Policy(), support, {PlacementMode::kSoft}).ok();
    return facts ? "" : absl::StrCat("soft mode refuses: ", soft.status().message());
  }
  if (const std::string fault = PlacementFault(c.graph, machine, support, *soft); !fault.empty()) return fault;
  if (strict.ok()) {
    if (!soft->fallbacks.empty()) return "strict mode places what soft mode has fallbacks for";
    if (strict->device_of != soft->device_of) return "strict and soft mode differ";
  } else if (soft->fallbacks.empty()) {
    return absl::StrCat("no fallback for: ", strict.status().message());
  }
  const std::string dump = PrintPlacement(c.graph, machine, *soft);
  if (PrintPlacement(c.graph, machine, *PlaceGraph(c.graph, machine, *policy, support, {PlacementMode::kSoft})) !=
      dump) {
    return "placed again it differs";
  }
  const std::string file = TestFile("dump.txt");
  std::ofstream(file) << dump;
  const auto replayed = PlaceGraph(c.graph, machine, Replay(file), support);
  if (!replayed.ok()) return absl::StrCat("the dump does not replay: ", replayed.status().message());
  if (replayed->device_of != soft->device_of) return "the dump replays to another placement";
  const auto a = ReadDump(dump, "a"), b = ReadDump(PrintPlacement(c.graph, machine, *replayed), "b");
  if (!a.ok() || !b.ok()) return "a dump does not read back";
  const PlacementDiff diff = DiffPlacements(*a, *b, &c.graph);
  if (!diff.equal() || !diff.added.empty() || !diff.removed.empty()) return "a diff of equal placements is not empty";
  return "";
}

TEST_CASE("random graphs, machines, kernels and policies") {
  std::vector<PolicyExample> words;
  for (const PolicyExample& word : EveryPolicy(TestFile("some.tsv"))) {
    if (word.kind == "rule" || word.kind == "solver") words.push_back(word);
  }
  const int first = EnvOr("BERTH_FIRST_SEED", 0), seeds = EnvOr("BERTH_SEEDS", 10000);
  int strictly = 0, refused = 0, broken = 0;
  for (int i = 0; i < seeds && broken < 5; ++i) {
    const PropertyCase c = DrawCase(static_cast<uint64_t>(first + i), words);
    const std::string what = Broken(c, &strictly, &refused);
    if (what.empty()) continue;
    ++broken;
    UNSCOPED_INFO("seed " << first + i << ", machine " << c.machine << ", policy " << c.policy << ", kernels "
                          << c.kernels << ": " << what);
  }
  CHECK(broken == 0);
  // The draw is such that much is placed, and much cannot be.
  if (seeds >= 1000) {
    CHECK(strictly > seeds / 4);
    CHECK(strictly < seeds * 9 / 10);
    CHECK(refused < seeds / 3);
  }
}

}  // namespace
}  // namespace berth
