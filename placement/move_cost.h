// What changes when one colocation group goes to another device and all else stays where it is: the bytes that cross
// links, and how long devices and links are busy. It is what a relaxed demand costs, and what a move would save.
//
//   a@gpu:0 -> b@cpu:0 -> c@gpu:0, 40 bytes each: moving b to gpu:0 saves 80 bytes and 2 transfers
//
// Busy time, not the time until all is done, which hangs on everything else: that is EstimatePlacement's.
#ifndef BERTH_PLACEMENT_MOVE_COST_H_
#define BERTH_PLACEMENT_MOVE_COST_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "graph/graph.h"
#include "placement/groups.h"
#include "placement/machine.h"
#include "placement/placement.h"

namespace berth {

// Differences: above 0 is more than now. A size that is not known counts 0.
struct MoveCost {
  int64_t bytes = 0;  // that cross links
  int64_t transfers = 0;
  double seconds = 0;  // busy
};

class Moves {
 public:
  // All must outlive it. Near linear in nodes and edges.
  Moves(const Graph& graph, const Machine& machine, const Placement& placement);

  // Of moving the whole group of `n`; where a whole policy parted it, of `n` alone. Amortised: the group's edges, and
  // those of each producer it reads once.
  MoveCost Cost(NodeId n, DeviceId to);

 private:
  struct Readers {  // of one output on one device
    int32_t slot = 0;
    DeviceId device = kNoDevice;
    int64_t count = 0;
  };
  struct Read {  // what members read
    NodeId from = kNoNode;
    int32_t slot = 0;
    friend bool operator<(const Read& a, const Read& b) { return a.from != b.from ? a.from < b.from : a.slot < b.slot; }
    friend bool operator==(const Read&, const Read&) = default;
  };
  std::vector<NodeId> Movable(NodeId n) const;
  const std::vector<Readers>& ReadersOf(NodeId n);
  void AddMember(NodeId n, DeviceId to, const std::vector<Read>& reads, MoveCost& cost);
  void AddTransfer(NodeId n, int32_t slot, DeviceId from, DeviceId to, int sign, MoveCost& cost) const;
  double SecondsOn(const Node& node, DeviceId d) const;

  const Graph& graph_;
  const Machine& machine_;
  const Placement& placement_;
  const Groups groups_;
  absl::flat_hash_map<NodeId, std::vector<Readers>> readers_;  // by slot, then device
};

// Fills in what the relaxations of `placement` cost.
void CostFallbacks(const Graph& graph, const Machine& machine, Placement& placement);

}  // namespace berth

#endif  // BERTH_PLACEMENT_MOVE_COST_H_
