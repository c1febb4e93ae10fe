// What one node costs, by its op and static shapes: operations done and bytes moved. A guess good enough to compare
// placements with; measured costs are better where there are some.
//
//   y = MatMul(f32[8,256], f32[256,4]): 16384 operations, 12288 bytes read, 128 written
//
// What follows from unknown shapes is 0. All are pure functions, O(inputs + outputs).
#ifndef BERTH_PLACEMENT_NODE_COST_H_
#define BERTH_PLACEMENT_NODE_COST_H_

#include <cstdint>
#include <optional>

#include "graph/graph.h"

namespace berth {

// Bytes of one output; nullopt where its shape or its elements' size is not known. A handle has none: 0; what it stands
// for is NodeBytes (graph/node_bytes.h).
std::optional<int64_t> OutputBytes(const Node& node, int slot);

// The output is the memory of input 0, seen otherwise: Identity, Reshape, a reference.
bool SharesInput(const Node& node);

struct NodeCost {
  double flops = 0;   // a multiply and an add are two
  int64_t bytes = 0;  // read and written; of variables, constants and what shares its input's memory none
};
NodeCost CostOf(const Node& node);

// a + b for sizes, at most INT64_MAX.
constexpr int64_t AddSizes(int64_t a, int64_t b) { return a > INT64_MAX - b ? INT64_MAX : a + b; }

}  // namespace berth

#endif  // BERTH_PLACEMENT_NODE_COST_H_
