// Why a graph cannot be placed, as data: RefusalDef (proto/placement.proto), what a tool prints where a PlacementDef was asked
// for. Equal inputs give equal bytes.
//
//   {"version": 1, ..., "error": "node 'as' (Assign at f:2): expected gpu:1, ...", "conflict": [{"member": [...], "fix": [...]}]}
#ifndef BERTH_PLACEMENT_REFUSAL_H_
#define BERTH_PLACEMENT_REFUSAL_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "graph/graph.h"
#include "placement/conflict.h"
#include "placement/machine.h"
#include "placement/placement.h"
#include "placement/policy.h"

namespace berth {

namespace pb {
class RefusalDef;
}  // namespace pb

// `error` and `conflicts` are what PlaceGraph and FindConflicts (place.h) say of the others; no conflicts where the refusal
// is none, but memory that is short in all, say.
pb::RefusalDef RefusalToProto(const Graph& graph, const Machine& machine, const Policy& policy, PlacementMode mode,
                              const absl::Status& error, const std::vector<Conflict>& conflicts);
std::string RefusalToJson(const Graph& graph, const Machine& machine, const Policy& policy, PlacementMode mode,
                          const absl::Status& error, const std::vector<Conflict>& conflicts);

}  // namespace berth

#endif  // BERTH_PLACEMENT_REFUSAL_H_
