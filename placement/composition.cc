// RULE where "SELECTOR": the rule, asked only about the nodes that the selector picks. A else B: B is asked where A
// abstains. Both are node rules again, usable on scopes; graph_composition.cc has the same of rules over the whole graph. O(selector + rule) a node. Bad where a plain `A | B` would
// do, since an earlier part wins anyway. Chambers and Chen, "Efficient multiple and predicated dispatching", OOPSLA 1999.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/status_macros.h"
#include "placement/compound_rule.h"
#include "placement/node_facts.h"
#include "placement/part.h"
#include "placement/placement_state.h"
#include "placement/policy.h"
#include "placement/policy_text.h"
#include "placement/selector.h"

namespace berth {
namespace {

std::string WhereText(const std::string& text, const std::string& selector) {
  return absl::StrCat(text, " where ", QuotePolicyText(selector));
}

class WhereRule : public Rule {
 public:
  WhereRule(std::shared_ptr<const Rule> rule, const std::string& selector)
      : rule_(std::move(rule)), selector_text_(selector), selector_(Selector::Parse(selector)) {}
  std::string text() const override { return WhereText(rule_->text(), selector_text_); }
  Opinion Decide(const NodeFacts& node) const override {
    return selector_.ok() && selector_->Matches(node) ? rule_->Decide(node) : Opinion::Abstain();
  }
  std::string Reason(const NodeFacts& node) const override { return rule_->Reason(node); }
  bool only_where_open() const override { return rule_->only_where_open(); }
  unsigned needs() const override { return rule_->needs() | (selector_.ok() ? selector_->needs() : 0); }
  absl::Status status() const override { return selector_.ok() ? rule_->status() : selector_.status(); }

 private:
  const std::shared_ptr<const Rule> rule_;
  const std::string selector_text_;
  const absl::StatusOr<Selector> selector_;
};

class ElseRule : public CompoundRule {
 public:
  ElseRule(Rules first, Rules second) : first_(std::move(first)), second_(std::move(second)) {}
  const Rules& first() const { return first_; }
  const Rules& second() const { return second_; }

  std::string text() const override { return absl::StrCat(TextOf(first_), " else ", TextOf(second_)); }
  Opinion Decide(const NodeFacts& node) const override {
    Opinion opinion = RuleOf(first_).Decide(node);
    return opinion.verb == Opinion::Verb::kAbstain ? RuleOf(second_).Decide(node) : opinion;
  }
  const Rule* SpeakerFor(const NodeFacts& node) const override {
    const Rules& spoke = RuleOf(first_).Decide(node).verb == Opinion::Verb::kAbstain ? second_ : first_;
    const auto* compound = dynamic_cast<const ElseRule*>(&RuleOf(spoke));
    return compound == nullptr ? &RuleOf(spoke) : compound->SpeakerFor(node);
  }
  std::string Reason(const NodeFacts& node) const override { return SpeakerFor(node)->Reason(node); }
  bool only_where_open() const override { return RuleOf(first_).only_where_open(); }
  unsigned needs() const override { return RuleOf(first_).needs() | RuleOf(second_).needs(); }
  absl::Status status() const override {
    for (const Rules* side : {&first_, &second_}) {
      if (side->list().size() != 1) {
        return absl::InvalidArgumentError(
            absl::StrCat("expected one rule before and after else, got ", side->list().size()));
      }
      BERTH_RETURN_IF_ERROR(RuleOf(*side).status());
    }
    if (RuleOf(first_).only_where_open() != RuleOf(second_).only_where_open()) {
      return absl::InvalidArgumentError(
          "expected rules that are both asked about every node, or both about what is open, before and after else; "
          "write | else D for what is open");
    }
    return absl::OkStatus();
  }

 private:
  // REQUIRES: status().ok(), which is asked first.
  static const Rule& RuleOf(const Rules& rules) { return *rules.list()[0]; }
  static std::string TextOf(const Rules& rules) {
    std::string text;
    for (const auto& rule : rules.list()) absl::StrAppend(&text, text.empty() ? "" : " | ", rule->text());
    return text;
  }

  const Rules first_, second_;
};

// `else` binds looser than `where`, so that the text of the result reads back.
std::shared_ptr<const Rule> Restrict(const std::shared_ptr<const Rule>& rule, const std::string& selector) {
  const auto restrict_all = [&](const Rules& rules) {
    Rules restricted;
    for (const auto& each : rules.list()) restricted = restricted | Rules(Restrict(each, selector));
    return restricted;
  };
  if (const auto* either = dynamic_cast<const ElseRule*>(rule.get())) {
    return std::make_shared<ElseRule>(restrict_all(either->first()), restrict_all(either->second()));
  }
  return std::make_shared<WhereRule>(rule, selector);
}

}  // namespace

NodeRules NodeRules::Where(absl::string_view selector) const {
  Rules restricted;
  for (const auto& rule : list()) restricted = restricted | Rules(Restrict(rule, std::string(selector)));
  return NodeRules(std::move(restricted));
}

NodeRules NodeRules::Else(const NodeRules& rule) const {
  return NodeRules(Rules(std::make_shared<ElseRule>(*this, rule)));
}

}  // namespace berth
