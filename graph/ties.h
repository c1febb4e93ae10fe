// Dangling ties: `_class` attributes that name nodes which the graph does not have, as a subgraph cut out of a larger one has.
//
//   b = Relu(x) {_class=["loc:@w"]}     and no node w
//
// VerifyGraph refuses them, all at once; who wants the graph all the same drops them first.
#ifndef BERTH_GRAPH_TIES_H_
#define BERTH_GRAPH_TIES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/graph.h"

namespace berth {

struct DanglingTie {
  NodeId node = kNoNode;
  std::string to;  // the name, without loc:@
};

// In node order, then in the order of the attribute. O(nodes).
std::vector<DanglingTie> FindDanglingTies(const Graph& graph);

// The graph without them; what else `_class` says stays. `dropped`, if given, is how many there were. A graph without any comes
// back as it is.
absl::StatusOr<Graph> DropDanglingTies(Graph graph, int64_t* dropped = nullptr);

}  // namespace berth

#endif  // BERTH_GRAPH_TIES_H_
