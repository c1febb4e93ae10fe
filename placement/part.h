// The parts of a policy that need the whole graph: graph rules, solvers, and whole policies of their own. One .cc a
// part; the factories are in policy.h.
#ifndef BERTH_PLACEMENT_PART_H_
#define BERTH_PLACEMENT_PART_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/graph.h"
#include "placement/machine.h"
#include "placement/op_support.h"
#include "placement/placement.h"

namespace berth {

class PlacementState;  // placement/placement_state.h: groups, candidates, scores, what was done to them by whom

// A rule that looks at requests, consumers or sizes. Immutable, thread-safe.
class GraphRule {
 public:
  virtual ~GraphRule() = default;
  virtual std::string text() const = 0;
  // (optional) default: OK. InvalidArgument for arguments that cannot be; no Apply() then.
  virtual absl::Status status() const { return absl::OkStatus(); }
  // Narrows candidates through `state`, which records author and reason and refuses what facts exclude.
  virtual absl::Status Apply(PlacementState& state) const = 0;
};

// Decides every group that is still open. Immutable, thread-safe; same input, same answer.
class Solver {
 public:
  virtual ~Solver() = default;
  virtual std::string text() const = 0;
  virtual uint64_t seed() const { return 0; }  // (optional) default: not seeded
  virtual absl::Status Solve(PlacementState& state) const = 0;
};

// A policy that is a placer by itself; stands alone in a policy.
class Whole {
 public:
  virtual ~Whole() = default;
  virtual std::string text() const = 0;
  virtual absl::StatusOr<Placement> Place(const Graph& graph, const Machine& machine, const OpSupport& support,
                                          const PlaceOptions& options) const = 0;
};

}  // namespace berth

#endif  // BERTH_PLACEMENT_PART_H_
