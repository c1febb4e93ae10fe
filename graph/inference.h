// Shape inference one node at a time, over a graph that is being built or rewritten; InferShapes (infer.h) is the same
// over a whole graph.
//
//   Inference inference;
//   StatusOr<NodeId> id = builder.AddNode(spec);
//   BERTH_RETURN_IF_ERROR(inference.InferNode(&builder, *id));   // sets the shapes of its outputs in the builder
//
// Kept beside the builder for as long as nodes are added: what handles refer to, and the small values found so far,
// which shapes depend on. Values are looked for only when a shape function asks, and no tensor is evaluated twice.
#ifndef BERTH_GRAPH_INFERENCE_H_
#define BERTH_GRAPH_INFERENCE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "graph/graph.h"
#include "graph/graph_builder.h"
#include "graph/shape_args.h"
#include "graph/signature.h"

namespace berth {

// One call of a function, as far as inference knows it.
struct FunctionCall {
  absl::string_view function;
  AttrLookup attrs;
  std::vector<PartialShape> inputs;
  std::vector<HandleShapes> handles;  // one an input; empty where nothing is known
};
// The shapes of the call's outputs; empty when nothing is known.
using CallShapes = std::function<std::vector<PartialShape>(const FunctionCall& call)>;

class Inference {
 public:
  Inference();
  ~Inference();
  Inference(const Inference&) = delete;
  Inference& operator=(const Inference&) = delete;

  // Runs the op's shape function and sets the node's output shapes. Inputs that come later or are open have unknown
  // shapes. A Merge considers, of inputs by back edges, those for which `done` (when given; by node) says so, and is
  // unknown where one is open and `done` is not given. Error: InvalidArgument, `model.cc:12: node 'y' (MatMul): ...`;
  // the shapes are unknown then.
  absl::Status InferNode(GraphBuilder* builder, NodeId id, const std::vector<bool>* done = nullptr);

  // Output `slot` of the node as far as its value follows from constants and shapes; null when it is too large, of no
  // type that SmallTensor holds, or of open shape. The pointer is valid until the next call of a method.
  const SmallTensor* Value(const GraphBuilder& builder, NodeId id, int slot);
  // What the handle refers to; null when unknown.
  const HandleShapes* Handle(const GraphBuilder& builder, NodeId id, int slot) const;

  void ForgetHandle(const GraphBuilder& builder, NodeId id, int slot);

  // From now on the output is what is fed: nothing is known of it but `shape`.
  void SetFed(GraphBuilder* builder, NodeId id, int slot, PartialShape shape);
  // Asked about nodes whose op is a function, and about PartitionedCall. Without it, nothing is known of these.
  void UseFunctions(CallShapes calls) { calls_ = std::move(calls); }
  // In graphs of old, a Placeholder's shape [] stands for an unknown one.
  void UseLegacyPlaceholders() { legacy_placeholders_ = true; }
  // Forgets every value, since shapes have changed.
  void ForgetValues() { values_.clear(), held_ = 0; }

 private:
  class NodeArgs;
  using Key = uint32_t;  // an output's place among all outputs of the graph

  // Asks calls_ about the node bound to args_, if it is a call.
  void InferCall(absl::string_view op);
  // Runs the node's value function; gives the producers that have to be evaluated first.
  const std::vector<NodeId>& Evaluate(const GraphBuilder& builder, NodeId id);
  // Puts what the last Evaluate found into values_.
  void Keep(const GraphBuilder& builder, NodeId id);

  absl::flat_hash_map<Key, HandleShapes> handles_;
  // Null: nothing can be said.
  absl::flat_hash_map<Key, std::unique_ptr<const SmallTensor>> values_;
  absl::flat_hash_map<Key, PartialShape> fed_;
  CallShapes calls_;
  bool legacy_placeholders_ = false;
  int64_t held_ = 0;  // elements in values_
  std::unique_ptr<NodeArgs> args_, value_args_;
};

}  // namespace berth

#endif  // BERTH_GRAPH_INFERENCE_H_
