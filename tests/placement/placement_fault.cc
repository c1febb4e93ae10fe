#include "tests/placement/placement_fault.h"

#include "placement/groups.h"
#include "placement/kernel_facts.h"

namespace berth {

std::string PlacementFault(const Graph& graph, const Machine& machine, const OpSupport& support,
                           const Placement& placed) {
  if (placed.device_of.size() != static_cast<size_t>(graph.num_nodes())) return "not all nodes are placed";
  DeviceSets sets(machine.num_devices());
  KernelFacts facts(machine, support, sets);
  const Groups groups = FindGroups(graph);
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
  return "";
}

}  // namespace berth
