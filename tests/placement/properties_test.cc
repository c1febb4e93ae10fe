// What holds of every placement: of random graphs, on random machines with random kernels, by random policies, strict and soft.
//
//   placed completely, only on candidates, groups together    PlacementFault, as the next
//   no device's memory limit is passed                         soft mode records what it relaxed for one
//   strict and soft agree where strict places                  a demand that can be met is met in both
//   a refusal's conflicts are minimal sets                     and each fix, applied, mends its own: ConflictFault
//   the dump replays to the same placement                     and a diff of the two is empty
//   the same again                                             byte for byte
//
// That results stay the same is tests/runtime/placed_runs_test.cc.
// One seed, one case, printed when a check fails; BERTH_SEEDS=N tries N of them, BERTH_FIRST_SEED=S from there.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/infer.h"
#include "graph/text.h"
#include "placement/conflict.h"
#include "placement/dump.h"
#include "placement/memory_limit.h"
#include "placement/place.h"
#include "placement/placement_diff.h"
#include "placement/policy.h"
#include "placement/report.h"
#include "tests/graph/random_graph.h"
#include "tests/placement/conflict_fault.h"
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
  auto inferred = InferShapes(RandomGraph(seed, options));
  if (!inferred.ok()) FAIL(inferred.status().ToString());
  return *std::move(inferred);
}

// Nothing is known of most ops; some have kernels on one kind only. Where there are three kinds, most have them on two.
std::string DrawKernels(const Machine& machine, Draw& draw) {
  static const auto& pairs = *new std::vector<std::string>{":cpu,gpu", ":cpu,NPU", ":gpu,NPU"};
  const bool three = machine.device(machine.num_devices() - 1).kind() == "NPU";
  std::vector<std::string> kernels;
  for (const char* op : {"Const", "Identity", "Neg", "Relu", "Add", "Mul", "Assign", "FancyOp", "ReadVariableOp"}) {
    if (!draw.Chance(three ? 80 : 30)) continue;
    kernels.push_back(absl::StrCat(op, three             ? draw.Of(pairs)
                                       : draw.Chance(40) ? ":cpu,gpu"
                                       : draw.Chance(60) ? ":cpu"
                                                         : ":gpu"));
  }
  return absl::StrJoin(kernels, " ");
}

// Every third with memory that is short: a value has 4 or 16 bytes.
Machine DrawMachine(Draw& draw) {
  static const auto& machines = *new std::vector<std::string>{"cpu:1",
                                                              "cpu:1,gpu:1",
                                                              "cpu:1,gpu:2",
                                                              "gpu:2,cpu:1",
                                                              "cpu:2,gpu:3",
                                                              "cpu:1,gpu:1,NPU:1",
                                                              "a(cpu:1,gpu:1),b*2(cpu:1,gpu:2)"};
  const Machine machine = MachineOf(draw.Of(machines));
  if (!draw.Chance(33)) return machine;
  std::vector<MachineDevice> devices = machine.devices();
  for (MachineDevice& device : devices) {
    if (draw.Chance(device.kind() == "CPU" ? 20 : 70)) device.memory_bytes = 16 + 4 * draw.Below(25);
  }
  return *Machine::Create(std::move(devices), {});
}

struct PropertyCase {
  Placing placing;
  std::string kernels;
  std::string text() const {
    return absl::StrCat("machine ", placing.machine.ToString(), ", policy ", placing.policy.text(), ", kernels ",
                        kernels, "\n", PrintGraph(*placing.graph));
  }
};

PropertyCase DrawCase(uint64_t seed, const std::vector<PolicyExample>& words) {
  Draw draw(seed * 7919 + 17);
  PropertyCase c;
  c.placing.graph = std::make_shared<const Graph>(DrawGraph(seed, draw));
  c.placing.machine = DrawMachine(draw);
  c.kernels = DrawKernels(c.placing.machine, draw);
  c.placing.support = SupportOf(c.kernels);
  const std::string policy = RandomPolicy(words, draw);
  const auto parsed = ParsePolicy(policy);
  if (!parsed.ok()) FAIL(parsed.status().ToString());
  c.placing.policy = *parsed;
  return c;
}

// How often what was looked at.
struct Seen {
  int strictly = 0, refused = 0, conflicts = 0, fixes = 0, larger = 0, limited = 0, moved = 0, relaxed = 0,
      short_of = 0;
};

// Why strict mode refuses: by conflicts, of which each holds, or by memory, which soft mode relaxes for. `soft` is null where
// that refuses as well.
std::string RefusalFault(const Placing& placing, const absl::Status& refusal, const Placement* soft, Seen* seen) {
  const auto conflicts = placing.Conflicts();
  if (!conflicts.ok()) {
    if (conflicts.status() != refusal) return "refused in two ways";
    if (!absl::IsResourceExhausted(refusal) || soft == nullptr) return "";
    const auto by_memory = [](const Fallback& f) { return f.cause == FallbackCause::kMemory; };
    const bool any = std::any_of(soft->fallbacks.begin(), soft->fallbacks.end(), by_memory);
    ++seen->relaxed;
    return any ? "" : "memory was short, and soft mode has no fallback for it";
  }
  if (conflicts->empty()) return "refused without a conflict";
  if (!absl::StrContains(refusal.message(), PrintConflict(*placing.graph, conflicts->front()))) {
    return "the refusal does not tell the conflict";
  }
  for (const Conflict& conflict : *conflicts) {
    ++seen->conflicts;
    seen->fixes += static_cast<int>(conflict.fixes.size());
    seen->larger += conflict.members.size() > 2;
    const std::string fault = ConflictFault(placing, conflict);
    if (!fault.empty()) return absl::StrCat(fault, ": ", PrintConflict(*placing.graph, conflict));
  }
  return "";
}

