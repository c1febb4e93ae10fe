// Memory as a limit. A device has one where the machine states its memory other than as the default, which is a guess
// for cost models; 0 states that there is none.
//
// What is needed of a device is a lower bound: the variables and constants that live there, all at once, and the one
// node that needs most while it runs: all it reads or all it writes, whichever is more, without what is already
// counted. So no graph is refused that could run; whether one fits in truth is the estimate's peak.
//
//   device { name: "gpu:0" memory_bytes: 1023 }
//   w, 1000 bytes, and y = Relu(x), 24 bytes: 1024 needed, short by 1 byte
//
// A node that alone needs more than a device has cannot be there: a fact, before all rules. What together needs too
// much is settled last (PlacementState::Settle): where facts and rules leave another device with room, groups move
// there; in soft mode, which relaxes demands for it, also where only facts do; else it is an error in both modes.
#ifndef BERTH_PLACEMENT_MEMORY_LIMIT_H_
#define BERTH_PLACEMENT_MEMORY_LIMIT_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "graph/graph.h"
#include "placement/machine.h"

namespace berth {

class MemoryLimit {
 public:
  static constexpr int64_t kNone = std::numeric_limits<int64_t>::max();

  // Both must outlive it. O(devices).
  MemoryLimit(const Graph& graph, const Machine& machine);

  bool any() const { return least_ != kNone; }
  int64_t Of(DeviceId d) const { return limits_[d]; }  // bytes; kNone without
  int64_t least() const { return least_; }             // of all

  // Unknown sizes count 0. O(inputs + outputs).
  int64_t Kept(NodeId n) const;     // as long as the session: a variable's or a constant's
  int64_t Working(NodeId n) const;  // while it runs

 private:
  bool IsKept(const Node& node) const;
  Input OwnerOf(Input input) const;

  const Graph& graph_;
  std::vector<int64_t> limits_;
  int64_t least_ = kNone;
};

}  // namespace berth

#endif  // BERTH_PLACEMENT_MEMORY_LIMIT_H_
