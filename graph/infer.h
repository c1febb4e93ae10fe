// Dtype and shape inference over a whole graph, and the evaluation of small integer tensors that shapes depend on.
#ifndef BERTH_GRAPH_INFER_H_
#define BERTH_GRAPH_INFER_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "graph/graph.h"

namespace berth {

struct InferOptions {
  // Overrides by tensor name ("x:0"): the shapes of feeds, where known.
  absl::flat_hash_map<std::string, PartialShape> feeds;
};

// The same graph with output shapes filled in; loops reach a fixed point. Errors: InvalidArgument naming node, op, what was
// expected and got, and the source line; the first in topological order. O(nodes + edges) for graphs without loops.
absl::StatusOr<Graph> InferShapes(Graph graph, const InferOptions& options = {});

}  // namespace berth

#endif  // BERTH_GRAPH_INFER_H_
