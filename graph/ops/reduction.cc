#include <algorithm>
#include <cmath>

#include "graph/ops/op_rows.h"
#include "graph/ops/shape_fns.h"
#include "graph/ops/value_fns.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

// The rank that is left when only the number of axes is known; axes are distinct, or the op fails.
PartialShape ReducedRank(const PartialShape& input, const PartialShape& axes, bool keep_dims) {
  if (keep_dims) return PartialShape::OfRank(input.rank());
  const std::optional<int64_t> count = axes.num_elements();
  if (!count.has_value() || *count > input.rank()) return PartialShape::Unknown();
  return PartialShape::OfRank(input.rank() - static_cast<int>(*count));
}

absl::Status ReductionShape(ShapeArgs& args) {
  BERTH_RETURN_IF_ERROR(args.WithRankAtMost(1, 1).status());
  const bool keep_dims = args.Attr<bool>("keep_dims");
  const PartialShape& input = args.input(0);
  if (!input.has_rank()) return args.set_output(0, PartialShape::Unknown());
  const auto axes = args.IntValues(1);
  const bool known = axes.has_value() && std::all_of(axes->begin(), axes->end(), [](auto a) { return a.has_value(); });
  if (!known) return args.set_output(0, ReducedRank(input, args.input(1), keep_dims));
  std::vector<bool> reduced(input.rank());
  for (const std::optional<int64_t>& value : *axes) {
    BERTH_ASSIGN_OR_RETURN(const int axis, Axis(*value, input.rank(), "reduction axes"));
    if (reduced[axis]) return ShapeError("reduction axes must be distinct, got ", axis, " twice");
    reduced[axis] = true;
  }
  std::vector<int64_t> dims;
  for (int d = 0; d < input.rank(); ++d) {
    if (!reduced[d]) {
      dims.push_back(input.dim(d));
    } else if (keep_dims) {
      dims.push_back(1);
    }
  }
  return args.set_output(0, PartialShape(absl::MakeConstSpan(dims)));
}

absl::Status ArgShape(ShapeArgs& args) {
  BERTH_RETURN_IF_ERROR(args.CheckRank(1, 0));
  const PartialShape& input = args.input(0);
  if (!input.has_rank()) return args.set_output(0, PartialShape::Unknown());
  if (input.rank() <= 1) return args.set_output(0, PartialShape::Scalar());
  const std::optional<int64_t> dimension = args.ScalarValue(1);
  if (!dimension.has_value()) return args.set_output(0, PartialShape::OfRank(input.rank() - 1));
  BERTH_ASSIGN_OR_RETURN(const int axis, Axis(*dimension, input.rank(), "dimension"));
  return args.set_output(0, ConcatShapes(SubShape(input, 0, axis), SubShape(input, axis + 1)));
}

absl::Status CumsumShape(ShapeArgs& args) {
  BERTH_RETURN_IF_ERROR(args.CheckRank(1, 0));
  const std::optional<int64_t> axis = args.ScalarValue(1);
  if (axis.has_value() && args.input(0).has_rank()) {
    BERTH_RETURN_IF_ERROR(Axis(*axis, args.input(0).rank()).status());
  }
  return args.set_output(0, args.input(0));
}

absl::Status RangeShape(ShapeArgs& args) {
  for (int i = 0; i < 3; ++i) BERTH_RETURN_IF_ERROR(args.CheckRank(i, 0));
  BERTH_ASSIGN_OR_RETURN(const int64_t size, RangeSize(args));
  return args.set_output(0, {size});
}

absl::Status TopKShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(PartialShape shape, args.WithRankAtLeast(0, 1));
  BERTH_RETURN_IF_ERROR(args.CheckRank(1, 0));
  const std::optional<int64_t> k = args.ScalarValue(1);
  if (k.has_value() && *k < 0) return ShapeError("k must be at least 0, got ", *k);
  if (shape.has_rank()) {
    const int last = shape.rank() - 1;
    if (k.has_value() && shape.dim(last) != kUnknownDim && shape.dim(last) < *k) {
      return ShapeError("k must be at most the size of the last dimension, got ", *k, " for ", shape.ToString());
    }
    shape.set_dim(last, k.value_or(kUnknownDim));
  }
  BERTH_RETURN_IF_ERROR(args.set_output(1, shape));
  return args.set_output(0, std::move(shape));
}

// data [A..., B...], segment ids [A...]: output [segments, B...].
absl::Status UnsortedSegmentShape(ShapeArgs& args) {
  BERTH_RETURN_IF_ERROR(args.CheckRank(2, 0));
  const PartialShape& ids = args.input(1);
  const PartialShape& data = args.input(0);
  if (!ids.has_rank()) return args.set_output(0, PartialShape::Unknown());
  if (data.has_rank()) {
    PartialShape front = SubShape(data, 0, ids.rank());
    BERTH_RETURN_IF_ERROR(MergeInto(&front, ids, "data must begin with the shape of segment_ids"));
  }
  const std::optional<int64_t> segments = args.ScalarValue(2);
  if (segments.has_value() && *segments < 0) return ShapeError("num_segments must be at least 0, got ", *segments);
  return args.set_output(0, ConcatShapes({segments.value_or(kUnknownDim)}, SubShape(data, ids.rank())));
}

