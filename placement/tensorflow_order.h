// The order in which TensorFlow's importer numbers nodes and edges, which its placer and
// partitioner then go by.
//
// For a GraphDef in topological order nodes are numbered as in the file. Edges follow their
// consumers.
#ifndef BERTH_PLACEMENT_TENSORFLOW_ORDER_H_
#define BERTH_PLACEMENT_TENSORFLOW_ORDER_H_

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace berth {

// slot and input are kControlSlot for a control edge.
struct TensorFlowEdge {
  NodeId from;
  int32_t slot;
  NodeId to;
  int32_t input;
};

struct TensorFlowOrder {
  // Every node once: repeatedly the one of smallest id whose inputs have all been taken. A Merge
  // that closes a loop waits for its control inputs and one data input. Nodes on an illegal cycle
  // come last, by id.
  std::vector<NodeId> nodes;
  // As each node is taken: its data inputs by slot, then its control inputs by name, each once.
  // Data inputs from nodes that come later (back edges) follow all others.
  std::vector<TensorFlowEdge> edges;
};

// O(nodes log nodes + edges).
TensorFlowOrder OrderAsTensorFlow(const Graph& graph);

}  // namespace berth

#endif  // BERTH_PLACEMENT_TENSORFLOW_ORDER_H_
