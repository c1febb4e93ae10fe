// Situations of the list of cases, by id, that rules, balancing and control by hand answer.
#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "placement/place.h"
#include "placement/policy.h"
#include "placement/report.h"
#include "tests/placement/place_text.h"
#include "tests/testing.h"

namespace berth {
namespace {

constexpr auto kStrict = PlacementMode::kStrict;

Placement Placed(const Graph& graph, const Machine& machine, const Policy& policy) {
  absl::StatusOr<Placement> placed = PlaceGraph(graph, machine, policy, OpSupport());
  if (!placed.ok()) FAIL(placed.status().ToString());
  return *std::move(placed);
}

TEST_CASE("R043 two nodes without a common device: a must is refused, a wish is broken and said to be") {
  const char graph[] = "a = Foo() : f32[4]\nb = Bar(a) : f32[4]\n";
  const char kernels[] = "Foo:gpu Bar:cpu";
  CHECK(
      Devices({graph, "cpu:1,gpu:1", "match \"name=?\" together", kStrict, kernels}) ==
      "FAILED_PRECONDITION: colocation group of 'b': expected a device that all members can have, got node 'b' (Bar at "
      "g:2) with a kernel on cpu only, node 'a' (Foo at g:1) with a kernel on gpu only, together by 'match \"name=?\" "
      "together' (policy) and the devices cpu:0, gpu:0; leave out 'match \"name=?\" together', or place in soft mode");
  CHECK(Devices({graph, "cpu:1,gpu:1", "match \"name=?\" together", PlacementMode::kSoft, kernels}) ==
        "a gpu:0\nb cpu:0\n"
        "fallback b the device of 'a' (match \"name=?\" together): no device that both can have: node 'b' (Bar at g:2) "
        "with "
        "a kernel on cpu only, node 'a' (Foo at g:1) with a kernel on gpu only\n");
  CHECK(Devices({graph, "cpu:1,gpu:1", "match \"name=?\" prefer together", kStrict, kernels}) ==
        "a gpu:0\nb cpu:0\n"
        "note 'match \"name=?\" prefer together': node 'b' is not with 'a': node 'b' (Bar at g:2) with a kernel on cpu "
        "only, "
        "node 'a' (Foo at g:1) with a kernel on gpu only\n");
  const Graph parsed = GraphOf(graph);
  const Machine machine = MachineOf("cpu:1,gpu:1");
  const auto placed = PlaceGraph(parsed, machine, *ParsePolicy("match \"name=?\" prefer together"), SupportOf(kernels));
  REQUIRE(placed.ok());
  const std::string report = PrintPlacement(parsed, machine, *placed);
  CHECK(report.find("# gpu:0 -> cpu:0: 1 transfer, 16 bytes") != std::string::npos);
}

// Bytes of variables by device, in machine order: "1000 1503".
std::vector<int64_t> Loads(const std::vector<int64_t>& sizes, int servers, const Policy& policy) {
  std::string text;
  for (size_t i = 0; i < sizes.size(); ++i) {
    absl::StrAppend(&text, "v", i, " = VariableV2() {dtype=u8, shape=shape [", sizes[i], "]}\n");
  }
  const Graph graph = GraphOf(text);
  const Machine machine = MachineOf(absl::StrCat("ps*", servers, "(cpu:1)"));
  const Placement placed = Placed(graph, machine, policy);
  std::vector<int64_t> loads(servers);
  for (NodeId n = 0; n < graph.num_nodes(); ++n) loads[placed.device(n)] += sizes[n];
  return loads;
}

TEST_CASE("R181 state over servers: bytes within the bound of list scheduling, the same each time") {
  const Policy largest = StateBalanced({"/job:ps"});
  const Policy in_order = StateBalanced({"/job:ps"}, {.order = SpreadOptions::Order::kGraph});
  CHECK(Loads({1000, 1, 1, 1, 500, 500}, 2, largest) == std::vector<int64_t>{1002, 1001});
  CHECK(Loads({1000, 1, 1, 1, 500, 500}, 2, in_order) == std::vector<int64_t>{1000, 1003});
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const int servers = std::uniform_int_distribution<int>(1, 9)(random);
    std::vector<int64_t> sizes(std::uniform_int_distribution<int>(1, 40)(random));
    int64_t total = 0, most = 0;
    for (int64_t& size : sizes) {
      size = std::uniform_int_distribution<int64_t>(0, round % 2 == 0 ? 1000 : 10)(random);
      total += size;
      most = std::max(most, size);
    }
    for (const Policy& policy : {largest, in_order}) {
      INFO("round " << round << ", " << servers << " servers");
      const std::vector<int64_t> loads = Loads(sizes, servers, policy);
      const double bound = static_cast<double>(total) / servers + (1.0 - 1.0 / servers) * static_cast<double>(most);
      CHECK(static_cast<double>(*std::max_element(loads.begin(), loads.end())) <= bound + 1e-9);
      CHECK(loads == Loads(sizes, servers, policy));
    }
  }
  const Graph graph = GraphOf("v = VariableV2() {dtype=u8, shape=shape [1000]}\n");
  const Machine machine = MachineOf("ps*2(cpu:1)");
  CHECK(PrintPlacement(graph, machine, Placed(graph, machine, largest)).find("1000 bytes of variables") !=
        std::string::npos);
}

TEST_CASE("R182 only the balancing part of a stock policy is swapped, everything else is decided as before") {
  std::string text;
  for (const int size : {1000, 1, 1, 500}) {
    const std::string name = absl::StrCat("v", size, text.size());
    absl::StrAppend(&text, name, " = VariableV2() {dtype=u8, shape=shape [", size, "]}\nx", text.size(), " = Foo(",
                    name, ")\n");
  }
  const Graph graph = GraphOf(text);
  const Machine machine = MachineOf("ps*2(cpu:1),worker*2(cpu:1,gpu:1)");
  ReplicaSetterOptions custom;
  custom.choose = [](const Node&, const std::vector<int64_t>& bytes) { return static_cast<int>(bytes.size()) - 1; };
  const std::vector<Policy> policies = {
      ReplicaSetter() | GreedyLocality(),
      ReplicaSetter({.by = ReplicaSetterOptions::By::kBytes}) | GreedyLocality(),
      ReplicaSetter({.by = ReplicaSetterOptions::By::kRandom, .seed = 3}) | GreedyLocality(),
      StateBalanced({"/job:ps"}) | ReplicaSetter() | GreedyLocality(),
      ReplicaSetter(custom) | GreedyLocality(),
  };
  const Placement stock = Placed(graph, machine, policies[0]);
  std::vector<std::string> states;
  for (const Policy& policy : policies) {
    INFO(policy.text());
    const Placement placed = Placed(graph, machine, policy);
    std::string state;
    for (NodeId n = 0; n < graph.num_nodes(); ++n) {
      if (graph.node(n).op() == "VariableV2") {
        absl::StrAppend(&state, placed.device(n));
      } else {
        CHECK(placed.device(n) == stock.device(n));
      }
    }
    states.push_back(state);
  }
  CHECK(states[0] == "0101");  // in turn
  CHECK(states[1] == "0111");  // fewest bytes so far
  CHECK(states[3] == "0111");  // largest first
  CHECK(states[4] == "1111");
}

TEST_CASE("R185 names of groups and the order of registration move no node without a group") {
  // "name device" of nodes without a group, sorted by name.
  const auto ungrouped = [](const std::vector<std::string>& lines, const std::string& policy) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    const Graph graph = GraphOf(text);
    const Machine machine = MachineOf("cpu:1,gpu:2");
    const Placement placed = Placed(graph, machine, *ParsePolicy(policy));
    std::map<std::string, DeviceId> devices;
    for (NodeId n = 0; n < graph.num_nodes(); ++n) {
      if (graph.node(n).colocation().empty()) devices[std::string(graph.node(n).name())] = placed.device(n);
    }
    return devices;
  };
  const auto lines = [](const std::string& group) {
    return std::vector<std::string>{"a = Foo() : f32[8] @gpu:1",
                                    absl::StrCat("g1 = Foo(a) {_class=[\"loc:@", group, "\"]} : f32[4]"),
                                    absl::StrCat("g2 = Foo(b) {_class=[\"loc:@", group, "\"]} : f32[4]"),
                                    "b = Foo() : f32[16] @cpu:0",
                                    "c = Foo(a, b) : f32[4]",
                                    "d = Bar(c) : f32[4]",
                                    "e = Foo(g1, d)",
                                    "v = VariableV2() {dtype=f32, shape=shape [4]}"};
  };
  for (const char* policy :
       {"default", "pins | first-fit", "variables-on cpu:0 | pins | match \"op=Bar\" on gpu:0 | else gpu:1",
        "pins | state-balanced gpu:* | random:7", "tensorflow"}) {
    INFO(policy);
    const auto expected = ungrouped(lines("one"), policy);
    CHECK(expected.size() == 6);
    CHECK(ungrouped(lines("zzz/other"), policy) == expected);
    std::vector<std::string> shuffled = lines("one");
    std::mt19937 random(1);
    for (int round = 0; round < 20; ++round) {
      std::shuffle(shuffled.begin(), shuffled.end(), random);
      CHECK(ungrouped(shuffled, policy) == expected);
    }
  }
}

