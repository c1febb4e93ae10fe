// greedy-locality: groups in topological order of their first node; each takes the candidate that holds most bytes of
// its inputs, as far as these are placed (a size that is not known counts as one byte). Where no candidate holds any,
// the first candidate of the strongest kind, in the task that holds most: kinds rank by kernel priority, then gpu,
// others, cpu. Ties go to the device that comes first in the machine. O(nodes log nodes + edges). Bad for wide graphs
// without pins: all of it follows the first node, whatever the load. Cf. Shi et al., the earliest-task-first rule
// without its clock, in Baechi: "Fast Device Placement of ML Graphs", SoCC 2020.
#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "placement/part.h"
#include "placement/placement_state.h"
#include "placement/policy.h"

namespace berth {
namespace {

constexpr int64_t kMost = int64_t{1} << 46;  // what counts saturate at: 65536 of it still fit

class Greedy {
 public:
  explicit Greedy(PlacementState& state) : state_(state), bytes_(state.machine().num_devices()) {}

  void Run() {
    std::vector<NodeId> order = state_.graph().TopologicalOrder();
    for (const NodeId n : order) {
      if (state_.open(state_.group(n))) Choose(state_.group(n));
    }
    // An illegal cycle is in no topological order.
    for (const NodeId g : state_.OpenGroups()) Choose(g);
  }

 private:
  void Choose(NodeId g) {
    const SetId best = state_.Best(g);
    CountInputs(g);
    DeviceId chosen = kNoDevice;
    for (const DeviceId d : touched_) {
      if (!state_.sets().Contains(best, d)) continue;
      if (chosen == kNoDevice || bytes_[d] > bytes_[chosen]) chosen = d;
    }
    if (state_.explaining() && !touched_.empty()) {
      for (const DeviceId d : state_.sets().List(best)) state_.Rate(g, d, static_cast<double>(bytes_[d]));
    }
    int32_t reason;
    if (chosen != kNoDevice) {
      reason = MostBytes(chosen, bytes_[chosen]);
    } else {
      chosen = Strongest(g, best, BusiestTask());
      reason =
          state_.Text(touched_.empty() ? "first of the strongest kind" : "first of the strongest kind near its inputs");
    }
    for (const DeviceId d : touched_) bytes_[d] = 0;
    touched_.clear();
    state_.Decide(g, chosen, reason);
  }

  // The same reason holds for many nodes.
  int32_t MostBytes(DeviceId d, int64_t bytes) {
    const auto [it, is_new] = most_bytes_.emplace(std::make_pair(d, bytes), 0);
    if (is_new) it->second = state_.Text(absl::StrCat("most input bytes on ", ShortName(d), " (", bytes, ")"));
    return it->second;
  }

  // Bytes of the inputs from outside of the group, by device; touched_ lists these devices in machine order.
  void CountInputs(NodeId g) {
    const Graph& graph = state_.graph();
    state_.ForEachMember(g, [&](NodeId n) {
      const Node node = graph.node(n);
      const bool host_only = node.op_def() != nullptr && node.op_def()->host_only;
      for (const Input& input : node.data_inputs()) {
        if (state_.group(input.node) == g) continue;
        DeviceId d = state_.device(input.node);
        if (d != kNoDevice && host_only) d = state_.machine().HostOf(d);
        if (d == kNoDevice) continue;
        if (bytes_[d] == 0) touched_.push_back(d);
        bytes_[d] = std::min(kMost, bytes_[d] + BytesOf(graph.node(input.node), input.slot));
      }
    });
    std::sort(touched_.begin(), touched_.end());
  }

  static int64_t BytesOf(const Node& producer, int slot) {
    const std::optional<int64_t> elements = producer.output_shape(slot).num_elements();
    const int size = DTypeSize(BaseOf(producer.output_dtype(slot)));
    if (!elements || size == 0 || *elements == 0) return 1;
    return *elements > kMost / size ? kMost : *elements * size;
  }

  // Any device of the task that holds most of what was counted.
  DeviceId BusiestTask() const {
    DeviceId busiest = kNoDevice;
    int64_t most = 0;
    for (const DeviceId d : touched_) {
      int64_t sum = 0;
      for (const DeviceId other : touched_) sum += state_.machine().SameTask(d, other) ? bytes_[other] : 0;
      if (sum > most) busiest = d;
      most = std::max(most, sum);
    }
    return busiest;
  }

  // The first of the best rank; `near`, when given, puts its task before others.
  DeviceId Strongest(NodeId g, SetId candidates, DeviceId near) {
    const std::vector<int> priority = state_.kernels().Of(state_.graph().node(g)).priority;
    DeviceId strongest = kNoDevice;
    std::array<int, 3> best_rank = {};
    for (const DeviceId d : state_.sets().List(candidates)) {
      const bool is_near = near != kNoDevice && state_.machine().SameTask(d, near);
      const std::array<int, 3> rank = {is_near ? 1 : 0, priority[state_.kernels().kind(d)], Rank(d)};
      if (strongest != kNoDevice && rank <= best_rank) continue;
      strongest = d;
      best_rank = rank;
    }
    return strongest;
  }

  int Rank(DeviceId d) const {
    const std::optional<std::string>& kind = state_.machine().device(d).name.type;
    return kind == "GPU" ? 2 : kind == "CPU" ? 0 : 1;
  }
  std::string ShortName(DeviceId d) const { return state_.machine().device(d).name.ShortName(); }

  PlacementState& state_;
  std::vector<int64_t> bytes_;  // by device, of the group at hand
  std::vector<DeviceId> touched_;
  absl::flat_hash_map<std::pair<DeviceId, int64_t>, int32_t> most_bytes_;
};

class GreedyLocalitySolver : public Solver {
 public:
  std::string text() const override { return "greedy-locality"; }
  absl::Status Solve(PlacementState& state) const override {
    Greedy(state).Run();
    return absl::OkStatus();
  }
};

}  // namespace

Policy GreedyLocality() {
  PolicyPart part;
  part.solver = std::make_shared<GreedyLocalitySolver>();
  return Policy(std::move(part));
}

}  // namespace berth
