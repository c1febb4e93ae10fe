#include "placement/move_cost.h"

#include <algorithm>
#include <utility>

#include "placement/node_cost.h"

namespace berth {

Moves::Moves(const Graph& graph, const Machine& machine, const Placement& placement)
    : graph_(graph), machine_(machine), placement_(placement), groups_(FindGroups(graph, placement.ties)) {}

std::vector<NodeId> Moves::Movable(NodeId n) const {
  std::vector<NodeId> members;
  NodeId m = groups_.root[n];
  do {
    if (placement_.device(m) != placement_.device(n)) return {n};
    members.push_back(m);
    m = groups_.next[m];
  } while (m != groups_.root[n]);
  return members;
}

const std::vector<Moves::Readers>& Moves::ReadersOf(NodeId n) {
  const auto [it, is_new] = readers_.emplace(n, std::vector<Readers>());
  if (!is_new) return it->second;
  std::vector<Readers>& list = it->second;
  for (const OutEdge& edge : graph_.node(n).out_edges()) {
    if (edge.slot != kControlSlot) list.push_back({edge.slot, placement_.device(edge.node), 1});
  }
  std::sort(list.begin(), list.end(), [](const Readers& a, const Readers& b) {
    return a.slot != b.slot ? a.slot < b.slot : a.device < b.device;
  });
  size_t kept = 0;
  for (size_t i = 0; i < list.size(); ++i) {
    if (i > 0 && list[kept - 1].slot == list[i].slot && list[kept - 1].device == list[i].device) {
      ++list[kept - 1].count;
    } else {
      list[kept++] = list[i];
    }
  }
  list.resize(kept);
  return list;
}

double Moves::SecondsOn(const Node& node, DeviceId d) const {
  const NodeCost cost = CostOf(node);
  const MachineDevice& device = machine_.device(d);
  return device.launch_seconds +
         std::max(cost.flops / device.flops_per_second, static_cast<double>(cost.bytes) / device.bytes_per_second);
}

// A value that is sent once more (sign 1) or once less (-1).
void Moves::AddTransfer(NodeId n, int32_t slot, DeviceId from, DeviceId to, int sign, MoveCost& cost) const {
  if (from == to) return;
  const int64_t bytes = OutputBytes(graph_.node(n), slot).value_or(0);
  cost.bytes = sign > 0 ? AddSizes(cost.bytes, bytes) : cost.bytes - bytes;
  cost.transfers += sign;
  DeviceId at = from;
  const auto hop = [&](DeviceId next) {
    if (next == kNoDevice || next == at) return;
    const MachineLink link = machine_.Link(at, next);
    cost.seconds += sign * (link.latency_seconds + static_cast<double>(bytes) / link.bytes_per_second);
    at = next;
  };
  if (!machine_.Link(from, to).direct) {
    if (machine_.HostOf(from) != to) hop(machine_.HostOf(from));
    if (machine_.HostOf(to) != to) hop(machine_.HostOf(to));
  }
  hop(to);
}

// What a member sends, and the time it takes itself. `reads` is what all members read, sorted.
void Moves::AddMember(NodeId n, DeviceId to, const std::vector<Read>& reads, MoveCost& cost) {
  const DeviceId from = placement_.device(n);
  cost.seconds += SecondsOn(graph_.node(n), to) - SecondsOn(graph_.node(n), from);
  const std::vector<Readers>& readers = ReadersOf(n);
  for (size_t i = 0; i < readers.size();) {
    const int32_t slot = readers[i].slot;
    const auto moved = std::equal_range(reads.begin(), reads.end(), Read{n, slot});
    int64_t stay = 0;  // readers that stay where the member was
    for (; i < readers.size() && readers[i].slot == slot; ++i) {
      if (readers[i].device == from) {
        stay = readers[i].count - (moved.second - moved.first);
      } else {
        AddTransfer(n, slot, from, readers[i].device, -1, cost);
        AddTransfer(n, slot, to, readers[i].device, 1, cost);
      }
    }
    if (stay > 0) AddTransfer(n, slot, to, from, 1, cost);
  }
}

MoveCost Moves::Cost(NodeId n, DeviceId to) {
  const DeviceId from = placement_.device(n);
  MoveCost cost;
  if (from == to) return cost;
  const std::vector<NodeId> members = Movable(n);
  std::vector<Read> reads;
  for (const NodeId m : members) {
    for (const Input& input : graph_.node(m).data_inputs()) reads.push_back({input.node, input.slot});
  }
  std::sort(reads.begin(), reads.end());
  for (const NodeId m : members) AddMember(m, to, reads, cost);
  for (size_t i = 0; i < reads.size();) {
    const Read read = reads[i];
    int64_t here = 0;
    for (; i < reads.size() && reads[i] == read; ++i) ++here;
    if (std::binary_search(members.begin(), members.end(), read.from)) continue;
    bool there = false;  // someone at the new place reads it already
    const std::vector<Readers>& all = ReadersOf(read.from);
    auto readers = std::lower_bound(all.begin(), all.end(), read.slot,
                                    [](const Readers& r, int32_t slot) { return r.slot < slot; });
    for (; readers != all.end() && readers->slot == read.slot; ++readers) {
      if (readers->device == from && readers->count == here) {
        AddTransfer(read.from, read.slot, placement_.device(read.from), from, -1, cost);
      }
      there = there || readers->device == to;
    }
    if (!there) AddTransfer(read.from, read.slot, placement_.device(read.from), to, 1, cost);
  }
  return cost;
}

void CostFallbacks(const Graph& graph, const Machine& machine, Placement& placement) {
  const bool any = std::any_of(placement.fallbacks.begin(), placement.fallbacks.end(),
                               [](const Fallback& fallback) { return fallback.wanted != kNoDevice; });
  if (!any) return;
  Moves moves(graph, machine, placement);
  const Groups groups = FindGroups(graph, placement.ties);
  absl::flat_hash_map<std::pair<NodeId, DeviceId>, MoveCost> known;
  for (Fallback& fallback : placement.fallbacks) {
    if (fallback.wanted == kNoDevice) continue;
    const auto [it, is_new] = known.emplace(std::make_pair(groups.root[fallback.node], fallback.wanted), MoveCost());
    if (is_new) it->second = moves.Cost(fallback.node, fallback.wanted);
    fallback.cost_bytes = -it->second.bytes;
    fallback.cost_seconds = -it->second.seconds;
  }
}

}  // namespace berth
