// constants-with-consumer: a constant that is still open goes where the first node that reads its value goes, the one
// with the smallest id. Saves a transfer a step for each constant with one consumer; the others are sent, or replicated
// when cut. O(nodes + constants' edges). Bad for a large constant whose first consumer sits on a small device. Cf.
// TensorFlow's placer, heuristic B on generator nodes (core/common_runtime/placer.cc).
#include <memory>
#include <utility>

#include "placement/part.h"
#include "placement/placement_state.h"
#include "placement/policy.h"

namespace berth {
namespace {

class ConstantsWithConsumerRule : public GraphRule {
 public:
  std::string text() const override { return "constants-with-consumer"; }
  absl::Status Apply(PlacementState& state) const override {
    const Graph& graph = state.graph();
    for (NodeId n = 0, end = graph.num_nodes(); n < end; ++n) {
      const Node node = graph.node(n);
      if (node.op() != "Const" || !state.Selected(n)) continue;
      for (const OutEdge& edge : node.out_edges()) {
        if (edge.slot == kControlSlot) continue;
        state.Follow(n, edge.node, "its consumer");
        break;
      }
    }
    return absl::OkStatus();
  }
};

}  // namespace

Policy ConstantsWithConsumer() {
  PolicyPart part;
  part.graph_rule = std::make_shared<ConstantsWithConsumerRule>();
  return Policy(std::move(part));
}

}  // namespace berth
