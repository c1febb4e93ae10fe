// Refusals as data: every conflict of every random case, in JSON that reads back, byte for byte the same each time.
#include "placement/refusal.h"

#include <google/protobuf/util/json_util.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/placement.pb.h"
#include "tests/graph/random_graph.h"
#include "tests/placement/conflict_fault.h"
#include "tests/placement/place_text.h"
#include "tests/testing.h"

namespace berth {
namespace {

pb::RefusalDef Refused(const Placing& placing) {
  const absl::Status error = placing.Place().status();
  REQUIRE(!error.ok());
  const auto conflicts = placing.Conflicts();
  const std::vector<Conflict> none;
  const std::vector<Conflict>& list = conflicts.ok() ? *conflicts : none;
  const std::string json = RefusalToJson(*placing.graph, placing.machine, placing.policy, placing.mode, error, list);
  CHECK(json == RefusalToJson(*placing.graph, placing.machine, placing.policy, placing.mode, error, list));
  pb::RefusalDef def;
  REQUIRE(google::protobuf::util::JsonStringToMessage(json, &def).ok());
  const pb::RefusalDef direct =
      RefusalToProto(*placing.graph, placing.machine, placing.policy, placing.mode, error, list);
  CHECK(def.SerializeAsString() == direct.SerializeAsString());
  return def;
}

// "demand as @ gpu:0 by pins", and where it allows.
std::string Members(const pb::Conflict& conflict) {
  std::string text;
  for (const pb::ConflictMember& member : conflict.member()) {
    absl::StrAppend(&text, member.kind(), " ", member.node(), " (", member.op(), " ", member.source(),
                    "): ", member.asked(), ", ", member.author(), " (", member.origin(), ")",
                    member.tie().empty() ? "" : absl::StrCat(", by ", member.tie()), " ->");
    for (const std::string& device : member.allowed())
      absl::StrAppend(&text, " ", device.substr(device.rfind('/') + 1));
    text += '\n';
  }
  for (const pb::Fix& fix : conflict.fix()) {
    absl::StrAppend(&text, "fix ", fix.kind(), fix.has_part() ? absl::StrCat(" ", fix.part()) : "", ": ", fix.text(),
                    "\n");
  }
  return text;
}

TEST_CASE("a conflict of requests in one group") {
  const Placing placing{std::make_shared<const Graph>(GraphOf("v = VariableV2() {dtype=f32, shape=shape [4]} @cpu:0\nc "
                                                              "= Foo() : f32[4]\nas = Assign(v, c) {T=f32} @gpu:0\n")),
                        MachineOf("cpu:1,gpu:1"), *ParsePolicy("variables-on cpu:0 where \"name=none\" | pins"),
                        OpSupport()};
  const pb::RefusalDef def = Refused(placing);
  CHECK(def.version() == 1);
  CHECK(def.machine() == "cpu:1,gpu:1");
  CHECK(def.mode() == "strict");
  CHECK(def.graph_hash() == placing.graph->Fingerprint());
  CHECK(def.error() == placing.Place().status().message());
  REQUIRE(def.conflict_size() == 1);
  CHECK(def.conflict(0).part() == "pins");
  CHECK(def.conflict(0).text() == def.error());
  CHECK(Members(def.conflict(0)) ==
        "demand as (Assign g:3): gpu:0, pins (the node's own request) -> device:GPU:0\n"
        "demand v (VariableV2 g:1): cpu:0, pins (the node's own request), by reference edge 'v' -> 'as' -> "
        "device:CPU:0\n"
        "fix ask 1: ask for cpu:0 for 'as'\n"
        "fix put 1: put 'match \"name=as\" on cpu:0' before 'pins'\n"
        "fix soft: place in soft mode\n");
}

TEST_CASE("too few devices, a missing kernel, what a rule forbids, and memory that is short in all") {
  const auto refused = [](const std::string& graph, const std::string& policy, const std::string& support,
                          const Machine& machine = MachineOf("cpu:1,gpu:1")) {
    return Refused({std::make_shared<const Graph>(GraphOf(graph)), machine, *ParsePolicy(policy), SupportOf(support)});
  };
  const pb::RefusalDef few =
      refused("a = Foo() <tower=0>\nb = Foo() <tower=1>\nc = Foo() <tower=1>\n", "towers-on gpu:*", "");
  REQUIRE(few.conflict_size() == 1);
  CHECK(few.conflict(0).too_few());
  CHECK(few.conflict(0).member(0).nodes() == 2);
  CHECK(Members(few.conflict(0)) ==
        "demand b (Foo g:2): tower 1, towers-on gpu:* (policy) ->\n"
        "fix machine: place on cpu:1,gpu:2\nfix soft: place in soft mode\n");
  const pb::RefusalDef kernel = refused("a = Foo()\nb = Bar() {_class=[\"loc:@a\"]}\n", "first-fit", "Foo:cpu Bar:gpu");
  REQUIRE(kernel.conflict_size() == 1);
  CHECK(kernel.conflict(0).part().empty());
  CHECK(Members(kernel.conflict(0)) ==
        "fact a (Foo g:1): a kernel on cpu only, fact: kernel () -> device:CPU:0\n"
        "fact b (Bar g:2): a kernel on gpu only, fact: kernel (), by _class loc:@a -> device:GPU:0\n"
        "fix kernel: add a kernel for Bar on cpu\n");
  const pb::RefusalDef forbid = refused("a = Foo()\n", "match \"op=Foo\" forbid cpu:0", "Foo:cpu");
  REQUIRE(forbid.conflict_size() == 1);
  CHECK(forbid.conflict(0).member(0).kind() == "forbid");
  const auto machine = ParseMachineDef("device { name: \"cpu:0\" memory_bytes: 20 }", "m");
  REQUIRE(machine.ok());
  const pb::RefusalDef memory = refused(
      "a = Const() {dtype=f32, value=tensor<f32[4] 1.0,2.0,3.0,4.0>} : f32[4]\n"
      "b = Const() {dtype=f32, value=tensor<f32[4] 1.0,2.0,3.0,4.0>} : f32[4]\n",
      "first-fit", "", *machine);
  CHECK(memory.conflict_size() == 0);
  CHECK(memory.error().find("expected a need of at most 20 bytes, got 32") != std::string::npos);
}

TEST_CASE("random refusals read back") {
  int conflicts = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    INFO("seed " << seed);
    const Placing placing{
        std::make_shared<const Graph>(RandomGraph(
            seed, {.nodes = 20, .opaque_ops = true, .devices = {"/gpu:0", "/cpu:0", "/gpu:7"}, .colocation = true})),
        MachineOf("cpu:1,gpu:2"), *ParsePolicy("match \"op=Add\" together | pins"),
        SupportOf("Add:cpu Neg:gpu FancyOp:cpu")};
    if (placing.Place().ok()) continue;
    conflicts += Refused(placing).conflict_size();
  }
  CHECK(conflicts > 100);
}

}  // namespace
}  // namespace berth
