// A rule made of several, one of which speaks for a node. Reports give that one's reason.
#ifndef BERTH_PLACEMENT_COMPOUND_RULE_H_
#define BERTH_PLACEMENT_COMPOUND_RULE_H_

#include "graph/rule.h"

namespace berth {

class CompoundRule : public Rule {
 public:
  // The rule whose opinion Decide gives; never null, and no CompoundRule itself.
  virtual const Rule* SpeakerFor(const NodeFacts& node) const = 0;
};

}  // namespace berth

#endif  // BERTH_PLACEMENT_COMPOUND_RULE_H_
