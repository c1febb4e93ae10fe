// TensorFlow's own tests of what becomes of devices between a program, a file and the placer, restated: rows D65, D81 to D91 and
// P111 of the catalog, by id.
//
// The common reason where Berth decided otherwise: an import rewrites nothing (facts: TensorFlow's Python does), and what a
// device function around an import says there, a part of the policy says here, before or after `pins`.
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/graphdef.h"
#include "graph/scope.h"
#include "kernels/kernels.h"
#include "kernels/op_support.h"
#include "placement/place.h"
#include "placement/policy.h"
#include "tests/placement/place_text.h"
#include "tests/testing.h"

namespace berth {
namespace {

constexpr char kCluster[] = "ps*2(cpu:1,gpu:1),worker*2(cpu:1,gpu:1)";

// "a gpu:0; b cpu:0", of a graph that went through a file; or the error.
std::string Imported(const std::string& text, const Policy& policy, const std::string& machine_text = "cpu:2,gpu:2") {
  const absl::StatusOr<Graph> graph = ImportGraphDef(ExportGraphDef(GraphOf(text)), StandardOps());
  REQUIRE(graph.ok());
  const Machine machine = MachineOf(machine_text);
  const auto placed = PlaceGraph(*graph, machine, policy, OpSupport());
  if (!placed.ok()) return std::string(placed.status().message());
  std::string lines;
  for (NodeId n = 0; n < graph->num_nodes(); ++n) {
    absl::StrAppend(&lines, n == 0 ? "" : "; ", graph->node(n).name(), " ",
                    machine.device(placed->device(n)).name.ShortName());
  }
  return lines;
}

std::string Imported(const std::string& text, const char* policy, const std::string& machine = "cpu:2,gpu:2") {
  return Imported(text, *ParsePolicy(policy), machine);
}

TEST_CASE("D65 a device inside colocation that contradicts it: both nodes, with where they are from") {
  const Scope root = Scope::Root();
  const Operation a = root.WithDevice("/gpu:0", {"m.cc", 3}).WithName("a").Op("NoOp", {}, {}, {"m.cc", 4});
  root.WithColocation(a).WithDevice("/cpu:0", {"m.cc", 6}).WithName("b").Op("NoOp", {}, {}, {"m.cc", 7});
  const absl::StatusOr<Graph> graph = root.Finish();
  REQUIRE(graph.ok());
  const auto placed = PlaceGraph(*graph, MachineOf("cpu:1,gpu:1"), DefaultPolicy(), OpSupport());
  REQUIRE_FALSE(placed.ok());
  for (const char* words : {"node 'b' (NoOp at m.cc:7)", "node 'a' (NoOp at m.cc:4)", "m.cc:3", "m.cc:6", "loc:@a"}) {
    INFO(placed.status().message());
    INFO("expected in the message: " << words);
    CHECK(absl::StrContains(placed.status().message(), words));
  }
}

TEST_CASE("D81 a member of a group goes where the group's owner asks to be") {
  CHECK(Imported("A = Foo() @gpu:1\nB = Foo() {_class=[\"loc:@A\"]}\n", "default") == "A gpu:1; B gpu:1");
}

// Decided: what a member asks for is not dropped; the group goes there.
TEST_CASE("D82 only a member asks: the group goes where it asks to be") {
  CHECK(Imported("A = Foo()\nB = Foo() {_class=[\"loc:@A\"]} @cpu:1\n", "default") == "A cpu:1; B cpu:1");
}

// Decided: of two parts the earlier wins, about whichever member it speaks; one part that speaks against itself is an error.
TEST_CASE("D83 parts that speak of both members, of the member, of the owner") {
  const std::string graph = "A = Foo()\nB = Foo() {_class=[\"loc:@A\"]}\n";
  CHECK(Imported(graph, "match \"name=A\" on gpu:0 | match \"name=B\" on gpu:1") == "A gpu:0; B gpu:0");
  CHECK(Imported(graph, "match \"name=B\" on gpu:1") == "A gpu:1; B gpu:1");
  CHECK(Imported(graph, "match \"name=A\" on gpu:0") == "A gpu:0; B gpu:0");
}

TEST_CASE("D85 what the file says stands before what comes after it, field by field") {
  const std::string graph = "a = Foo() @\"/job:worker\"\nb = Foo() @\"/job:worker/cpu:0\"\n";
  const std::string task = "/job:worker/replica:0/task:";
  CHECK(Imported(graph, "pins | first-fit", kCluster) ==
        absl::StrCat("a ", task, "0/device:CPU:0; b ", task, "0/device:CPU:0"));
  CHECK(Imported(graph, "pins | match \"name=*\" on /task:1 | first-fit", kCluster) ==
        absl::StrCat("a ", task, "1/device:CPU:0; b ", task, "1/device:CPU:0"));
  CHECK(Imported(graph, "pins | match \"name=*\" on /job:ps | first-fit", kCluster) ==
        absl::StrCat("a ", task, "0/device:CPU:0; b ", task, "0/device:CPU:0"));
  CHECK(Imported(graph, "pins | match \"name=*\" on /gpu:0 | first-fit", kCluster) ==
        absl::StrCat("a ", task, "0/device:GPU:0; b ", task, "0/device:CPU:0"));
}

// On gpu:1 what takes `a`.
class WithInput : public Rule {
 public:
  std::string text() const override { return "with-input-a"; }
  Opinion Decide(const NodeFacts& node) const override {
    for (const absl::string_view input : node.input_names) {
      if (input == "a") return Opinion::Require(*ParseDeviceName("gpu:1"));
    }
    return Opinion::Abstain();
  }
};

TEST_CASE("D86 a rule sees the inputs of imported nodes") {
  const Rules rule(std::make_shared<WithInput>());
  CHECK(Imported("a = Foo()\nb = Foo(a)\nc = Foo(b)\n", rule | Else("cpu:0")) == "a cpu:0; b gpu:1; c cpu:0");
}

TEST_CASE("D91 three spellings of one device") {
  CHECK(Imported("a = Foo() @\"/job:localhost/replica:0/task:0/device:CPU:1\"\n"
                 "b = Foo() @\"/job:localhost/replica:0/task:0/cpu:1\"\nc = Foo() @\"/cpu:1\"\nd = Foo() "
                 "@\"/device:CPU:1\"\n",
                 "default") == "a cpu:1; b cpu:1; c cpu:1; d cpu:1");
}

TEST_CASE("P111 integers go to a gpu, whose kernels take them in host memory where they have to") {
  const Graph graph = GraphOf(
      "c = Const() {dtype=i32, value=tensor<i32[] 1>} @gpu:0\na = Add(c, c) {T=i32} @gpu:0\n"
      "f = Fill(c, a) {T=i32, index_type=i32} @gpu:0\n");
  const auto placed = PlaceGraph(graph, MachineOf("cpu:1,gpu:1"), DefaultPolicy(), SupportFrom(*CpuKernels()));
  INFO(placed.status());
  REQUIRE(placed.ok());
  CHECK(placed->device_of == std::vector<DeviceId>{1, 1, 1});
}

}  // namespace
}  // namespace berth
