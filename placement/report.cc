#include "placement/report.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/op_def.h"

namespace berth {
namespace {

constexpr size_t kWidestName = 60;

// Bytes of one output; nullopt where its shape or its elements' size is not known.
std::optional<int64_t> BytesOf(const Node& node, int slot) {
  const std::optional<int64_t> elements = node.output_shape(slot).num_elements();
  const int size = DTypeSize(BaseOf(node.output_dtype(slot)));
  if (!elements || size == 0 || *elements > INT64_MAX / size) return std::nullopt;
  return *elements * size;
}

// A variable that is a handle says what it holds in attributes.
std::optional<int64_t> VariableBytes(const Node& node) {
  if (node.num_outputs() > 0 && BaseOf(node.output_dtype(0)) != DType::kResource) return BytesOf(node, 0);
  const PartialShape* shape = node.AttrOrDefault<PartialShape>("shape");
  const DType* dtype = node.AttrOrDefault<DType>("dtype");
  if (shape == nullptr || dtype == nullptr) return std::nullopt;
  const std::optional<int64_t> elements = shape->num_elements();
  const int size = DTypeSize(BaseOf(*dtype));
  if (!elements || size == 0 || *elements > INT64_MAX / size) return std::nullopt;
  return *elements * size;
}

int64_t AddUpTo(int64_t a, int64_t b) { return a > INT64_MAX - b ? INT64_MAX : a + b; }

std::string Count(int64_t n, absl::string_view one) { return absl::StrCat(n, " ", one, n == 1 ? "" : "s"); }

std::string Padded(absl::string_view text, size_t width) {
  return absl::StrCat(text, std::string(width > text.size() ? width - text.size() : 0, ' '));
}

std::string Hex(uint64_t hash) { return absl::StrCat(absl::Hex(hash, absl::kZeroPad16)); }

void PrintNodes(const Graph& graph, const Machine& machine, const Placement& placement, std::string* out) {
  std::vector<std::string> devices;
  size_t device_width = 0, name_width = 0;
  for (const MachineDevice& device : machine.devices()) {
    devices.push_back(device.name.ShortName());
    device_width = std::max(device_width, devices.back().size());
  }
  for (NodeId n = 0; n < graph.num_nodes(); ++n) {
    name_width = std::max(name_width, std::min(kWidestName, graph.node(n).name().size()));
  }
  for (NodeId n = 0; n < graph.num_nodes(); ++n) {
    absl::StrAppend(out, Padded(graph.node(n).name(), name_width), "  ",
                    Padded(devices[placement.device(n)], device_width), "  ", placement.author(n), ": ",
                    placement.reason(n), "\n");
  }
}

void PrintCosts(const Machine& machine, const PlacementEstimate& estimate, std::string* out) {
  const auto unknown = [](int64_t n) { return n == 0 ? "" : absl::StrCat(", ", n, " of unknown size"); };
  for (DeviceId d = 0; d < machine.num_devices(); ++d) {
    const PlacementEstimate::Device& device = estimate.devices[d];
    absl::StrAppend(out, "# ", machine.device(d).name.ShortName(), ": ", Count(device.nodes, "node"));
    if (device.variable_bytes > 0 || device.unknown_sizes > 0) {
      absl::StrAppend(out, ", ", Count(device.variable_bytes, "byte"), " of variables", unknown(device.unknown_sizes));
    }
    out->push_back('\n');
  }
  for (const PlacementEstimate::Link& link : estimate.links) {
    absl::StrAppend(out, "# ", machine.device(link.from).name.ShortName(), " -> ",
                    machine.device(link.to).name.ShortName(), ": ", Count(link.transfers, "transfer"), ", ",
                    Count(link.bytes, "byte"), unknown(link.unknown_sizes), "\n");
  }
}

void PrintFallbacks(const Graph& graph, const Placement& placement, std::string* out) {
  if (placement.fallbacks.empty()) return;
  std::map<std::string, int64_t> by_reason;
  for (const Fallback& fallback : placement.fallbacks) ++by_reason[fallback.why];
  absl::StrAppend(out, "# ", Count(static_cast<int64_t>(placement.fallbacks.size()), "fallback"), "\n");
  for (const auto& [why, count] : by_reason) absl::StrAppend(out, "#   ", count, " for: ", why, "\n");
  for (const Fallback& fallback : placement.fallbacks) {
    absl::StrAppend(out, "# fallback: '", graph.node(fallback.node).name(), "' asked for ", fallback.asked, ", got ",
                    fallback.got, " (", fallback.author, "): ", fallback.why, "\n");
  }
}

}  // namespace

PlacementEstimate EstimatePlacement(const Graph& graph, const Machine& machine, const Placement& placement) {
  PlacementEstimate estimate;
  estimate.devices.resize(machine.num_devices());
  std::map<std::pair<DeviceId, DeviceId>, PlacementEstimate::Link> links;
  std::vector<std::pair<int, DeviceId>> crossings;  // output slot, target
  for (NodeId n = 0; n < graph.num_nodes(); ++n) {
    const Node node = graph.node(n);
    const DeviceId from = placement.device(n);
    PlacementEstimate::Device& device = estimate.devices[from];
    ++device.nodes;
    if (IsVariableOp(node.op())) {
      const std::optional<int64_t> bytes = VariableBytes(node);
      device.variable_bytes = AddUpTo(device.variable_bytes, bytes.value_or(0));
      if (!bytes) ++device.unknown_sizes;
    }
    crossings.clear();
    for (const OutEdge& edge : node.out_edges()) {
      const DeviceId to = placement.device(edge.node);
      if (edge.slot != kControlSlot && to != from) crossings.emplace_back(edge.slot, to);
    }
    std::sort(crossings.begin(), crossings.end());
    crossings.erase(std::unique(crossings.begin(), crossings.end()), crossings.end());
    for (const auto& [slot, to] : crossings) {
      PlacementEstimate::Link& link = links[{from, to}];
      const std::optional<int64_t> bytes = BytesOf(node, slot);
      ++link.transfers;
      link.bytes = AddUpTo(link.bytes, bytes.value_or(0));
      if (!bytes) ++link.unknown_sizes;
    }
  }
  for (auto& [ends, link] : links) {
    link.from = ends.first;
    link.to = ends.second;
    estimate.links.push_back(link);
  }
  return estimate;
}

std::string PrintPlacement(const Graph& graph, const Machine& machine, const Placement& placement) {
  std::string out;
  absl::StrAppend(&out, "# policy ", placement.policy, "\n# machine ", placement.machine, "\n# mode ",
                  placement.mode == PlacementMode::kStrict ? "strict" : "soft", ", graph ", Hex(placement.graph_hash),
                  ", machine ", Hex(placement.machine_hash), ", policy ", Hex(placement.policy_hash), ", seed ",
                  placement.seed, "\n");
  PrintNodes(graph, machine, placement, &out);
  PrintCosts(machine, EstimatePlacement(graph, machine, placement), &out);
  PrintFallbacks(graph, placement, &out);
  for (const RuleUse& use : placement.rules) {
    absl::StrAppend(&out, "# part '", use.text, "': ", Count(use.hits, "hit"), ", ", use.overruled, " overruled",
                    use.hits == 0 && use.overruled == 0 ? ", never matched" : "", "\n");
  }
  for (const std::string& note : placement.notes) absl::StrAppend(&out, "# note: ", note, "\n");
  return out;
}

}  // namespace berth
