// What must hold of every conflict: its members are a minimal set, and each fix, applied as a user would, mends it.
#ifndef BERTH_TESTS_PLACEMENT_CONFLICT_FAULT_H_
#define BERTH_TESTS_PLACEMENT_CONFLICT_FAULT_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/graph.h"
#include "placement/conflict.h"
#include "placement/machine.h"
#include "placement/op_support.h"
#include "placement/placement.h"
#include "placement/policy.h"

namespace berth {

// Everything that a placement is a function of, and that a fix may change.
struct Placing {
  std::shared_ptr<const Graph> graph;
  Machine machine;
  Policy policy;
  OpSupport support;
  PlacementMode mode = PlacementMode::kStrict;

  absl::StatusOr<Placement> Place() const;
  absl::StatusOr<std::vector<Conflict>> Conflicts() const;
};

// The same graph with other requests, by node id.
Graph WithRequests(const Graph& graph, const std::vector<std::string>& requests);

Placing Mended(const Placing& placing, const Fix& fix);

// "" or what does not hold: no device is left by all members, one is by any all but one of them (of a part with too few
// devices: every member alone leaves none); there is a fix; and with each the conflict is there no more, nor one about
// what the fix itself asks.
std::string ConflictFault(const Placing& placing, const Conflict& conflict);

}  // namespace berth

#endif  // BERTH_TESTS_PLACEMENT_CONFLICT_FAULT_H_
