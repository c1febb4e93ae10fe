// Reports of one placement, byte for byte, and that what is printed reads back and replays.
#include <string>

#include "graph/text.h"
#include "placement/dump.h"
#include "placement/explain.h"
#include "placement/place.h"
#include "placement/policy.h"
#include "placement/report.h"
#include "proto/placement.pb.h"
#include "tests/placement/place_text.h"
#include "tests/testing.h"

namespace berth {
namespace {

const char kGraph[] =
    "w = VariableV2() {dtype=f32, shape=shape [16]} : f32&[16]\n"
    "x = Foo() : f32[8,4]\n"
    "a = Foo(x, w) <tower=0> : f32[8]\n"
    "b = Foo(x, w) <tower=1> : f32[8]\n"
    "p = Print(a, b) {T=f32, U=[f32]} @gpu:1\n";
const char kPolicy[] = "variables-on cpu:0 | towers-on gpu:* | match \"op=None\" on gpu:0 | else cpu:0";

Placement Place(const Graph& graph, const Machine& machine, const std::string& policy) {
  const auto parsed = ParsePolicy(policy);
  REQUIRE(parsed.ok());
  auto placed = PlaceGraph(graph, machine, *parsed, OpSupport(), {PlacementMode::kSoft});
  if (!placed.ok()) FAIL(placed.status().ToString());
  return *std::move(placed);
}

std::string WithoutHashes(std::string report) {
  const size_t at = report.find(", graph ");
  return report.erase(at, report.find(", seed") - at);
}

TEST_CASE("a report as text") {
  const Graph graph = GraphOf(kGraph);
  const Machine machine = MachineOf("cpu:1,gpu:1");
  CHECK(WithoutHashes(PrintPlacement(graph, machine, Place(graph, machine, kPolicy))) ==
        R"(# policy variables-on cpu:0 | towers-on gpu:* | match "op=None" on gpu:0 | else cpu:0
# machine cpu:1,gpu:1
# mode soft, seed 0
w  cpu:0  variables-on cpu:0: variable -> cpu:0
x  cpu:0  else cpu:0: still open -> cpu:0
a  gpu:0  towers-on gpu:*: tower 0 -> gpu:0
b  cpu:0  else cpu:0: still open -> cpu:0
p  cpu:0  fact: host-only op: 'Print' can only run on a host
# cpu:0: 4 nodes, 64 bytes of variables, peak 256 bytes, 1 of unknown size, 0 flops, busy 4.02 us, done at 37 us
# gpu:0: 1 node, peak 224 bytes, 0 flops, busy 5 us, done at 26 us
# cpu:0 -> gpu:0: 2 transfers, 192 bytes, busy 20 us
# gpu:0 -> cpu:0: 1 transfer, 32 bytes, busy 10 us
# one run: 37 us
# 1 fallback: 1 no such device
#   1 for: no such device on cpu:1,gpu:1
# fallback: 'b' asked for gpu:1, got /job:localhost/replica:0/task:0/device:CPU:0 (towers-on gpu:*): no such device on cpu:1,gpu:1
# part 'variables-on cpu:0': 1 hit, 0 overruled
# part 'towers-on gpu:*': 1 hit, 1 overruled
# part 'match "op=None" on gpu:0': 0 hits, 0 overruled, never matched
# part 'else cpu:0': 3 hits, 0 overruled
# note: host-only op 'Print': node 'p' goes to cpu:0
)");
}

TEST_CASE("equal inputs give equal reports, and JSON reads back") {
  const Graph graph = GraphOf(kGraph);
  const Machine machine = MachineOf("cpu:1,gpu:1");
  const Placement placed = Place(graph, machine, kPolicy);
  const std::string json = PlacementToJson(graph, machine, placed);
  CHECK(PlacementToJson(graph, machine, Place(graph, machine, kPolicy)) == json);
  const auto again = PlacementFromJson(json, graph, machine);
  REQUIRE(again.ok());
  CHECK(PlacementToJson(graph, machine, *again) == json);
  CHECK(PrintPlacement(graph, machine, *again) == PrintPlacement(graph, machine, placed));
}

TEST_CASE("what a rule puts together is one group of the report, and moves as one") {
  const Graph graph = GraphOf("a = Foo() : f32[4]\nb = Bar(a) : f32[4]\nc = Foo(b) : f32[4]\nd = Foo(c) : f32[4]\n");
  const Machine machine = MachineOf("cpu:1,gpu:1");
  const Placement placed = Place(graph, machine, "pins | match \"name=a | name=d\" together | first-fit");
  const pb::PlacementDef def = PlacementToProto(graph, machine, placed);
  std::string groups;
  for (const pb::NodePlacement& node : def.node()) groups += std::to_string(node.group());
  CHECK(groups == "0120");
  REQUIRE(def.tie_size() == 1);
  CHECK(def.tie(0).node() + def.tie(0).with() == "ad");
  CHECK(def.tie(0).part() == 1);
  const std::string json = PlacementToJson(graph, machine, placed);
  const auto read = PlacementFromJson(json, graph, machine);
  REQUIRE(read.ok());
  CHECK(PlacementToJson(graph, machine, *read) == json);
  // a -> b and c -> d: both ends of the group.
  CHECK(MoveTo(graph, machine, placed, 0, 1).transfers == 2);
  CHECK(MoveTo(graph, machine, *read, 3, 1).transfers == 2);
}

TEST_CASE("reports of another graph or machine are refused") {
  const Graph graph = GraphOf("a = Foo()\n");
  const Machine machine = MachineOf("cpu:1");
  const auto read = [&](const std::string& json) {
    return PlacementFromJson(json, graph, machine).status().ToString();
  };
  const std::string node = "{\"name\": \"a\", \"device\": \"/job:localhost/replica:0/task:0/device:CPU:0\"}";
  CHECK(read("{\"version\": 1, \"node\": [" + node + "]}") == "OK");
  CHECK(read("{\"version\": 2}") == "INVALID_ARGUMENT: placement: expected version 1, got 2");
  CHECK(read("{\"version\": 1}") == "INVALID_ARGUMENT: placement of node 'a': expected a device, got none");
  CHECK(read("{\"version\": 1, \"node\": [" + node + "," + node + "]}") ==
        "INVALID_ARGUMENT: placement of node 'a': occurs twice");
  CHECK(read("{\"version\": 1, \"node\": [{\"name\": \"b\"}]}") ==
        "INVALID_ARGUMENT: placement of node 'b': expected a node of the graph, got another");
  CHECK(read("{\"version\": 1, \"node\": [{\"name\": \"a\", \"device\": \"gpu:0\"}]}") ==
        "INVALID_ARGUMENT: placement of node 'a': expected a device of cpu:0, got 'gpu:0'");
}

std::string Dumped(const std::string& bytes) {
  const auto nodes = ReadDump(bytes, "f");
  if (!nodes.ok()) return nodes.status().ToString();
  std::string text;
  for (const DumpedNode& node : *nodes) {
    text += node.name + "=" + node.device + (node.why.empty() ? " " : " (" + node.why + ") ");
  }
  return text;
}

TEST_CASE("dumps of every form are read") {
  const struct {
    std::string dump, expected;
  } rows[] = {
      {"node\tdevice\na\t/job:x/gpu:0\nb\tcpu:0\n", "a=/job:x/gpu:0 b=cpu:0 "},
      {"# policy\na  gpu:0  pins: it \"says\" @cpu:0\n# gpu:0: 1 node\n", "a=gpu:0 (pins: it \"says\" @cpu:0) "},
      {"a = Foo(b) {s=\" @cpu:7\"} <k=v> : f32[2] @gpu:1  # tower @cpu:0\nb = Bar() @\"/gpu:2\"\nc = Baz()\n",
       "a=gpu:1 (tower @cpu:0) b=/gpu:2 "},
      {"{\"node\": [{\"name\": \"a\", \"device\": \"gpu:0\"}]}", "a=gpu:0 "},
      {"{\"node\": [{\"name\": \"a\", \"device\": \"gpu:0\", \"author\": \"pins\", \"reason\": \"r\"}]}",
       "a=gpu:0 (pins: r) "},
      {"{\"version\": 1, \"error\": \"node 'a' (Foo): no\\nmore\", \"conflict\": []}",
       "INVALID_ARGUMENT: f: expected a placement, got a refusal: node 'a' (Foo): no"},
      {"# c\nnode {\n  name: \"a\" device: \"/gpu:0\" }\nnode { name: \"b\" }", "a=/gpu:0 "},
      {std::string("\x0a\x7f\x0a\x01") + "a\x12\x01X\x22\x03/gp",
       "INVALID_ARGUMENT: f: expected a GraphDef, got other bytes"},
      {std::string("\x0a\x0d\x0a\x01") + "a\x12\x01X\x22\x05gpu:0", "a=gpu:0 "},
      {"a gpu:0\na gpu:1\n", "INVALID_ARGUMENT: f: node \"a\": expected it once, got it twice"},
      {"a gpu:0\nb\n", "INVALID_ARGUMENT: f:2: expected a node and its device, got \"b\""},
      {"node { nam: 1 }",
       "INVALID_ARGUMENT: f:1:11: expected a GraphDef, got an error: message type \"berth.NodeDef\" has no field named "
       "\"nam\""},
      {"", ""},
  };
  for (const auto& row : rows) {
    INFO(row.dump);
    CHECK(Dumped(row.dump) == row.expected);
  }
}

}  // namespace
}  // namespace berth
