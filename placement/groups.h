// Colocation groups: nodes that must share a device. Together are the two ends of an edge that carries a resource (but not
// into or out of the call of a function: graph/function_bodies.h), or a reference that is taken as one, and nodes whose
// `_class` names the same node, which need not be in the graph (pruning may drop it).
#ifndef BERTH_PLACEMENT_GROUPS_H_
#define BERTH_PLACEMENT_GROUPS_H_

#include <string>
#include <vector>

#include "graph/graph.h"

namespace berth {

struct Groups {
  std::vector<NodeId> root;  // by node: the smallest id of its group, which names the group
  std::vector<NodeId> next;  // by node: the next larger member; of the largest, the root

  bool alone(NodeId n) const { return next[n] == n; }
  bool is_root(NodeId n) const { return root[n] == n; }
};

// Near linear in nodes and edges.
Groups FindGroups(const Graph& graph);

// Why `a` and `b` are tied, for messages: "reference edge 'v' -> 'v/Assign'", "_class loc:@v". When they are tied
// through others, the first tie on the shortest way. "" when they are not.
std::string WhyTogether(const Graph& graph, NodeId a, NodeId b);

}  // namespace berth

#endif  // BERTH_PLACEMENT_GROUPS_H_
