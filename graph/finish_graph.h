// The last step of building: from what the builder was given to a graph that holds together.
#ifndef BERTH_GRAPH_FINISH_GRAPH_H_
#define BERTH_GRAPH_FINISH_GRAPH_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "graph/graph_rep.h"

namespace berth {

// Outputs that a graph may declare, so that a few bytes of a file cannot ask for much memory.
constexpr uint64_t kOutputsAtFirst = uint64_t{1} << 21;
constexpr uint64_t kOutputsPerNode = 64;

// Checks that producers exist and fit, gives open nodes the outputs that consumers use, fills dtypes that follow from
// neighbours, and makes the edges. Errors: InvalidArgument as GraphBuilder::Build. O(nodes + edges).
absl::Status FinishGraph(Graph::Rep& rep);

// InvalidArgument with "model.cc:12: node 'y' (MatMul): " in front.
absl::Status AtNode(const SourceLine& source, absl::string_view name, absl::string_view op, absl::string_view text);

}  // namespace berth

#endif  // BERTH_GRAPH_FINISH_GRAPH_H_
