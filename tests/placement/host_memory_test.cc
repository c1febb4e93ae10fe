// What is in host memory although its node is on a device with memory of its own: said in every form of the report.
#include "placement/host_memory.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "placement/explain.h"
#include "placement/place.h"
#include "placement/policy.h"
#include "placement/report.h"
#include "proto/placement.pb.h"
#include "tests/placement/place_text.h"
#include "tests/testing.h"

namespace berth {
namespace {

OpSupport Kernels() {
  OpSupport support;
  for (const char* op : {"Reshape", "Shape", "Slice", "Const", "Identity", "Fancy"}) {
    support.Add({.op = op, .kind = "CPU"});
  }
  support.Add({.op = "Reshape", .kind = "GPU", .host_args = {"shape"}});
  support.Add({.op = "Shape", .kind = "GPU", .host_args = {"output"}});
  support.Add({.op = "Slice", .kind = "GPU", .host_args = {"begin", "size"}});
  support.Add({.op = "Const", .kind = "GPU"});
  support.Add({.op = "Identity", .kind = "GPU"});
  support.Add({.op = "Fancy", .kind = "GPU"});
  return support;
}

constexpr char kGraph[] =
    "x = Fancy() : f32[4]\n"
    "s = Shape(x) {T=f32, out_type=i32} : i32[1]\n"
    "r = Reshape(x, s) {T=f32, Tshape=i32} : f32[4]\n"
    "p = Slice(r, s, s) {T=f32, Index=i32} : f32[4]\n"
    "c = Const() {dtype=i32, value=tensor<i32[2] 1,2>} : i32[2]\n"
    "t = Const() {dtype=string, value=tensor<string[1] \"a\">} : string[1]\n"
    "u = Identity(t) {T=string} : string[1]\n"
    "o = Fancy(u) : f32[2], string[2]\n";

// "s: output; r: shape", of nodes that have some.
std::string Told(const std::string& policy, const std::string& machine_text = "cpu:1,gpu:1") {
  const Graph graph = GraphOf(kGraph);
  const Machine machine = MachineOf(machine_text);
  const auto placed = PlaceGraph(graph, machine, *ParsePolicy(policy), Kernels());
  if (!placed.ok()) return placed.status().ToString();
  const pb::PlacementDef def = PlacementToProto(graph, machine, *placed);
  std::vector<std::string> lines;
  for (const pb::NodePlacement& node : def.node()) {
    if (node.host_memory_size() > 0)
      lines.push_back(absl::StrCat(node.name(), ": ", absl::StrJoin(node.host_memory(), ",")));
  }
  const std::string json = PlacementToJson(graph, machine, *placed);
  const auto read = PlacementFromJson(json, graph, machine);
  if (!read.ok()) return read.status().ToString();
  CHECK(PlacementToJson(graph, machine, *read) == json);
  return absl::StrJoin(lines, "; ");
}

TEST_CASE("R154 R160 all is on gpu:0, and what its kernels want on the host, and strings, say memory: host") {
  constexpr char kAll[] = "s: output; r: shape; p: begin,size; t: output; u: input,output; o: output 1";
  CHECK(Told("else gpu:0") == kAll);
  CHECK(Told("tensorflow") == "s: output; r: shape; p: begin,size; t: output; u: input,output; o: output 1");
  // On a cpu nothing is elsewhere.
  CHECK(Told("else cpu:0") == "");
  CHECK(Told("match \"op=Reshape\" on gpu:0 | else cpu:0") == "r: shape");
}

TEST_CASE("an explanation says what is in host memory") {
  const Graph graph = GraphOf(kGraph);
  const Machine machine = MachineOf("cpu:1,gpu:1");
  const OpSupport support = Kernels();
  const auto told = ExplainPlacement(graph, machine, *ParsePolicy("else gpu:0"), support);
  REQUIRE(told.ok());
  const NodeId n = graph.Find("p")->id();
  CHECK(absl::StrContains(PrintChoice(graph, machine, told->placement, told->explainer->Explain(n), n),
                          "\n  memory: host for begin, size\n"));
  CHECK(HostMemoryOf(graph, machine, told->placement, graph.Find("c")->id()).empty());
}

}  // namespace
}  // namespace berth
