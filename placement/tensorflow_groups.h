// The groups of TensorFlow's placer: nodes that must share a device, and what each group has been told about it.
//
// A group knows three partial names. *assigned*: where a member already is. *promise*: what a member that makes a
// reference or a handle asked for; kept where wishes give way. *request*: all wishes, at least as specific as the other
// two. And it knows the device types that every member has a kernel for, strongest first.
#ifndef BERTH_PLACEMENT_TENSORFLOW_GROUPS_H_
#define BERTH_PLACEMENT_TENSORFLOW_GROUPS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graph/graph.h"
#include "placement/machine.h"

namespace berth {

// Device types with the priority of the kernel there: by priority, then gpu before cpu, then by name.
using TypeList = std::vector<std::pair<std::string, int>>;
void SortTypes(TypeList& types);
// The order of types that the kernels do not order: greater first.
int TypePriority(absl::string_view type);

class TensorFlowGroups {
 public:
  TensorFlowGroups(const Graph& graph, const Machine& machine, bool soft, bool order_by_name);

  struct Group {
    DeviceName assigned, promise, request;
    const TypeList* types = nullptr;  // interned
  };

  // Node `n` is a group of its own, as yet.
  void Init(NodeId n, DeviceName request, bool promises, TypeList types);
  // Node `n` is on `device` from the start.
  void InitAssigned(NodeId n, DeviceId device, TypeList types);

  // Makes the groups of x and y one. Error: FailedPrecondition naming both nodes; the groups then stay as they are, but
  // for the merged names that the surviving group keeps when it is the types that do not agree.
  absl::Status Join(NodeId x, NodeId y);
  // Joins along an edge that ties dst to src: wishes of dst's group that contradict those of src's group are dropped
  // first.
  absl::Status Tie(NodeId src, NodeId dst);

  // Where the node's group may go, best first; empty when nowhere.
  absl::Span<const DeviceId> Candidates(NodeId n);
  // Puts the group on `device`.
  absl::Status Assign(NodeId n, DeviceId device);

  const Group& group(NodeId n) { return groups_[Root(n)]; }
  bool SameGroup(NodeId x, NodeId y) { return Root(x) == Root(y); }
  NodeId Root(NodeId n);

 private:
  const TypeList* Intern(TypeList types);
  std::vector<DeviceId> Supported(const DeviceName& pattern, const TypeList& types) const;
  std::vector<DeviceId> FindCandidates(const Group& group) const;

  const Graph& graph_;
  const Machine& machine_;
  const bool soft_;
  const bool order_by_name_;
  std::vector<NodeId> parents_;
  std::vector<uint8_t> ranks_;
  std::vector<Group> groups_;  // by root
  std::vector<std::unique_ptr<TypeList>> type_lists_;
  absl::flat_hash_map<std::string, const TypeList*> type_ids_;
  // By what the result depends on: the three names and the types.
  absl::flat_hash_map<std::string, std::vector<DeviceId>> candidates_;
};

}  // namespace berth

#endif  // BERTH_PLACEMENT_TENSORFLOW_GROUPS_H_
