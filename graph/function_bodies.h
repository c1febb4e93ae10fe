// The bodies of called functions as nodes beside those of the graph, so that a policy places them with it.
//
//   y = f(w, x)         f: add = AddV2(read(a), b)
//   WithFunctionBodies: y, as before, and f/a = Identity(w), f/b = Identity(x), f/read = ..., f/add = ..., f/z_RetVal = ...
//
// Functions that nodes call by name, through PartitionedCall, If, While and Case, and those that their bodies call. A
// body is there once, whoever calls it: an argument reads what the first call gives it (in the order of the graph), and is
// tied (`_class`) to the handles that the others give. So a body's nodes are with the variables that they use; a call
// itself is tied to nothing, since only its body touches what it is given. Handles that come out are tied to who uses them,
// those that go round a While to the first ones.
#ifndef BERTH_GRAPH_FUNCTION_BODIES_H_
#define BERTH_GRAPH_FUNCTION_BODIES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "graph/graph.h"
#include "graph/infer.h"

namespace berth {

// True where the node calls functions of the graph's library: handles go through it, into the body. O(1).
bool CallsFunction(const Node& node);
// True where some node does and the bodies are not there yet: WithFunctionBodies would add some. O(nodes).
bool LacksFunctionBodies(const Graph& graph);

// The attribute by which nodes of bodies are known: the function's name.
constexpr char kBodyAttr[] = "_berth_function";

// The graph with the bodies after its own nodes, which keep their ids, and with shapes as far as they can be inferred. A
// body's nodes have the tags of the first call, and ask for what the file says. Not for running: a body's nodes read the
// call's inputs and nobody reads its results. A body that cannot be written out, such as one with an op whose outputs'
// names nobody knows, is left out: `left_out`, if given, says which and why.
absl::StatusOr<Graph> WithFunctionBodies(const Graph& graph, const InferOptions& shapes = {},
                                         std::vector<std::string>* left_out = nullptr);

}  // namespace berth

#endif  // BERTH_GRAPH_FUNCTION_BODIES_H_
