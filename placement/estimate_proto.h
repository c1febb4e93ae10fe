// An estimate in a PlacementDef: the fields total, device and link.
#ifndef BERTH_PLACEMENT_ESTIMATE_PROTO_H_
#define BERTH_PLACEMENT_ESTIMATE_PROTO_H_

#include "absl/status/statusor.h"
#include "placement/estimate.h"
#include "placement/machine.h"

namespace berth {

namespace pb {
class PlacementDef;
}  // namespace pb

// Seconds are rounded to 1e-15.
void EstimateToProto(const Machine& machine, const PlacementEstimate& estimate, pb::PlacementDef* def);

// Read back; devices without a row have zeros. Error: InvalidArgument for a device that the machine lacks.
absl::StatusOr<PlacementEstimate> EstimateFromProto(const pb::PlacementDef& def, const Machine& machine);

}  // namespace berth

#endif  // BERTH_PLACEMENT_ESTIMATE_PROTO_H_
