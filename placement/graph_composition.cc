// RULE where "SELECTOR" and A else B where a rule over the whole graph takes part: the first looks only at the nodes that
// the selector picks; B looks only at those that A said nothing of. A says something of a node when it asks for a device
// for it, or for another's device, be it granted or not. O(nodes + rules). Bad where a plain `A | B` would do.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/status_macros.h"
#include "placement/apply_rule.h"
#include "placement/node_facts.h"
#include "placement/part.h"
#include "placement/placement_state.h"
#include "placement/policy.h"
#include "placement/policy_text.h"
#include "placement/selector.h"

namespace berth {
namespace {

class GraphWhere : public GraphRule {
 public:
  GraphWhere(PolicyPart part, const std::string& selector)
      : part_(std::move(part)), selector_text_(selector), selector_(Selector::Parse(selector)) {}
  std::string text() const override { return absl::StrCat(part_.text(), " where ", QuotePolicyText(selector_text_)); }
  absl::Status status() const override {
    if (part_.graph_rule == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected a rule before where, got ", part_.solver != nullptr ? "a solver" : "a whole policy"));
    }
    return selector_.ok() ? part_.graph_rule->status() : selector_.status();
  }
  absl::Status Apply(PlacementState& state) const override {
    NodeFactsReader facts(state.graph(), selector_->needs());
    std::vector<bool> selected(state.graph().num_nodes());
    for (NodeId n = 0, end = state.graph().num_nodes(); n < end; ++n) {
      selected[n] = state.Selected(n) && selector_->Matches(facts.Read(n));
    }
    const std::vector<bool>* outer = state.selection();
    state.Select(&selected);
    const absl::Status status = part_.graph_rule->Apply(state);
    state.Select(outer);
    return status;
  }

 private:
  const PolicyPart part_;
  const std::string selector_text_;
  const absl::StatusOr<Selector> selector_;
};

class GraphElse : public GraphRule {
 public:
  GraphElse(Policy first, Policy second) : first_(std::move(first)), second_(std::move(second)) {}
  const Policy& first() const { return first_; }
  const Policy& second() const { return second_; }

  std::string text() const override { return absl::StrCat(first_.text(), " else ", second_.text()); }
  absl::Status status() const override {
    for (const Policy* side : {&first_, &second_}) BERTH_RETURN_IF_ERROR(CheckSide(*side));
    return absl::OkStatus();
  }
  absl::Status Apply(PlacementState& state) const override {
    std::vector<bool> heard(state.graph().num_nodes());
    std::vector<bool>* outer_heard = state.Listen(&heard);
    const absl::Status status = ApplySide(first_, state);
    state.Listen(outer_heard);
    BERTH_RETURN_IF_ERROR(status);

    const std::vector<bool>* outer = state.selection();
    std::vector<bool> left(heard.size());
    for (NodeId n = 0, end = state.graph().num_nodes(); n < end; ++n) {
      left[n] = state.Selected(n) && !heard[n];
      if (heard[n]) state.Hear(n);
    }
    state.Select(&left);
    const absl::Status second = ApplySide(second_, state);
    state.Select(outer);
    return second;
  }

 private:
  static absl::Status CheckSide(const Policy& side) {
    const auto bad = [](absl::string_view expected, absl::string_view got) {
      return absl::InvalidArgumentError(absl::StrCat("expected ", expected, " before and after else, got ", got));
    };
    if (side.parts().size() != 1) return bad("one rule", absl::StrCat(side.parts().size()));
    const PolicyPart& part = side.parts()[0];
    if (part.graph_rule != nullptr) return part.graph_rule->status();
    if (part.rule == nullptr) return bad("rules", part.solver != nullptr ? "a solver" : "a whole policy");
    if (part.rule->only_where_open()) {
      return bad("rules that are asked about every node",
                 absl::StrCat("'", part.text(), "'; write | ", part.text(), " for what is open"));
    }
    return part.rule->status();
  }
  static absl::Status ApplySide(const Policy& side, PlacementState& state) {
    const PolicyPart& part = side.parts()[0];
    if (part.graph_rule != nullptr) return part.graph_rule->Apply(state);
    ApplyRule(*part.rule, state);
    return absl::OkStatus();
  }

  const Policy first_, second_;
};

}  // namespace

// `else` binds looser than `where`, so that the text of the result reads back.
Policy Policy::Where(absl::string_view selector) const {
  Policy restricted;
  for (const PolicyPart& part : parts_) {
    PolicyPart where;
    where.origin = part.origin;
    if (part.rule != nullptr) {
      where.rule = NodeRules(part.rule).Where(selector).list()[0];
    } else if (const auto* either = dynamic_cast<const GraphElse*>(part.graph_rule.get())) {
      where.graph_rule = std::make_shared<GraphElse>(either->first().Where(selector), either->second().Where(selector));
    } else {
      where.graph_rule = std::make_shared<GraphWhere>(part, std::string(selector));
    }
    restricted = std::move(restricted) | Policy(std::move(where));
  }
  return restricted;
}

Policy Policy::Else(const Policy& rule) const {
  PolicyPart either;
  const bool node_rules =
      parts_.size() == 1 && rule.parts_.size() == 1 && parts_[0].rule != nullptr && rule.parts_[0].rule != nullptr;
  if (node_rules) {
    either.rule = NodeRules(parts_[0].rule).Else(NodeRules(rule.parts_[0].rule)).list()[0];
  } else {
    either.graph_rule = std::make_shared<GraphElse>(*this, rule);
  }
  return Policy(std::move(either));
}

}  // namespace berth
