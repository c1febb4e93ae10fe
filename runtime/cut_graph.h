// The graph of one run while it is cut into parts: a small mutable form between the placed Graph
// and the parts' Graphs.
//
//   placed graph -> MakeCutGraph (feeds, fetches, pruned) -> ReplicateConstants -> MoveLoopNodes ->
//   InsertTransfers -> parts
//
// A node of it is a node of the placed graph as it is, or a made one (_Arg, _Retval, a copy of a
// constant, _Send, _Recv, the nodes of a control loop) that still remembers which node of the
// placed graph it serves.
#ifndef BERTH_RUNTIME_CUT_GRAPH_H_
#define BERTH_RUNTIME_CUT_GRAPH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "graph/graph.h"
#include "placement/machine.h"
#include "placement/placement.h"
#include "runtime/partition.h"

namespace berth {

// One end of an edge, as graph.h's Input, but of the cut graph's nodes.
struct CutInput {
  int32_t node = -1;
  int32_t slot = 0;
  bool is_control() const { return slot == kControlSlot; }
  friend bool operator==(const CutInput&, const CutInput&) = default;
};

// What a made node is. `op` empty: as its origin, under another name (the copy of a constant).
struct MadeNode {
  std::string name;
  std::string op;
  std::vector<std::pair<std::string, AttrValue>> attrs;
  std::vector<DType> dtypes;  // of its outputs
  PartialShape shape;         // of output 0
};

struct CutNode {
  NodeId origin = kNoNode;  // the node of the placed graph that this one is, copies or serves
  DeviceId device = kNoDevice;
  std::unique_ptr<MadeNode> made;           // null: `origin` itself
  absl::InlinedVector<CutInput, 3> inputs;  // data by slot, then control
  bool kept = true;                         // false: no part gets it
  // Where it stands among the nodes that are ready at the same time, when the parts are ordered.
  int64_t order = 0;
};

struct CutGraph {
  const Graph* graph = nullptr;
  const Machine* machine = nullptr;
  std::vector<CutNode> nodes;  // first one a node of `graph`, by id; then the made ones
  int64_t names_made = 0;      // counter of NewName

  bool is_made(int32_t n) const { return nodes[n].made != nullptr; }
  Node origin(int32_t n) const { return graph->node(nodes[n].origin); }
  absl::string_view name(int32_t n) const;
  absl::string_view op(int32_t n) const;
  // With reference flag; kInvalid when unknown.
  DType output_dtype(int32_t n, int slot) const;
  // What data input i is declared to take; kInvalid when unknown, and for made nodes.
  DType input_dtype(int32_t n, int i) const;
  PartialShape output_shape(int32_t n, int slot) const;
  // "value" as transfers list it: "name:slot", the bare name for a control edge.
  std::string ValueName(CutInput value) const;
  // `PREFIX/_K`, a name that no node has; K counts over the whole cut.
  std::string NewName(absl::string_view prefix);
  // Adds a node without inputs; its name gets a suffix where the graph has it already.
  int32_t Add(std::unique_ptr<MadeNode> made, NodeId origin, DeviceId device, int64_t order);
};

// The run of `options`: fed tensors replaced by _Arg nodes on the client, fetched ones given a
// _Retval there, what no fetch and no target needs not kept. Errors: NotFound for a name,
// InvalidArgument for a tensor fed twice or a feed into a reference.
// With `bare_names_are_ops`, a fetch without `:k` is an op to run, as TensorFlow reads it; else it is output 0.
absl::StatusOr<CutGraph> MakeCutGraph(const Graph& graph, const Placement& placement, const Machine& machine,
                                      const PartitionOptions& options, bool bare_names_are_ops = false);

// "node 'x' (MatMul on gpu:0)", for messages.
std::string DescribeCutNode(const CutGraph& cut, int32_t n);

}  // namespace berth

#endif  // BERTH_RUNTIME_CUT_GRAPH_H_
