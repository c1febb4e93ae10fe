#include "graph/infer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "graph/graph_builder.h"
#include "graph/graph_rep.h"
#include "graph/inference.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

// A loop's shapes settle in two or three rounds; one that has not by then is hostile, and its Merges become unknown.
constexpr int kMaxRounds = 16;

// "x:1" or "x" for "x:0".
Input FindTensor(const GraphBuilder& builder, absl::string_view tensor) {
  const size_t colon = tensor.rfind(':');
  int slot = 0;
  if (colon != absl::string_view::npos && absl::SimpleAtoi(tensor.substr(colon + 1), &slot)) {
    tensor = tensor.substr(0, colon);
  }
  const NodeId node = builder.FindName(tensor);
  return node != kNoNode && slot >= 0 && slot < builder.num_outputs(node) ? Input{node, slot} : Input{};
}

class WholeGraph {
 public:
  WholeGraph(Graph graph, std::vector<NodeId> order)
      : builder_(std::move(graph)),
        order_(std::move(order)),
        done_(builder_.num_nodes()),
        stale_(builder_.num_nodes(), true) {}

  absl::Status SetFeeds(const InferOptions& options) {
    std::vector<std::string> names;
    for (const auto& [name, shape] : options.feeds) names.push_back(name);
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
      const Input tensor = FindTensor(builder_, name);
      if (tensor.node == kNoNode) {
        return absl::NotFoundError(absl::StrCat("feed '", name, "': expected a tensor of the graph, got none such"));
      }
      inference_.SetFed(&builder_, tensor.node, tensor.slot, options.feeds.at(name));
    }
    return absl::OkStatus();
  }

  absl::Status Infer() {
    Round();
    for (const NodeId id : order_) {
      if (HasBackEdge(id)) loops_.push_back(id);
    }
    for (int round = 1; !loops_.empty() && WidenMerges(round >= kMaxRounds); ++round) Round();
    for (const NodeId id : order_) {
      if (const auto error = errors_.find(id); error != errors_.end()) return error->second;
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Graph> Build() && { return std::move(builder_).Build(); }

 private:
  absl::Span<const Input> DataInputs(NodeId id) const {
    const Graph::Rep& rep = builder_.rep();
    return absl::MakeConstSpan(rep.inputs).subspan(rep.inputs_begin[id], rep.data_end[id] - rep.inputs_begin[id]);
  }
  bool HasBackEdge(NodeId id) const {
    if (!builder_.rep().op_of(id).is_merge) return false;
    const absl::Span<const Input> inputs = DataInputs(id);
    return std::any_of(inputs.begin(), inputs.end(),
                       [&](const Input& input) { return builder_.rep().IsBackEdge(input.node, id); });
  }

  // Infers what is stale, and whatever depends on that. In the first round a loop's Merge sees only what comes in from
  // outside: shapes begin as the first iteration has them, and widen from there.
  void Round() {
    for (const NodeId id : order_) {
      bool stale = stale_[id];
      for (const Input& input : DataInputs(id))
        stale = stale || (done_[input.node] && stale_[input.node] && !IsBack(input, id));
      stale_[id] = stale;
      if (!stale || widened_.contains(id)) continue;
      const absl::Status status = inference_.InferNode(&builder_, id, &done_);
      done_[id] = true;
      if (status.ok()) {
        errors_.erase(id);
      } else {
        errors_.insert_or_assign(id, status);
      }
    }
    stale_.assign(stale_.size(), false);
  }
  bool IsBack(const Input& input, NodeId id) const { return builder_.rep().IsBackEdge(input.node, id); }

  // Takes into every loop's Merge what comes round. False when nothing changed. A Merge only ever knows less.
  bool WidenMerges(bool give_up) {
    bool changed = false;
    inference_.ForgetValues();
    for (const NodeId id : loops_) {
      const PartialShape before = builder_.output_shape(id, 0);
      const HandleShapes handle_before = HandleOf(id);
      inference_.InferNode(&builder_, id, &done_).IgnoreError();  // a Merge refuses nothing
      PartialShape after = give_up ? PartialShape() : Common(before, builder_.output_shape(id, 0));
      if (give_up || HandleOf(id) != handle_before) inference_.ForgetHandle(builder_, id, 0);
      const bool same = after == before && HandleOf(id) == handle_before;
      builder_.set_output_shape(id, 0, std::move(after));
      if (same) continue;
      stale_[id] = changed = true;
      widened_.insert(id);
    }
    return changed;
  }

  HandleShapes HandleOf(NodeId id) const {
    const HandleShapes* handle = inference_.Handle(builder_, id, 0);
    return handle == nullptr ? HandleShapes() : *handle;
  }

  static PartialShape Common(const PartialShape& a, const PartialShape& b) {
    if (!a.has_rank() || !b.has_rank() || a.rank() != b.rank()) return PartialShape();
    PartialShape common = a;
    for (int d = 0; d < a.rank(); ++d) {
      if (a.dim(d) != b.dim(d)) common.set_dim(d, kUnknownDim);
    }
    return common;
  }

  GraphBuilder builder_;
  const std::vector<NodeId> order_;
  Inference inference_;
  std::vector<bool> done_;
  std::vector<bool> stale_;              // to be inferred, or inferred anew in this round
  std::vector<NodeId> loops_;            // Merges that a NextIteration feeds
  absl::flat_hash_set<NodeId> widened_;  // Merges whose shape WidenMerges has set
  absl::flat_hash_map<NodeId, absl::Status> errors_;
};

}  // namespace

absl::StatusOr<Graph> InferShapes(Graph graph, const InferOptions& options) {
  std::vector<NodeId> order = graph.TopologicalOrder();
  if (static_cast<int>(order.size()) != graph.num_nodes()) {
    std::vector<bool> ordered(graph.num_nodes());
    for (const NodeId id : order) ordered[id] = true;
    const auto first = std::find(ordered.begin(), ordered.end(), false);
    return absl::InvalidArgumentError(absl::StrCat(graph.node(static_cast<NodeId>(first - ordered.begin())).Label(),
                                                   ": expected an order of nodes, got a cycle on or before it"));
  }
  WholeGraph whole(std::move(graph), std::move(order));
  BERTH_RETURN_IF_ERROR(whole.SetFeeds(options));
  BERTH_RETURN_IF_ERROR(whole.Infer());
  return std::move(whole).Build();
}

}  // namespace berth