// What a dump of the placement does not hold of it.
std::string DumpFault(const Placing& placing, const Placement& placed) {
  const Graph& graph = *placing.graph;
  const std::string dump = PrintPlacement(graph, placing.machine, placed);
  if (PrintPlacement(graph, placing.machine, *placing.Place()) != dump) return "placed again it differs";
  const std::string file = TestFile("dump.txt");
  std::ofstream(file) << dump;
  const auto replayed = PlaceGraph(graph, placing.machine, Replay(file), placing.support);
  if (!replayed.ok()) return absl::StrCat("the dump does not replay: ", replayed.status().message());
  if (replayed->device_of != placed.device_of) return "the dump replays to another placement";
  const auto a = ReadDump(dump, "a"), b = ReadDump(PrintPlacement(graph, placing.machine, *replayed), "b");
  if (!a.ok() || !b.ok()) return "a dump does not read back";
  const PlacementDiff diff = DiffPlacements(*a, *b, &graph);
  if (!diff.equal() || !diff.added.empty() || !diff.removed.empty()) return "a diff of equal placements is not empty";
  return "";
}

// "" or what does not hold of this case.
std::string Broken(const PropertyCase& c, Seen* seen) {
  const Placing& placing = c.placing;
  const Graph& graph = *placing.graph;
  Placing softly = placing;
  softly.mode = PlacementMode::kSoft;
  const auto strict = placing.Place();
  const auto soft = softly.Place();
  seen->strictly += strict.ok();
  const bool limited = MemoryLimit(graph, placing.machine).any();
  seen->limited += limited;
  if (!soft.ok()) {
    ++seen->refused;
    if (strict.ok()) return "soft mode refuses what strict mode places";
    if (absl::IsResourceExhausted(strict.status()) &&
        absl::EndsWith(strict.status().message(), ", or place in soft mode")) {
      return absl::StrCat("soft mode, which refuses, is offered: ", strict.status().message());
    }
    seen->short_of += absl::IsResourceExhausted(soft.status());
    const std::string fault = RefusalFault(placing, strict.status(), nullptr, seen);
    if (!fault.empty()) return fault;
    if (limited && absl::IsResourceExhausted(soft.status())) return "";
    // Facts alone can leave a group nothing; no policy changes that.
    softly.policy = Policy();
    const absl::Status facts = softly.Place().status();
    if (facts.ok() || absl::IsResourceExhausted(facts)) {
      return absl::StrCat("soft mode refuses: ", soft.status().message());
    }
    return "";
  }
  std::string fault = PlacementFault(graph, placing.machine, placing.support, *soft);
  if (!fault.empty()) return fault;
  for (NodeId n = 0; n < graph.num_nodes(); ++n) seen->moved += soft->author(n) == "limit: memory";
  if (strict.ok()) {
    if (!soft->fallbacks.empty()) return "strict mode places what soft mode has fallbacks for";
    if (strict->device_of != soft->device_of) return "strict and soft mode differ";
  } else {
    if (soft->fallbacks.empty()) return absl::StrCat("no fallback for: ", strict.status().message());
    fault = RefusalFault(placing, strict.status(), &*soft, seen);
    if (!fault.empty()) return fault;
  }
  return DumpFault(softly, *soft);
}

TEST_CASE("random graphs, machines, kernels and policies") {
  std::vector<PolicyExample> words;
  for (const PolicyExample& word : EveryPolicy(TestFile("some.tsv"))) {
    if (word.kind == "rule" || word.kind == "solver") words.push_back(word);
  }
  const int first = EnvOr("BERTH_FIRST_SEED", 0), seeds = EnvOr("BERTH_SEEDS", 10000);
  int broken = 0;
  Seen seen;
  for (int i = 0; i < seeds && broken < 5; ++i) {
    const PropertyCase c = DrawCase(static_cast<uint64_t>(first + i), words);
    const std::string what = Broken(c, &seen);
    if (what.empty()) continue;
    ++broken;
    UNSCOPED_INFO("seed " << first + i << ", " << c.text() << ": " << what);
  }
  UNSCOPED_INFO("placed strictly " << seen.strictly << ", refused " << seen.refused << ", conflicts " << seen.conflicts
                                   << " with " << seen.fixes << " fixes, " << seen.larger
                                   << " of more than two, limited " << seen.limited << ", moved " << seen.moved
                                   << ", relaxed " << seen.relaxed << ", short of memory " << seen.short_of);
  CHECK(broken == 0);
  // The draw is such that much is placed, and much cannot be.
  if (seeds >= 1000) {
    CHECK(seen.strictly > seeds / 4);
    CHECK(seen.strictly < seeds * 9 / 10);
    CHECK(seen.refused < seeds / 3);
    CHECK(seen.conflicts > seeds / 10);
    CHECK(seen.fixes > seen.conflicts * 2);
    CHECK(seen.larger > 0);
    CHECK(seen.limited > seeds / 6);
    CHECK(seen.moved > seeds / 50);
    CHECK(seen.relaxed > seeds / 500);
    CHECK(seen.short_of < seeds / 20);
  }
}

}  // namespace
}  // namespace berth
