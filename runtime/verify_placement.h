// What must hold of every placement before it is run, whoever made it.
#ifndef BERTH_RUNTIME_VERIFY_PLACEMENT_H_
#define BERTH_RUNTIME_VERIFY_PLACEMENT_H_

#include "absl/status/status.h"
#include "graph/graph.h"
#include "placement/machine.h"
#include "placement/placement.h"

namespace berth {

// A device of the machine for every node, and who shares a reference or a resource handle on one device. Error:
// InvalidArgument naming the first node that has none, or both ends of an edge. O(nodes + edges).
absl::Status VerifyPlacement(const Graph& graph, const Placement& placement, const Machine& machine);

}  // namespace berth

#endif  // BERTH_RUNTIME_VERIFY_PLACEMENT_H_
