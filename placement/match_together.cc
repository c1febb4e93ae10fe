// match "SELECTOR" together | together-with X | prefer together | prefer together-with X: what the selector picks goes to
// one device, with each other or with X, a node's name or a selector of its own. As a must they are one group from then
// on; as a wish they prefer what all can have and follow the first, and a tie that cannot be is noted. Near linear. Bad
// for many large nodes: one device carries them all. Cf. `colocate_with` in Abadi et al., "TensorFlow: A System for
// Large-Scale Machine Learning", OSDI 2016, section 3.3, which is a must only.
#include <cmath>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "placement/node_facts.h"
#include "placement/part.h"
#include "placement/placement_state.h"
#include "placement/policy.h"
#include "placement/policy_text.h"
#include "placement/selector.h"

namespace berth {
namespace {

// The ids of what a selector picks, ascending.
std::vector<NodeId> Picked(const Selector& selector, PlacementState& state) {
  std::vector<NodeId> picked;
  NodeFactsReader facts(state.graph(), selector.needs());
  for (NodeId n = 0, end = state.graph().num_nodes(); n < end; ++n) {
    if (selector.Matches(facts.Read(n))) picked.push_back(n);
  }
  return picked;
}

class TogetherRule : public GraphRule {
 public:
  TogetherRule(absl::string_view selector, Match::Companion with, std::optional<double> weight)
      : selector_text_(selector), selector_(Selector::Parse(selector)), with_(std::move(with)), weight_(weight) {
    if (!with_.selector.empty()) with_selector_ = Selector::Parse(with_.selector);
  }

  std::string text() const override {
    std::string text = absl::StrCat("match ", QuotePolicyText(selector_text_), weight_ ? " prefer" : "", " together");
    if (!with_.node.empty()) absl::StrAppend(&text, "-with ", with_.node);
    if (!with_.selector.empty()) absl::StrAppend(&text, "-with ", QuotePolicyText(with_.selector));
    if (weight_ && *weight_ != 1.0) absl::StrAppend(&text, " weight=", *weight_);
    return text;
  }

  absl::Status Apply(PlacementState& state) const override {
    for (const absl::Status& status : {selector_.status(), with_selector_.status()}) {
      if (!status.ok()) {
        return absl::Status(status.code(), absl::StrCat("policy part '", text(), "': ", status.message()));
      }
    }
    if (weight_ && !std::isfinite(*weight_)) {
      return absl::InvalidArgumentError(absl::StrCat("policy part '", text(), "': expected a finite weight"));
    }
    std::vector<NodeId> nodes;
    if (!with_.node.empty()) {
      const std::optional<Node> named = state.graph().Find(with_.node);
      if (!named) {
        state.Note(state.graph().num_nodes(),
                   absl::StrCat("'", text(), "': there is no node '", with_.node, "' in the graph"));
        return absl::OkStatus();
      }
      nodes.push_back(named->id());
    } else if (!with_.selector.empty()) {
      const std::vector<NodeId> targets = Picked(*with_selector_, state);
      if (targets.empty()) return absl::OkStatus();
      nodes.push_back(targets[0]);
    }
    for (const NodeId n : Picked(*selector_, state)) {
      if (state.Selected(n)) nodes.push_back(n);
    }
    if (weight_) {
      state.PreferTogether(nodes, *weight_);
    } else {
      state.Unite(nodes);
    }
    return absl::OkStatus();
  }

 private:
  const std::string selector_text_;
  const absl::StatusOr<Selector> selector_;
  const Match::Companion with_;
  absl::StatusOr<Selector> with_selector_ = Selector();
  const std::optional<double> weight_;  // of a wish; nullopt: a must
};

Policy Together(absl::string_view selector, Match::Companion with, std::optional<double> weight) {
  PolicyPart part;
  part.graph_rule = std::make_shared<TogetherRule>(selector, std::move(with), weight);
  return Policy(std::move(part));
}

}  // namespace

Policy Match::Together() const { return berth::Together(selector_, {}, std::nullopt); }
Policy Match::TogetherWith(Companion with) const { return berth::Together(selector_, std::move(with), std::nullopt); }
Policy Match::PreferTogether(double weight) const { return berth::Together(selector_, {}, weight); }
Policy Match::PreferTogetherWith(Companion with, double weight) const {
  return berth::Together(selector_, std::move(with), weight);
}

}  // namespace berth
