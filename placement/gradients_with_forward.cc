// gradients-with-forward: a gradient that is still open goes where the node it is the gradient of goes. It is known by the
// label gradient-of=NAME, else by TensorFlow's names: gradients/NAME_grad/..., also under scopes (train/gradients_1/...)
// and of gradients of gradients. Keeps a layer's backward pass beside its activations. O(nodes x name). Bad where the
// forward part is bound by memory: its activations stay. Cf. colocate_gradients_with_ops in TensorFlow
// (python/ops/gradients_impl.py).
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "placement/part.h"
#include "placement/placement_state.h"
#include "placement/policy.h"

namespace berth {
namespace {

constexpr absl::string_view kTag = "gradient-of";

// True for `word`, `word_1`, `word_2`, ...: a name that was taken is numbered.
bool IsNumbered(absl::string_view text, absl::string_view word) {
  if (!absl::StartsWith(text, word)) return false;
  text.remove_prefix(word.size());
  uint32_t number = 0;
  return text.empty() || (text[0] == '_' && absl::SimpleAtoi(text.substr(1), &number));
}

// "a/MatMul" for "train/gradients/a/MatMul_grad/Sum"; "" for a name that is no gradient's.
absl::string_view ForwardName(absl::string_view name) {
  size_t begin = 0;
  for (;;) {
    const size_t slash = name.find('/', begin);
    if (slash == absl::string_view::npos) return "";
    const bool found = IsNumbered(name.substr(begin, slash - begin), "gradients");
    begin = slash + 1;
    if (found) break;
  }
  // The last scope NAME_grad is the nearest gradient's.
  for (size_t end = name.rfind('/'); end != absl::string_view::npos && end > begin; end = name.rfind('/', end - 1)) {
    const absl::string_view forward = name.substr(begin, end - begin);
    const size_t mark = forward.rfind("_grad");
    const size_t scope = forward.rfind('/');
    if (mark == absl::string_view::npos || mark == 0) continue;
    if (scope != absl::string_view::npos && mark <= scope + 1) continue;
    if (IsNumbered(forward.substr(mark), "_grad")) return forward.substr(0, mark);
  }
  return "";
}

class GradientsWithForwardRule : public GraphRule {
 public:
  std::string text() const override { return "gradients-with-forward"; }
  absl::Status Apply(PlacementState& state) const override {
    const Graph& graph = state.graph();
    for (NodeId n = 0, end = graph.num_nodes(); n < end; ++n) {
      if (!state.Selected(n)) continue;
      const Node node = graph.node(n);
      const std::string* tag = node.tag(kTag);
      const absl::string_view name = tag != nullptr ? absl::string_view(*tag) : ForwardName(node.name());
      if (name.empty()) continue;
      const std::optional<Node> forward = graph.Find(name);
      if (forward) state.Follow(n, forward->id(), "its forward node");
    }
    return absl::OkStatus();
  }
};

}  // namespace

Policy GradientsWithForward() {
  PolicyPart part;
  part.graph_rule = std::make_shared<GradientsWithForwardRule>();
  return Policy(std::move(part));
}

}  // namespace berth
