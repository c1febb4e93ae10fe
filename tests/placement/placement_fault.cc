#include "tests/placement/placement_fault.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "placement/estimate.h"
#include "placement/groups.h"
#include "placement/kernel_facts.h"
#include "placement/memory_limit.h"

namespace berth {
namespace {

// Of what memory_limit.h says is certain to be needed, and the estimate may be above, not below.
std::string LimitFault(const Graph& graph, const Machine& machine, const Placement& placed) {
  const MemoryLimit limit(graph, machine);
  if (!limit.any()) return "";
  const PlacementEstimate estimate = EstimatePlacement(graph, machine, placed);
  for (DeviceId d = 0; d < machine.num_devices(); ++d) {
    int64_t kept = 0, working = 0;
    NodeId neediest = 0;
    for (NodeId n = 0; n < graph.num_nodes(); ++n) {
      if (placed.device(n) != d) continue;
      kept += limit.Kept(n);
      if (limit.Working(n) > working) neediest = n;
      working = std::max(working, limit.Working(n));
    }
    const std::string name = machine.device(d).name.ShortName();
    const PlacementEstimate::Device& device = estimate.devices[d];
    if (kept + working > limit.Of(d)) return absl::StrCat(name, " needs ", kept + working, " of ", limit.Of(d));
    if (kept != device.parameter_bytes()) return absl::StrCat(name, " keeps ", kept, ", not as the estimate says");
    if (kept + working > device.peak_bytes) {
      return absl::StrCat(name, " needs ", kept, " and ", working, " for ", graph.node(neediest).name(),
                          ", more than the estimate's peak ", device.peak_bytes);
    }
  }
  return "";
}

}  // namespace

std::string PlacementFault(const Graph& graph, const Machine& machine, const OpSupport& support,
                           const Placement& placed) {
  if (placed.device_of.size() != static_cast<size_t>(graph.num_nodes())) return "not all nodes are placed";
  DeviceSets sets(machine.num_devices());
  KernelFacts facts(machine, support, sets);
  const Groups groups = FindGroups(graph, placed.ties);
  for (NodeId n = 0; n < graph.num_nodes(); ++n) {
    const DeviceId d = placed.device(n);
    const std::string name(graph.node(n).name());
    if (d < 0 || d >= machine.num_devices()) return name + " has no device";
    if (!sets.Contains(facts.Of(graph.node(n)).devices, d)) return name + " is where it has no kernel";
    if (d != placed.device(groups.root[n])) return name + " is not with its group";
    if (placed.author(n).empty() || placed.reason(n).empty()) return name + " has no reason";
  }
  for (const Fallback& fallback : placed.fallbacks) {
    if (fallback.got != machine.device(placed.device(fallback.node)).name.ToString()) return "a fallback is wrong";
  }
  return LimitFault(graph, machine, placed);
}

}  // namespace berth
