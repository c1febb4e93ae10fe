// TensorFlow's own tests of replica_device_setter and its strategies, restated for the rule replica-setter: rows D66 to D78 of
// the catalog, by id. Devices inside `tf.device` are requests here, and act through `pins` before the rule.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "placement/place.h"
#include "placement/policy.h"
#include "tests/placement/place_text.h"
#include "tests/testing.h"

namespace berth {
namespace {

constexpr char kMachine[] = "ps*2(cpu:1),worker(cpu:1),moon*2(cpu:1)";

std::string Variable(const std::string& name, const std::string& shape = "[2]") {
  return absl::StrCat(name, " = VariableV2() {dtype=f32, shape=shape ", shape, "}");
}

// "v ps/0; w moon/1": job and task of every node.
std::string Tasks(const std::string& graph_text, const std::string& policy,
                  const std::string& machine_text = kMachine) {
  const Graph graph = GraphOf(graph_text);
  const Machine machine = MachineOf(machine_text);
  const auto parsed = ParsePolicy(policy);
  if (!parsed.ok()) return parsed.status().ToString();
  const auto placed = PlaceGraph(graph, machine, *parsed, OpSupport());
  if (!placed.ok()) return placed.status().ToString();
  std::string text;
  for (NodeId n = 0; n < graph.num_nodes(); ++n) {
    const DeviceName& name = machine.device(placed->device(n)).name;
    absl::StrAppend(&text, n == 0 ? "" : "; ", graph.node(n).name(), " ", *name.job, "/", *name.task);
  }
  return text;
}

TEST_CASE("D66 a cpu asked for inside the setter") {
  CHECK(Tasks(Variable("v") + " @/cpu:0\n" + Variable("w") + "\na = Foo() @/cpu:0\n",
              "pins | replica-setter | first-fit") == "v ps/0; w ps/1; a worker/0");
}

TEST_CASE("D67 a resource variable goes to the first task") {
  CHECK(Tasks("v = VarHandleOp() {dtype=f32, shape=shape [2]}\na = Foo()\n", "pins | replica-setter | first-fit") ==
        "v ps/0; a worker/0");
}

TEST_CASE("D69 a variable for another job takes no turn; one for the servers' job gets its task") {
  CHECK(Tasks(Variable("v") + "\n" + Variable("w") + " @/job:moon\n" + Variable("x") + " @/job:ps\na = Foo()\n",
              "pins | replica-setter | first-fit") == "v ps/0; w moon/0; x ps/1; a worker/0");
}

TEST_CASE("D70 servers named by a kind only") {
  CHECK(Tasks(Variable("v") + "\n" + Variable("w") + " @/job:moon\na = Foo()\n",
              "pins | replica-setter ps=/cpu:0 worker=/job:worker | first-fit") == "v ps/0; w moon/0; a worker/0");
}

// Decided: what the setter leaves alone is for the parts after it, which have to choose a task.
TEST_CASE("D71 without merging, what asks for something is left alone") {
  CHECK(Tasks(Variable("v") + " @/job:ps\n" + Variable("w") + "\n" + Variable("x") + "\na = Foo()\n",
              "replica-setter merge=off | pins | first-fit") == "v ps/0; w ps/0; x ps/1; a worker/0");
}

TEST_CASE("D73 servers of another job, on their cpus") {
  CHECK(Tasks(Variable("v") + "\n" + Variable("w") + "\na = Foo()\n",
              "pins | replica-setter ps=/job:moon/cpu:0 worker=/job:worker | first-fit") ==
        "v moon/0; w moon/1; a worker/0");
}

TEST_CASE("D77 by bytes, to the task with fewest") {
  CHECK(Tasks(Variable("u", "[2,2]") + "\n" + Variable("v", "[2,1]") + "\n" + Variable("w", "[2,2]") + "\n" +
                  Variable("x", "[1,3]") + "\na = Foo()\n",
              "replica-setter by=bytes | first-fit") == "u ps/0; v ps/1; w ps/1; x ps/0; a worker/0");
}

TEST_CASE("D78 by bytes, a scalar") {
  CHECK(Tasks(Variable("v", "[]") + "\n", "replica-setter by=bytes | first-fit") == "v ps/0");
}

}  // namespace
}  // namespace berth
