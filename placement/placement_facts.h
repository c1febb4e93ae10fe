// What holds of a graph on a machine before any policy is asked: which nodes are together, and which devices each group
// can have at all: where its members have kernels and each has room, and hosts for ops that run there by nature.
//
//   v = Handle()   kernel on cpu   group {v, a}: cpu:0, and it was v that narrowed it
//   a = Foo(v)     on cpu and gpu
#ifndef BERTH_PLACEMENT_PLACEMENT_FACTS_H_
#define BERTH_PLACEMENT_PLACEMENT_FACTS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "graph/graph.h"
#include "placement/conflict.h"
#include "placement/device_sets.h"
#include "placement/groups.h"
#include "placement/kernel_facts.h"
#include "placement/machine.h"
#include "placement/memory_limit.h"
#include "placement/op_support.h"

namespace berth {

class PlacementFacts {
 public:
  // All must outlive it.
  PlacementFacts(const Graph& graph, const Machine& machine, const OpSupport& support, DeviceSets& sets);

  // Fills in, at roots, what groups can have; calls note(NodeId, text) for nodes without kernel. Errors: Unimplemented
  // for an op listed without kernel; FailedPrecondition for a group that is left nothing, which is then a conflict.
  absl::Status Apply(std::vector<SetId>& candidates, std::vector<std::pair<NodeId, std::string>>& notes);
  // One for each group that is left nothing, at most `limit`.
  std::vector<Conflict> Conflicts(size_t limit);

  const Groups& groups() const { return groups_; }
  KernelFacts& kernels() { return kernels_; }
  bool host_only(NodeId n) const { return host_only_[n]; }
  // Nodes of which some kernel has arguments in host memory, ascending.
  const std::vector<NodeId>& with_host_args() const { return with_host_args_; }
  const OpSupport& support() const { return support_; }

  // What facts leave the group of root `g`.
  SetId Of(NodeId g);
  // The member that narrowed it last; kNoNode: none did.
  NodeId NarrowedBy(NodeId g) { return Narrowed(g).narrowed_by; }
  // The groups are one from now on, whose root is the first of `roots`, ascending. Near linear in their members.
  void Unite(const std::vector<NodeId>& roots);
  // What they leave a node itself.
  SetId Own(NodeId n) { return sets_.Intersect(kernels_.Of(graph_.node(n)).devices, WithRoom(n)); }
  // "a kernel on cpu only", "a host-only op".
  std::string KernelsOf(NodeId n);
  const MemoryLimit& memory() const { return memory_; }
  // Why the node cannot have these devices, which facts exclude: its own kernels, or those of the member that brought
  // it; kNoNode: it is the node itself.
  NodeId WhoExcludes(NodeId n, SetId devices);
  std::string WhyExcluded(NodeId n, SetId devices);
  // Every different fact about members of `g` once, as a party to a conflict; those of `first` before others.
  std::vector<ConflictMember> Parties(NodeId g, NodeId first);
  // The author and reason of a node that facts alone decided.
  std::pair<std::string, std::string> Reason(NodeId n);

 private:
  // What is left of groups of several, and the last member that made it less.
  struct OfGroup {
    SetId devices = DeviceSets::kAll;
    NodeId narrowed_by = kNoNode;
  };
  OfGroup Narrowed(NodeId g);
  // A host-only op on a machine without a cpu is an error that no fix of a conflict mends.
  absl::Status NoHost(NodeId g);
  absl::Status NothingLeft();
  Conflict ConflictOf(NodeId g);
  // The devices with room for the node alone.
  SetId WithRoom(NodeId n);
  std::string RoomOf(NodeId n) const;
  std::string WhyOwn(NodeId n, SetId devices);
  void AddFixes(NodeId g, Conflict& conflict);

  const Graph& graph_;
  const Machine& machine_;
  const OpSupport& support_;
  DeviceSets& sets_;
  KernelFacts kernels_;
  MemoryLimit memory_;
  Groups groups_;
  std::vector<bool> host_only_;
  std::vector<NodeId> with_host_args_;
  absl::flat_hash_map<NodeId, OfGroup> of_groups_;
  std::vector<NodeId> lost_;  // roots of groups that are left nothing
};

}  // namespace berth

#endif  // BERTH_PLACEMENT_PLACEMENT_FACTS_H_
