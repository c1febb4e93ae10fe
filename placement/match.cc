// match "SELECTOR" on|prefer|forbid D: nodes that the selector picks must, should, or must not go to D. The rule for
// placing by hand. O(selector x name) a node. Bad where names change: a glob that matches nothing is only seen in the
// report's rule coverage. Ragan-Kelley et al., "Halide", PLDI 2013, for keeping what is computed apart from where.
#include <cmath>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "placement/device_text.h"
#include "placement/policy.h"
#include "placement/policy_text.h"
#include "placement/selector.h"

namespace berth {
namespace {

class MatchRule : public Rule {
 public:
  MatchRule(absl::string_view selector, Opinion::Verb verb, absl::string_view device, double weight)
      : selector_text_(selector), selector_(Selector::Parse(selector)), verb_(verb), device_(device), weight_(weight) {}

  std::string text() const override {
    const absl::string_view verb = verb_ == Opinion::Verb::kRequire  ? "on"
                                   : verb_ == Opinion::Verb::kForbid ? "forbid"
                                                                     : "prefer";
    return absl::StrCat("match ", QuotePolicyText(selector_text_), " ", verb, " ", device_.text(),
                        weight_ == 1.0 ? "" : absl::StrCat(" weight=", weight_));
  }
  unsigned needs() const override { return selector_.ok() ? selector_->needs() : 0; }
  absl::Status status() const override {
    if (!selector_.ok()) return selector_.status();
    if (!std::isfinite(weight_)) return absl::InvalidArgumentError("expected a finite weight");
    return device_.status();
  }
  Opinion Decide(const NodeFacts& node) const override {
    if (!selector_.ok() || !selector_->Matches(node)) return Opinion::Abstain();
    Opinion opinion;
    opinion.verb = verb_;
    opinion.device = device_.name();
    opinion.weight = weight_;
    return opinion;
  }
  std::string Reason(const NodeFacts&) const override {
    const absl::string_view verb = verb_ == Opinion::Verb::kRequire  ? "matches "
                                   : verb_ == Opinion::Verb::kForbid ? "denied by "
                                                                     : "preferred by ";
    return absl::StrCat(verb, selector_text_);
  }

 private:
  const std::string selector_text_;
  const absl::StatusOr<Selector> selector_;
  const Opinion::Verb verb_;
  const DevicePattern device_;
  const double weight_;
};

}  // namespace

NodeRules Match::On(absl::string_view device) const {
  return NodeRules(std::make_shared<MatchRule>(selector_, Opinion::Verb::kRequire, device, 1.0));
}
NodeRules Match::Prefer(absl::string_view device, double weight) const {
  return NodeRules(std::make_shared<MatchRule>(selector_, Opinion::Verb::kPrefer, device, weight));
}
NodeRules Match::Forbid(absl::string_view device) const {
  return NodeRules(std::make_shared<MatchRule>(selector_, Opinion::Verb::kForbid, device, 1.0));
}

}  // namespace berth
