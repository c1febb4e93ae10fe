// The verifier: what must hold of every graph, whoever made it. Run between stages.
#ifndef BERTH_GRAPH_VERIFY_H_
#define BERTH_GRAPH_VERIFY_H_

#include "absl/status/status.h"
#include "graph/graph.h"

namespace berth {

struct VerifyOptions {
  bool allow_dangling_ties = false;  // graph/ties.h: for who only looks at the graph
};

// First fault, with node, op and source line: attributes first (missing without default, outside the allowed values),
// then colocation with nodes that are not there (all of them), then illegal cycles (names the nodes). Numbers of inputs
// and outputs, their dtypes and the kinds of attributes are GraphBuilder's to refuse. O(nodes + edges).
absl::Status VerifyGraph(const Graph& graph, const VerifyOptions& options = {});

}  // namespace berth

#endif  // BERTH_GRAPH_VERIFY_H_
