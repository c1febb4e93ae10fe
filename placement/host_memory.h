// What of a placed node is in host memory although its device has memory of its own: arguments that its kernel there takes
// or gives so (the shape of a Reshape, the result of a Shape), and values that only a host can hold (strings). A dtype
// alone moves no node: its memory may be the host's.
//
//   r = Reshape(x, s) @gpu:0   memory: host for shape
#ifndef BERTH_PLACEMENT_HOST_MEMORY_H_
#define BERTH_PLACEMENT_HOST_MEMORY_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "graph/graph.h"
#include "placement/machine.h"
#include "placement/op_support.h"
#include "placement/placement.h"

namespace berth {

// Fills in Placement::host_args. `nodes`, ascending, holds all that some kernel may say something of.
void FindHostArgs(const Graph& graph, const Machine& machine, const OpSupport& support, absl::Span<const NodeId> nodes,
                  Placement& placement);

// By their formal names, inputs first; "output 1" of an op that no table knows. Empty on a cpu. O(arguments).
std::vector<std::string> HostMemoryOf(const Graph& graph, const Machine& machine, const Placement& placement, NodeId n);

}  // namespace berth

#endif  // BERTH_PLACEMENT_HOST_MEMORY_H_
