#include "placement/estimate.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "graph/node_bytes.h"
#include "graph/op_def.h"
#include "placement/node_cost.h"

namespace berth {
namespace {

// A value, or a control edge's token, that one reader on another device needs.
struct Crossing {
  int32_t slot;
  DeviceId to;
  NodeId reader;
};

class Estimator {
 public:
  Estimator(const Graph& graph, const Machine& machine, const Placement& placement)
      : graph_(graph), machine_(machine), placement_(placement) {
    estimate_.devices.resize(machine.num_devices());
    FindOrder();
  }

  PlacementEstimate Run() {
    CountKept();
    Simulate();
    FindPeaks();
    for (const Link& link : links_) {
      if (link.what.transfers > 0 || link.what.hops > 0) estimate_.links.push_back(link.what);
    }
    std::sort(estimate_.links.begin(), estimate_.links.end(),
              [](const auto& a, const auto& b) { return std::tie(a.from, a.to) < std::tie(b.from, b.to); });
    return std::move(estimate_);
  }

 private:
  struct Link {
    PlacementEstimate::Link what;
    MachineLink rates;
    double free_at = 0;
  };
  // How values get from one device to another: the pair's own link counts them, the links of the way carry them.
  struct Route {
    int own;
    std::vector<int> way;
  };
  // Bytes of a device's memory that end to be needed after the step `end`; its first step is its node's.
  struct Buffer {
    DeviceId device;
    int32_t end;
    double bytes;  // exact to 2^53, and never overflows
  };

  // What an illegal cycle holds is in no order: it comes last.
  void FindOrder() {
    order_ = graph_.TopologicalOrder();
    step_.assign(graph_.num_nodes(), -1);
    for (size_t i = 0; i < order_.size(); ++i) step_[order_[i]] = static_cast<int32_t>(i);
    for (NodeId n = 0; n < graph_.num_nodes(); ++n) {
      if (step_[n] >= 0) continue;
      step_[n] = static_cast<int32_t>(order_.size());
      order_.push_back(n);
    }
  }

  void CountKept() {
    for (NodeId n = 0; n < graph_.num_nodes(); ++n) {
      const Node node = graph_.node(n);
      PlacementEstimate::Device& device = estimate_.devices[placement_.device(n)];
      ++device.nodes;
      if (IsVariableOp(node.op())) {
        const std::optional<int64_t> bytes = NodeBytes(node);
        device.variable_bytes = AddSizes(device.variable_bytes, bytes.value_or(0));
        if (!bytes) ++device.unknown_sizes;
        continue;
      }
      for (int k = 0; k < node.num_outputs(); ++k) {
        const std::optional<int64_t> bytes = OutputBytes(node, k);
        if (!bytes) ++device.unknown_sizes;
        if (node.op() == "Const") device.constant_bytes = AddSizes(device.constant_bytes, bytes.value_or(0));
      }
    }
  }

  // Time.

  int LinkBetween(DeviceId from, DeviceId to) {
    const auto [it, is_new] = link_ids_.emplace(std::make_pair(from, to), static_cast<int>(links_.size()));
    if (is_new) {
      Link link;
      link.what.from = from;
      link.what.to = to;
      link.rates = machine_.Link(from, to);
      links_.push_back(std::move(link));
    }
    return it->second;
  }

  const Route& RouteBetween(DeviceId from, DeviceId to) {
    const auto found = routes_.find({from, to});
    if (found != routes_.end()) return found->second;
    Route route;
    route.own = LinkBetween(from, to);
    std::vector<DeviceId> stops = {from};
    if (!links_[route.own].rates.direct) {
      for (const DeviceId host : {machine_.HostOf(from), machine_.HostOf(to)}) {
        if (host == kNoDevice || host == stops.back() || host == to) continue;
        stops.push_back(host);
        links_[route.own].what.via.push_back(host);
      }
    }
    stops.push_back(to);
    for (size_t i = 1; i < stops.size(); ++i) route.way.push_back(LinkBetween(stops[i - 1], stops[i]));
    return routes_.emplace(std::make_pair(from, to), std::move(route)).first->second;
  }

