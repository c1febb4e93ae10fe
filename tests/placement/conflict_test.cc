// Conflicts as data: who is named, that no one named could be left out, and that each fix mends what it says.
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/text.h"
#include "placement/conflict.h"
#include "placement/groups.h"
#include "placement/place.h"
#include "placement/policy.h"
#include "tests/placement/place_text.h"
#include "tests/testing.h"

namespace berth {
namespace {

// A placing that can be changed piece by piece: every node has an op, and so kernels, of its own.
struct Problem {
  struct Item {
    std::string request;                 // "" for none
    int tied_to = -1;                    // by _class
    std::set<std::string> kernel_kinds;  // empty: nothing is known
  };
  std::vector<Item> items;
  std::string machine;
  std::vector<std::string> policy;

  std::string text() const {
    std::string text;
    for (size_t i = 0; i < items.size(); ++i) {
      absl::StrAppend(&text, "n", i, " = Op", i, "()");
      if (items[i].tied_to >= 0) absl::StrAppend(&text, " {_class=[\"loc:@n", items[i].tied_to, "\"]}");
      if (!items[i].request.empty()) absl::StrAppend(&text, " @", items[i].request);
      text += '\n';
    }
    return text;
  }
  std::string support() const {
    std::string text;
    for (size_t i = 0; i < items.size(); ++i) {
      if (!items[i].kernel_kinds.empty()) {
        absl::StrAppend(&text, "Op", i, ":", absl::StrJoin(items[i].kernel_kinds, ","), " ");
      }
    }
    return text;
  }
  std::string policy_text() const { return absl::StrJoin(policy, " | "); }
  bool Places(PlacementMode mode = PlacementMode::kStrict) const {
    const Graph graph = GraphOf(text());
    return PlaceGraph(graph, MachineOf(machine), *ParsePolicy(policy_text()), SupportOf(support()), {.mode = mode})
        .ok();
  }
  std::vector<Conflict> Conflicts() const {
    const Graph graph = GraphOf(text());
    const auto conflicts = FindConflicts(graph, MachineOf(machine), *ParsePolicy(policy_text()), SupportOf(support()));
    if (!conflicts.ok()) FAIL(conflicts.status().ToString());
    return *conflicts;
  }
  std::string print() const { return absl::StrCat(text(), support(), "\n", machine, "\n", policy_text()); }
};

Problem RandomProblem(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto one_of = [&](int n) { return static_cast<int>(random() % n); };
  Problem problem;
  const char* machines[] = {"cpu:1,gpu:2", "cpu:2,gpu:1", "cpu:1,gpu:1,NPU:1"};
  problem.machine = machines[one_of(3)];
  const char* requests[] = {"", "", "gpu:0", "gpu:1", "cpu:0", "gpu:*", "cpu:*", "gpu:7", "\"/job:localhost\""};
  const int nodes = 2 + one_of(5);
  for (int i = 0; i < nodes; ++i) {
    Problem::Item item;
    item.request = requests[one_of(9)];
    if (i > 0 && one_of(3) > 0) item.tied_to = one_of(i);
    if (one_of(3) == 0) item.kernel_kinds.insert("cpu");
    if (one_of(3) == 0) item.kernel_kinds.insert("gpu");
    if (one_of(3) == 0) item.kernel_kinds.insert("npu");
    problem.items.push_back(std::move(item));
  }
  if (one_of(3) == 0) problem.policy.push_back("match \"name=n1 | name=n3\" on gpu:*");
  if (one_of(4) == 0) problem.policy.push_back("match \"name=n0 | name=n2\" forbid gpu:0");
  problem.policy.push_back("pins");
  problem.policy.push_back("first-fit");
  return problem;
}

Problem Applied(Problem problem, const Fix& fix) {
  switch (fix.kind) {
    case Fix::Kind::kAsk:
      for (const NodeId n : fix.nodes)
        problem.items[n].request = fix.device.find('/') == 0 ? absl::StrCat("\"", fix.device, "\"") : fix.device;
      break;
    case Fix::Kind::kPut:
      problem.policy.insert(problem.policy.begin() + fix.part, fix.text);
      break;
    case Fix::Kind::kKernel:
      for (const std::string& op : fix.ops) problem.items[std::stoi(op.substr(2))].kernel_kinds.insert(fix.device);
      break;
    case Fix::Kind::kMachine:
      problem.machine = fix.text;
      break;
    case Fix::Kind::kWithout:
      problem.policy.erase(problem.policy.begin() + fix.part);
      break;
    case Fix::Kind::kMemory:
    case Fix::Kind::kSoft:
      break;
  }
  return problem;
}

// Only what the members say, but for `without`.
bool Satisfiable(const Problem& problem, const Conflict& conflict, int without) {
  Problem reduced = problem;
  reduced.policy = {"pins"};
  for (Problem::Item& item : reduced.items) item.request.clear(), item.kernel_kinds.clear();
  for (int i = 0; i < static_cast<int>(conflict.members.size()); ++i) {
    if (i == without) continue;
    const ConflictMember& member = conflict.members[i];
    if (member.kind == ConflictMember::Kind::kFact) {
      reduced.items[member.node].kernel_kinds = problem.items[member.node].kernel_kinds;
    } else if (member.author == "pins") {
      reduced.items[member.node].request = problem.items[member.node].request;
    } else {
      // Another part's say on that node alone; all stand in one part, so that none overrules another.
      const std::string verb = member.kind == ConflictMember::Kind::kForbid ? "forbid" : "on";
      if (verb == "forbid") return true;  // not said as a request: left to the check of `allows`
      reduced.items[member.node].request = member.asked;
    }
  }
  return reduced.Places();
}

TEST_CASE("a conflict's members are a minimal set, and each fix mends it") {
  int conflicts = 0, larger = 0, fixes = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Problem problem = RandomProblem(seed);
    for (int round = 0; !problem.Places(); ++round) {
      INFO("seed " << seed << ", round " << round << "\n" << problem.print());
      REQUIRE(round < 30);
      const std::vector<Conflict> found = problem.Conflicts();
      REQUIRE(!found.empty());
      const Graph graph = GraphOf(problem.text());
      const Groups groups = FindGroups(graph);
      for (const Conflict& conflict : found) {
        INFO(PrintConflict(graph, conflict));
        ++conflicts;
        larger += conflict.members.size() > 2 ? 1 : 0;
        bool said_as_requests = true;
        for (const ConflictMember& member : conflict.members) {
          said_as_requests &=
              member.kind == ConflictMember::Kind::kDemand || member.kind == ConflictMember::Kind::kFact;
        }
        if (said_as_requests) {
          CHECK(!Satisfiable(problem, conflict, -1));
          for (int i = 0; i < static_cast<int>(conflict.members.size()); ++i) CHECK(Satisfiable(problem, conflict, i));
        }
        const NodeId root = groups.root[conflict.members[0].node];
        for (const Fix& fix : conflict.fixes) {
          ++fixes;
          INFO("fix " << static_cast<int>(fix.kind) << " " << fix.device << " " << fix.text);
          const Problem mended = Applied(problem, fix);
          if (fix.kind == Fix::Kind::kSoft) {
            CHECK(mended.Places(PlacementMode::kSoft));
            continue;
          }
          if (mended.Places()) continue;
          for (const Conflict& other : mended.Conflicts()) {
            CHECK((other.part != conflict.part || groups.root[other.members[0].node] != root));
          }
        }
      }
      problem = Applied(problem, found[0].fixes[0]);
    }
  }
  CHECK(conflicts > 1000);
  CHECK(larger > 5);
  CHECK(fixes > 2000);
}

TEST_CASE("minimal sets by brute force") {
  std::mt19937_64 random(1);
  int found = 0;
  for (int round = 0; round < 5000; ++round) {
    DeviceSets sets(4);
    std::vector<SetId> parties;
    SetId all = DeviceSets::kAll;
    for (int i = 0, n = 1 + static_cast<int>(random() % 6); i < n; ++i) {
      std::vector<DeviceId> devices;
      for (DeviceId d = 0; d < 4; ++d) {
        if (random() % 4 != 0) devices.push_back(d);
      }
      parties.push_back(sets.Of(devices));
      all = sets.Intersect(all, parties.back());
    }
    if (all != DeviceSets::kNone) continue;
    ++found;
    const std::vector<int> minimal = MinimalConflict(sets, parties);
    for (size_t without = 0; without <= minimal.size(); ++without) {
      SetId left = DeviceSets::kAll;
      for (size_t i = 0; i < minimal.size(); ++i) {
        if (i != without) left = sets.Intersect(left, parties[minimal[i]]);
      }
      CHECK((left == DeviceSets::kNone) == (without == minimal.size()));
    }
  }
  CHECK(found > 200);
}

TEST_CASE("R040 a variable pinned to one device and its assign to another") {
  const std::string graph =
      "v = VariableV2() {dtype=f32, shape=shape [4]} @cpu:0\nc = Foo() : f32[4]\nas = Assign(v, c) {T=f32} @gpu:0\n"
      "up = AssignAdd(v, c) {T=f32} @gpu:0\n";
  CHECK(Devices({graph, "cpu:1,gpu:1", "pins"}) ==
        "FAILED_PRECONDITION: node 'as' (Assign at g:3): expected gpu:0, as 'pins' asks (the node's own request), got "
        "cpu:0, as 'pins' asks (the node's own request), for node 'v' (VariableV2 at g:1), with which it is colocated "
        "by reference edge 'v' -> 'as'; ask for gpu:0 for 'v', put 'match \"name=v\" on gpu:0' before 'pins', or place "
        "in soft mode\n"
        "the part asks in their group of 3 nodes: cpu:0 for 'v' (the node's own request), gpu:0 for 'as' (the node's "
        "own request), gpu:0 for 'up' (the node's own request)\n"
        "and 1 more demand that cannot be met: 'up'");
}

TEST_CASE("a conflict names a line of the policy") {
  const std::string graph = "a = Foo()\nb = Bar()\n";
  const Graph parsed = GraphOf(graph);
  const auto policy = ParsePolicy("# first\nmatch \"op=Foo\" on gpu:0\nfirst-fit\n", "p.policy");
  if (!policy.ok()) FAIL(policy.status().ToString());
  const auto conflicts = FindConflicts(parsed, MachineOf("cpu:1,gpu:1"), *policy, SupportOf("Foo:cpu"));
  REQUIRE(conflicts.ok());
  REQUIRE(conflicts->size() == 1);
  CHECK(conflicts->front().members[0].origin == "p.policy:2");
  CHECK(PrintConflict(parsed, conflicts->front()) ==
        "node 'a' (Foo at g:1): expected gpu:0, as 'match \"op=Foo\" on gpu:0' asks (p.policy:2), got a kernel on cpu "
        "only; put 'match \"name=a\" on cpu:0' before 'match \"op=Foo\" on gpu:0', or place in soft mode");
}

}  // namespace
}  // namespace berth
