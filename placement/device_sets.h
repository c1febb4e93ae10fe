// Sets of devices, interned: a set is a small number, equal sets have equal numbers, and what was computed once is
// remembered. Placement keeps one number for each group of nodes, whatever the machine's size.
#ifndef BERTH_PLACEMENT_DEVICE_SETS_H_
#define BERTH_PLACEMENT_DEVICE_SETS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "placement/machine.h"

namespace berth {

using SetId = int32_t;

class DeviceSets {
 public:
  explicit DeviceSets(int num_devices);

  static constexpr SetId kNone = 0;  // the empty set
  static constexpr SetId kAll = 1;   // every device of the machine

  // Of devices in any order; repeats are allowed.
  SetId Of(std::vector<DeviceId> devices);
  // Amortised O(1).
  SetId Intersect(SetId a, SetId b);
  SetId Minus(SetId a, SetId b);

  int Count(SetId s) const { return sets_[s].count; }
  bool Contains(SetId s, DeviceId d) const;
  // The first in machine order; kNoDevice of the empty set.
  DeviceId First(SetId s) const { return s == kNone ? kNoDevice : sets_[s].ranges[0].first; }
  // The k-th in machine order. REQUIRES: 0 <= k < Count(s).
  DeviceId Nth(SetId s, int k) const;
  std::vector<DeviceId> List(SetId s) const;

 private:
  using Ranges = std::vector<std::pair<DeviceId, DeviceId>>;  // [first, second), ascending, apart
  struct Set {
    Ranges ranges;
    int count = 0;
  };
  SetId Intern(Ranges ranges);

  std::vector<Set> sets_;
  absl::flat_hash_map<Ranges, SetId> ids_;
  absl::flat_hash_map<uint64_t, SetId> intersections_, differences_;
  uint64_t last_pair_ = 0;  // both of kNone
  SetId last_intersection_ = kNone;
};

}  // namespace berth

#endif  // BERTH_PLACEMENT_DEVICE_SETS_H_
