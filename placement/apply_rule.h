// A node rule put to every node that the part is about.
#ifndef BERTH_PLACEMENT_APPLY_RULE_H_
#define BERTH_PLACEMENT_APPLY_RULE_H_

#include "graph/rule.h"
#include "placement/placement_state.h"

namespace berth {

// Tells `state` what the rule answers. REQUIRES: rule.status().ok(); a part has begun. O(nodes) calls of the rule.
void ApplyRule(const Rule& rule, PlacementState& state);

}  // namespace berth

#endif  // BERTH_PLACEMENT_APPLY_RULE_H_
