// pins: a node goes where it asks to: its request, as the file or the scope gave it, and what rules on scopes forbid or
// prefer. Where a node takes a handle that asks for another place, the handle's request overrules its own. The only
// part through which requests act; a policy without it places by other rules alone. O(1) a node. Bad for graphs written
// for another machine: their device ids mean nothing here. Abadi et al., "TensorFlow: A System for Large-Scale Machine
// Learning", OSDI 2016, section 3.3.
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "placement/part.h"
#include "placement/placement_state.h"
#include "placement/policy.h"

namespace berth {
namespace {

class Pinner {
 public:
  explicit Pinner(PlacementState& state) : state_(state) {}

  absl::Status Run() {
    const Graph& graph = state_.graph();
    for (NodeId n = 0, end = graph.num_nodes(); n < end; ++n) {
      if (!state_.Selected(n)) continue;
      const Node node = graph.node(n);
      if (!node.device().empty()) {
        const absl::StatusOr<AskId> ask = AskFor(node);
        if (!ask.ok()) {
          return absl::InvalidArgumentError(
              absl::StrCat(state_.Describe(n), ": expected a request that names devices: ", ask.status().message()));
        }
        if (*ask >= 0 && BoundElsewhere(node)) {
          state_.CountOverruled(n);
        } else if (*ask >= 0) {
          state_.Require(n, *ask);
        }
      }
      for (const Opinion& wish : node.note().wishes) {
        const AskId ask = AskForWish(wish, node.note().origin);
        if (wish.verb == Opinion::Verb::kForbid) state_.Forbid(n, ask);
        if (wish.verb == Opinion::Verb::kPrefer) state_.Prefer(n, ask, wish.weight);
      }
    }
    return absl::OkStatus();
  }

 private:
  // What takes a handle works where that is: the handle's own request overrules the node's, which is that of the scope
  // a helper was called in.
  static bool BoundElsewhere(const Node& node) {
    for (const Input& input : node.data_inputs()) {
      const Node handle = node.graph().node(input.node);
      if (handle.output_dtype(input.slot) != DType::kResource) continue;
      if (!handle.device().empty() && handle.device() != node.device()) return true;
    }
    return false;
  }

  // -1 for a request of any device.
  absl::StatusOr<AskId> AskFor(const Node& node) {
    const absl::string_view origin = node.note().origin;
    const std::pair<absl::string_view, absl::string_view> key(node.device(), origin);
    if (last_ask_ >= 0 && key == last_key_) return last_ask_;
    const auto found = asks_.find(key);
    if (found != asks_.end()) {
      last_key_ = key;
      return last_ask_ = found->second;
    }
    absl::StatusOr<DeviceName> name = ParseDeviceName(node.device());
    if (!name.ok()) return name.status();
    AskId ask = -1;
    if (!name->empty()) {
      ask = state_.AddAsk(*std::move(name), std::nullopt,
                          origin.empty() ? "requested" : absl::StrCat("requested by ", origin),
                          origin.empty() ? "the node's own request" : std::string(origin));
    }
    asks_.emplace(key, ask);
    last_key_ = key;
    return last_ask_ = ask;
  }

  AskId AskForWish(const Opinion& wish, const std::string& origin) {
    const std::string key =
        absl::StrCat(static_cast<int>(wish.verb), " ", wish.device.ToString(), " ", wish.nth.value_or(-1), " ", origin);
    const auto found = wishes_.find(key);
    if (found != wishes_.end()) return found->second;
    const AskId ask =
        state_.AddAsk(wish.device, wish.nth, origin.empty() ? "wished for" : absl::StrCat("wished for by ", origin),
                      origin, wish.verb == Opinion::Verb::kForbid);
    wishes_.emplace(key, ask);
    return ask;
  }

  PlacementState& state_;
  absl::flat_hash_map<std::pair<absl::string_view, absl::string_view>, AskId> asks_;
  std::pair<absl::string_view, absl::string_view> last_key_;
  AskId last_ask_ = -1;
  absl::flat_hash_map<std::string, AskId> wishes_;
};

class PinsRule : public GraphRule {
 public:
  std::string text() const override { return "pins"; }
  absl::Status Apply(PlacementState& state) const override { return Pinner(state).Run(); }
};

}  // namespace

Policy Pins() {
  PolicyPart part;
  part.graph_rule = std::make_shared<PinsRule>();
  return Policy(std::move(part));
}

}  // namespace berth
