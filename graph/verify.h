// The verifier: what must hold of every graph, whoever made it. Run between stages.
#ifndef BERTH_GRAPH_VERIFY_H_
#define BERTH_GRAPH_VERIFY_H_

#include "absl/status/status.h"
#include "graph/graph.h"

namespace berth {

// First fault, with node, op and source line: illegal cycle (names its nodes), unknown colocation target, attribute outside its
// allowed values, missing attribute without default, wrong number of inputs or dtype. O(nodes + edges).
absl::Status VerifyGraph(const Graph& graph);

}  // namespace berth

#endif  // BERTH_GRAPH_VERIFY_H_
