#include "graph/ops/op_rows.h"
#include "graph/ops/shape_fns.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

// The first input is the shape; bounds, where there are some, are scalars.
absl::Status RandomShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(PartialShape shape, args.ShapeValue(0));
  for (int i = 1; i < args.num_inputs(); ++i) BERTH_RETURN_IF_ERROR(args.CheckRank(i, 0));
  return args.set_output(0, std::move(shape));
}

constexpr OpTableRow kRows[] = {
    {"RandomShuffle(value: T) -> (output: T) {seed: int = 0; seed2: int = 0; T: type} stateful", UnchangedShape},
    {"RandomStandardNormal(shape: T) -> (output: dtype) {seed: int = 0; seed2: int = 0; dtype: type in floating; T: "
     "type in index} stateful",
     RandomShape},
    {"RandomUniform(shape: T) -> (output: dtype) {seed: int = 0; seed2: int = 0; dtype: type in floating; T: type in "
     "index} stateful",
     RandomShape},
    {"RandomUniformInt(shape: T, minval: Tout, maxval: Tout) -> (output: Tout) {seed: int = 0; seed2: int = 0; Tout: "
     "type in index; T: type in index} stateful",
     RandomShape},
    {"TruncatedNormal(shape: T) -> (output: dtype) {seed: int = 0; seed2: int = 0; dtype: type in floating; T: type in "
     "index} stateful",
     RandomShape},
};

}  // namespace

absl::Span<const OpTableRow> RandomOps() { return kRows; }

}  // namespace berth
