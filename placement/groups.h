// Colocation groups: nodes that must share a device. Together are the two ends of an edge that carries a resource (but not
// into or out of the call of a function: graph/function_bodies.h), or a reference that is taken as one, and nodes whose
// `_class` names the same node, which need not be in the graph (pruning may drop it); and what rules put together.
#ifndef BERTH_PLACEMENT_GROUPS_H_
#define BERTH_PLACEMENT_GROUPS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "graph/graph.h"

namespace berth {

struct Groups {
  std::vector<NodeId> root;  // by node: the smallest id of its group, which names the group
  std::vector<NodeId> next;  // by node: the next larger member; of the largest, the root

  bool alone(NodeId n) const { return next[n] == n; }
  bool is_root(NodeId n) const { return root[n] == n; }
};

// Two nodes that a part of the policy put together, besides those that the graph ties.
struct RuleTie {
  NodeId node = kNoNode;
  NodeId with = kNoNode;
  int32_t part = 0;  // its number in the policy
};

// Near linear in nodes, edges and ties.
Groups FindGroups(const Graph& graph, absl::Span<const RuleTie> ties = {});

// Why nodes are together, for messages: "reference edge 'v' -> 'v/Assign'", "_class loc:@v", "the handle 'w' given to
// function 'f'", and of what a rule tied the part: "'match \"op=A\" together' (policy.txt:2)".
class Ties {
 public:
  // The graph must outlive it. `parts` says what to call the parts of the policy. Near linear in nodes, edges and ties.
  explicit Ties(const Graph& graph, absl::Span<const RuleTie> ties = {}, std::vector<std::string> parts = {});
  // When they are tied through others, the first tie on the shortest way from `a`. "" when they are not tied. O(group);
  // O(1) for more nodes `a` of the same `b`.
  std::string Why(NodeId a, NodeId b);

 private:
  struct Tie {
    NodeId a = kNoNode;
    NodeId b = kNoNode;
    int32_t kind = 0;  // -1, -2, ...: of the graph; else the part's number
  };
  using Ways = absl::flat_hash_map<NodeId, Tie>;  // by node: the first tie on its way
  const Ways& WaysTo(NodeId b);
  std::string Describe(const Tie& tie) const;

  const Graph& graph_;
  const std::vector<std::string> parts_;
  absl::flat_hash_map<NodeId, std::vector<Tie>> ties_;
  absl::flat_hash_map<NodeId, Ways> ways_;
};

}  // namespace berth

#endif  // BERTH_PLACEMENT_GROUPS_H_
