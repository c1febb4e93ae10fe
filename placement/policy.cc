#include "placement/policy.h"

#include "absl/strings/str_cat.h"
#include "placement/part.h"

namespace berth {

std::string PolicyPart::text() const {
  if (rule != nullptr) return rule->text();
  if (graph_rule != nullptr) return graph_rule->text();
  if (solver != nullptr) return solver->text();
  return whole == nullptr ? "" : whole->text();
}

Policy::Policy(const Rules& rules) {
  for (const std::shared_ptr<const Rule>& rule : rules.list()) {
    PolicyPart part;
    part.rule = rule;
    parts_.push_back(std::move(part));
  }
}

std::string Policy::text() const {
  std::string text;
  for (const PolicyPart& part : parts_) absl::StrAppend(&text, text.empty() ? "" : " | ", part.text());
  return text;
}

bool PlacesWholeGraph(const Policy& policy) { return !policy.parts().empty() && policy.parts()[0].whole != nullptr; }

}  // namespace berth
