// What soft mode gives up: which fields, why, at what cost, and that reports keep it.
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "graph/infer.h"
#include "graph/text.h"
#include "placement/estimate.h"
#include "placement/groups.h"
#include "placement/move_cost.h"
#include "placement/place.h"
#include "placement/policy.h"
#include "placement/report.h"
#include "tests/graph/random_graph.h"
#include "tests/placement/place_text.h"
#include "tests/testing.h"

namespace berth {
namespace {

Placement SoftlyPlaced(const Graph& graph, const Machine& machine, const std::string& policy,
                       const std::string& support = "") {
  const auto placed =
      PlaceGraph(graph, machine, *ParsePolicy(policy), SupportOf(support), {.mode = PlacementMode::kSoft});
  if (!placed.ok()) FAIL(placed.status().ToString());
  return *placed;
}

// "a gpu:7 -id (no such device) cost 40\n", a line a fallback.
std::string Fallbacks(const Graph& graph, const Placement& placed) {
  std::string text;
  for (const Fallback& f : placed.fallbacks) {
    absl::StrAppend(&text, graph.node(f.node).name(), " ", f.asked, " -", f.dropped, " (", CauseName(f.cause), ")",
                    f.cost_bytes ? absl::StrCat(" cost ", *f.cost_bytes) : "", "\n");
  }
  return text;
}

TEST_CASE("a relaxed demand says which fields it lost, why, and what that costs") {
  const struct {
    const char *graph, *machine, *policy, *support, *expected;
  } rows[] = {
      {"a = Foo() @gpu:7\n", "cpu:1,gpu:2", "pins", "", "a gpu:7 -id (no such device)\n"},
      {"a = Foo() @\"/device:NPU:7\"\n", "cpu:1,gpu:2", "pins", "", "a /device:NPU:7 -all (no such device)\n"},
      {"a = Foo() @\"/job:b/task:3/gpu:0\"\n", "a(cpu:1),b*2(cpu:1)", "pins", "",
       "a /job:b/task:3/device:GPU:0 -id, kind, task (no such device)\n"},
      {"a = Foo() @\"/job:c/gpu:0\"\n", "a(cpu:1),b*2(cpu:1)", "pins", "",
       "a /job:c/device:GPU:0 -all (no such device)\n"},
      // The input of 40 bytes would have to be sent to gpu:0, and b's value of 80 bytes to come back.
      {"a = Foo() : f32[10] @cpu:0\nb = Bar(a) : f32[20] @gpu:0\nc = Foo(b) @cpu:0\n", "cpu:1,gpu:1", "pins",
       "Bar:cpu Foo:cpu,gpu", "b gpu:0 -all (no kernel) cost -120\n"},
      {"a = Foo() : f32[10] @gpu:0\nb = Bar(a) : f32[20] @gpu:0\nc = Foo(b) @gpu:0\n", "cpu:1,gpu:1", "pins",
       "Bar:cpu Foo:cpu,gpu", "b gpu:0 -all (no kernel) cost 120\n"},
      {"v = VariableV2() {dtype=f32, shape=shape [4]} @cpu:0\nc = Foo() : f32[4] @gpu:1\n"
       "as = Assign(v, c) {T=f32} @gpu:1\n",
       "cpu:1,gpu:2", "pins", "", "as gpu:1 -all (colocation) cost 16\n"},
      {"a = Foo() <tower=2>\n", "cpu:1,gpu:2", "towers-on gpu:* | else cpu:0", "", "a gpu:2 - (no such device)\n"},
      {"a = Foo()\n", "cpu:1", "match \"op=Foo\" forbid cpu:0", "", "a not cpu:0 -all (no such device)\n"},
  };
  for (const auto& row : rows) {
    INFO(row.graph);
    const Graph graph = GraphOf(row.graph);
    CHECK(Fallbacks(graph, SoftlyPlaced(graph, MachineOf(row.machine), row.policy, row.support)) == row.expected);
  }
}

TEST_CASE("reports keep relaxations, and fallbacks are counted by cause") {
  const Graph graph =
      GraphOf("a = Foo() : f32[10] @gpu:0\nb = Bar(a) : f32[20] @gpu:0\nc = Foo(b) @gpu:7\nd = Foo() <tower=9>\n");
  const Machine machine = MachineOf("cpu:1,gpu:1");
  const Placement placed = SoftlyPlaced(graph, machine, "pins | towers-on gpu:*", "Bar:cpu Foo:cpu,gpu");
  CHECK(FallbackSummary(placed) == "3 fallbacks: 2 no such device, 1 no kernel");
  const auto again = PlacementFromJson(PlacementToJson(graph, machine, placed), graph, machine);
  REQUIRE(again.ok());
  CHECK(Fallbacks(graph, *again) == Fallbacks(graph, placed));
  CHECK(again->fallbacks[0].wanted == placed.fallbacks[0].wanted);
  CHECK(again->fallbacks[0].cost_seconds == placed.fallbacks[0].cost_seconds);
  CHECK(PrintPlacement(graph, machine, *again) == PrintPlacement(graph, machine, placed));
  CHECK(
      ForbidFallbacks(graph, placed).ToString() ==
      "FAILED_PRECONDITION: placement: expected no fallback, got 3 fallbacks: 2 no such device, 1 no kernel\n"
      "  node 'b' asked for gpu:0, got /job:localhost/replica:0/task:0/device:CPU:0 (pins): a kernel on cpu only\n"
      "  node 'c' asked for gpu:7, got /job:localhost/replica:0/task:0/device:GPU:0 (pins): no such device on "
      "cpu:1,gpu:1\n"
      "  node 'd' asked for gpu:9, got /job:localhost/replica:0/task:0/device:CPU:0 (towers-on gpu:*): no such device "
      "on cpu:1,gpu:1");
  CHECK(ForbidFallbacks(graph, SoftlyPlaced(graph, machine, "first-fit")).ok());
}

struct Totals {
  int64_t bytes = 0, transfers = 0;
  double seconds = 0;
};

Totals TotalsOf(const Graph& graph, const Machine& machine, const Placement& placement) {
  const PlacementEstimate estimate = EstimatePlacement(graph, machine, placement);
  Totals totals;
  for (const auto& device : estimate.devices) totals.seconds += device.busy_seconds;
  for (const auto& link : estimate.links) {
    totals.bytes += link.bytes;
    totals.transfers += link.transfers;
    totals.seconds += link.busy_seconds;
  }
  return totals;
}

TEST_CASE("what a move costs is the difference of two estimates") {
  int moved = 0, changed = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    RandomGraphOptions options;
    options.nodes = 12;
    options.colocation = seed % 2 == 0;
    options.shuffled = seed % 3 == 0;
    const auto inferred = InferShapes(RandomGraph(seed, options));
    REQUIRE(inferred.ok());
    const Graph& graph = *inferred;
    const Machine machine = MachineOf(seed % 4 == 0 ? "a(cpu:1,gpu:2),b(gpu:1)" : "cpu:1,gpu:3");
    Placement placement = SoftlyPlaced(graph, machine, absl::StrCat("random:", seed));
    const Groups groups = FindGroups(graph);
    const Totals before = TotalsOf(graph, machine, placement);
    for (NodeId n = 0; n < graph.num_nodes(); ++n) {
      for (DeviceId d = 0; d < machine.num_devices(); ++d) {
        INFO("seed " << seed << ", node " << std::string(graph.node(n).name()) << ", to " << d);
        Placement after = placement;
        for (NodeId m = 0; m < graph.num_nodes(); ++m) {
          if (groups.root[m] == groups.root[n]) after.device_of[m] = d;
        }
        const Totals totals = TotalsOf(graph, machine, after);
        const MoveCost cost = Moves(graph, machine, placement).Cost(n, d);
        CHECK(cost.bytes == totals.bytes - before.bytes);
        CHECK(cost.transfers == totals.transfers - before.transfers);
        CHECK(std::abs(cost.seconds - (totals.seconds - before.seconds)) < 1e-12);
        ++moved;
        changed += cost.bytes != 0 ? 1 : 0;
      }
    }
  }
  CHECK(moved > 1000);
  CHECK(changed > 100);
}

}  // namespace
}  // namespace berth
