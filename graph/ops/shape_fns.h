// What several op families need to say how shapes follow: shape functions of common form, and arithmetic on dimensions.
//
// Dimensions are kUnknownDim or at least 0; whatever is computed from an unknown one is unknown.
#ifndef BERTH_GRAPH_OPS_SHAPE_FNS_H_
#define BERTH_GRAPH_OPS_SHAPE_FNS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/shape_args.h"

namespace berth {

// Every output has the shape of input 0, and what it refers to.
absl::Status UnchangedShape(ShapeArgs& args);
// The one output has the shape that all inputs share.
absl::Status MergedShape(ShapeArgs& args);
// The output is input 0 broadcast against input 1.
absl::Status BroadcastShape(ShapeArgs& args);
// Every output is a scalar.
absl::Status ScalarShape(ShapeArgs& args);
// Nothing is known.
absl::Status UnknownShape(ShapeArgs& args);

// Error: `dimensions 3 and 4 differ`.
absl::StatusOr<int64_t> MergeDims(int64_t a, int64_t b);
// Errors: the result does not fit, or is negative.
absl::StatusOr<int64_t> AddDims(int64_t a, int64_t b);
absl::StatusOr<int64_t> SubDims(int64_t a, int64_t b);
absl::StatusOr<int64_t> MulDims(int64_t a, int64_t b);
// Error: b is 0, or does not divide a. REQUIRES: b is known.
absl::StatusOr<int64_t> DivideDims(int64_t a, int64_t b);

// Dimensions begin to end of `shape`; negative positions count from the end. An unknown rank stays unknown.
PartialShape SubShape(const PartialShape& shape, int begin, int end = INT32_MAX);
// Unknown when either rank is.
PartialShape ConcatShapes(const PartialShape& a, const PartialShape& b);
// MergeShapes with what it is about in front: `<what>: shapes [2] and [3] differ in dimension 0`.
absl::Status MergeInto(PartialShape* shape, const PartialShape& other, absl::string_view what);

// A position among `rank` dimensions, negative ones counted from the end.
// Error: `<what> must be in [-2,2), got 5`.
absl::StatusOr<int> Axis(int64_t axis, int rank, absl::string_view what = "axis");

// Strides, windows and data formats of convolutions, pools and resizing.
struct DataFormat {
  bool channels_first = false;  // NCHW, NCDHW, NCHW_VECT_C
  bool vectors = false;         // NCHW_VECT_C: a last dimension of 4 channels
  int spatial = 2;              // number of spatial dimensions
  int rank() const { return spatial + 2 + (vectors ? 1 : 0); }
  int channel() const { return channels_first ? 1 : spatial + 1; }
  int space(int i) const { return channels_first ? i + 2 : i + 1; }
};
// From the attribute `data_format`.
DataFormat FormatOf(const ShapeArgs& args);

// Size after a window moved over `size`. `padding`: SAME, VALID, or EXPLICIT with `before` and `after`.
// Errors: a stride or dilation below 1, a window that does not fit.
absl::StatusOr<int64_t> WindowedSize(int64_t size, int64_t window, int64_t dilation, int64_t stride,
                                     absl::string_view padding, int64_t before = 0, int64_t after = 0);

}  // namespace berth

#endif  // BERTH_GRAPH_OPS_SHAPE_FNS_H_
