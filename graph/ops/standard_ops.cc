#include <cstdio>
#include <cstdlib>
#include <utility>

#include "graph/op_table.h"
#include "graph/ops/op_rows.h"
#include "graph/ops/signature.h"

namespace berth {
namespace {

constexpr absl::Span<const OpTableRow> (*kFamilies[])() = {
    ArrayOps, ControlFlowOps, ConvolutionOps, DataFlowOps, ElementwiseOps, IoOps,    MatrixOps,
    NnOps,    RandomOps,      ReductionOps,   SlicingOps,  SpaceOps,       StateOps, TensorListOps,
};

// The rows are part of the program: a fault in one is a fault of the build, found by the first test
// that runs.
void AddRow(const OpTableRow& row, OpTable* table) {
  absl::StatusOr<OpDef> op = ParseSignature(row.signature);
  absl::Status status = op.status();
  if (op.ok()) {
    op->shape_fn = row.shape;
    op->value_fn = row.value;
    status = table->Add(*std::move(op));
  }
  if (!status.ok()) {
    std::fprintf(stderr, "op table: %s\n", std::string(status.message()).c_str());
    std::abort();
  }
}

}  // namespace

std::shared_ptr<const OpTable> StandardOps() {
  static const auto& ops = *new std::shared_ptr<const OpTable>([] {
    auto table = std::make_shared<OpTable>();
    for (const auto family : kFamilies) {
      for (const OpTableRow& row : family()) AddRow(row, table.get());
    }
    return table;
  }());
  return ops;
}

}  // namespace berth
