#include "placement/tensorflow_order.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace berth {
namespace {

// True for a Merge that one NextIteration at least feeds: it is taken before that input.
bool ClosesLoop(const Node& node) {
  if (node.op() != "Merge" && node.op() != "RefMerge") return false;
  for (Input in : node.data_inputs()) {
    const absl::string_view op = node.graph().node(in.node).op();
    if (op == "NextIteration" || op == "RefNextIteration") return true;
  }
  return false;
}

// Appends the edges into `node`; those whose producer has not been taken go to `back`.
void AddEdges(const Node& node, const std::vector<bool>& taken, std::vector<TensorFlowEdge>& edges,
              std::vector<TensorFlowEdge>& back) {
  const absl::Span<const Input> data = node.data_inputs();
  for (int32_t i = 0; i < static_cast<int32_t>(data.size()); ++i) {
    (taken[data[i].node] ? edges : back).push_back({data[i].node, data[i].slot, node.id(), i});
  }
  std::vector<NodeId> controls;
  for (Input in : node.control_inputs()) controls.push_back(in.node);
  std::sort(controls.begin(), controls.end(),
            [&](NodeId a, NodeId b) { return node.graph().node(a).name() < node.graph().node(b).name(); });
  controls.erase(std::unique(controls.begin(), controls.end()), controls.end());
  for (NodeId c : controls) edges.push_back({c, kControlSlot, node.id(), kControlSlot});
}

}  // namespace

TensorFlowOrder OrderAsTensorFlow(const Graph& graph) {
  const int size = graph.num_nodes();
  // Inputs a node still waits for; the importer counts an input as often as it is listed.
  std::vector<int64_t> waits(size);
  std::priority_queue<NodeId, std::vector<NodeId>, std::greater<NodeId>> ready;
  for (NodeId id = 0; id < size; ++id) {
    const Node node = graph.node(id);
    waits[id] = node.inputs().size();
    if (ClosesLoop(node)) waits[id] = node.control_inputs().size() + 1;
    if (waits[id] == 0) ready.push(id);
  }
  TensorFlowOrder order;
  order.nodes.reserve(size);
  order.edges.reserve(graph.num_edges());
  std::vector<TensorFlowEdge> back;
  std::vector<bool> taken(size);
  const auto take = [&](NodeId id) {
    const Node node = graph.node(id);
    order.nodes.push_back(id);
    taken[id] = true;
    AddEdges(node, taken, order.edges, back);
    for (const OutEdge& e : node.out_edges()) {
      if (--waits[e.node] == 0 && !taken[e.node]) ready.push(e.node);
    }
  };
  while (!ready.empty()) {
    const NodeId id = ready.top();
    ready.pop();
    take(id);
  }
  for (NodeId id = 0; id < size; ++id) {
    if (!taken[id]) take(id);
  }
  order.edges.insert(order.edges.end(), back.begin(), back.end());
  return order;
}

}  // namespace berth
