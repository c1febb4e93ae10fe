// Makes a Graph node by node. The only way to make one: Scope, the GraphDef importer, the text parser, prune and
// partition all go through it.
//
//   GraphBuilder b(StandardOps());
//   NodeSpec c{.name = "c", .op = "Const"}; ...
//   StatusOr<NodeId> id = b.AddNode(c);
//   StatusOr<Graph> g = std::move(b).Build();
#ifndef BERTH_GRAPH_GRAPH_BUILDER_H_
#define BERTH_GRAPH_GRAPH_BUILDER_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/graph.h"

namespace berth {

// Everything about a node to be made. Views need to live only for the call.
struct NodeSpec {
  absl::string_view name;
  absl::string_view op;
  absl::string_view device;        // request, kept byte for byte
  absl::Span<const Input> inputs;  // data by slot, then control; may name nodes that come later
  absl::Span<const std::pair<absl::string_view, AttrValue>> attrs;
  absl::Span<const Tag> tags;
  SourceLine source;
  const RequestNote* note = nullptr;  // null: none
  absl::string_view extras;           // Graph::node_extras
  // For opaque ops, which no table describes; ignored where the op is known. -1: as many as consumers use.
  int opaque_outputs = -1;
  absl::Span<const DType> opaque_dtypes;  // kInvalid where unknown; may be shorter than the outputs
};

class GraphBuilder {
 public:
  explicit GraphBuilder(std::shared_ptr<const OpTable> ops);
  // Goes on where `graph` ended: more nodes, other shapes. Ids stay. O(1).
  explicit GraphBuilder(Graph graph);
  GraphBuilder(GraphBuilder&&) noexcept;
  ~GraphBuilder();

  // Adds a node; its id is the number of nodes added before. Checks the name's grammar and uniqueness, the number of
  // inputs, attributes and their types against the op table (missing attributes with a default stay missing), and
  // output dtypes. Input ids are checked in Build(). Errors (InvalidArgument) name node, op, expected and got; nothing
  // is added then.
  absl::StatusOr<NodeId> AddNode(const NodeSpec& spec);

  // Adds what `node` of another graph is (attributes, request, tags, source, note, extras, shapes) with other inputs,
  // and, where `device` is given, another request; where `colocation` is, another `_class` (an empty list: none).
  absl::StatusOr<NodeId> AddCopy(const Node& node, absl::Span<const Input> inputs,
                                 std::optional<absl::string_view> device = std::nullopt,
                                 const AttrList* colocation = nullptr);

  int num_nodes() const;
  bool HasName(absl::string_view name) const;
  NodeId FindName(absl::string_view name) const;  // kNoNode when absent
  // What is known of a node already added. Views and shapes keep until the Graph dies.
  absl::string_view name(NodeId id) const;
  absl::string_view op(NodeId id) const;
  absl::string_view device(NodeId id) const;
  int num_outputs(NodeId id) const;
  DType output_dtype(NodeId id, int slot) const;
  const PartialShape& output_shape(NodeId id, int slot) const;
  void set_output_shape(NodeId id, int slot, PartialShape shape);
  // Of the node added last: what it asks for, where that depends on what inference found.
  void SetRequest(NodeId id, absl::string_view device, const RequestNote* note);
  // Takes over Graph::extras() and the names of functions.
  void CopyExtras(const Graph& graph);
  void SetExtras(std::string serialized_graph_def, std::vector<std::string> function_names);

  // Replaces a placeholder input of an already added node: how a loop's back edge is closed.
  absl::Status SetInput(NodeId node, int index, Input input);

  // Ends construction: checks that inputs name existing nodes and outputs, and that dtypes of data edges fit; computes
  // consumers. Errors name the node and the input. O(nodes + edges).
  absl::StatusOr<Graph> Build() &&;

  // The arrays so far (graph_rep.h), for inference.
  const Graph::Rep& rep() const { return *rep_; }

 private:
  std::unique_ptr<Graph::Rep> rep_;
};

}  // namespace berth

#endif  // BERTH_GRAPH_GRAPH_BUILDER_H_
