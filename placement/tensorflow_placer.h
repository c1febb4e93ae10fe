// TensorFlow 2.21's placer, node for node, on Berth's graphs: behind the policy `tensorflow` (TensorFlowPlacer,
// policy.h), and here with what only tests and comparisons need.
//
// Groups first: every node a group, joined by reference and resource edges, then by `_class`; then choosing: a pass
// over all nodes in order, and one over the generators (no inputs, one output), which go where their consumers are.
#ifndef BERTH_PLACEMENT_TENSORFLOW_PLACER_H_
#define BERTH_PLACEMENT_TENSORFLOW_PLACER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/graph.h"
#include "placement/machine.h"
#include "placement/op_support.h"
#include "placement/placement.h"

namespace berth {

struct TensorFlowPlacerOptions {
  bool soft = false;
  // 1.15's order of candidates: the session's own task is not preferred.
  bool order_by_name = false;
  // By node id: where a node already is, "" for nowhere. Empty: nothing is placed yet.
  std::vector<std::string> assigned;
};

// Fills device_of, reasons, texts, fallbacks, notes and mode of a Placement. Errors: InvalidArgument for a request that
// cannot be parsed, FailedPrecondition for one that cannot be met, Internal for `assigned` that cannot be (as
// TensorFlow has it).
absl::StatusOr<Placement> PlaceAsTensorFlow(const Graph& graph, const Machine& machine, const OpSupport& support,
                                            const TensorFlowPlacerOptions& options);

}  // namespace berth

#endif  // BERTH_PLACEMENT_TENSORFLOW_PLACER_H_
