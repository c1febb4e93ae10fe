// state-balanced D... and match "SELECTOR" spread D...: variables, or what the selector picks, are dealt over the devices
// that match, group by group, each to the one with least so far, by bytes or by count. What can only be on one of them is
// dealt first; of the rest the largest first (order=largest), or as the graph lists them (order=graph). An unknown size
// counts as 0 bytes; ties go to the device with fewer nodes, then to the one listed first. O(nodes + groups x devices).
// Bad when few large variables dominate, and for what is read together: reads then come from many devices. Graham, "Bounds
// on multiprocessing timing anomalies", 1969: no device has more than total/m + (1 - 1/m) of the largest.
#include <algorithm>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/node_bytes.h"
#include "graph/op_def.h"
#include "placement/device_text.h"
#include "placement/node_facts.h"
#include "placement/part.h"
#include "placement/placement_state.h"
#include "placement/policy.h"
#include "placement/policy_text.h"
#include "placement/selector.h"

namespace berth {
namespace {

// What one group weighs.
struct Hand {
  NodeId group;
  int64_t bytes = 0;
  int64_t count = 0;
};

class Dealer {
 public:
  Dealer(PlacementState& state, std::vector<DeviceId> devices, const SpreadOptions& options)
      : state_(state),
        devices_(std::move(devices)),
        options_(options),
        there_(state.sets().Of(devices_)),
        bytes_(state.machine().num_devices()),
        count_(state.machine().num_devices()) {}

  void Take(NodeId n) {
    const NodeId g = state_.group(n);
    const auto [it, is_new] = hand_of_.emplace(g, hands_.size());
    if (is_new) hands_.push_back({g});
    Hand& hand = hands_[it->second];
    const int64_t bytes = NodeBytes(state_.graph().node(n)).value_or(0);
    hand.bytes = std::min(kMost, hand.bytes + std::min(kMost, bytes));
    ++hand.count;
    nodes_.push_back(n);
  }

  void Deal(absl::string_view said) {
    const AskId any = state_.AddAsk(there_, std::string(said), absl::StrCat("spread over ", said));
    std::vector<DeviceId> chosen(hands_.size(), kNoDevice);
    std::vector<size_t> order;
    for (size_t i = 0; i < hands_.size(); ++i) {
      const SetId left = Left(hands_[i].group);
      if (state_.sets().Count(left) == 1) {
        Add(hands_[i], chosen[i] = state_.sets().First(left));
      } else if (left != DeviceSets::kNone) {
        order.push_back(i);
      }
    }
    if (options_.order == SpreadOptions::Order::kLargestFirst) {
      std::stable_sort(order.begin(), order.end(),
                       [&](size_t a, size_t b) { return Size(hands_[a]) > Size(hands_[b]); });
    }
    for (const size_t i : order) Add(hands_[i], chosen[i] = Least(Left(hands_[i].group)));
    for (const NodeId n : nodes_) {
      const DeviceId d = chosen[hand_of_.at(state_.group(n))];
      state_.Require(n, d == kNoDevice ? any : AskFor(d));
    }
  }

 private:
  static constexpr int64_t kMost = int64_t{1} << 46;  // 65536 of it still fit

  // What follows another node has its place.
  SetId Left(NodeId g) {
    return state_.Follows(g) ? DeviceSets::kNone : state_.sets().Intersect(state_.candidates(g), there_);
  }
  int64_t Size(const Hand& hand) const { return options_.by == SpreadOptions::By::kBytes ? hand.bytes : hand.count; }
  void Add(const Hand& hand, DeviceId d) {
    bytes_[d] = std::min(kMost * 65536, bytes_[d] + hand.bytes);
    count_[d] += hand.count;
  }
  DeviceId Least(SetId left) {
    const bool by_bytes = options_.by == SpreadOptions::By::kBytes;
    const auto load = [&](DeviceId d) {
      return by_bytes ? std::pair(bytes_[d], count_[d]) : std::pair(count_[d], bytes_[d]);
    };
    DeviceId least = kNoDevice;
    for (const DeviceId d : devices_) {
      if (state_.sets().Contains(left, d) && (least == kNoDevice || load(d) < load(least))) least = d;
    }
    return least;
  }
  AskId AskFor(DeviceId d) {
    const auto [it, is_new] = asks_.emplace(d, -1);
    if (is_new) {
      const absl::string_view by = options_.by == SpreadOptions::By::kBytes ? "bytes" : "nodes";
      it->second = state_.AddAsk(state_.machine().device(d).name, std::nullopt, absl::StrCat("spread by ", by));
    }
    return it->second;
  }

