#include "graph/node_bytes.h"

#include "graph/op_def.h"

namespace berth {
namespace {

std::optional<int64_t> AttrBytes(const PartialShape* shape, const DType* dtype) {
  if (shape == nullptr || dtype == nullptr) return std::nullopt;
  return TensorBytes(*shape, *dtype);
}

// `Outputs` is a Node or a view of a node that is being built.
template <typename Outputs>
std::optional<int64_t> SumOfOutputs(const Outputs& outputs) {
  int64_t sum = 0;
  for (int k = 0; k < outputs.num_outputs(); ++k) {
    const std::optional<int64_t> bytes = TensorBytes(outputs.output_shape(k), outputs.output_dtype(k));
    if (!bytes || *bytes > INT64_MAX - sum) return std::nullopt;
    sum += *bytes;
  }
  return sum;
}

struct Unfinished {
  const GraphBuilder& builder;
  NodeId id;
  int num_outputs() const { return builder.num_outputs(id); }
  DType output_dtype(int k) const { return builder.output_dtype(id, k); }
  const PartialShape& output_shape(int k) const { return builder.output_shape(id, k); }
};

}  // namespace

std::optional<int64_t> TensorBytes(const PartialShape& shape, DType dtype) {
  const int size = DTypeSize(BaseOf(dtype));
  if (size == 0) return std::nullopt;
  const std::optional<int64_t> elements = shape.num_elements();
  if (!elements || *elements > INT64_MAX / size) return std::nullopt;
  return *elements * size;
}

// What a variable's attributes say holds for handles, and where inference has not run.

std::optional<int64_t> NodeBytes(const Node& node) {
  const std::optional<int64_t> bytes = SumOfOutputs(node);
  if (bytes || !IsVariableOp(node.op())) return bytes;
  return AttrBytes(node.AttrOrDefault<PartialShape>("shape"), node.AttrOrDefault<DType>("dtype"));
}

std::optional<int64_t> NodeBytes(const GraphBuilder& builder, NodeId id, const PartialShape* shape,
                                 const DType* dtype) {
  const std::optional<int64_t> bytes = SumOfOutputs(Unfinished{builder, id});
  return bytes || !IsVariableOp(builder.op(id)) ? bytes : AttrBytes(shape, dtype);
}

}  // namespace berth
