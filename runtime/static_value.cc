#include "runtime/static_value.h"

#include <vector>

namespace berth {
namespace {

constexpr int kMaxVisits = 256;

bool IsOfShape(absl::string_view op) { return op == "Shape" || op == "ShapeN" || op == "Size" || op == "Rank"; }

}  // namespace

bool IsStaticValue(const Graph& graph, const Input& in) {
  std::vector<NodeId> open = {in.node};
  for (int visits = 0; !open.empty(); ++visits) {
    if (visits == kMaxVisits) return false;
    const Node node = graph.node(open.back());
    open.pop_back();
    if (node.op() == "Const") continue;
    const bool of_shape = IsOfShape(node.op());
    if (!of_shape && (node.op_def() == nullptr || node.op_def()->value_fn == nullptr || node.data_inputs().empty())) {
      return false;
    }
    for (const Input& input : node.data_inputs()) {
      if (!of_shape) {
        open.push_back(input.node);
      } else if (!graph.node(input.node).output_shape(input.slot).fully_defined()) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace berth