TEST_CASE("R190 twenty layers on two devices by pattern: one plan, one transfer between") {
  std::string text = "layer_0/y = Foo() : f32[256]\n";
  for (int i = 1; i < 20; ++i) absl::StrAppend(&text, "layer_", i, "/y = Foo(layer_", i - 1, "/y) : f32[256]\n");
  const Graph graph = GraphOf(text);
  const Machine machine = MachineOf("cpu:1,gpu:2");
  const Policy policy = Match("scope=layer_?").On("/gpu:0") | Match("scope=layer_1?").On("/gpu:1");
  const Placement placed = Placed(graph, machine, policy);
  for (NodeId n = 0; n < 20; ++n) CHECK(placed.device(n) == (n < 10 ? 1 : 2));
  const PlacementEstimate estimate = EstimatePlacement(graph, machine, placed);
  int64_t transfers = 0, bytes = 0;  // the hops of a value through a host are no transfers of their own
  for (const PlacementEstimate::Link& link : estimate.links) {
    transfers += link.transfers;
    bytes += link.bytes;
  }
  CHECK(transfers == 1);
  CHECK(bytes == 1024);
}

TEST_CASE("R191 two nodes are denied by name, and they and only they go elsewhere") {
  // Decided: what a user denies is a rule that holds, not a fallback; the reason says by what it was denied.
  std::string text;
  for (const char* name : {"a", "b", "c", "d"}) absl::StrAppend(&text, name, " = Foo()\n");
  CHECK(Reasons({text, "cpu:1,gpu:1", "match \"name=b | name=d\" forbid gpu:0 | first-fit gpu:0"}) ==
        "a gpu:0 first-fit gpu:0: first of the list that is a candidate\n"
        "b cpu:0 match \"name=b | name=d\" forbid gpu:0: denied by name=b | name=d: not gpu:0\n"
        "c gpu:0 first-fit gpu:0: first of the list that is a candidate\n"
        "d cpu:0 match \"name=b | name=d\" forbid gpu:0: denied by name=b | name=d: not gpu:0\n");
  // Where all the rest is asked for, they are listed as what could not be had.
  const std::string pinned = "a = Foo() @gpu:0\nb = Foo() @gpu:0\nc = Foo() @gpu:0\n";
  CHECK(Devices({pinned, "cpu:1,gpu:1", "match \"name=b\" forbid gpu:0 | pins"}) == "a gpu:0\nb cpu:0\nc gpu:0\n");
}

}  // namespace
}  // namespace berth
