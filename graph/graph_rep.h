// The arrays behind a Graph: for GraphBuilder, Graph and Node only.
//
// A node is a row over parallel arrays. What many nodes share is interned and a row holds its index: the op, the whole
// set of attributes together with the dtypes that follow from it (NodeKind), requests, tag sets, notes, shapes.
#ifndef BERTH_GRAPH_GRAPH_REP_H_
#define BERTH_GRAPH_GRAPH_REP_H_

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "graph/graph.h"
#include "graph/id_table.h"

namespace berth {

// An op as nodes name it.
struct OpRow {
  absl::string_view name;
  const OpDef* def = nullptr;  // null: opaque
  bool is_merge = false;       // Merge, RefMerge
  bool is_next_iteration = false;
  uint32_t last_kind = 0;  // + 1; of the newest node of this op: the next one often is of the same
};

// What nodes of one op with equal attributes and equally many inputs have in common.
struct NodeKind {
  uint32_t op = 0;           // in Rep::ops_used
  uint32_t attrs_begin = 0;  // in Rep::kind_attrs, sorted by name
  uint32_t num_attrs = 0;
  uint32_t types_begin = 0;  // in Rep::kind_types: declared inputs, then declared outputs
  uint32_t num_inputs = 0;   // data inputs of the node
  uint32_t num_outputs = 0;  // of an opaque op that nothing is known of: 0
  bool complete = true;      // false: an attribute without default is missing
  bool known = true;         // false: an opaque op, and no signature is known that fits; then there are no types
};

struct Graph::Rep {
  std::shared_ptr<const OpTable> ops;

  StringArena strings;  // names of nodes, ops and attributes; requests; files
  std::vector<OpRow> ops_used;
  IdTable op_ids;
  uint32_t last_op = 0;  // of the newest node
  std::vector<NodeKind> kinds;
  IdTable kind_ids;
  std::vector<NamedAttr> kind_attrs;
  std::vector<DType> kind_types;
  std::deque<AttrValue> values;
  IdTable value_ids;
  std::vector<const char*> words;  // interned strings, by id
  IdTable word_ids;
  std::deque<PartialShape> shapes{PartialShape()};  // 0: unknown
  IdTable shape_ids;
  std::deque<std::vector<Tag>> tag_sets{{}};  // 0: none
  IdTable tag_set_ids;
  std::deque<RequestNote> notes{RequestNote()};  // 0: none

  // By node.
  std::vector<const char*> names;
  IdTable name_ids;
  std::vector<uint32_t> kind;
  std::vector<uint32_t> inputs_begin{0};  // one more than nodes
  std::vector<uint32_t> data_end;         // first control input
  std::vector<uint32_t> outputs_begin{0};
  std::vector<uint32_t> edges_begin;  // of consumers; made by Build
  // By node, as long as the last node that has one.
  std::vector<uint32_t> device;  // word id + 1, 0: none
  std::vector<uint32_t> tag_set;
  std::vector<uint32_t> note;
  std::vector<uint32_t> source_file;  // word id + 1, 0: unknown
  std::vector<int32_t> source_line;

  std::vector<Input> inputs;
  std::vector<DType> output_types;
  std::vector<uint32_t> output_shapes;
  std::vector<OutEdge> edges;

  std::string extras;
  absl::flat_hash_map<NodeId, std::string> node_extras;
  absl::flat_hash_set<std::string> functions;
  // Opaque nodes whose number of outputs their consumers decide.
  std::vector<NodeId> open_nodes;

  int num_nodes() const { return static_cast<int>(names.size()); }
  absl::string_view name(NodeId id) const { return StringArena::View(names[id]); }
  const NodeKind& kind_of(NodeId id) const { return kinds[kind[id]]; }
  const OpRow& op_of(NodeId id) const { return ops_used[kind_of(id).op]; }
  NodeId FindName(absl::string_view name) const;
  // Entry of one of the sparse columns; 0 past its end.
  template <typename T>
  static T At(const std::vector<T>& column, NodeId id) {
    return static_cast<size_t>(id) < column.size() ? column[id] : T{0};
  }
  // An edge by which a loop goes round: NextIteration's output into a Merge.
  bool IsBackEdge(NodeId from, NodeId to) const { return op_of(to).is_merge && op_of(from).is_next_iteration; }
  void ShrinkToFit();
};

}  // namespace berth

#endif  // BERTH_GRAPH_GRAPH_REP_H_