  PlacementState& state_;
  const std::vector<DeviceId> devices_;  // as the rule lists them
  const SpreadOptions options_;
  const SetId there_;
  std::vector<Hand> hands_;
  absl::flat_hash_map<NodeId, size_t> hand_of_;  // by group
  std::vector<NodeId> nodes_;
  std::vector<int64_t> bytes_, count_;  // by device, of what was dealt
  absl::flat_hash_map<DeviceId, AskId> asks_;
};

class SpreadRule : public GraphRule {
 public:
  // `selector` nullopt: variables.
  SpreadRule(std::optional<std::string> selector, const std::vector<std::string>& devices, SpreadOptions options)
      : selector_text_(std::move(selector)), options_(options) {
    if (selector_text_) selector_ = Selector::Parse(*selector_text_);
    for (const std::string& device : devices) devices_.emplace_back(device);
  }

  std::string text() const override {
    return absl::StrCat(
        selector_text_ ? absl::StrCat("match ", QuotePolicyText(*selector_text_), " spread ") : "state-balanced ",
        DevicesText(" "), options_.by == SpreadOptions::By::kCount ? " by=count" : " by=bytes",
        options_.order == SpreadOptions::Order::kGraph ? " order=graph" : "");
  }

  absl::Status Apply(PlacementState& state) const override {
    if (!selector_.ok()) return Bad(selector_.status());
    if (devices_.empty()) return Bad(absl::InvalidArgumentError("expected a device, got none"));
    std::vector<DeviceId> devices;
    for (const DevicePattern& pattern : devices_) {
      if (!pattern.status().ok()) return Bad(pattern.status());
      for (const DeviceId d : state.machine().Matching(pattern.name())) {
        if (std::find(devices.begin(), devices.end(), d) == devices.end()) devices.push_back(d);
      }
    }
    const Graph& graph = state.graph();
    Dealer dealer(state, std::move(devices), options_);
    NodeFactsReader facts(graph, selector_->needs());
    for (NodeId n = 0, end = graph.num_nodes(); n < end; ++n) {
      if (!state.Selected(n)) continue;
      if (selector_text_ ? selector_->Matches(facts.Read(n)) : IsVariableOp(graph.node(n).op())) dealer.Take(n);
    }
    dealer.Deal(DevicesText(" or "));
    return absl::OkStatus();
  }

 private:
  std::string DevicesText(absl::string_view between) const {
    return absl::StrJoin(devices_, between,
                         [](std::string* out, const DevicePattern& device) { out->append(device.text()); });
  }
  absl::Status Bad(const absl::Status& status) const {
    return absl::Status(status.code(), absl::StrCat("policy part '", text(), "': ", status.message()));
  }

  const std::optional<std::string> selector_text_;
  absl::StatusOr<Selector> selector_ = Selector();
  std::vector<DevicePattern> devices_;
  const SpreadOptions options_;
};

Policy Spread(std::optional<std::string> selector, const std::vector<std::string>& devices, SpreadOptions options) {
  PolicyPart part;
  part.graph_rule = std::make_shared<SpreadRule>(std::move(selector), devices, options);
  return Policy(std::move(part));
}

}  // namespace

Policy StateBalanced(std::vector<std::string> devices, SpreadOptions options) {
  return Spread(std::nullopt, devices, options);
}
Policy Match::Spread(std::vector<std::string> devices, SpreadOptions options) const {
  return berth::Spread(selector_, devices, options);
}

}  // namespace berth