// Rows of data fall into segments whose number shows only in a run.
absl::Status SegmentShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const PartialShape data, args.WithRankAtLeast(0, 1));
  BERTH_RETURN_IF_ERROR(args.CheckRank(1, 1));
  return args.set_output(0, ConcatShapes(PartialShape::OfRank(1), SubShape(data, 1)));
}

constexpr OpTableRow kRows[] = {
    {"All(input: bool, reduction_indices: Tidx) -> (output: bool) {keep_dims: bool = false; Tidx: type in index = i32}",
     ReductionShape, ReductionValue},
    {"Any(input: bool, reduction_indices: Tidx) -> (output: bool) {keep_dims: bool = false; Tidx: type in index = i32}",
     ReductionShape, ReductionValue},
    {"ArgMax(input: T, dimension: Tidx) -> (output: output_type) {T: type in [real, quantized, bool]; Tidx: type in "
     "[index, i16] = i32; output_type: type in [index, i16, u16] = i64}",
     ArgShape},
    {"ArgMin(input: T, dimension: Tidx) -> (output: output_type) {T: type in [real, quantized, bool]; Tidx: type in "
     "index = i32; output_type: type in index = i64}",
     ArgShape},
    {"Cumprod(x: T, axis: Tidx) -> (out: T) {exclusive: bool = false; reverse: bool = false; T: type in number; Tidx: "
     "type in index = i32}",
     CumsumShape},
    {"Cumsum(x: T, axis: Tidx) -> (out: T) {exclusive: bool = false; reverse: bool = false; T: type in number; Tidx: "
     "type in index = i32}",
     CumsumShape},
    {"EuclideanNorm(input: T, reduction_indices: Tidx) -> (output: T) {keep_dims: bool = false; T: type in number; "
     "Tidx: type in index = i32}",
     ReductionShape},
    {"Max(input: T, reduction_indices: Tidx) -> (output: T) {keep_dims: bool = false; T: type in [real, quantized]; "
     "Tidx: type in index = i32}",
     ReductionShape, ReductionValue},
    {"Mean(input: T, reduction_indices: Tidx) -> (output: T) {keep_dims: bool = false; T: type in number; Tidx: type "
     "in index = i32}",
     ReductionShape, ReductionValue},
    {"Min(input: T, reduction_indices: Tidx) -> (output: T) {keep_dims: bool = false; T: type in [real, quantized]; "
     "Tidx: type in index = i32}",
     ReductionShape, ReductionValue},
    {"Prod(input: T, reduction_indices: Tidx) -> (output: T) {keep_dims: bool = false; T: type in number; Tidx: type "
     "in index = i32}",
     ReductionShape, ReductionValue},
    {"Range(start: Tidx, limit: Tidx, delta: Tidx) -> (output: Tidx) {Tidx: type in [signed, u16, u32, u64] = i32}",
     RangeShape, RangeValue},
    {"SegmentMax(data: T, segment_ids: Tindices) -> (output: T) {T: type in real; Tindices: type in index}",
     SegmentShape},
    {"SegmentMean(data: T, segment_ids: Tindices) -> (output: T) {T: type in number; Tindices: type in index}",
     SegmentShape},
    {"SegmentMin(data: T, segment_ids: Tindices) -> (output: T) {T: type in real; Tindices: type in index}",
     SegmentShape},
    {"SegmentProd(data: T, segment_ids: Tindices) -> (output: T) {T: type in number; Tindices: type in index}",
     SegmentShape},
    {"SegmentSum(data: T, segment_ids: Tindices) -> (output: T) {T: type in number; Tindices: type in index}",
     SegmentShape},
    {"Sum(input: T, reduction_indices: Tidx) -> (output: T) {keep_dims: bool = false; T: type in number; Tidx: type in "
     "index = i32}",
     ReductionShape, ReductionValue},
    {"TopKV2(input: T, k: Tk) -> (values: T, indices: index_type) {sorted: bool = true; T: type in real; Tk: type in "
     "[index, i16] = i32; index_type: type in [index, i16] = i32}",
     TopKShape},
    {"UnsortedSegmentMax(data: T, segment_ids: Tindices, num_segments: Tnumsegments) -> (output: T) {T: type in real; "
     "Tindices: type in index; Tnumsegments: type in index = i32}",
     UnsortedSegmentShape},
    {"UnsortedSegmentMin(data: T, segment_ids: Tindices, num_segments: Tnumsegments) -> (output: T) {T: type in real; "
     "Tindices: type in index; Tnumsegments: type in index = i32}",
     UnsortedSegmentShape},
    {"UnsortedSegmentProd(data: T, segment_ids: Tindices, num_segments: Tnumsegments) -> (output: T) {T: type in "
     "number; Tindices: type in index; Tnumsegments: type in index = i32}",
     UnsortedSegmentShape},
    {"UnsortedSegmentSum(data: T, segment_ids: Tindices, num_segments: Tnumsegments) -> (output: T) {T: type in "
     "number; Tindices: type in [i16, index]; Tnumsegments: type in index = i32}",
     UnsortedSegmentShape},
};

}  // namespace

absl::Span<const OpTableRow> ReductionOps() { return kRows; }

}  // namespace berth
