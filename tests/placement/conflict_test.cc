// Conflicts as data: who is named, that no one named could be left out, and that each fix mends what it says.
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/text.h"
#include "placement/conflict.h"
#include "placement/place.h"
#include "placement/policy.h"
#include "tests/placement/conflict_fault.h"
#include "tests/placement/place_text.h"
#include "tests/testing.h"

namespace berth {
namespace {

// Every node has an op, and so kernels, of its own, so that one node's can be taken away.
Placing RandomPlacing(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto one_of = [&](int n) { return static_cast<int>(random() % n); };
  const char* machines[] = {"cpu:1,gpu:2", "cpu:2,gpu:1", "cpu:1,gpu:1,NPU:1"};
  const char* requests[] = {"", "", "gpu:0", "gpu:1", "cpu:0", "gpu:*", "cpu:*", "gpu:7", "\"/job:localhost\""};
  const std::string machine = machines[one_of(3)];
  std::string graph, kernels;
  for (int i = 0, nodes = 2 + one_of(5); i < nodes; ++i) {
    absl::StrAppend(&graph, "n", i, " = Op", i, "()");
    const std::string request = requests[one_of(9)];
    if (i > 0 && one_of(3) > 0) absl::StrAppend(&graph, " {_class=[\"loc:@n", one_of(i), "\"]}");
    absl::StrAppend(&graph, request.empty() ? "" : " @", request, "\n");
    std::vector<std::string> kinds;
    for (const char* kind : {"cpu", "gpu", "npu"}) {
      if (one_of(3) == 0) kinds.push_back(kind);
    }
    if (!kinds.empty()) absl::StrAppend(&kernels, "Op", i, ":", absl::StrJoin(kinds, ","), " ");
  }
  std::vector<std::string> policy;
  if (one_of(3) == 0) policy.push_back("match \"name=n1 | name=n3\" on gpu:*");
  if (one_of(4) == 0) policy.push_back("match \"name=n0 | name=n2\" forbid gpu:0");
  policy.push_back("pins");
  policy.push_back("first-fit");
  return {std::make_shared<const Graph>(GraphOf(graph)), MachineOf(machine), *ParsePolicy(absl::StrJoin(policy, " | ")),
          SupportOf(kernels)};
}

// Placed with nothing but what the members say, but for `without`. REQUIRES: each is a demand or a fact.
bool Satisfiable(const Placing& placing, const Conflict& conflict, int without) {
  std::vector<std::string> requests(placing.graph->num_nodes());
  OpSupport support;
  for (int i = 0; i < static_cast<int>(conflict.members.size()); ++i) {
    if (i == without) continue;
    const ConflictMember& member = conflict.members[i];
    const Node node = placing.graph->node(member.node);
    if (member.kind == ConflictMember::Kind::kFact) {
      for (const int entry : placing.support.EntriesOf(node.op())) support.Add(placing.support.entries()[entry]);
    } else {
      requests[member.node] = ParseDeviceName(member.author == "pins" ? node.device() : member.asked)->ToString();
    }
  }
  return PlaceGraph(WithRequests(*placing.graph, requests), placing.machine, *ParsePolicy("pins"), support).ok();
}

TEST_CASE("a conflict's members are a minimal set, and each fix mends it") {
  int conflicts = 0, larger = 0, fixes = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Placing placing = RandomPlacing(seed);
    for (int round = 0; !placing.Place().ok(); ++round) {
      INFO("seed " << seed << ", round " << round << ", " << placing.policy.text() << "\n"
                   << PrintGraph(*placing.graph));
      REQUIRE(round < 30);
      const auto found = placing.Conflicts();
      REQUIRE(found.ok());
      REQUIRE(!found->empty());
      for (const Conflict& conflict : *found) {
        INFO(PrintConflict(*placing.graph, conflict));
        ++conflicts;
        larger += conflict.members.size() > 2 ? 1 : 0;
        fixes += static_cast<int>(conflict.fixes.size());
        CHECK(ConflictFault(placing, conflict) == "");
        bool said_as_requests = true;
        for (const ConflictMember& member : conflict.members) {
          said_as_requests &=
              member.kind == ConflictMember::Kind::kDemand || member.kind == ConflictMember::Kind::kFact;
        }
        if (!said_as_requests) continue;
        CHECK(!Satisfiable(placing, conflict, -1));
        for (int i = 0; i < static_cast<int>(conflict.members.size()); ++i) CHECK(Satisfiable(placing, conflict, i));
      }
      placing = Mended(placing, found->front().fixes[0]);
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

TEST_CASE("what a rule put together is told as such, in conflicts and choices") {
  const char graph[] = "a = Foo() @cpu:0\nb = Bar() @gpu:0\nv = Handle() : resource\nr = Read(v)\n";
  CHECK(
      Devices({graph, "cpu:1,gpu:1", "match \"name=a | name=b\" together | pins"}) ==
      "FAILED_PRECONDITION: node 'b' (Bar at g:2): expected gpu:0, as 'pins' asks (the node's own request), got cpu:0, "
      "as 'pins' asks (the node's own request), for node 'a' (Foo at g:1), with which it is colocated by 'match "
      "\"name=a | name=b\" together' (policy); ask for cpu:0 for 'b', put 'match \"name=b\" on cpu:0' before 'pins', "
      "or "
      "place in soft mode");
  // A tie of the graph, then one of a rule: each is told where it counts.
  const Placing placing{std::make_shared<const Graph>(GraphOf(graph)), MachineOf("cpu:1,gpu:1"),
                        *ParsePolicy("match \"name=r\" together-with a | match \"name=v\" on gpu:0"),
                        SupportOf("Foo:cpu")};
  const auto conflicts = placing.Conflicts();
  REQUIRE(conflicts.ok());
  REQUIRE(conflicts->size() == 1);
  const Conflict& conflict = conflicts->front();
  REQUIRE(conflict.members.size() == 2);
  CHECK(conflict.members[1].asked == "a kernel on cpu only");
  CHECK(conflict.members[1].tie == "'match \"name=r\" together-with a' (policy)");
  CHECK(ConflictFault(placing, conflict) == "");
}

TEST_CASE("facts that a rule brings together: each side is named, and which rule") {
  const Placing placing{
      std::make_shared<const Graph>(GraphOf("v = Handle() : resource\na = Foo(v)\nb = Bar()\nc = Baz()\n")),
      MachineOf("cpu:1,gpu:1,NPU:1"),
      *ParsePolicy("match \"name=b | name=c\" together\nmatch \"name=a | name=c\" together\n", "p"),
      SupportOf("Handle:cpu,gpu Foo:cpu,npu Bar:gpu,npu Baz:gpu,npu,cpu")};
  const auto conflicts = placing.Conflicts();
  REQUIRE(conflicts.ok());
  REQUIRE(conflicts->size() == 1);
  std::string members;
  for (const ConflictMember& member : conflicts->front().members) {
    absl::StrAppend(&members, placing.graph->node(member.node).name(), " ", member.asked, " by ", member.tie, "\n");
  }
  CHECK(members ==
        "b kernels on gpu and NPU only by \n"
        "a kernels on cpu and NPU only by 'match \"name=a | name=c\" together' (p:2)\n"
        "v kernels on cpu and gpu only by 'match \"name=a | name=c\" together' (p:2)\n");
  CHECK(ConflictFault(placing, conflicts->front()) == "");
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