  // When a value that is ready at `ready` is at `to`.
  double Send(const Node& node, int slot, DeviceId to, double ready) {
    const Route& route = RouteBetween(placement_.device(node.id()), to);
    if (slot == kControlSlot) {
      for (const int l : route.way) ready += links_[l].rates.latency_seconds;
      return ready;
    }
    const std::optional<int64_t> bytes = OutputBytes(node, slot);
    PlacementEstimate::Link& own = links_[route.own].what;
    ++own.transfers;
    own.bytes = AddSizes(own.bytes, bytes.value_or(0));
    if (!bytes) ++own.unknown_sizes;
    for (const int l : route.way) {
      Link& link = links_[l];
      const double seconds =
          link.rates.latency_seconds + static_cast<double>(bytes.value_or(0)) / link.rates.bytes_per_second;
      if (l != route.own) {
        ++link.what.hops;
        link.what.hop_bytes = AddSizes(link.what.hop_bytes, bytes.value_or(0));
      }
      link.what.busy_seconds += seconds;
      link.free_at = std::max(link.free_at, ready) + seconds;
      ready = link.free_at;
    }
    return ready;
  }

  double SecondsOf(const Node& node, const MachineDevice& device, double& flops) const {
    const NodeCost cost = CostOf(node);
    flops += cost.flops;
    return device.launch_seconds +
           std::max(cost.flops / device.flops_per_second, static_cast<double>(cost.bytes) / device.bytes_per_second);
  }

  void Simulate() {
    std::vector<double> ready(graph_.num_nodes(), 0);
    std::vector<double> free_at(machine_.num_devices(), 0);
    std::vector<Crossing> crossings;
    for (const NodeId n : order_) {
      const Node node = graph_.node(n);
      const DeviceId d = placement_.device(n);
      PlacementEstimate::Device& device = estimate_.devices[d];
      const double seconds = SecondsOf(node, machine_.device(d), device.flops);
      const double end = std::max(ready[n], free_at[d]) + seconds;
      device.busy_seconds += seconds;
      device.finish_seconds = free_at[d] = end;
      estimate_.total_seconds = std::max(estimate_.total_seconds, end);
      crossings.clear();
      for (const OutEdge& edge : node.out_edges()) {
        const DeviceId to = placement_.device(edge.node);
        if (to == d) {
          ready[edge.node] = std::max(ready[edge.node], end);
        } else {
          crossings.push_back({edge.slot, to, edge.node});
        }
      }
      std::sort(crossings.begin(), crossings.end(), [](const Crossing& a, const Crossing& b) {
        return std::tie(a.slot, a.to, a.reader) < std::tie(b.slot, b.to, b.reader);
      });
      double there = 0;
      for (size_t i = 0; i < crossings.size(); ++i) {
        const Crossing& c = crossings[i];
        if (i == 0 || c.slot != crossings[i - 1].slot || c.to != crossings[i - 1].to) {
          there = Send(node, c.slot, c.to, end);
          estimate_.total_seconds = std::max(estimate_.total_seconds, there);
        }
        ready[c.reader] = std::max(ready[c.reader], there);
      }
    }
  }

  // Memory. Backwards, how long each buffer is needed; then forwards, what is held at each step.

  void FindPeaks() {
    std::vector<uint32_t> begin(order_.size() + 1);  // of the buffers that start at a step; they lie in reverse
    FindBuffers(begin);
    std::vector<double> held(machine_.num_devices()), peak;
    for (DeviceId d = 0; d < machine_.num_devices(); ++d) {
      held[d] = static_cast<double>(estimate_.devices[d].parameter_bytes());
    }
    peak = held;
    // Buffers that end at a step, as lists.
    constexpr uint32_t kEnd = UINT32_MAX;
    std::vector<uint32_t> ending(order_.size(), kEnd), next(buffers_.size());
    for (size_t i = 0; i < order_.size(); ++i) {
      for (uint32_t b = begin[i]; b < begin[i + 1]; ++b) {
        const Buffer& buffer = buffers_[buffers_.size() - 1 - b];
        held[buffer.device] += buffer.bytes;
        peak[buffer.device] = std::max(peak[buffer.device], held[buffer.device]);
        next[b] = std::exchange(ending[buffer.end], b);
      }
      for (uint32_t b = ending[i]; b != kEnd; b = next[b]) {
        const Buffer& buffer = buffers_[buffers_.size() - 1 - b];
        held[buffer.device] -= buffer.bytes;
      }
    }
    for (DeviceId d = 0; d < machine_.num_devices(); ++d) {
      estimate_.devices[d].peak_bytes = peak[d] >= 9e18 ? INT64_MAX : static_cast<int64_t>(peak[d]);
    }
  }

