// Situations that people who place graphs have run into, by the ids of the list of cases.
#include <string>

#include "graph/dot.h"
#include "graph/graphdef.h"
#include "graph/scope.h"
#include "graph/text.h"
#include "kernels/op_support.h"
#include "placement/machine.h"
#include "placement/op_support.h"
#include "placement/place.h"
#include "placement/policy.h"
#include "placement/report.h"
#include "proto/placement.pb.h"
#include "tests/placement/place_text.h"
#include "tests/testing.h"

namespace berth {
namespace {

constexpr auto kStrict = PlacementMode::kStrict;
constexpr auto kSoft = PlacementMode::kSoft;

const char kTowers[] =
    "w = VariableV2() {dtype=f32, shape=shape [4]}\n"
    "a = Foo(w) <tower=0>\n"
    "b = Foo(w) <tower=1>\n"
    "sum = Bar(a, b)\n";
const char kPolicy[] = "variables-on cpu:0 | towers-on gpu:* | else cpu:0";

std::string ToGraphDef(const std::string& text) { return ExportGraphDef(GraphOf(text)); }

// "a gpu:0\n", one line a node, on cpu:1,gpu:2.
std::string PlacedOn(const Graph& graph, const std::string& policy) {
  const Machine machine = MachineOf("cpu:1,gpu:2");
  const auto placed = PlaceGraph(graph, machine, *ParsePolicy(policy), OpSupport());
  if (!placed.ok()) return placed.status().ToString();
  std::string text;
  for (NodeId n = 0; n < graph.num_nodes(); ++n) {
    text += std::string(graph.node(n).name()) + " " + machine.device(placed->device(n)).name.ShortName() + "\n";
  }
  return text;
}

TEST_CASE("R025 the variables and their devices do not depend on how many gpus there are") {
  for (const char* machine : {"cpu:1,gpu:0", "cpu:1,gpu:1", "cpu:1,gpu:2", "cpu:1,gpu:4"}) {
    CHECK(Devices({kTowers, machine, kPolicy, kSoft}).substr(0, 8) == "w cpu:0\n");
  }
}

TEST_CASE("R029 two towers on a machine with one gpu") {
  CHECK(Devices({kTowers, "cpu:1,gpu:1", kPolicy, kStrict}) ==
        "FAILED_PRECONDITION: policy part 'towers-on gpu:*' (policy): expected a device for each tower, got gpu:0 on "
        "cpu:1,gpu:1; without a device: tower 1 (1 node, the first is node 'b' (Foo at g:3)); place on cpu:1,gpu:2, or "
        "place in soft mode");
  const Graph graph = GraphOf(kTowers);
  const Machine machine = MachineOf("cpu:1,gpu:1");
  const auto placed = PlaceGraph(graph, machine, *ParsePolicy(kPolicy), OpSupport(), {kSoft});
  REQUIRE(placed.ok());
  const std::string report = PrintPlacement(graph, machine, *placed);
  CHECK(
      report.find("# 1 fallback: 1 no such device\n#   1 for: no such device on cpu:1,gpu:1\n# fallback: 'b' asked for "
                  "gpu:1, got "
                  "/job:localhost/replica:0/task:0/device:CPU:0 (towers-on gpu:*): no such device on cpu:1,gpu:1\n") !=
      std::string::npos);
}

TEST_CASE("R047 a node of no request between two devices goes to the one that holds most, else to the first") {
  const std::string ends = "a = Foo() : f32[4] @gpu:0\nb = Foo() : f32[4] @gpu:1\n";
  const std::string graph = ends + "sum = Bar(a, b) : f32[4]\n";
  CHECK(Devices({graph}) == "a gpu:0\nb gpu:1\nsum gpu:0\n");
  CHECK(Devices({"a = Foo() : f32[4] @gpu:0\nb = Foo() : f32[8] @gpu:1\nsum = Bar(a, b) : f32[4]\n"}) ==
        "a gpu:0\nb gpu:1\nsum gpu:1\n");
  const Graph placed_graph = GraphOf(graph);
  const Machine machine = MachineOf("cpu:1,gpu:2");
  const auto placed = PlaceGraph(placed_graph, machine, DefaultPolicy(), OpSupport());
  REQUIRE(placed.ok());
  const PlacementEstimate estimate = EstimatePlacement(placed_graph, machine, *placed);
  REQUIRE(estimate.links.size() == 3);  // the pair, and the two ways to and from the host between
  CHECK(estimate.links[2].from == 2);
  CHECK(estimate.links[2].to == 1);
  CHECK(estimate.links[2].transfers == 1);
}

// Foo with attribute k = 2 has no kernel on gpus.
OpSupport FooBut2() {
  OpSupport support = SupportOf("Foo:cpu");
  support.Add({.op = "Foo", .kind = "GPU", .supports = [](const Node& node) {
                 const int64_t* k = node.AttrOrDefault<int64_t>("k");
                 if (k == nullptr || *k != 2) return absl::OkStatus();
                 return absl::InvalidArgumentError("expected k other than 2, got 2");
               }});
  return support;
}

// "a gpu:0\n" lines and fallbacks, or the error.
std::string PlacedBy(const OpSupport& support, const std::string& text, PlacementMode mode) {
  const Graph graph = GraphOf(text);
  const Machine machine = MachineOf("cpu:1,gpu:1");
  const auto placed = PlaceGraph(graph, machine, DefaultPolicy(), support, {mode});
  if (!placed.ok()) return placed.status().ToString();
  std::string lines;
  for (NodeId n = 0; n < graph.num_nodes(); ++n) {
    lines += std::string(graph.node(n).name()) + " " + machine.device(placed->device(n)).name.ShortName() + "\n";
  }
  for (const Fallback& f : placed->fallbacks) lines += std::string(graph.node(f.node).name()) + ": " + f.why + "\n";
  return lines;
}

TEST_CASE("R052 a kernel that rejects one value of an attribute is a fact of placement") {
  const char graph[] = "a = Foo() {k=1} @gpu:0\nb = Foo() {k=2} @gpu:0\nc = Foo() {k=2}\nd = Foo() {k=1}\n";
  CHECK(PlacedBy(FooBut2(), graph, kSoft) ==
        "a gpu:0\nb cpu:0\nc cpu:0\nd gpu:0\nb: a kernel on cpu only (on gpu: expected k other than 2, got 2)\n");
  CHECK(PlacedBy(FooBut2(), graph, kStrict) ==
        "FAILED_PRECONDITION: node 'b' (Foo at g:2): expected gpu:0, as 'pins' asks (the node's own request), got a "
        "kernel on cpu only (on gpu: expected k other than 2, got 2); ask for cpu:0 for 'b', put 'match "
        "\"name=b\" on cpu:0' before 'pins', or place in soft mode");
}

TEST_CASE("R052 what a KernelDef says it does not support is heard when placing") {
  KernelTable kernels;
  kernels.Add({.op = "Foo"});
  kernels.Add({.op = "Foo", .kind = "GPU", .supports = [](const Node&) {
                 return absl::InvalidArgumentError("expected another day, got this one");
               }});
  CHECK(PlacedBy(SupportFrom(kernels, {}), "a = Foo() @gpu:0\n", kSoft) ==
        "a cpu:0\na: a kernel on cpu only (on gpu: expected another day, got this one)\n");
}

TEST_CASE("R055 an assert in each of two towers goes to the host, noted, and is no fallback") {
  const char graph[] =
      "x0 = Foo() <tower=0> : bool\na0 = Assert(x0, x0) {T=[bool]} <tower=0>\ny0 = Foo(x0, ^a0) <tower=0>\n"
      "x1 = Foo() <tower=1> : bool\na1 = Assert(x1, x1) {T=[bool]} <tower=1>\ny1 = Foo(x1, ^a1) <tower=1>\n";
  for (const PlacementMode mode : {kStrict, kSoft}) {
    CHECK(Devices({graph, "cpu:1,gpu:2", kPolicy, mode, "Assert:cpu Foo:cpu,gpu"}) ==
          "x0 gpu:0\na0 cpu:0\ny0 gpu:0\nx1 gpu:1\na1 cpu:0\ny1 gpu:1\n"
          "note host-only op 'Assert': node 'a0' goes to cpu:0\nnote host-only op 'Assert': node 'a1' goes to cpu:0\n");
  }
}

TEST_CASE("R065 one node of 50 that a device has no kernel for") {
  std::string graph;
  for (int i = 0; i < 50; ++i) {
    graph += "n" + std::to_string(i) + " = " + (i == 17 ? "Odd" : "Foo") + "() @gpu:0\n";
  }
  const std::string kernels = "Foo:cpu,gpu Odd:cpu";
  const Graph parsed = GraphOf(graph);
  const Machine machine = MachineOf("cpu:1,gpu:1");
  const auto placed = PlaceGraph(parsed, machine, DefaultPolicy(), SupportOf(kernels), {kSoft});
  REQUIRE(placed.ok());
  const std::string report = PrintPlacement(parsed, machine, *placed);
  CHECK(report.find("# gpu:0: 49 nodes, ") != std::string::npos);
  CHECK(
      report.find("# 1 fallback: 1 no kernel\n#   1 for: a kernel on cpu only\n# fallback: 'n17' asked for gpu:0, got "
                  "/job:localhost/replica:0/task:0/device:CPU:0 (pins): a kernel on cpu only; gave up all; ") !=
      std::string::npos);
  CHECK(Devices({graph, "cpu:1,gpu:1", "default", kStrict, kernels}) ==
        "FAILED_PRECONDITION: node 'n17' (Odd at g:18): expected gpu:0, as 'pins' asks (the node's own request), got a "
        "kernel on cpu only; ask for cpu:0 for 'n17', put 'match "
        "\"name=n17\" on cpu:0' before 'pins', or place in soft mode");
}

TEST_CASE("R058 placing needs no hardware: gpu:0 and gpu:1 are devices of the machine, not of this computer") {
  CHECK(Devices({"a = Foo() @gpu:0\nb = Foo(a) @gpu:1\n"}) == "a gpu:0\nb gpu:1\n");
}

TEST_CASE("R067 a node of no request beside one that asks for a gpu it has no kernel for") {
  const char graph[] = "n1 = Foo()\nn2 = Foo() @gpu:0\n";
  CHECK(Devices({graph, "cpu:1,gpu:1", "default", kSoft, "Foo:cpu"}) ==
        "n1 cpu:0\nn2 cpu:0\nfallback n2 gpu:0 (pins): a kernel on cpu only\n");
  CHECK(Devices({graph, "cpu:1,gpu:1", "default", kStrict, "Foo:cpu"}) ==
        "FAILED_PRECONDITION: node 'n2' (Foo at g:2): expected gpu:0, as 'pins' asks (the node's own request), got a "
        "kernel on cpu only; ask for cpu:0 for 'n2', put 'match "
        "\"name=n2\" on cpu:0' before 'pins', or place in soft mode");
}

TEST_CASE("R073 two machines in one process, neither of which knows of the other") {
  const Machine one = MachineOf("cpu:1,gpu:2");
  const Machine two = MachineOf("gpu:1,cpu:1");
  const std::string listed = one.DeviceList();
  CHECK(two.DeviceList() == "gpu:0, cpu:0");
  CHECK(one.DeviceList() == listed);
  CHECK(Devices({"a = Foo() @gpu:0\n", "cpu:1,gpu:2"}) == "a gpu:0\n");
  CHECK(Devices({"a = Foo() @gpu:0\n", "gpu:1,cpu:1"}) == "a gpu:0\n");
  CHECK(one.Find(*ParseDeviceName("/job:localhost/replica:0/task:0/gpu:0")) == 1);
  CHECK(two.Find(*ParseDeviceName("/job:localhost/replica:0/task:0/gpu:0")) == 0);
}

TEST_CASE("R077 cpu:0 to gpu:2 and back where gpu:0 and gpu:1 are not usable") {
  const Graph graph = GraphOf("a = Foo() : f32[4] @cpu:0\nb = Foo(a) : f32[4] @gpu:2\nc = Foo(b) : f32[4] @cpu:0\n");
  const Machine machine = *ParseMachineDef("device { name: \"cpu:0\" } device { name: \"gpu:2\" }", "m");
  const auto placed = PlaceGraph(graph, machine, DefaultPolicy(), OpSupport());
  REQUIRE(placed.ok());
  const std::string json = PlacementToJson(graph, machine, *placed);
  const std::string cpu = "/job:localhost/replica:0/task:0/device:CPU:0";
  const std::string gpu = "/job:localhost/replica:0/task:0/device:GPU:2";
  const auto link = [](const std::string& from, const std::string& to) {
    return "\"from\": \"" + from + "\",\n   \"to\": \"" + to + "\",\n   \"transfers\": \"1\",\n   \"bytes\": \"16\"";
  };
  CHECK(json.find(link(cpu, gpu)) != std::string::npos);
  CHECK(json.find(link(gpu, cpu)) != std::string::npos);
}

TEST_CASE("R079 import that moves what a file asks for: by map, identity, or cleared") {
  // Decided: a map names device strings of the file, each of them; patterns over nodes are the policy's (`match`).
  const std::string file = ToGraphDef("a = NoOp() @gpu:0\nb = NoOp() @gpu:0\n");
  const auto placed = [&](ImportDevices mode, const std::string& to) {
    ImportOptions options{.devices = mode};
    options.device_map["/device:GPU:0"] = to;
    const auto graph = ImportGraphDef(file, StandardOps(), options);
    REQUIRE(graph.ok());
    return PlacedOn(*graph, "default");
  };
  CHECK(placed(ImportDevices::kMap, "/device:GPU:1") == "a gpu:1\nb gpu:1\n");
  CHECK(placed(ImportDevices::kMap, "/device:GPU:0") == "a gpu:0\nb gpu:0\n");
  CHECK(placed(ImportDevices::kKeep, "") == "a gpu:0\nb gpu:0\n");
  CHECK(placed(ImportDevices::kMap, "") == placed(ImportDevices::kClear, ""));
}

TEST_CASE("R080 a graph without devices, and one with some, brought to gpu:1") {
  // Decided: an imported graph has no scope around it; the policy says what the scope would have said.
  const std::string none = ToGraphDef("a = NoOp()\nb = NoOp()\n");
  const std::string half = ToGraphDef("a = NoOp() @gpu:0\nb = NoOp()\n");
  const auto placed = [](const std::string& file, ImportDevices mode, const std::string& policy) {
    const auto graph = ImportGraphDef(file, StandardOps(), {.devices = mode});
    REQUIRE(graph.ok());
    return PlacedOn(*graph, policy);
  };
  CHECK(placed(none, ImportDevices::kKeep, "pins | else gpu:1") == "a gpu:1\nb gpu:1\n");
  CHECK(placed(half, ImportDevices::kKeep, "pins | else gpu:1") == "a gpu:0\nb gpu:1\n");
  CHECK(placed(half, ImportDevices::kClear, "pins | else gpu:1") == "a gpu:1\nb gpu:1\n");
  CHECK(placed(half, ImportDevices::kKeep, "else gpu:1 | pins") == "a gpu:1\nb gpu:1\n");
}

TEST_CASE("R085 noise with x is a relation in the file, and follows x when it is read") {
  const std::string file = ToGraphDef("x = Foo() @gpu:0\nnoise = Foo() {_class=[\"loc:@x\"]}\n");
  ImportOptions options{.devices = ImportDevices::kMap};
  options.device_map["/device:GPU:0"] = "/device:GPU:1";
  const auto graph = ImportGraphDef(file, StandardOps(), options);
  REQUIRE(graph.ok());
  CHECK(graph->Find("noise")->device().empty());
  CHECK(PlacedOn(*graph, "default") == "x gpu:1\nnoise gpu:1\n");
}

TEST_CASE("R088 binding a graph some of whose nodes have places: what was set, kept and refused is counted") {
  const Graph graph = GraphOf("a = Foo() @gpu:0\nb = Foo()\nc = Foo()\nd = Odd()\n");
  const Machine machine = MachineOf("cpu:1,gpu:2");
  const auto placed = PlaceGraph(graph, machine, *ParsePolicy("pins | match \"name=*\" on gpu:1"),
                                 SupportOf("Foo:cpu,gpu Odd:cpu"), {kSoft});
  REQUIRE(placed.ok());
  REQUIRE(placed->rules.size() == 2);
  CHECK(placed->rules[0].hits == 1);       // kept: a
  CHECK(placed->rules[1].hits == 2);       // set: b and c
  CHECK(placed->rules[1].overruled == 2);  // a by an earlier part, d by a fact
  REQUIRE(placed->fallbacks.size() == 1);  // refused: d
  CHECK(placed->fallbacks[0].node == 3);
}

TEST_CASE("R091 a placed graph exported holds a device for every node beside its empty requests") {
  const Graph graph = GraphOf("a = Foo()\nb = Foo(a)\n");
  const Machine machine = MachineOf("cpu:1,gpu:2");
  const auto placed = PlaceGraph(graph, machine, DefaultPolicy(), OpSupport());
  REQUIRE(placed.ok());
  const pb::PlacementDef def = PlacementToProto(graph, machine, *placed);
  REQUIRE(def.node_size() == 2);
  for (const pb::NodePlacement& node : def.node()) {
    CHECK(node.device() == "/job:localhost/replica:0/task:0/device:GPU:0");
    CHECK(node.requested().empty());
  }
}

TEST_CASE("R092 what a node asked for, what it got and why, before any run") {
  const Graph graph = GraphOf("a = Foo() @gpu:7\n");
  const Machine machine = MachineOf("cpu:1,gpu:2");
  const auto placed = PlaceGraph(graph, machine, DefaultPolicy(), OpSupport(), {kSoft});
  REQUIRE(placed.ok());
  const pb::PlacementDef def = PlacementToProto(graph, machine, *placed);
  CHECK(def.node(0).requested() == "/device:GPU:7");
  CHECK(def.node(0).device() == "/job:localhost/replica:0/task:0/device:GPU:0");
  CHECK(def.node(0).author() == "greedy-locality");
  CHECK(def.node(0).reason() == "first of the strongest kind");
  REQUIRE(def.relaxation_size() == 1);
  CHECK(def.relaxation(0).reason() == "no such device on cpu:1,gpu:2");
  CHECK(def.relaxation(0).field() == "id");
}

TEST_CASE("R106 a constant of 100 MB takes under 1 KB of a dump: its type, size and hash") {
  const Scope root = Scope::Root();
  const int64_t dims[] = {25, 1000, 1000};
  std::string bytes;
  bytes.resize(100000000, 'x');
  Const(root.WithName("big"), Literal::FromBytes(DType::kFloat32, dims, std::move(bytes)));
  const auto graph = root.Finish();
  REQUIRE(graph.ok());
  const std::string text = PrintGraph(*graph);
  INFO(text.substr(0, 2000));
  CHECK(text.size() < 1024);
  CHECK(text.find("f32[25,1000,1000]") != std::string::npos);
  CHECK(text.find("#0fba5898160044ef 100000000B") != std::string::npos);  // hash and size
  CHECK(PrintDot(*graph).size() < 1024);
}

TEST_CASE("R154 constants of every element type go where they are asked to") {
  for (const char* type : {"f32", "i32", "bool", "string", "i64", "bf16"}) {
    CHECK(Devices({std::string("c = Foo() : ") + type + "[2] @gpu:0\n"}) == "c gpu:0\n");
  }
}

TEST_CASE("R158 print under gpu:0, strict") {
  CHECK(Devices({"x = Foo() : f32[4] @gpu:0\np = Print(x, x) {T=f32, U=[f32]} @gpu:0\n"}) ==
        "x gpu:0\np cpu:0\nnote host-only op 'Print': node 'p' goes to cpu:0\n");
}

}  // namespace
}  // namespace berth
