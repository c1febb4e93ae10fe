// The op table's source: one row an op, one list a family of ops, one file a list.
//
//   {"Relu(features: T) -> (activations: T) {T: type in [real, qint8]}", UnchangedShape},
//
// Columns: the signature (signature.h); how output shapes follow from the inputs; how the values of
// small outputs follow. An op without a shape function has outputs of unknown shape, or none. Lists
// are alphabetical; to add an op, add its row.
#ifndef BERTH_GRAPH_OPS_OP_ROWS_H_
#define BERTH_GRAPH_OPS_OP_ROWS_H_

#include "absl/types/span.h"
#include "graph/op_def.h"

namespace berth {

struct OpRow {
  const char* signature;
  ShapeFn shape = nullptr;
  ShapeFn value = nullptr;
};

absl::Span<const OpRow> ArrayOps();
absl::Span<const OpRow> ControlFlowOps();
absl::Span<const OpRow> ConvolutionOps();
absl::Span<const OpRow> DataFlowOps();
absl::Span<const OpRow> ElementwiseOps();
absl::Span<const OpRow> IoOps();
absl::Span<const OpRow> MatrixOps();
absl::Span<const OpRow> NnOps();
absl::Span<const OpRow> RandomOps();
absl::Span<const OpRow> ReductionOps();
absl::Span<const OpRow> SlicingOps();
absl::Span<const OpRow> SpaceOps();
absl::Span<const OpRow> StateOps();
absl::Span<const OpRow> TensorListOps();

}  // namespace berth

#endif  // BERTH_GRAPH_OPS_OP_ROWS_H_