  void FindBuffers(std::vector<uint32_t>& begin) {
    std::vector<int32_t> needed(graph_.num_nodes());  // last step at which the node's own memory is
    std::vector<bool> shares(graph_.num_nodes());
    for (NodeId n = 0; n < graph_.num_nodes(); ++n) shares[n] = SharesInput(graph_.node(n));
    std::vector<std::tuple<int32_t, DeviceId, int32_t>> uses;  // slot, device, last step
    std::vector<uint32_t> count(order_.size());
    for (size_t i = order_.size(); i-- > 0;) {
      const NodeId n = order_[i];
      const Node node = graph_.node(n);
      const DeviceId d = placement_.device(n);
      const auto now = static_cast<int32_t>(i);
      uses.clear();
      for (int k = 0; k < node.num_outputs(); ++k) uses.emplace_back(k, d, now);
      for (const OutEdge& edge : node.out_edges()) {
        if (edge.slot == kControlSlot) continue;
        const int32_t end = shares[edge.node] && edge.input == 0 ? needed[edge.node] : step_[edge.node];
        uses.emplace_back(edge.slot, placement_.device(edge.node), std::max(end, now));
      }
      std::sort(uses.begin(), uses.end());
      const bool kept = shares[n] || node.op() == "Const" || IsVariableOp(node.op());
      needed[n] = now;
      const size_t before = buffers_.size();
      for (size_t u = 0; u < uses.size(); ++u) {
        const auto& [slot, device, end] = uses[u];
        // The last of a slot and device is the latest.
        if (u + 1 < uses.size() && std::get<0>(uses[u + 1]) == slot && std::get<1>(uses[u + 1]) == device) continue;
        if (device == d) needed[n] = std::max(needed[n], end);
        if (device == d && kept) continue;
        const int64_t bytes = OutputBytes(node, slot).value_or(0);
        if (bytes > 0) buffers_.push_back({device, end, static_cast<double>(bytes)});
      }
      count[i] = static_cast<uint32_t>(buffers_.size() - before);
    }
    for (size_t i = 0; i < order_.size(); ++i) begin[i + 1] = begin[i] + count[i];
  }

  const Graph& graph_;
  const Machine& machine_;
  const Placement& placement_;
  PlacementEstimate estimate_;
  std::vector<NodeId> order_;
  std::vector<int32_t> step_;  // by node: its index in order_
  std::vector<Link> links_;
  absl::flat_hash_map<std::pair<DeviceId, DeviceId>, int> link_ids_;
  std::map<std::pair<DeviceId, DeviceId>, Route> routes_;
  std::vector<Buffer> buffers_;  // by step, last first
};

}  // namespace

int64_t PlacementEstimate::Device::parameter_bytes() const { return AddSizes(variable_bytes, constant_bytes); }

PlacementEstimate::Device PlacementEstimate::total() const {
  Device total;
  for (const Device& device : devices) {
    total.nodes += device.nodes;
    total.variable_bytes = AddSizes(total.variable_bytes, device.variable_bytes);
    total.constant_bytes = AddSizes(total.constant_bytes, device.constant_bytes);
    total.peak_bytes = AddSizes(total.peak_bytes, device.peak_bytes);
    total.unknown_sizes += device.unknown_sizes;
    total.flops += device.flops;
    total.busy_seconds += device.busy_seconds;
  }
  total.finish_seconds = total_seconds;
  return total;
}

PlacementEstimate EstimatePlacement(const Graph& graph, const Machine& machine, const Placement& placement) {
  return Estimator(graph, machine, placement).Run();
}

}  // namespace berth
