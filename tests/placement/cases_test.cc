// Situations that people who place graphs have run into, by the ids of the list of cases.
#include <string>

#include "placement/machine.h"
#include "placement/op_support.h"
#include "placement/place.h"
#include "placement/policy.h"
#include "placement/report.h"
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

TEST_CASE("R025 the variables and their devices do not depend on how many gpus there are") {
  for (const char* machine : {"cpu:1,gpu:0", "cpu:1,gpu:1", "cpu:1,gpu:2", "cpu:1,gpu:4"}) {
    CHECK(Devices({kTowers, machine, kPolicy, kSoft}).substr(0, 8) == "w cpu:0\n");
  }
}

TEST_CASE("R029 two towers on a machine with one gpu") {
  CHECK(Devices({kTowers, "cpu:1,gpu:1", kPolicy, kStrict}) ==
        "FAILED_PRECONDITION: policy part 'towers-on gpu:*' (policy): expected a device for each tower, got gpu:0 on "
        "cpu:1,gpu:1; without a device: tower 1 (1 node, the first is node 'b' (Foo at g:3)); place on a machine with "
        "more devices, or place in soft mode");
  const Graph graph = GraphOf(kTowers);
  const Machine machine = MachineOf("cpu:1,gpu:1");
  const auto placed = PlaceGraph(graph, machine, *ParsePolicy(kPolicy), OpSupport(), {kSoft});
  REQUIRE(placed.ok());
  const std::string report = PrintPlacement(graph, machine, *placed);
  CHECK(
      report.find("# 1 fallback\n#   1 for: no such device on cpu:1,gpu:1\n# fallback: 'b' asked for gpu:1, got "
                  "/job:localhost/replica:0/task:0/device:CPU:0 (towers-on gpu:*): no such device on cpu:1,gpu:1\n") !=
      std::string::npos);
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
        "kernel on cpu only; leave it on cpu:0, or place in soft mode");
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
