// The placing stage: Graph, Machine, Policy, OpSupport -> Placement. A pure function; links no kernel.
#ifndef BERTH_PLACEMENT_PLACE_H_
#define BERTH_PLACEMENT_PLACE_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/graph.h"
#include "placement/choice.h"
#include "placement/conflict.h"
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

// A placement, and who answers for it. The explainer borrows graph, machine and support.
struct ExplainedPlacement {
  Placement placement;
  std::unique_ptr<Explainer> explainer;
};
// The same placement as PlaceGraph makes, with what that forgets. Errors: as PlaceGraph.
absl::StatusOr<ExplainedPlacement> ExplainPlacement(const Graph& graph, const Machine& machine, const Policy& policy,
                                                    const OpSupport& support, const PlaceOptions& options = {});

// The conflicts of the first part that is refused, one a group, at most 64; none where the graph can be placed, or a whole
// policy places it; the bodies of functions are left aside. In soft mode only facts are ever refused. Errors: those of
// PlaceGraph that are no conflicts.
absl::StatusOr<std::vector<Conflict>> FindConflicts(const Graph& graph, const Machine& machine, const Policy& policy,
                                                    const OpSupport& support, const PlaceOptions& options = {});

}  // namespace berth

#endif  // BERTH_PLACEMENT_PLACE_H_
