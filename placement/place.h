// The placing stage: Graph, Machine, Policy, OpSupport -> Placement. A pure function; links no kernel.
#ifndef BERTH_PLACEMENT_PLACE_H_
#define BERTH_PLACEMENT_PLACE_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/graph.h"
#include "placement/machine.h"
#include "placement/op_support.h"
#include "placement/placement.h"
#include "placement/policy.h"

namespace berth {

// Whether the parts go together. Errors (InvalidArgument): a part after the solver, a whole policy beside other parts,
// a rule that was made of bad arguments.
absl::Status CheckPolicy(const Policy& policy);

// Places every node of `graph` (prune first, as Session and the tool do), and with them, for the same verdict on every
// path, the bodies of the functions that it calls: where those are is seen by placing WithFunctionBodies(graph). Errors: InvalidArgument for a policy that
// cannot apply, FailedPrecondition for demands that cannot be met in strict mode: names both parties with their origins
// and what would fix it.
absl::StatusOr<Placement> PlaceGraph(const Graph& graph, const Machine& machine, const Policy& policy,
                                     const OpSupport& support, const PlaceOptions& options = {});

}  // namespace berth

#endif  // BERTH_PLACEMENT_PLACE_H_
