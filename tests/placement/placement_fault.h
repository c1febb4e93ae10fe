// What must hold of every placement, whoever made it: for the conformance suite and the property tests.
#ifndef BERTH_TESTS_PLACEMENT_PLACEMENT_FAULT_H_
#define BERTH_TESTS_PLACEMENT_PLACEMENT_FAULT_H_

#include <string>

#include "graph/graph.h"
#include "placement/machine.h"
#include "placement/op_support.h"
#include "placement/placement.h"

namespace berth {

// "" or what does not hold: every node on a device of the machine, where it has a kernel, with its group (and what rules put with it), for a reason;
// fallbacks that say where the node is; no device with a limit needs more memory than it has, and the estimate agrees.
std::string PlacementFault(const Graph& graph, const Machine& machine, const OpSupport& support,
                           const Placement& placed);

}  // namespace berth

#endif  // BERTH_TESTS_PLACEMENT_PLACEMENT_FAULT_H_
