#include "placement/report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"

namespace berth {
namespace {

constexpr size_t kWidestName = 60;

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

// "+12 bytes over links, -3 us".
std::string CostText(const Fallback& fallback) {
  const double seconds = fallback.cost_seconds.value_or(0);
  return absl::StrCat(*fallback.cost_bytes < 0 ? "" : "+", *fallback.cost_bytes, " bytes over links, ",
                      seconds < 0 ? "-" : "+", SecondsText(std::abs(seconds)));
}

void PrintFallbacks(const Graph& graph, const Placement& placement, std::string* out) {
  if (placement.fallbacks.empty()) return;
  std::map<std::string, int64_t> by_reason;
  for (const Fallback& fallback : placement.fallbacks) ++by_reason[fallback.why];
  absl::StrAppend(out, "# ", FallbackSummary(placement), "\n");
  for (const auto& [why, count] : by_reason) absl::StrAppend(out, "#   ", count, " for: ", why, "\n");
  for (const Fallback& fallback : placement.fallbacks) {
    absl::StrAppend(out, "# fallback: '", graph.node(fallback.node).name(), "' asked for ", fallback.asked, ", got ",
                    fallback.got, " (", fallback.author, "): ", fallback.why,
                    fallback.dropped.empty() ? "" : absl::StrCat("; gave up ", fallback.dropped),
                    fallback.cost_bytes ? absl::StrCat("; ", CostText(fallback)) : "", "\n");
  }
}

}  // namespace

std::string PrintPlacement(const Graph& graph, const Machine& machine, const Placement& placement) {
  std::string out;
  absl::StrAppend(&out, "# policy ", placement.policy, "\n# machine ", placement.machine, "\n# mode ",
                  placement.mode == PlacementMode::kStrict ? "strict" : "soft", ", graph ", Hex(placement.graph_hash),
                  ", machine ", Hex(placement.machine_hash), ", policy ", Hex(placement.policy_hash), ", seed ",
                  placement.seed, "\n");
  PrintNodes(graph, machine, placement, &out);
  absl::StrAppend(&out, PrintEstimate(machine, EstimatePlacement(graph, machine, placement)));
  PrintFallbacks(graph, placement, &out);
  for (const RuleUse& use : placement.rules) {
    absl::StrAppend(&out, "# part '", use.text, "': ", Count(use.hits, "hit"), ", ", use.overruled, " overruled",
                    use.hits == 0 && use.overruled == 0 ? ", never matched" : "", "\n");
  }
  for (const std::string& note : placement.notes) absl::StrAppend(&out, "# note: ", note, "\n");
  return out;
}

}  // namespace berth
