// What placements cost: operations by op, memory, time, links; on machines with round rates, so that the sums can be
// made by hand.
#include "placement/estimate.h"

#include <string>

#include "placement/estimate_proto.h"
#include "placement/node_cost.h"
#include "placement/place.h"
#include "placement/policy.h"
#include "proto/placement.pb.h"
#include "tests/placement/place_text.h"
#include "tests/testing.h"

namespace berth {
namespace {

// A cpu and two gpus: a node takes 1 ms and 1 ms for each byte moved; a link 10 ms and 1 ms a byte.
constexpr char kSlow[] =
    "device { name: \"cpu:0\" flops: 1000 memory_bandwidth: 1000 launch_seconds: 1e-3 }\n"
    "device { name: \"gpu:0\" flops: 1000 memory_bandwidth: 1000 launch_seconds: 1e-3 }\n"
    "device { name: \"gpu:1\" flops: 1000 memory_bandwidth: 1000 launch_seconds: 1e-3 }\n"
    "default_link { bandwidth: 1000 latency: 10e-3 direct: true }\n";

Machine Def(const std::string& text) {
  auto machine = ParseMachineDef(text, "m");
  if (!machine.ok()) FAIL(machine.status().ToString());
  return *std::move(machine);
}

PlacementEstimate Estimate(const Graph& graph, const Machine& machine) {
  const auto placed = PlaceGraph(graph, machine, Pins() | Else("/cpu:0"), OpSupport());
  if (!placed.ok()) FAIL(placed.status().ToString());
  return EstimatePlacement(graph, machine, *placed);
}

std::string Printed(const std::string& graph, const std::string& machine = kSlow) {
  const Machine parsed = Def(machine);
  return PrintEstimate(parsed, Estimate(GraphOf(graph), parsed));
}

TEST_CASE("operations and bytes follow from the op and its shapes") {
  const struct {
    const char* graph;  // the last node counts
    double flops;
    int64_t bytes;
  } rows[] = {
      {"a = Placeholder() : f32[2,3]\nb = Placeholder() : f32[3,5]\ny = MatMul(a, b) : f32[2,5]\n", 60, 124},
      {"a = Placeholder() : f32[3,2]\nb = Placeholder() : f32[3,5]\n"
       "y = MatMul(a, b) {transpose_a=true} : f32[2,5]\n",
       60, 124},
      {"a = Placeholder() : f32[7,2,3]\nb = Placeholder() : f32[7,3,5]\ny = BatchMatMulV2(a, b) : f32[7,2,5]\n", 420,
       868},
      {"x = Placeholder() : f32[1,4,4,3]\nf = Placeholder() : f32[3,3,3,8]\n"
       "y = Conv2D(x, f) {strides=[1,1,1,1], padding=\"SAME\"} : f32[1,4,4,8]\n",
       2.0 * 128 * 27, 4 * (48 + 216 + 128)},
      {"x = Placeholder() : f32[1,4,4,3]\nf = Placeholder() : f32[3,3,3,2]\n"
       "y = DepthwiseConv2dNative(x, f) {strides=[1,1,1,1], padding=\"SAME\"} : f32[1,4,4,6]\n",
       2.0 * 96 * 9, 4 * (48 + 54 + 96)},
      {"x = Placeholder() : f32[1,4,4,3]\n"
       "y = MaxPool(x) {ksize=[1,2,2,1], strides=[1,2,2,1], padding=\"SAME\"} : f32[1,2,2,3]\n",
       48, 4 * (48 + 12)},
      {"x = Placeholder() : f32[8]\ny = Relu(x) : f32[8]\n", 8, 64},
      {"x = Placeholder() : f32[8]\ny = Tanh(x) : f32[8]\n", 80, 64},
      {"x = Placeholder() : f32[8]\ny = AddN(x, x, x) : f32[8]\n", 16, 128},
      {"x = Placeholder() : f32[8,2]\ni = Const() {dtype=i32, value=tensor<i32[] 0>} : i32[]\ny = Sum(x, i) : f32[2]\n",
       16, 4 * (16 + 1 + 2)},
      {"x = Placeholder() : f32[8]\ny = Identity(x) : f32[8]\n", 0, 0},
      {"y = Const() {dtype=i32, value=tensor<i32[] 0>}\n", 0, 0},
      {"y = VariableV2() {dtype=f32, shape=shape [4]} : f32&[4]\n", 0, 0},
      {"x = Placeholder() : f32[?,3]\ny = Relu(x) : f32[?,3]\n", 0, 0},
      {"x = Placeholder() : f32[8]\ny = Foo(x) : f32[2]\n", 0, 40},
  };
  for (const auto& row : rows) {
    INFO(row.graph);
    const Graph graph = GraphOf(row.graph);
    const NodeCost cost = CostOf(graph.node(graph.num_nodes() - 1));
    CHECK(cost.flops == row.flops);
    CHECK(cost.bytes == row.bytes);
  }
}

TEST_CASE("devices work at once, links take one transfer after the other") {
  // a ends at 5 ms; its value is at gpu:0 at 19 and, over another link, at gpu:1 at 19; b and c take 9 each.
  CHECK(Printed("a = Foo() : f32[1] @cpu:0\nb = Foo(a) : f32[1] @gpu:0\nc = Foo(a) : f32[1] @gpu:1\n") ==
        "# cpu:0: 1 node, peak 4 bytes, 0 flops, busy 5 ms, done at 5 ms\n"
        "# gpu:0: 1 node, peak 8 bytes, 0 flops, busy 9 ms, done at 28 ms\n"
        "# gpu:1: 1 node, peak 8 bytes, 0 flops, busy 9 ms, done at 28 ms\n"
        "# cpu:0 -> gpu:0: 1 transfer, 4 bytes, busy 14 ms\n"
        "# cpu:0 -> gpu:1: 1 transfer, 4 bytes, busy 14 ms\n"
        "# one run: 28 ms\n");
  // Two values over one link: ready at 5 and 10, there at 19 and 33.
  CHECK(Printed("a = Foo() : f32[1] @cpu:0\nb = Foo() : f32[1] @cpu:0\nc = Foo(a, b) : f32[1] @gpu:0\n") ==
        "# cpu:0: 2 nodes, peak 4 bytes, 0 flops, busy 10 ms, done at 10 ms\n"
        "# gpu:0: 1 node, peak 12 bytes, 0 flops, busy 13 ms, done at 46 ms\n"
        "# gpu:1: 0 nodes\n"
        "# cpu:0 -> gpu:0: 2 transfers, 8 bytes, busy 28 ms\n"
        "# one run: 46 ms\n");
}

TEST_CASE("one transfer of a value for all readers of a device; control edges wait, and are none") {
  CHECK(Printed("a = Foo() : f32[1] @cpu:0\nb = Foo(a) : f32[1] @gpu:0\nc = Foo(a, ^a) : f32[1] @gpu:0\n"
                "d = Foo(^a) : f32[1] @gpu:1\n") ==
        "# cpu:0: 1 node, peak 4 bytes, 0 flops, busy 5 ms, done at 5 ms\n"
        "# gpu:0: 2 nodes, peak 8 bytes, 0 flops, busy 18 ms, done at 37 ms\n"
        "# gpu:1: 1 node, peak 4 bytes, 0 flops, busy 5 ms, done at 20 ms\n"
        "# cpu:0 -> gpu:0: 1 transfer, 4 bytes, busy 14 ms\n"
        "# one run: 37 ms\n");
}

TEST_CASE("memory is held from the node to the last reader, that of variables and constants always") {
  const auto peak = [](const std::string& graph) { return Estimate(GraphOf(graph), Def(kSlow)).devices[0].peak_bytes; };
  CHECK(peak("a = Foo() : f32[1]\nb = Foo(a) : f32[1]\nc = Foo(b) : f32[1]\n") == 8);
  CHECK(peak("a = Foo() : f32[1]\nb = Foo(a) : f32[1]\nc = Foo(b, a) : f32[1]\n") == 12);
  // What is a view keeps its input: a is needed until d.
  CHECK(peak("a = Foo() : f32[4]\nb = Identity(a) : f32[4]\nc = Foo() : f32[4]\nd = Foo(b, c) : f32[4]\n") == 48);
  CHECK(peak("a = Foo() : f32[4]\nb = Neg(a) : f32[4]\nc = Foo() : f32[4]\nd = Foo(b, c) : f32[4]\n") == 48);
  CHECK(peak("w = VariableV2() {dtype=f32, shape=shape [4]} : f32&[4]\nr = Identity(w) : f32[4]\n") == 16);
  CHECK(peak("w = VarHandleOp() {dtype=f32, shape=shape [4]}\nr = ReadVariableOp(w) {dtype=f32} : f32[4]\n") == 16);
  CHECK(peak("c = Const() {dtype=i32, value=tensor<i32[] 0>} : i32[]\nx = Foo(c) : f32[1]\n") == 8);
  CHECK(peak("x = Foo() : f32[?]\n") == 0);
}

TEST_CASE("unknown sizes count nothing and are counted") {
  CHECK(Printed("w = VariableV2() {dtype=f32, shape=shape [?]} : f32&[?] @cpu:0\nx = Foo(w) : f32[?] @gpu:0\n"
                "s = Foo() : string[2] @gpu:0\n") ==
        "# cpu:0: 1 node, peak 0 bytes, 1 of unknown size, 0 flops, busy 1 ms, done at 1 ms\n"
        "# gpu:0: 2 nodes, peak 0 bytes, 2 of unknown size, 0 flops, busy 2 ms, done at 13 ms\n"
        "# gpu:1: 0 nodes\n"
        "# cpu:0 -> gpu:0: 1 transfer, 0 bytes, 1 of unknown size, busy 10 ms\n"
        "# one run: 13 ms\n");
}

TEST_CASE("a loop goes round once") {
  const std::string text = Printed(
      "c = Const() {dtype=i32, value=tensor<i32[] 0>}\n"
      "e = Enter(c) {frame_name=\"f\"} : i32[]\n"
      "m = Merge(e, n) : i32[], i32[]\n"
      "p = Foo(m) : bool[]\n"
      "l = LoopCond(p) : bool[]\n"
      "s = Switch(m, l) : i32[], i32[]\n"
      "b = Foo(s:1) : i32[] @gpu:0\n"
      "n = NextIteration(b) : i32[] @gpu:0\n"
      "x = Exit(s) : i32[]\n");
  INFO(text);
  CHECK(text.find("# gpu:0 -> cpu:0: 1 transfer, 4 bytes, busy 14 ms\n") != std::string::npos);
  CHECK(text.find("# cpu:0 -> gpu:0: 1 transfer, 4 bytes, busy 14 ms\n") != std::string::npos);
}

TEST_CASE("R020 tree-reduce over four gpus of which only two pairs copy directly: a host hop is used and listed") {
  std::string machine = "device { name: \"cpu:0\" }\n";
  for (int i = 0; i < 4; ++i) machine += "device { name: \"gpu:" + std::to_string(i) + "\" }\n";
  for (const char* pair : {"from: \"gpu:0\" to: \"gpu:1\"", "from: \"gpu:2\" to: \"gpu:3\""}) {
    machine += "link { " + std::string(pair) + " direct: true }\n";
  }
  const Machine m = Def(machine);
  const Graph graph = GraphOf(
      "g0 = Foo() : f32[256] @gpu:0\ng1 = Foo() : f32[256] @gpu:1\n"
      "g2 = Foo() : f32[256] @gpu:2\ng3 = Foo() : f32[256] @gpu:3\n"
      "c1 = Identity(g1) : f32[256] @gpu:0\nc3 = Identity(g3) : f32[256] @gpu:2\n"
      "s01 = AddN(g0, c1) : f32[256] @gpu:0\ns23 = AddN(g2, c3) : f32[256] @gpu:2\n"
      "c23 = Identity(s23) : f32[256] @gpu:0\nsum = AddN(s01, c23) : f32[256] @gpu:0\n");
  const PlacementEstimate estimate = Estimate(graph, m);
  std::string links;
  for (const PlacementEstimate::Link& link : estimate.links) {
    links += m.device(link.from).name.ShortName() + ">" + m.device(link.to).name.ShortName();
    for (const DeviceId host : link.via) links += " via " + m.device(host).name.ShortName();
    links += " " + std::to_string(link.transfers) + "+" + std::to_string(link.hops);
    links += link.busy_seconds > 0 ? " busy\n" : " idle\n";
  }
  CHECK(links ==
        "cpu:0>gpu:0 0+1 busy\n"
        "gpu:1>gpu:0 1+0 busy\n"
        "gpu:2>cpu:0 0+1 busy\n"
        "gpu:2>gpu:0 via cpu:0 1+0 idle\n"
        "gpu:3>gpu:2 1+0 busy\n");
  CHECK(estimate.devices[1].nodes == 5);  // each copy on its destination
}

TEST_CASE("an estimate reads back from its proto") {
  const Machine machine = Def(kSlow);
  const PlacementEstimate estimate =
      Estimate(GraphOf("w = VariableV2() {dtype=f32, shape=shape [4]} : f32&[4] @cpu:0\nb = Relu(w) : f32[4] @gpu:0\n"),
               machine);
  pb::PlacementDef def;
  EstimateToProto(machine, estimate, &def);
  const auto again = EstimateFromProto(def, machine);
  REQUIRE(again.ok());
  CHECK(PrintEstimate(machine, *again) == PrintEstimate(machine, estimate));
  CHECK(EstimateFromProto(def, MachineOf("cpu:1")).status().message() ==
        "estimate: expected a device of cpu:0, got '/job:localhost/replica:0/task:0/device:GPU:0'");
}

TEST_CASE("seconds as text") {
  CHECK(SecondsText(0) == "0 s");
  CHECK(SecondsText(5e-9) == "5 ns");
  CHECK(SecondsText(999.6e-9) == "1 us");
  CHECK(SecondsText(1.2345e-3) == "1.23 ms");
  CHECK(SecondsText(72) == "72 s");
}

TEST_CASE("bytes as text") {
  CHECK(BytesText(0) == "0 B");
  CHECK(BytesText(1023) == "1023 B");
  CHECK(BytesText(1024) == "1 KiB (1024 B)");
  CHECK(BytesText(12'000'000) == "11.44 MiB (12000000 B)");
  CHECK(BytesText(int64_t{16} << 30) == "16 GiB (17179869184 B)");
  CHECK(BytesText(int64_t{1} << 52) == "4096 TiB (4503599627370496 B)");
  CHECK(BytesText(1.5e6, "MB", 1e6) == "1.5 MB (1500000 B)");
}

}  // namespace
}  // namespace berth
