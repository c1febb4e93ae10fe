#include "tests/placement/conflict_fault.h"

#include <cstdlib>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "graph/graph_builder.h"
#include "placement/groups.h"
#include "placement/place.h"

namespace berth {
namespace {

Policy Inserted(const Policy& policy, int before, absl::string_view text) {
  Policy changed;
  for (int i = 0; i <= static_cast<int>(policy.parts().size()); ++i) {
    if (i == before) changed = changed | *ParsePolicy(text);
    if (i < static_cast<int>(policy.parts().size())) changed = changed | Policy(policy.parts()[i]);
  }
  return changed;
}

Policy Without(const Policy& policy, int part) {
  Policy changed;
  for (int i = 0; i < static_cast<int>(policy.parts().size()); ++i) {
    if (i != part) changed = changed | Policy(policy.parts()[i]);
  }
  return changed;
}

Machine WithMemory(const Machine& machine, const std::string& name, int64_t bytes) {
  std::vector<MachineDevice> devices = machine.devices();
  for (MachineDevice& device : devices) {
    if (device.name.ShortName() == name) device.memory_bytes = bytes;
  }
  return *Machine::Create(std::move(devices), machine.links(), machine.task_links(), machine.network_links());
}

std::string MinimalFault(const Machine& machine, const Conflict& conflict) {
  if (conflict.members.empty()) return "a conflict of nobody";
  const int n = static_cast<int>(conflict.members.size());
  DeviceSets sets(machine.num_devices());
  for (int without = conflict.too_few ? n : -1; without < n; ++without) {
    SetId left = DeviceSets::kAll;
    for (int i = 0; i < n; ++i) {
      if (i != without) left = sets.Intersect(left, sets.Of(conflict.members[i].allows));
    }
    if (without < 0 && left != DeviceSets::kNone) return "the members leave a device";
    if (without >= 0 && left == DeviceSets::kNone) return absl::StrCat("member ", without, " can be dropped");
  }
  for (int i = 0; conflict.too_few && i < n; ++i) {
    if (!conflict.members[i].allows.empty()) return absl::StrCat("member ", i, " does not lack a device");
  }
  return "";
}

std::string FixFault(const Placing& placing, const Conflict& conflict, const Fix& fix) {
  const Placing mended = Mended(placing, fix);
  const absl::Status placed = mended.Place().status();
  // Memory may be short later on, which is no conflict.
  if (placed.ok() || absl::IsResourceExhausted(placed)) return "";
  if (fix.kind == Fix::Kind::kSoft) return absl::StrCat("soft mode refuses: ", placed.message());
  const auto conflicts = mended.Conflicts();
  if (!conflicts.ok()) return "";
  // A part that is in the policy twice is refused twice.
  if (fix.kind == Fix::Kind::kWithout) {
    for (const PolicyPart& part : mended.policy.parts()) {
      if (part.text() == conflict.part) return "";
    }
  }
  const Groups groups = FindGroups(*placing.graph);
  const auto group = [&](const Conflict& c) { return groups.root[c.members[0].node]; };
  for (const Conflict& other : *conflicts) {
    const bool same = other.part == conflict.part && other.too_few == conflict.too_few;
    if (same && (other.too_few || group(other) == group(conflict))) return "the conflict is still there";
    if (fix.kind == Fix::Kind::kPut && other.part == fix.text) return "what the fix asks for cannot be had";
  }
  return "";
}

}  // namespace

absl::StatusOr<Placement> Placing::Place() const { return PlaceGraph(*graph, machine, policy, support, {mode}); }

absl::StatusOr<std::vector<Conflict>> Placing::Conflicts() const {
  return FindConflicts(*graph, machine, policy, support);
}

Graph WithRequests(const Graph& graph, const std::vector<std::string>& requests) {
  GraphBuilder builder(graph.ops());
  for (NodeId n = 0; n < graph.num_nodes(); ++n) {
    const Node node = graph.node(n);
    if (!builder.AddCopy(node, node.inputs(), absl::string_view(requests[n])).ok()) std::abort();
  }
  return *std::move(builder).Build();
}

Placing Mended(const Placing& placing, const Fix& fix) {
  Placing mended = placing;
  switch (fix.kind) {
    case Fix::Kind::kAsk: {
      std::vector<std::string> requests;
      for (NodeId n = 0; n < placing.graph->num_nodes(); ++n) requests.emplace_back(placing.graph->node(n).device());
      for (const NodeId n : fix.nodes) requests[n] = ParseDeviceName(fix.device)->ToString();
      mended.graph = std::make_shared<const Graph>(WithRequests(*placing.graph, requests));
      break;
    }
    case Fix::Kind::kPut:
      mended.policy = Inserted(placing.policy, fix.part, fix.text);
      break;
    case Fix::Kind::kKernel:
      for (const std::string& op : fix.ops) mended.support.Add({op, absl::AsciiStrToUpper(fix.device)});
      break;
    case Fix::Kind::kMemory:
      mended.machine = WithMemory(placing.machine, fix.device, std::atoll(fix.text.c_str()));
      break;
    case Fix::Kind::kMachine:
      mended.machine = *ParseMachine(fix.text);
      break;
    case Fix::Kind::kWithout:
      mended.policy = Without(placing.policy, fix.part);
      break;
    case Fix::Kind::kSoft:
      mended.mode = PlacementMode::kSoft;
      break;
  }
  return mended;
}

std::string ConflictFault(const Placing& placing, const Conflict& conflict) {
  const std::string fault = MinimalFault(placing.machine, conflict);
  if (!fault.empty()) return fault;
  if (conflict.fixes.empty()) return "no fix";
  for (const Fix& fix : conflict.fixes) {
    const std::string unmended = FixFault(placing, conflict, fix);
    if (unmended.empty()) continue;
    return absl::StrCat("fix ", static_cast<int>(fix.kind), " ", fix.device, " ", fix.text, ": ", unmended);
  }
  return "";
}

}  // namespace berth
