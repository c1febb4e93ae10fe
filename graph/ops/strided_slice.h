// StridedSlice's arguments, written out: one entry for each dimension of the input, and where the output's come from.
//
//   x[..., 1:3, tf.newaxis, 0] over [2,5,7]   dims {0..2 by 1} {1..3 by 1} {0, dropped}   output {0, 1, new}
#ifndef BERTH_GRAPH_OPS_STRIDED_SLICE_H_
#define BERTH_GRAPH_OPS_STRIDED_SLICE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/shape_args.h"

namespace berth {

struct SliceSpec {
  static constexpr int kNewAxis = -1;
  struct Dim {
    bool known = false;  // first, stride and size are
    int64_t first = 0;   // the first index taken
    int64_t stride = 1;
    int64_t size = kUnknownDim;  // of the result; 1 where the dimension is dropped
  };
  std::vector<Dim> dims;    // of the input
  std::vector<int> output;  // the input's dimension or kNewAxis for each dimension of the output

  PartialShape OutputShape() const;
};

// From inputs (input, begin, end, strides) and the five masks. Nullopt when the input's rank or the number of indices
// is not known. Errors: more than one ellipsis, too many indices, a stride of 0, an index out of bounds.
absl::StatusOr<std::optional<SliceSpec>> StridedSliceSpec(ShapeArgs& args);

}  // namespace berth

#endif  // BERTH_GRAPH_OPS_STRIDED_SLICE_H_
