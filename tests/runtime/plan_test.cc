#include "runtime/plan.h"

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/infer.h"
#include "runtime/devices.h"
#include "tests/runtime/run_testing.h"
#include "tests/testing.h"

namespace berth {
namespace {

// The plans of a graph whose nodes ask for their devices.
struct Planned {
  Devices devices;
  std::unique_ptr<SessionState> state;
  RunPlan run;
};

Planned PlanOf(const std::string& text, std::vector<std::string> fetches, bool share_memory = true) {
  auto parsed = TestGraph(text);
  REQUIRE(parsed.ok());
  auto graph = InferShapes(*std::move(parsed));
  REQUIRE(graph.ok());
  const Machine machine = *ParseMachine("cpu:1,gpu:1");
  Placement placement;
  for (NodeId id = 0; id < graph->num_nodes(); ++id)
    placement.device_of.push_back(graph->node(id).device().empty() ? 0 : 1);
  Planned planned{*DevicesFor(machine), *SessionState::For(*graph, placement), {}};
  auto partition = PartitionGraph(*graph, placement, machine, {.fetches = std::move(fetches)});
  REQUIRE(partition.ok());
  auto run = BuildPlans(*std::move(partition), {planned.devices.device(0), planned.devices.device(1)}, *TestKernels(),
                        *planned.state, {.share_memory = share_memory});
  INFO(run.status().ToString());
  REQUIRE(run.ok());
  planned.run = *std::move(run);
  return planned;
}

TEST_CASE("plans: elementwise chains run in place, views and constants take no step") {
  const Planned p = PlanOf(R"(
c = Const() {dtype=f32, value=tensor<f32[2,2] 1.0,...>}
flat = Const() {dtype=i32, value=tensor<i32[1] 4>}
a = Neg(c)
b = Relu(a)
r = Reshape(b, flat)
i = Identity(r)
d = Neg(i)
y = Neg(d)
)",
                           {"y"});
  REQUIRE(p.run.parts.size() == 1);
  CHECK(p.run.parts[0].ToString() == R"(0 kernel a (Neg) [0] -> [1]
1 kernel b (Relu) [1] -> [2]
2 kernel d (Neg) [5] -> [6]
3 kernel y (Neg) [6] -> [7]
4 fetch _retval_y_0_0 (_Retval) [7] -> []
slot 0 f32[2,2] constant
slot 1 f32[2,2] at 0, 16 bytes
slot 2 f32[2,2] at 0, 16 bytes
slot 3 i32[1] constant
slot 4 f32[4] as slot 2
slot 5 f32[4] as slot 2
slot 6 f32[4] at 0, 16 bytes
memory 64 bytes, lower bound 64
)");
}

TEST_CASE("plans: what is still read is not written over") {
  const Planned p = PlanOf(R"(
c = Const() {dtype=f32, value=tensor<f32[16] 1.0,...>}
a = Neg(c)
b = Relu(a)
d = Add(a, b)
e = Add(d, d)
f = MatMul(g, g)
g = Neg(w)
w = Const() {dtype=f32, value=tensor<f32[4,4] 1.0,...>}
s = Const() {dtype=i32, value=tensor<i32[1] 16>}
h = Reshape(f, s)
y = Add(h, e)
)",
                           {"y"});
  const Plan& plan = p.run.parts[0];
  std::map<std::string, int64_t> offset;
  for (const PlanStep& step : plan.steps) {
    if (step.num_outputs == 1) {
      offset[std::string(plan.graph->node(step.node).name())] =
          plan.slots[plan.operands[step.first_operand + step.num_inputs]].offset;
    }
  }
  CHECK(offset["a"] != offset["b"]);
  CHECK(offset["d"] == offset["a"]);
  CHECK(offset["e"] == offset["d"]);
  CHECK(offset["f"] != offset["g"]);
  CHECK(offset["y"] == -1);  // fetched: a block of its own
}

// Slots of different values that live at the same step share no byte, whatever the planner decided.
std::string FirstClash(const Plan& plan) {
  std::map<int32_t, std::pair<int, int>> life;  // by root slot
  for (int s = 0; s < static_cast<int>(plan.steps.size()); ++s) {
    const PlanStep& step = plan.steps[s];
    for (int i = 0; i < step.num_inputs + step.num_outputs; ++i) {
      int32_t slot = plan.operands[step.first_operand + i];
      if (plan.slots[slot].root >= 0) slot = plan.slots[slot].root;
      if (plan.slots[slot].offset < 0) continue;
      const auto it = life.emplace(slot, std::make_pair(s, s)).first;
      it->second.second = step.kind == StepKind::kSend ? 1 << 30 : std::max(it->second.second, s);
      if (step.kind == StepKind::kReceive) it->second.first = 0;
    }
  }
  for (const auto& [a, la] : life) {
    for (const auto& [b, lb] : life) {
      const PlanSlot &x = plan.slots[a], &y = plan.slots[b];
      // One may begin in the step in which the other ends: that is what in place means.
      if (a >= b || x.space != y.space || la.second <= lb.first || lb.second <= la.first) continue;
      if (x.offset < y.offset + y.bytes && y.offset < x.offset + x.bytes) return absl::StrCat("slots ", a, " and ", b);
    }
  }
  return "";
}

TEST_CASE("plans: transfers are sent at once, received late, and their memory is nobody else's") {
  const Planned p = PlanOf(R"(
c = Const() {dtype=f32, value=tensor<f32[64] 1.0,...>}
a = Neg(c)
b = Neg(a) @gpu
d = Neg(b) @gpu
e = Add(d, b) @gpu
f = Neg(a)
g = Neg(f)
y = Add(g, e)
)",
                           {"y"});
  REQUIRE(p.run.parts.size() == 2);
  std::string steps;
  for (const Plan& plan : p.run.parts) {
    for (const PlanStep& step : plan.steps) {
      const char* kinds[] = {"", "feed ", "fetch ", "send ", "receive ", "copy "};
      absl::StrAppend(&steps, kinds[static_cast<int>(step.kind)],
                      step.kind == StepKind::kKernel  ? std::string(plan.graph->node(step.node).name())
                      : step.kind == StepKind::kFetch ? "y"
                                                      : p.run.channels[step.number].transfer.value,
                      "; ");
    }
    steps += "\n";
    CHECK(FirstClash(plan) == "");
  }
  CHECK(steps == "a; send a:0; f; g; receive e:0; y; fetch y; \nreceive a:0; b; d; e; send e:0; \n");
  for (const ChannelPlan& channel : p.run.channels) CHECK_FALSE(channel.by_pointer);
}

TEST_CASE("plans: memory can be left unshared") {
  const Planned p =
      PlanOf("c = Const() {dtype=f32, value=tensor<f32[4] 1.0,...>}\na = Neg(c)\nb = Identity(a)\n", {"b"}, false);
  CHECK(p.run.parts[0].bytes[0] == 0);
  CHECK(p.run.parts[0].steps.size() == 3);
}

}  // namespace
}  // namespace berth
