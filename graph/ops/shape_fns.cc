#include "graph/ops/shape_fns.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "graph/status_macros.h"

namespace berth {

absl::Status UnchangedShape(ShapeArgs& args) {
  for (int k = 0; k < args.num_outputs(); ++k) {
    BERTH_RETURN_IF_ERROR(args.set_output(k, args.input(0)));
    if (const HandleShapes* handle = args.handle(0)) args.set_handle(k, *handle);
  }
  return absl::OkStatus();
}

absl::Status MergedShape(ShapeArgs& args) {
  PartialShape shape = args.input(0);
  for (int i = 1; i < args.num_inputs(); ++i) {
    BERTH_RETURN_IF_ERROR(MergeInto(&shape, args.input(i), "inputs must have one shape"));
  }
  return args.set_output(0, std::move(shape));
}

absl::Status BroadcastShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(PartialShape shape, BroadcastShapes(args.input(0), args.input(1)));
  return args.set_output(0, std::move(shape));
}

absl::Status ScalarShape(ShapeArgs& args) {
  for (int k = 0; k < args.num_outputs(); ++k) {
    BERTH_RETURN_IF_ERROR(args.set_output(k, PartialShape::Scalar()));
  }
  return absl::OkStatus();
}

absl::Status UnknownShape(ShapeArgs& args) {
  for (int k = 0; k < args.num_outputs(); ++k) {
    BERTH_RETURN_IF_ERROR(args.set_output(k, PartialShape::Unknown()));
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> MergeDims(int64_t a, int64_t b) {
  if (a == kUnknownDim) return b;
  if (b == kUnknownDim || a == b) return a;
  return ShapeError("dimensions ", a, " and ", b, " differ");
}

absl::StatusOr<int64_t> AddDims(int64_t a, int64_t b) {
  if (a == kUnknownDim || b == kUnknownDim) return kUnknownDim;
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum) || sum < 0) {
    return ShapeError("a dimension must fit 63 bits, got ", a, " + ", b);
  }
  return sum;
}

absl::StatusOr<int64_t> SubDims(int64_t a, int64_t b) {
  if (a == kUnknownDim || b == kUnknownDim) return kUnknownDim;
  if (a < b) return ShapeError("a dimension must not be negative, got ", a, " - ", b);
  return a - b;
}

absl::StatusOr<int64_t> MulDims(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  if (a == kUnknownDim || b == kUnknownDim) return kUnknownDim;
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product)) {
    return ShapeError("a dimension must fit 63 bits, got ", a, " * ", b);
  }
  return product;
}

absl::StatusOr<int64_t> DivideDims(int64_t a, int64_t b) {
  if (b <= 0) return ShapeError("a divisor must be at least 1, got ", b);
  if (a == kUnknownDim) return kUnknownDim;
  if (a % b != 0) return ShapeError("dimension ", a, " must be a multiple of ", b);
  return a / b;
}

PartialShape SubShape(const PartialShape& shape, int begin, int end) {
  if (!shape.has_rank()) return PartialShape::Unknown();
  const int rank = shape.rank();
  const auto at = [rank](int i) { return std::clamp(i < 0 ? i + rank : i, 0, rank); };
  const int from = at(begin), to = std::max(from, at(end));
  return PartialShape(shape.dims().subspan(from, to - from));
}

PartialShape ConcatShapes(const PartialShape& a, const PartialShape& b) {
  if (!a.has_rank() || !b.has_rank()) return PartialShape::Unknown();
  std::vector<int64_t> dims(a.dims().begin(), a.dims().end());
  dims.insert(dims.end(), b.dims().begin(), b.dims().end());
  return PartialShape(absl::MakeConstSpan(dims));
}

absl::Status MergeInto(PartialShape* shape, const PartialShape& other, absl::string_view what) {
  absl::StatusOr<PartialShape> merged = MergeShapes(*shape, other);
  if (!merged.ok()) return ShapeError(what, ": ", merged.status().message());
  *shape = *std::move(merged);
  return absl::OkStatus();
}

absl::StatusOr<int> Axis(int64_t axis, int rank, absl::string_view what) {
  if (axis < -rank || axis >= rank) {
    return ShapeError(what, " must be in [", -rank, ",", rank, "), got ", axis);
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

DataFormat FormatOf(const ShapeArgs& args) {
  const std::string name = args.Attr<std::string>("data_format", "NHWC");
  DataFormat format;
  format.channels_first = absl::StartsWith(name, "NC");
  format.vectors = name == "NCHW_VECT_C";
  format.spatial = absl::StrContains(name, "D") ? 3 : 2;
  return format;
}

absl::StatusOr<int64_t> WindowedSize(int64_t size, int64_t window, int64_t dilation, int64_t stride,
                                     absl::string_view padding, int64_t before, int64_t after) {
  if (stride < 1) return ShapeError("strides must be at least 1, got ", stride);
  if (dilation < 1) return ShapeError("dilations must be at least 1, got ", dilation);
  if (size == kUnknownDim) return kUnknownDim;
  if (padding == "SAME") return (size + stride - 1) / stride;
  if (window == kUnknownDim) return kUnknownDim;
  if (padding != "EXPLICIT") before = after = 0;
  int64_t extent, padded;
  if (__builtin_mul_overflow(window - 1, dilation, &extent) || __builtin_add_overflow(extent, 1, &extent) ||
      __builtin_add_overflow(size, before, &padded) || __builtin_add_overflow(padded, after, &padded)) {
    return ShapeError("a window must fit 63 bits, got size ", window, " dilated by ", dilation);
  }
  if (padded < extent) {
    return ShapeError("a window of ", window, (dilation > 1 ? " (dilated to " : ""),
                      (dilation > 1 ? std::to_string(extent) + ")" : ""), " must fit the input, got ", padded,
                      " with padding ", padding);
  }
  return (padded - extent) / stride + 1;
}

}  // namespace berth
