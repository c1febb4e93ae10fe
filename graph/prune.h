// Pruning: the nodes that the wanted ones depend on, through data and control edges.
#ifndef BERTH_GRAPH_PRUNE_H_
#define BERTH_GRAPH_PRUNE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/graph.h"

namespace berth {

// A reference to a tensor or an op as users write it: "x:1", "x" (output 0 where the op has outputs), "^x" refused.
struct TensorName {
  NodeId node = kNoNode;
  int slot = 0;  // -1: the op itself (it has no outputs)
};
// Error: NotFound with the nearest name; InvalidArgument for a slot the op does not have, naming how many it has.
absl::StatusOr<TensorName> FindTensor(const Graph& graph, absl::string_view name);

struct PruneOptions {
  std::vector<std::string> fetches, targets;  // both empty: the whole graph is kept
  std::vector<std::string> feeds;             // a fed tensor's producer is not needed for it
};
// A new graph with the needed nodes in the old order, requests, tags, sources and shapes kept. A fed node stays when
// another of its outputs, or a control edge, is still needed; otherwise it stays as a node without inputs of op
// Placeholder with the same name.
absl::StatusOr<Graph> PruneGraph(const Graph& graph, const PruneOptions& options);

}  // namespace berth

#endif  // BERTH_GRAPH_PRUNE_H_
