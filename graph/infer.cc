#include "graph/infer.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "graph/function_library.h"
#include "graph/graph_builder.h"
#include "graph/graph_rep.h"
#include "graph/inference.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

// A loop's shapes settle in two or three rounds; one that has not by then is hostile, and its Merges become unknown.
constexpr int kMaxRounds = 16;

// Up to this version of graphs, scalar and unknown shapes of placeholders were written alike.
constexpr int kLastLegacyProducer = 21;
// Calls within calls; deeper ones are unknown.
constexpr int kMaxDepth = 16;

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

// What is shared by a graph and the functions that it calls, directly or through others.
struct Functions {
  std::shared_ptr<const FunctionLibrary> library;
  std::shared_ptr<const OpTable> ops;
  int depth = 0;                   // of calls now open
  int64_t nodes_left = 1'000'000;  // of bodies still to be inferred; then calls are unknown
  absl::flat_hash_map<std::string, std::vector<PartialShape>> known;
};

std::vector<PartialShape> ShapesOfCall(const FunctionCall& call, Functions* functions);

class WholeGraph {
 public:
  WholeGraph(Graph graph, std::vector<NodeId> order)
      : builder_(std::move(graph)),
        order_(std::move(order)),
        done_(builder_.num_nodes()),
        stale_(builder_.num_nodes(), true) {}

  void UseFunctions(Functions* functions) {
    inference_.UseFunctions([functions](const FunctionCall& call) { return ShapesOfCall(call, functions); });
    const int producer = functions->library->producer();
    if (producer > 0 && producer <= kLastLegacyProducer) inference_.UseLegacyPlaceholders();
  }

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

absl::StatusOr<Graph> Infer(Graph graph, const InferOptions& options, Functions* functions) {
  std::vector<NodeId> order = graph.TopologicalOrder();
  if (static_cast<int>(order.size()) != graph.num_nodes()) {
    std::vector<bool> ordered(graph.num_nodes());
    for (const NodeId id : order) ordered[id] = true;
    const auto first = std::find(ordered.begin(), ordered.end(), false);
    return absl::InvalidArgumentError(absl::StrCat(graph.node(static_cast<NodeId>(first - ordered.begin())).Label(),
                                                   ": expected an order of nodes, got a cycle on or before it"));
  }
  WholeGraph whole(std::move(graph), std::move(order));
  if (functions != nullptr) whole.UseFunctions(functions);
  BERTH_RETURN_IF_ERROR(whole.SetFeeds(options));
  BERTH_RETURN_IF_ERROR(whole.Infer());
  return std::move(whole).Build();
}

// Of everything that decides the shapes of a call's outputs but the attributes' values.
std::string KeyOf(const FunctionCall& call, const Graph& body) {
  std::string key = absl::StrCat(call.function, "#", body.Fingerprint());
  for (const PartialShape& shape : call.inputs) absl::StrAppend(&key, "/", shape.ToString());
  for (const HandleShapes& handle : call.handles) {
    absl::StrAppend(&key, "/");
    for (const HandleShape& shape : handle) absl::StrAppend(&key, DTypeName(shape.dtype), shape.shape.ToString());
  }
  return key;
}

// The body with its arguments' shapes put in, what handles refer to as attributes of theirs.
absl::StatusOr<Graph> WithArguments(Graph body, const FunctionCall& call, InferOptions* options) {
  GraphBuilder builder(body.ops());
  builder.SetExtras(std::string(body.extras()), {});
  size_t arg = 0;
  for (NodeId id = 0; id < body.num_nodes(); ++id) {
    const Node node = body.node(id);
    NodeSpec spec;
    spec.name = node.name();
    spec.op = node.op();
    spec.inputs = node.inputs();
    std::vector<std::pair<absl::string_view, AttrValue>> attrs;
    for (const NamedAttr& attr : node.attrs()) attrs.emplace_back(attr.name, *attr.value);
    std::vector<DType> dtypes;
    for (int k = 0; k < node.num_outputs(); ++k) dtypes.push_back(node.output_dtype(k));
    spec.opaque_outputs = node.num_outputs();
    spec.opaque_dtypes = dtypes;
    if (node.op() == "_Arg" && arg < call.inputs.size()) {
      options->feeds[std::string(node.name())] = call.inputs[arg];
      if (const HandleShapes& handle = call.handles[arg]; handle.size() == 1) {
        AttrList types, shapes;
        types.type = {handle[0].dtype};
        shapes.shape = {handle[0].shape};
        attrs.emplace_back("_handle_dtypes", AttrValue(std::move(types)));
        attrs.emplace_back("_handle_shapes", AttrValue(std::move(shapes)));
      }
      ++arg;
    }
    spec.attrs = attrs;
    BERTH_RETURN_IF_ERROR(builder.AddNode(spec).status());
  }
  return std::move(builder).Build();
}

std::vector<PartialShape> ShapesOfCall(const FunctionCall& call, Functions* functions) {
  if (functions->depth >= kMaxDepth || !functions->library->Has(call.function)) return {};
  absl::StatusOr<Graph> body = functions->library->Instantiate(call.function, call.attrs, functions->ops);
  if (!body.ok() || body->num_nodes() > functions->nodes_left) return {};
  const std::string key = KeyOf(call, *body);
  if (const auto known = functions->known.find(key); known != functions->known.end()) return known->second;
  functions->nodes_left -= body->num_nodes();
  std::vector<PartialShape> shapes;
  InferOptions options;
  body = WithArguments(*std::move(body), call, &options);
  if (!body.ok()) return {};
  ++functions->depth;
  // A body that is wrong is an error where it runs, not here.
  if (const absl::StatusOr<Graph> shaped = Infer(*std::move(body), options, functions); shaped.ok()) {
    for (NodeId id = 0; id < shaped->num_nodes(); ++id) {
      const Node node = shaped->node(id);
      if (node.op() != "_Retval" || node.data_inputs().empty()) continue;
      shapes.push_back(node.input(0).output_shape(node.data_inputs()[0].slot));
    }
  }
  --functions->depth;
  functions->known[key] = shapes;
  return shapes;
}

}  // namespace

absl::StatusOr<Graph> InferShapes(Graph graph, const InferOptions& options) {
  if (graph.extras().empty()) return Infer(std::move(graph), options, nullptr);
  Functions functions;
  functions.ops = graph.ops();
  BERTH_ASSIGN_OR_RETURN(functions.library, FunctionLibrary::Parse(graph.extras()));
  return Infer(std::move(graph), options, &functions);
}

}  // namespace berth
