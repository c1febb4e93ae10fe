// A placement for people and programs: text, PlacementDef, JSON. Equal inputs give equal bytes; each form can be replayed.
//
//   # policy variables-on cpu:0 | towers-on gpu:* | else cpu:0
//   w    cpu:0  variables-on cpu:0: variable -> cpu:0
//   y_1  gpu:1  towers-on gpu:*: tower 1 -> gpu:1
//   # cpu:0: 1 node, 1024 bytes of variables, peak 1024 bytes, 0 flops, busy 1 us, done at 1 us
#ifndef BERTH_PLACEMENT_REPORT_H_
#define BERTH_PLACEMENT_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "graph/graph.h"
#include "placement/choice.h"
#include "placement/estimate.h"
#include "placement/machine.h"
#include "placement/placement.h"

namespace berth {

namespace pb {
class PlacementDef;
}  // namespace pb

// What follows are functions of a placement of this graph on this machine. With an explainer of it (place.h), the
// PlacementDef holds every group's choice too.
std::string PrintPlacement(const Graph& graph, const Machine& machine, const Placement& placement);
pb::PlacementDef PlacementToProto(const Graph& graph, const Machine& machine, const Placement& placement,
                                  Explainer* explainer = nullptr);
std::string PlacementToJson(const Graph& graph, const Machine& machine, const Placement& placement,
                            Explainer* explainer = nullptr);
// The same in pieces of about 64 KB, in order: never holds the whole.
void WritePlacementJson(const Graph& graph, const Machine& machine, const Placement& placement, Explainer* explainer,
                        absl::FunctionRef<void(absl::string_view)> sink);

// Read back. Errors: InvalidArgument for a node that the graph lacks, that occurs twice or is left out, and for a device that the
// machine lacks.
absl::StatusOr<Placement> PlacementFromProto(const pb::PlacementDef& def, const Graph& graph, const Machine& machine);
absl::StatusOr<Placement> PlacementFromJson(absl::string_view json, const Graph& graph, const Machine& machine);

}  // namespace berth

#endif  // BERTH_PLACEMENT_REPORT_H_
