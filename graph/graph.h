// A dataflow graph: nodes that run an op, data edges that carry tensors, control edges that only order.
//
//   - Nodes have dense ids 0..num_nodes()-1, in the order of the file or of construction.
//   - A node's inputs are data inputs by slot, then control inputs. `Input{node, slot}`; a control input has slot -1.
//   - Loops are allowed, but only through a NextIteration -> Merge edge; VerifyGraph checks that.
//   - Immutable once built: GraphBuilder (graph_builder.h) makes it, every later stage reads it or makes another.
//
// Layout: one flat array per kind of thing; names, ops, requests and attribute values are interned, so that a node with
// two inputs and four attributes takes under 256 bytes with its edges. Thread-safe to read.
#ifndef BERTH_GRAPH_GRAPH_H_
#define BERTH_GRAPH_GRAPH_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "graph/attr_value.h"
#include "graph/dtype.h"
#include "graph/op_table.h"
#include "graph/rule.h"
#include "graph/shape.h"

namespace berth {

using NodeId = int32_t;
constexpr NodeId kNoNode = -1;
constexpr int32_t kControlSlot = -1;

// One end of an edge as the consumer sees it: output `slot` of `node`.
struct Input {
  NodeId node = kNoNode;
  int32_t slot = 0;
  bool is_control() const { return slot == kControlSlot; }
  friend bool operator==(const Input&, const Input&) = default;
};

// One edge as the producer sees it: its output `slot` feeds input `input` of `node`. Control edges: both are -1.
struct OutEdge {
  NodeId node = kNoNode;
  int32_t slot = 0;
  int32_t input = 0;
};

// Where in the user's program, or in a file, a node was made. line 0: unknown.
struct SourceLine {
  absl::string_view file;
  int line = 0;
  std::string ToString() const;  // "model.cc:12", "" when unknown
};

struct Tag {
  std::string key;
  std::string value;
  friend bool operator==(const Tag&, const Tag&) = default;
};

// What the scope recorded about how a node's request came to be: shown in reports.
struct RequestNote {
  std::string origin;                  // e.g. "scope 'tower_0' at model.cc:12", "rule 'variables-on cpu:0'"
  std::vector<std::string> overruled;  // what a nearer scope overruled, one line each
  std::vector<Opinion> wishes;         // forbid and prefer opinions of rules on scopes, for the rule `pins`
};

class Graph;

struct NamedAttr {
  absl::string_view name;
  const AttrValue* value;
};

// A view of one node; valid as long as its Graph. Cheap to copy.
class Node {
 public:
  NodeId id() const { return id_; }
  const Graph& graph() const { return *graph_; }
  absl::string_view name() const;
  absl::string_view op() const;
  // Null for an opaque op (unknown to the graph's op table).
  const OpDef* op_def() const;
  // The request, byte for byte as the file or the scope gave it; "" when none.
  absl::string_view device() const;

  absl::Span<const Input> inputs() const;  // data by slot, then control
  absl::Span<const Input> data_inputs() const;
  absl::Span<const Input> control_inputs() const;
  Node input(int i) const;                      // the producer of data input i
  absl::Span<const OutEdge> out_edges() const;  // by consumer id, then input; control included

  int num_outputs() const;
  // With reference flag; kInvalid when unknown (an opaque op whose consumers do not tell).
  DType output_dtype(int k) const;
  const PartialShape& output_shape(int k) const;
  // The dtype that input i is declared to take (with reference flag); kInvalid for opaque ops.
  DType input_dtype(int i) const;

  // Attributes sorted by name. Null when absent (the op's default is not looked up; see AttrOr).
  const AttrValue* attr(absl::string_view name) const;
  std::vector<NamedAttr> attrs() const;
  // The attribute if present and of type T, else the op table's default if of type T, else nullptr.
  template <typename T>
  const T* AttrOrDefault(absl::string_view name) const {
    const AttrValue* v = attr_or_default(name);
    return v == nullptr ? nullptr : v->get<T>();
  }
  const AttrValue* attr_or_default(absl::string_view name) const;

  absl::Span<const Tag> tags() const;
  const std::string* tag(absl::string_view key) const;  // null when absent
  SourceLine source() const;
  // As messages begin: "model.cc:12: node 'y' (MatMul)", the line where it is known.
  std::string Label() const;
  const RequestNote& note() const;
  // Names in the node's `_class` attribute that start with loc:@, without that prefix, in list order.
  std::vector<absl::string_view> colocation() const;

 private:
  friend class Graph;
  Node(const Graph* graph, NodeId id) : graph_(graph), id_(id) {}
  const Graph* graph_;
  NodeId id_;
};

class Graph {
 public:
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;
  ~Graph();

  int num_nodes() const;
  int64_t num_edges() const;
  Node node(NodeId id) const { return Node(this, id); }
  std::optional<Node> Find(absl::string_view name) const;  // O(1)

  const std::shared_ptr<const OpTable>& ops() const;
  // Fields of the GraphDef that Berth carries and does not interpret: serialized FunctionDefLibrary, VersionDef,
  // GraphDebugInfo and unknown fields, as one serialized GraphDef without nodes.
  absl::string_view extras() const;
  // The same of one node: a serialized NodeDef with only such fields; "" for nearly all.
  absl::string_view node_extras(NodeId id) const;
  // Number of FunctionDefs in the library and their names, for calls by function name.
  bool HasFunction(absl::string_view name) const;

  // Order in which every node comes after its data and control inputs (back edges into Merge excepted); among nodes
  // that are ready, the smallest id first. O(nodes log nodes + edges). Shorter than num_nodes() when the graph has an
  // illegal cycle.
  std::vector<NodeId> TopologicalOrder() const;

  // Heap bytes held, for the bound in tests.
  size_t MemoryBytes() const;
  // Content hash: nodes, edges, attributes, requests. Stable over runs and machines.
  uint64_t Fingerprint() const;

  struct Rep;  // graph_rep.h: the arrays; for GraphBuilder and Node only
  explicit Graph(std::unique_ptr<Rep> rep);
  const Rep& rep() const { return *rep_; }

 private:
  friend class GraphBuilder;  // takes the arrays back to go on building
  std::unique_ptr<Rep> rep_;  // never written while a Graph holds it
};

// "node 'y' (MatMul)", long names cut.
std::string NodeLabel(absl::string_view name, absl::string_view op);

}  // namespace berth

#endif  // BERTH_GRAPH_GRAPH_H_
