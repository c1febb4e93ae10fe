// Situations about conflicts, reports and explanations, by the ids of the list of cases.
#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "graph/graphdef.h"
#include "graph/text.h"
#include "placement/estimate.h"
#include "placement/explain.h"
#include "placement/place.h"
#include "placement/policy.h"
#include "placement/report.h"
#include "proto/graph.pb.h"
#include "proto/placement.pb.h"
#include "tests/placement/place_text.h"
#include "tests/testing.h"

namespace berth {
namespace {

constexpr auto kSoft = PlacementMode::kSoft;

struct Transfers {
  int64_t count = 0, bytes = 0;
};

// Of a placement that must be possible.
Transfers TransfersOf(const std::string& text, const std::string& machine_text, const std::string& policy,
                      const std::string& support = "") {
  const Graph graph = GraphOf(text);
  const Machine machine = MachineOf(machine_text);
  const auto placed = PlaceGraph(graph, machine, *ParsePolicy(policy), SupportOf(support));
  if (!placed.ok()) FAIL(placed.status().ToString());
  Transfers transfers;
  for (const auto& link : EstimatePlacement(graph, machine, *placed).links) {
    transfers.count += link.transfers;
    transfers.bytes += link.bytes;
  }
  return transfers;
}

TEST_CASE("R041 parts of a variable on two devices, read into a third") {
  const std::string graph =
      "p0 = VariableV2() {dtype=f32, shape=shape [4]} : f32&[4] @cpu:0\n"
      "p1 = VariableV2() {dtype=f32, shape=shape [4]} : f32&[4] @gpu:0\n"
      "r0 = Identity(p0) {T=f32} : f32[4] @cpu:0\n"
      "r1 = Identity(p1) {T=f32} : f32[4] @gpu:0\n"
      "axis = Const() {dtype=i32, value=tensor<i32[] 0>}\n"
      "all = ConcatV2(r0, r1, axis) {N=2, T=f32, Tidx=i32} : f32[8] @gpu:1\n"
      "v = VariableV2() {dtype=f32, shape=shape [8]} : f32&[8] @gpu:1\n"
      "as = Assign(v, all) {T=f32}\n";
  CHECK(Devices({graph}) == "p0 cpu:0\np1 gpu:0\nr0 cpu:0\nr1 gpu:0\naxis gpu:1\nall gpu:1\nv gpu:1\nas gpu:1\n");
  const Transfers transfers = TransfersOf(graph, "cpu:1,gpu:2", "default");
  CHECK(transfers.count == 2);
  CHECK(transfers.bytes == 32);
  // The one edge that is written in place says so where it would have to span devices.
  CHECK(Devices({graph + "other = AssignAdd(v, all) {T=f32} @cpu:0\n"})
            .find("for node 'v' (VariableV2 at g:7), with which it is colocated by reference edge 'v' -> 'other'") !=
        std::string::npos);
}

TEST_CASE("R046 a view of state that is read elsewhere, and written through") {
  const std::string graph =
      "v = VariableV2() {dtype=f32, shape=shape [4]} : f32&[4] @cpu:0\n"
      "view = RefIdentity(v) {T=f32} : f32&[4]\n"
      "y = Neg(view) {T=f32} : f32[4] @gpu:0\n"
      "x = Foo() : f32[4] @cpu:0\n"
      "w = Assign(view, x) {T=f32}\n";
  CHECK(Devices({graph}) == "v cpu:0\nview cpu:0\ny gpu:0\nx cpu:0\nw cpu:0\n");
  CHECK(TransfersOf(graph, "cpu:1,gpu:2", "default").count == 1);
}

TEST_CASE("R050 a helper that reads a handle, called in another scope") {
  const std::string graph =
      "v = VarHandleOp() {dtype=f32, shape=shape [4]} : resource @cpu:0\n"
      "r = ReadVariableOp(v) {dtype=f32} : f32[4] @gpu:0\n"
      "y = Neg(r) {T=f32} : f32[4] @gpu:0\n";
  CHECK(Reasons({graph, "cpu:1,gpu:1", "pins"}) ==
        "v cpu:0 pins: requested -> cpu:0\n"
        "r cpu:0 fact: colocated with 'v': requested -> cpu:0\n"
        "y gpu:0 pins: requested -> gpu:0\n");
  CHECK(TransfersOf(graph, "cpu:1,gpu:1", "pins").count == 1);
}

TEST_CASE("R062 nodes that alternate between kinds: what crosses, and whose move would save most") {
  std::string text = "n0 = A() : f32[10]\n";
  for (int i = 1; i < 20; ++i) {
    absl::StrAppend(&text, "n", i, " = ", i % 2 == 0 ? "A" : "B", "(n", i - 1, ") : f32[", i == 7 ? 1000 : 10, "]\n");
  }
  const Graph graph = GraphOf(text);
  const Machine machine = MachineOf("cpu:1,gpu:1");
  const auto placed = PlaceGraph(graph, machine, DefaultPolicy(), SupportOf("A:gpu B:cpu"));
  REQUIRE(placed.ok());
  CHECK(PrintBestMoves(graph, machine, *placed) ==
        "# 19 transfers over links, 4720 bytes\n"
        "# moving 'n7' to gpu:0 would save 4040 bytes and 2 transfers\n"
        "# moving 'n8' to cpu:0 would save 4040 bytes and 2 transfers\n"
        "# moving 'n1' to gpu:0 would save 80 bytes and 2 transfers\n"
        "# moving 'n2' to cpu:0 would save 80 bytes and 2 transfers\n"
        "# moving 'n3' to gpu:0 would save 80 bytes and 2 transfers\n");
}

// Decided otherwise: a kernel works where it is registered and hands no work to another device. What computes on a host
// whatever is asked is an op for hosts only, a column of the op table: its node is at the host's device, the request stays
// beside it, a note says so, and what it reads from elsewhere is a transfer.
TEST_CASE("R064 R160 what computes on the host whatever is asked: requested and assigned, and the copy counted") {
  const Graph graph = GraphOf("a = Foo() : f32[8] @gpu:0\np = Print(a, a) {T=f32, U=[f32]} : f32[8] @gpu:0\n");
  const Machine machine = MachineOf("cpu:1,gpu:1");
  const auto placed = PlaceGraph(graph, machine, DefaultPolicy(), OpSupport());
  REQUIRE(placed.ok());
  const pb::PlacementDef def = PlacementToProto(graph, machine, *placed);
  CHECK(def.node(1).requested() == "/device:GPU:0");
  CHECK(def.node(1).device() == "/job:localhost/replica:0/task:0/device:CPU:0");
  REQUIRE(def.note_size() == 1);
  CHECK(def.note(0) == "host-only op 'Print': node 'p' goes to cpu:0");
  REQUIRE(def.link_size() == 1);
  CHECK(def.link(0).transfers() == 1);
  CHECK(def.link(0).bytes() == 32);
}

TEST_CASE("R094 a report needs no stream") {
  const Graph graph = GraphOf("a = Foo() : f32[8] @gpu:7\nb = Bar(a) : f32[8]\n");
  const Machine machine = MachineOf("cpu:1,gpu:1");
  std::ostream* const streams[] = {&std::cout, &std::cerr, &std::clog};
  for (std::ostream* stream : streams) stream->setstate(std::ios::badbit);
  const auto placed = PlaceGraph(graph, machine, DefaultPolicy(), OpSupport(), {kSoft});
  const pb::PlacementDef def = placed.ok() ? PlacementToProto(graph, machine, *placed) : pb::PlacementDef();
  for (std::ostream* stream : streams) stream->clear();
  REQUIRE(placed.ok());
  CHECK(def.node_size() == 2);
  CHECK(def.relaxation_size() == 1);
  CHECK(def.rule_size() == 4);
  CHECK(def.device_size() == 2);
}

TEST_CASE("R100 a nameless node of an imported graph that cannot be placed") {
  pb::GraphDef def;
  for (const char* op : {"Foo", "Bar", ""}) {
    pb::NodeDef* node = def.add_node();
    node->set_op(op[0] == 0 ? "Odd" : op);
    if (op[0] != 0) node->set_name(op);
    if (op[0] == 0) {
      node->add_input("Foo");
      node->add_input("Bar");
      node->set_device("/device:GPU:0");
    }
  }
  const auto imported = ImportGraphDef(def.SerializeAsString(), StandardOps(), {.file = "m.pb"});
  INFO(imported.status().ToString());
  // A name is what every edge and every report goes by: a node without one is refused where it is read.
  CHECK(imported.status().ToString().find("m.pb: node number 2 (Odd) with inputs 'Foo', 'Bar': expected a name") !=
        std::string::npos);
}

}  // namespace
}  // namespace berth
