// shapes-with-input: an op that reads only what its input looks like (Shape, ShapeN, Size, Rank) and is still open goes
// where its first input is made, so that no value is sent for the sake of its shape. O(1) a node. Bad when its result
// feeds work on another device: then the result, some bytes, is sent. Cf. TensorFlow's placer, heuristic A on metadata
// nodes (core/common_runtime/placer.cc).
#include <memory>
#include <utility>

#include "placement/part.h"
#include "placement/placement_state.h"
#include "placement/policy.h"

namespace berth {
namespace {

bool ReadsOnlyShape(absl::string_view op) { return op == "Shape" || op == "ShapeN" || op == "Size" || op == "Rank"; }

class ShapesWithInputRule : public GraphRule {
 public:
  std::string text() const override { return "shapes-with-input"; }
  absl::Status Apply(PlacementState& state) const override {
    const Graph& graph = state.graph();
    for (NodeId n = 0, end = graph.num_nodes(); n < end; ++n) {
      const Node node = graph.node(n);
      if (ReadsOnlyShape(node.op()) && !node.data_inputs().empty() && state.Selected(n)) {
        state.Follow(n, node.data_inputs()[0].node, "its input");
      }
    }
    return absl::OkStatus();
  }
};

}  // namespace

Policy ShapesWithInput() {
  PolicyPart part;
  part.graph_rule = std::make_shared<ShapesWithInputRule>();
  return Policy(std::move(part));
}

}  // namespace berth
