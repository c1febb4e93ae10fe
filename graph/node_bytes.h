// How large values are, as far as dtypes and shapes are known before anything runs.
//
//   y = MatMul(x, w) : f32[8,256]        8192 bytes
//   v = VarHandleOp() {dtype=f32, shape=shape [4]} : resource    16 bytes: what the handle stands for
//
// Not known (nullopt): a shape with an open dimension, elements without a fixed size (string, variant, a resource that is
// no variable), a product that does not fit int64. A node without outputs has 0 bytes.
#ifndef BERTH_GRAPH_NODE_BYTES_H_
#define BERTH_GRAPH_NODE_BYTES_H_

#include <cstdint>
#include <optional>

#include "graph/dtype.h"
#include "graph/graph.h"
#include "graph/graph_builder.h"
#include "graph/shape.h"

namespace berth {

std::optional<int64_t> TensorBytes(const PartialShape& shape, DType dtype);

// Of all outputs together; of a variable those of its value.
std::optional<int64_t> NodeBytes(const Node& node);
// The same of a node that is being built. `shape` and `dtype` are its attributes of these names; null: it has none.
std::optional<int64_t> NodeBytes(const GraphBuilder& builder, NodeId id, const PartialShape* shape, const DType* dtype);

}  // namespace berth

#endif  // BERTH_GRAPH_NODE_BYTES_H_
