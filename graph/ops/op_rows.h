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

struct OpTableRow {
  const char* signature;
  ShapeFn shape = nullptr;
  ShapeFn value = nullptr;
};

absl::Span<const OpTableRow> ArrayOps();
absl::Span<const OpTableRow> ControlFlowOps();
absl::Span<const OpTableRow> ConvolutionOps();
absl::Span<const OpTableRow> DataFlowOps();
absl::Span<const OpTableRow> ElementwiseOps();
absl::Span<const OpTableRow> IoOps();
absl::Span<const OpTableRow> MatrixOps();
absl::Span<const OpTableRow> NnOps();
absl::Span<const OpTableRow> RandomOps();
absl::Span<const OpTableRow> ReductionOps();
absl::Span<const OpTableRow> SlicingOps();
absl::Span<const OpTableRow> SpaceOps();
absl::Span<const OpTableRow> StateOps();
absl::Span<const OpTableRow> TensorListOps();

}  // namespace berth

#endif  // BERTH_GRAPH_OPS_OP_ROWS_H_
