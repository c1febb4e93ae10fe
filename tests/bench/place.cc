// Placing graphs of a thousand to a million nodes: three rules and first-fit, and the default policy; the memory it
// takes; 20 rules over 3 million edges and 64 devices, with what it costs and the report. The floor: assigning the
// devices that came out, from an array.
#include <malloc.h>

#include "absl/strings/str_cat.h"
#include "graph/graph_builder.h"
#include "graph/status_macros.h"
#include "placement/estimate.h"
#include "placement/place.h"
#include "placement/report.h"
#include "tests/bench/families.h"

namespace berth {
namespace {

constexpr int kTowers = 8;
constexpr int kLayer = 100;  // nodes a layer, the first its variable

// Towers of chains that read their layer's variable: two or three inputs a node, four of five nodes with a tower's label.
absl::StatusOr<Graph> Towers(int nodes, int inputs = 2) {
  GraphBuilder builder(StandardOps());
  const DType types[] = {DType::kFloat32};
  const std::pair<absl::string_view, AttrValue> attrs[] = {{"dtype", AttrValue(DType::kFloat32)},
                                                           {"shape", AttrValue(PartialShape({16, 16}))}};
  NodeId last = 0, variable = 0;
  for (int i = 0; i < nodes; ++i) {
    const std::string name = absl::StrCat("tower_", i % kTowers, "/layer_", i / kLayer, "/node_", i);
    const Tag tags[] = {{"tower", absl::StrCat(i % kTowers)}};
    const Input all_inputs[] = {{last, 0}, {variable, 0}, {std::max(variable, last - 1), 0}};
    NodeSpec spec{.name = name};
    if (i % kLayer == 0) {
      spec.op = "VariableV2";
      spec.attrs = attrs;
    } else {
      spec.op = i % 10 == 1 ? "MyMatMul" : "MyAdd";
      if (i % 5 != 0) spec.tags = tags;
      spec.inputs = absl::MakeConstSpan(all_inputs).first(inputs);
      spec.opaque_outputs = 1;
      spec.opaque_dtypes = types;
    }
    BERTH_ASSIGN_OR_RETURN(last, builder.AddNode(spec));
    if (i % kLayer == 0) variable = last;
    builder.set_output_shape(last, 0, PartialShape({16, 16}));
  }
  return std::move(builder).Build();
}

size_t HeapBytes() { return mallinfo2().uordblks + mallinfo2().hblkhd; }

absl::StatusOr<std::vector<Row>> Place(const std::string& name, const Policy& policy, bool by_tower, int nodes,
                                       const Effort& effort) {
  BERTH_ASSIGN_OR_RETURN(const Graph graph, Towers(nodes));
  BERTH_ASSIGN_OR_RETURN(const Machine machine, ParseMachine("cpu:1,gpu:8"));
  OpSupport support;
  for (const char* kind : {"CPU", "GPU"}) {
    for (const char* op : {"MyMatMul", "MyAdd", "VariableV2"}) support.Add({.op = op, .kind = kind});
  }
  size_t bytes = 0;
  std::vector<DeviceId> devices(nodes);
  const Sample ours = [&](Stopwatch& watch) -> absl::Status {
    const size_t before = HeapBytes();
    watch.Start();
    const absl::StatusOr<Placement> placement = PlaceGraph(graph, machine, policy, support);
    watch.Stop();
    BERTH_RETURN_IF_ERROR(placement.status());
    bytes = HeapBytes() - before;
    devices = placement->device_of;
    if (!by_tower) return ExpectEqual("placed nodes", nodes, static_cast<double>(devices.size()));
    for (NodeId id = 0; id < nodes; ++id) {  // variables and what has no label first fit on cpu:0
      const bool tower = id % kLayer != 0 && id % 5 != 0;
      BERTH_RETURN_IF_ERROR(ExpectEqual("device", tower ? 1 + id % kTowers : 0, devices[id]));
    }
    return absl::OkStatus();
  };
  std::vector<DeviceId> copied(nodes);
  const Sample floor = [&](Stopwatch& watch) {
    watch.Start();
    for (NodeId id = 0; id < nodes; ++id) copied[id] = devices[id];
    asm volatile("" : : "r"(copied.data()) : "memory");
    watch.Stop();
    return ExpectEqual("copied", devices.back(), copied.back());
  };
  BERTH_ASSIGN_OR_RETURN(const std::vector<Times> times, TakeTimes(effort, Clock::kProcessor, {ours, floor}));
  const double per_node = static_cast<double>(bytes) / nodes;
  return std::vector<Row>{
      Beside(RateRow(name, "M nodes/s", times[0], nodes * 1e-6), "array copy", RateRow("", "", times[1], nodes * 1e-6)),
      {.name = absl::StrCat(name, "/memory"), .unit = "bytes a node", .min = per_node, .median = per_node}};
}

// Twenty rules, of which most have to look at every node's name, op or label.
Policy TwentyRules() {
  Policy policy = Pins() | VariablesOn("/cpu:0");
  for (int layer = 10; layer < 26; ++layer) {
    policy = policy | Match(absl::StrCat("name=tower_*/layer_", layer, "/*")).On(absl::StrCat("/gpu:", layer));
  }
  return policy | Match("op=MyMatMul & tag=tower:7").Prefer("/gpu:40") | TowersOn("/gpu:*") | FirstFit();
}

absl::StatusOr<std::vector<Row>> PlaceAndReport(const std::string& name, int nodes, const Effort& effort) {
  BERTH_ASSIGN_OR_RETURN(const Graph graph, Towers(nodes, 3));
  BERTH_ASSIGN_OR_RETURN(const Machine machine, ParseMachine("cpu:1,gpu:63"));
  const Policy policy = TwentyRules();
  Placement placed;
  const Sample place = [&](Stopwatch& watch) -> absl::Status {
    watch.Start();
    absl::StatusOr<Placement> placement = PlaceGraph(graph, machine, policy, OpSupport());
    watch.Stop();
    BERTH_RETURN_IF_ERROR(placement.status());
    placed = *std::move(placement);
    return ExpectEqual("placed nodes", nodes, static_cast<double>(placed.device_of.size()));
  };
  const Sample estimate = [&](Stopwatch& watch) {
    watch.Start();
    const PlacementEstimate cost = EstimatePlacement(graph, machine, placed);
    watch.Stop();
    return ExpectEqual("nodes", nodes, static_cast<double>(cost.total().nodes));
  };
  const Sample report = [&](Stopwatch& watch) {
    watch.Start();
    const std::string text = PrintPlacement(graph, machine, placed);
    watch.Stop();
    return ExpectEqual("lines", 1, text.size() > static_cast<size_t>(nodes) * 20 ? 1 : 0);
  };
  BERTH_ASSIGN_OR_RETURN(const std::vector<Times> times,
                         TakeTimes(effort, Clock::kProcessor, {place, estimate, report}));
  return std::vector<Row>{RateRow(name, "M nodes/s", times[0], nodes * 1e-6),
                          RateRow(name + "/estimate", "M nodes/s", times[1], nodes * 1e-6),
                          RateRow(name + "/report", "M nodes/s", times[2], nodes * 1e-6)};
}

}  // namespace

void AddPlaceBenchmarks(std::vector<Benchmark>& list) {
  const Policy three = Pins() | VariablesOn("/cpu:0") | TowersOn("/gpu:*") | FirstFit();
  const auto add = [&list](const std::string& name, const Policy& policy, bool by_tower, int nodes) {
    list.push_back({name, [=](const Effort& effort) {
                      return Place(name, policy, by_tower, effort.small ? std::min(nodes, 2000) : nodes, effort);
                    }});
  };
  add("place/rules/1k", three, true, 1000);
  add("place/rules/10k", three, true, 10000);
  add("place/rules/100k", three, true, 100000);
  add("place/rules/1M", three, true, 1000000);
  add("place/default/1M", DefaultPolicy(), false, 1000000);
  list.push_back({"place/20rules/1M", [](const Effort& effort) {
                    return PlaceAndReport("place/20rules/1M", effort.small ? 2000 : 1000000, effort);
                  }});
}

}  // namespace berth
