// How TensorFlow merges two device names that must hold at once. Overlay, Compatible and Matches (graph/device_name.h)
// are the other operations its placer uses.
//
//   /job:a/cpu:1 and /task:2          -> /job:a/task:2/cpu:1     every mode
//   /cpu:1 and /cpu:2                 strict: error; soft: /cpu:*; override: /cpu:2
//   /gpu:1 and /cpu:2                 strict: error; soft: neither type nor id; override: /cpu:2
#ifndef BERTH_PLACEMENT_TENSORFLOW_NAMES_H_
#define BERTH_PLACEMENT_TENSORFLOW_NAMES_H_

#include "absl/status/statusor.h"
#include "graph/device_name.h"

namespace berth {

enum class NameMerge { kStrict, kSoft, kOverride };

// Fields in the order job, replica, task, type, id; one that only one name sets is taken. Two different jobs, replicas
// or tasks are an error in every mode. Soft merges are symmetric but not associative: ids 1, 2, 3 merged left to right
// give 3. Error: InvalidArgument "different ids, 1 and 2", without saying whose.
absl::StatusOr<DeviceName> MergeNames(const DeviceName& a, const DeviceName& b, NameMerge mode);

// Fills what `a` leaves open from `b`; never fails.
DeviceName FillUnset(const DeviceName& a, const DeviceName& b);

}  // namespace berth

#endif  // BERTH_PLACEMENT_TENSORFLOW_NAMES_H_
