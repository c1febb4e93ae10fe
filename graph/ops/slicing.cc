#include <limits>

#include "graph/ops/op_rows.h"
#include "graph/ops/shape_fns.h"
#include "graph/ops/strided_slice.h"
#include "graph/ops/value_fns.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

absl::Status ConcatOffsetShape(ShapeArgs& args) {
  for (int k = 0; k < args.num_outputs(); ++k) {
    BERTH_ASSIGN_OR_RETURN(PartialShape shape, args.WithRank(k + 1, 1));
    BERTH_RETURN_IF_ERROR(args.set_output(k, std::move(shape)));
  }
  return absl::OkStatus();
}

// Of inputs first..last along what input `axis_input` says.
absl::Status ConcatAlong(ShapeArgs& args, int axis_input, int first, int last) {
  BERTH_RETURN_IF_ERROR(args.CheckRank(axis_input, 0));
  const std::optional<int64_t> axis = args.ScalarValue(axis_input);
  int rank = -1;
  for (int i = first; i <= last; ++i) {
    const PartialShape& input = args.input(i);
    if (!input.has_rank()) continue;
    if (input.rank() == 0) return ShapeError("input '", args.InputName(i), "' must not be a scalar, got []");
    if (rank == -1) rank = input.rank();
    BERTH_RETURN_IF_ERROR(args.CheckRank(i, rank));
  }
  if (rank == -1) return args.set_output(0, PartialShape::Unknown());
  if (!axis.has_value()) return args.set_output(0, PartialShape::OfRank(rank));
  BERTH_ASSIGN_OR_RETURN(const int at, Axis(*axis, rank));
  PartialShape shape = PartialShape::OfRank(rank);
  int64_t along = 0;
  for (int i = first; i <= last; ++i) {
    PartialShape input = args.input(i).has_rank() ? args.input(i) : PartialShape::OfRank(rank);
    BERTH_ASSIGN_OR_RETURN(along, AddDims(along, input.dim(at)));
    input.set_dim(at, kUnknownDim);
    BERTH_RETURN_IF_ERROR(MergeInto(&shape, input, "inputs must agree in all dimensions but the axis"));
  }
  shape.set_dim(at, along);
  return args.set_output(0, std::move(shape));
}

absl::Status ConcatShape(ShapeArgs& args) { return ConcatAlong(args, args.num_inputs() - 1, 0, args.num_inputs() - 2); }

absl::Status ConcatV1Shape(ShapeArgs& args) { return ConcatAlong(args, 0, 1, args.num_inputs() - 1); }

absl::Status GatherShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const PartialShape params, args.WithRankAtLeast(0, 1));
  return args.set_output(0, ConcatShapes(args.input(1), SubShape(params, 1)));
}

// params [B..., A..., axis, C...], indices [B..., I...]: [B..., A..., I..., C...], where B is batch_dims long.
absl::Status GatherV2Shape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const PartialShape params, args.WithRankAtLeast(0, 1));
  const PartialShape& indices = args.input(1);
  BERTH_RETURN_IF_ERROR(args.CheckRank(2, 0));
  if (!params.has_rank() || !indices.has_rank()) return args.set_output(0, PartialShape::Unknown());
  int64_t batch = args.Attr<int64_t>("batch_dims");
  if (batch < -indices.rank() || batch > indices.rank()) {
    return ShapeError("batch_dims must be at most the rank of indices, got ", batch, " for ", indices.ToString());
  }
  if (batch < 0) batch += indices.rank();
  if (batch >= params.rank()) {
    return ShapeError("batch_dims must be less than the rank of params, got ", batch, " for ", params.ToString());
  }
  const int b = static_cast<int>(batch);
  const std::optional<int64_t> axis = args.ScalarValue(2);
  if (!axis.has_value()) return args.set_output(0, PartialShape::OfRank(params.rank() + indices.rank() - 1 - b));
  BERTH_ASSIGN_OR_RETURN(const int at, Axis(*axis, params.rank()));
  if (at < b) return ShapeError("axis must not be less than batch_dims, got ", at, " and ", b);
  PartialShape front = SubShape(params, 0, b);
  BERTH_RETURN_IF_ERROR(MergeInto(&front, SubShape(indices, 0, b), "batch dimensions must agree"));
  const PartialShape tail = ConcatShapes(SubShape(indices, b), SubShape(params, at + 1));
  return args.set_output(0, ConcatShapes(ConcatShapes(front, SubShape(params, b, at)), tail));
}

absl::Status GatherNdShape(ShapeArgs& args) {
  const PartialShape& params = args.input(0);
  BERTH_ASSIGN_OR_RETURN(const PartialShape indices, args.WithRankAtLeast(1, 1));
  if (!params.has_rank() || !indices.has_rank() || indices.dim(indices.rank() - 1) == kUnknownDim) {
    return args.set_output(0, PartialShape::Unknown());
  }
  const int64_t depth = indices.dim(indices.rank() - 1);
  if (depth > params.rank()) {
    return ShapeError("the last dimension of indices must be at most the rank of params, got ", indices.ToString(),
                      " for ", params.ToString());
  }
  return args.set_output(
      0, ConcatShapes(SubShape(indices, 0, indices.rank() - 1), SubShape(params, static_cast<int>(depth))));
}

// Pad, PadV2, MirrorPad. `paddings` is [rank, 2].
absl::Status PaddedShape(ShapeArgs& args, bool mirror) {
  BERTH_ASSIGN_OR_RETURN(const PartialShape paddings, args.WithRank(1, 2));
  if (!MergeDims(paddings.dim(1), 2).ok()) {
    return ShapeError("input 'paddings' must have two columns, got ", paddings.ToString());
  }
  PartialShape shape = args.input(0);
  if (!shape.has_rank()) {
    if (paddings.dim(0) == kUnknownDim || paddings.dim(0) > INT16_MAX) {
      return args.set_output(0, PartialShape::Unknown());
    }
    shape = PartialShape::OfRank(static_cast<int>(paddings.dim(0)));
  }
  if (!MergeDims(paddings.dim(0), shape.rank()).ok()) {
    return ShapeError("input 'paddings' must have one row a dimension, got ", paddings.ToString(), " for ",
                      shape.ToString());
  }
  const auto amounts = args.IntValues(1);
  const bool reflect = mirror && args.Attr<std::string>("mode") == "REFLECT";
  for (int d = 0; d < shape.rank(); ++d) {
    int64_t size = shape.dim(d);
    for (int side = 0; side < 2; ++side) {
      const int64_t amount = amounts.has_value() ? (*amounts)[2 * d + side].value_or(kUnknownDim) : kUnknownDim;
      if (amounts.has_value() && (*amounts)[2 * d + side].value_or(0) < 0) {
        return ShapeError("paddings must be at least 0, got ", amount, " for dimension ", d);
      }
      if (mirror && amount != kUnknownDim && shape.dim(d) != kUnknownDim && amount > shape.dim(d) - (reflect ? 1 : 0)) {
        return ShapeError("mirrored paddings must not exceed ", reflect ? "the size less one" : "the size", ", got ",
                          amount, " for dimension ", d, " of ", args.input(0).ToString());
      }
      BERTH_ASSIGN_OR_RETURN(size, AddDims(size, amount));
    }
    shape.set_dim(d, size);
  }
  return args.set_output(0, std::move(shape));
}
absl::Status PadShape(ShapeArgs& args) { return PaddedShape(args, false); }
absl::Status MirrorPadShape(ShapeArgs& args) { return PaddedShape(args, true); }

absl::Status PackShape(ShapeArgs& args) {
  PartialShape shape = args.input(0);
  for (int i = 1; i < args.num_inputs(); ++i) {
    BERTH_RETURN_IF_ERROR(MergeInto(&shape, args.input(i), "inputs must have one shape"));
  }
  if (!shape.has_rank()) return args.set_output(0, PartialShape::Unknown());
  BERTH_ASSIGN_OR_RETURN(const int at, Axis(args.Attr<int64_t>("axis"), shape.rank() + 1));
  return args.set_output(0,
                         ConcatShapes(ConcatShapes(SubShape(shape, 0, at), {args.num_inputs()}), SubShape(shape, at)));
}

absl::Status UnpackShape(ShapeArgs& args) {
  const PartialShape& input = args.input(0);
  if (!input.has_rank()) return UnknownShape(args);
  BERTH_ASSIGN_OR_RETURN(const int at, Axis(args.Attr<int64_t>("axis"), input.rank()));
  if (!MergeDims(input.dim(at), args.num_outputs()).ok()) {
    return ShapeError("dimension ", at, " must be num, ", args.num_outputs(), ", got ", input.ToString());
  }
  const PartialShape shape = ConcatShapes(SubShape(input, 0, at), SubShape(input, at + 1));
  for (int k = 0; k < args.num_outputs(); ++k) BERTH_RETURN_IF_ERROR(args.set_output(k, shape));
  return absl::OkStatus();
}

// indices [A..., k], updates [A..., shape[k:]...].
absl::Status ScatterNdShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const PartialShape indices, args.WithRankAtLeast(0, 1));
  BERTH_ASSIGN_OR_RETURN(PartialShape shape, args.ShapeValue(2));
  const PartialShape& updates = args.input(1);
  if (indices.has_rank() && updates.has_rank()) {
    const int outer = indices.rank() - 1;
    PartialShape front = SubShape(indices, 0, outer);
    BERTH_RETURN_IF_ERROR(
        MergeInto(&front, SubShape(updates, 0, outer), "updates must begin with the shape of indices"));
    const int64_t depth = indices.dim(outer);
    if (depth != kUnknownDim && shape.has_rank()) {
      if (depth > shape.rank()) {
        return ShapeError("the last dimension of indices must be at most the rank of shape, got ", indices.ToString(),
                          " for ", shape.ToString());
      }
      PartialShape rest = SubShape(shape, static_cast<int>(depth));
      BERTH_RETURN_IF_ERROR(MergeInto(&rest, SubShape(updates, outer), "updates must end with the slices of shape"));
      shape = ConcatShapes(SubShape(shape, 0, static_cast<int>(depth)), rest);
    }
  }
  return args.set_output(0, std::move(shape));
}

absl::Status SparseToDenseShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(PartialShape shape, args.ShapeValue(1));
  return args.set_output(0, std::move(shape));
}

// An element that is not known, where -1 has a meaning.
constexpr int64_t kOpen = std::numeric_limits<int64_t>::min();

absl::Status SliceShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(PartialShape bounds, args.WithRank(1, 1));
  BERTH_RETURN_IF_ERROR(args.CheckRank(2, 1));
  BERTH_RETURN_IF_ERROR(MergeInto(&bounds, args.input(2), "begin and size must have one length"));
  PartialShape input = args.input(0);
  const int64_t rank = input.has_rank() ? input.rank() : bounds.dim(0);
  if (rank == kUnknownDim || rank > INT16_MAX) return args.set_output(0, PartialShape::Unknown());
  if (!MergeDims(bounds.dim(0), rank).ok()) {
    return ShapeError("begin and size must have one element a dimension, got ", bounds.ToString(), " for ",
                      input.ToString());
  }
  if (!input.has_rank()) input = PartialShape::OfRank(static_cast<int>(rank));
  const auto begin = args.IntValues(1), size = args.IntValues(2);
  PartialShape shape = PartialShape::OfRank(static_cast<int>(rank));
  for (int d = 0; d < rank; ++d) {
    const int64_t whole = input.dim(d);
    const int64_t from = begin.has_value() ? (*begin)[d].value_or(kOpen) : kOpen;
    const int64_t count = size.has_value() ? (*size)[d].value_or(kOpen) : kOpen;
    const int64_t first = from == kOpen ? 0 : from;
    if (first < 0 || (count < -1 && count != kOpen) ||
        (whole != kUnknownDim && (first > whole || count > whole - first))) {
      return ShapeError("a slice must lie within the input, got begin ", first, " and size ",
                        count == kOpen ? -1 : count, " in dimension ", d, " of ", input.ToString());
    }
    if (count >= 0) {
      shape.set_dim(d, count);
    } else if (count == -1 && from != kOpen && whole != kUnknownDim) {
      shape.set_dim(d, whole - from);
    }
  }
  return args.set_output(0, std::move(shape));
}

absl::Status SplitShape(ShapeArgs& args) {
  BERTH_RETURN_IF_ERROR(args.CheckRank(0, 0));
  PartialShape shape = args.input(1);
  const std::optional<int64_t> dim = args.ScalarValue(0);
  if (!shape.has_rank()) return UnknownShape(args);
  if (!dim.has_value()) {
    shape = PartialShape::OfRank(shape.rank());
  } else {
    BERTH_ASSIGN_OR_RETURN(const int at, Axis(*dim, shape.rank(), "split_dim"));
    absl::StatusOr<int64_t> part = DivideDims(shape.dim(at), args.num_outputs());
    if (!part.ok()) {
      return ShapeError("dimension ", at, " must split into ", args.num_outputs(), " equal parts, got ",
                        shape.ToString());
    }
    shape.set_dim(at, *part);
  }
  for (int k = 0; k < args.num_outputs(); ++k) BERTH_RETURN_IF_ERROR(args.set_output(k, shape));
  return absl::OkStatus();
}

// The sizes of the parts along dimension `at`: at most one of them is -1, what is left.
absl::StatusOr<std::vector<int64_t>> PartSizes(ShapeArgs& args, int64_t whole) {
  const auto sizes = args.IntValues(1);
  std::vector<int64_t> parts(args.num_outputs(), kUnknownDim);
  if (!sizes.has_value() || sizes->size() != parts.size()) return parts;
  int64_t sum = 0;
  int rest = -1;
  bool all = true;
  for (size_t k = 0; k < parts.size(); ++k) {
    const std::optional<int64_t>& size = (*sizes)[k];
    all = all && size.has_value();
    if (!size.has_value()) continue;
    if (*size < -1 || (*size == -1 && rest != -1)) {
      return ShapeError("size_splits must be at least 0 but for one -1, got ", *size, " at ", k);
    }
    if (*size == -1) {
      rest = static_cast<int>(k);
    } else {
      parts[k] = *size;
      BERTH_ASSIGN_OR_RETURN(sum, AddDims(sum, *size));
    }
  }
  if (whole == kUnknownDim || !all) return parts;
  if (rest == -1 ? sum != whole : sum > whole) {
    return ShapeError("size_splits must add up to the dimension, ", whole, ", got ", sum);
  }
  if (rest != -1) parts[rest] = whole - sum;
  return parts;
}

absl::Status SplitVShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const PartialShape sizes, args.WithRank(1, 1));
  if (!MergeDims(sizes.dim(0), args.num_outputs()).ok()) {
    return ShapeError("size_splits must have num_split elements, ", args.num_outputs(), ", got ", sizes.ToString());
  }
  PartialShape shape = args.input(0);
  if (!shape.has_rank()) return UnknownShape(args);
  const std::optional<int64_t> dim = args.ScalarValue(2);
  int at = -1;
  std::vector<int64_t> parts;
  if (dim.has_value()) {
    BERTH_ASSIGN_OR_RETURN(at, Axis(*dim, shape.rank(), "split_dim"));
    BERTH_ASSIGN_OR_RETURN(parts, PartSizes(args, shape.dim(at)));
  } else {
    shape = PartialShape::OfRank(shape.rank());
  }
  const int64_t whole = at == -1 ? kUnknownDim : shape.dim(at);
  for (int k = 0; k < args.num_outputs(); ++k) {
    if (at != -1) shape.set_dim(at, args.num_outputs() == 1 && parts[k] == kUnknownDim ? whole : parts[k]);
    BERTH_RETURN_IF_ERROR(args.set_output(k, shape));
  }
  return absl::OkStatus();
}

// The shape of what was sliced is an input.
absl::Status StridedSliceGradShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(PartialShape shape, args.ShapeValue(0));
  return args.set_output(0, std::move(shape));
}

absl::Status StridedSliceShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const std::optional<SliceSpec> spec, StridedSliceSpec(args));
  return args.set_output(0, spec.has_value() ? spec->OutputShape() : PartialShape::Unknown());
}

absl::Status TileShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const PartialShape multiples, args.WithRank(1, 1));
  PartialShape shape = args.input(0);
  const int64_t rank = shape.has_rank() ? shape.rank() : multiples.dim(0);
  if (rank == kUnknownDim || rank > INT16_MAX) return args.set_output(0, PartialShape::Unknown());
  if (!MergeDims(multiples.dim(0), rank).ok()) {
    return ShapeError("multiples must have one element a dimension, got ", multiples.ToString(), " for ",
                      shape.ToString());
  }
  if (!shape.has_rank()) shape = PartialShape::OfRank(static_cast<int>(rank));
  const auto times = args.IntValues(1);
  for (int d = 0; d < rank; ++d) {
    const std::optional<int64_t> n = times.has_value() ? (*times)[d] : std::nullopt;
    if (n.value_or(0) < 0) return ShapeError("multiples must be at least 0, got ", *n, " at ", d);
    BERTH_ASSIGN_OR_RETURN(const int64_t size, MulDims(shape.dim(d), n.value_or(kUnknownDim)));
    shape.set_dim(d, size);
  }
  return args.set_output(0, std::move(shape));
}

absl::Status RollShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(PartialShape shape, args.WithRankAtLeast(0, 1));
  return args.set_output(0, std::move(shape));
}

// One length a row of the batch.
absl::Status ReverseSequenceShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const PartialShape lengths, args.WithRank(1, 1));
  PartialShape shape = args.input(0);
  if (!shape.has_rank()) return args.set_output(0, std::move(shape));
  BERTH_ASSIGN_OR_RETURN(const int batch, Axis(args.Attr<int64_t>("batch_dim"), shape.rank(), "batch_dim"));
  BERTH_RETURN_IF_ERROR(Axis(args.Attr<int64_t>("seq_dim"), shape.rank(), "seq_dim").status());
  BERTH_ASSIGN_OR_RETURN(const int64_t rows, MergeDims(shape.dim(batch), lengths.dim(0)));
  shape.set_dim(batch, rows);
  return args.set_output(0, std::move(shape));
}

absl::Status TensorScatterShape(ShapeArgs& args) { return args.set_output(0, args.input(0)); }

constexpr OpTableRow kRows[] = {
    {"Concat(concat_dim: i32, values: N * T) -> (output: T) {N: int >= 2; T: type}", ConcatV1Shape},
    {"ConcatOffset(concat_dim: i32, shape: N * shape_type) -> (offset: N * shape_type) {N: int >= 2; shape_type: type "
     "in index = i32}",
     ConcatOffsetShape, ConcatOffsetValue},
    {"ConcatV2(values: N * T, axis: Tidx) -> (output: T) {N: int >= 2; T: type; Tidx: type in index = i32}",
     ConcatShape, ConcatValue},
    {"Gather(params: Tparams, indices: Tindices) -> (output: Tparams) {validate_indices: bool = true; Tparams: type; "
     "Tindices: type in index}",
     GatherShape, GatherValue},
    {"GatherNd(params: Tparams, indices: Tindices) -> (output: Tparams) {Tparams: type; Tindices: type in [index, "
     "i16]; bad_indices_policy: string = ''}",
     GatherNdShape},
    {"GatherV2(params: Tparams, indices: Tindices, axis: Taxis) -> (output: Tparams) {batch_dims: int = 0; Tparams: "
     "type; Tindices: type in [index, i16]; Taxis: type in index}",
     GatherV2Shape, GatherValue},
    {"MirrorPad(input: T, paddings: Tpaddings) -> (output: T) {T: type; Tpaddings: type in index = i32; mode: string "
     "in [REFLECT, SYMMETRIC]}",
     MirrorPadShape},
    {"Pack(values: N * T) -> (output: T) {N: int >= 1; T: type; axis: int = 0}", PackShape, PackValue},
    {"Pad(input: T, paddings: Tpaddings) -> (output: T) {T: type; Tpaddings: type in index = i32}", PadShape},
    {"PadV2(input: T, paddings: Tpaddings, constant_values: T) -> (output: T) {T: type; Tpaddings: type in index = "
     "i32}",
     PadShape},
    {"ReverseSequence(input: T, seq_lengths: Tlen) -> (output: T) {seq_dim: int; batch_dim: int = 0; T: type; Tlen: "
     "type in index = i64}",
     ReverseSequenceShape},
    {"Roll(input: T, shift: Tshift, axis: Taxis) -> (output: T) {T: type; Tshift: type in index; Taxis: type in index}",
     RollShape},
    {"ScatterNd(indices: Tindices, updates: T, shape: Tindices) -> (output: T) {T: type; Tindices: type in [index, "
     "i16]; bad_indices_policy: string = ''}",
     ScatterNdShape},
    {"Slice(input: T, begin: Index, size: Index) -> (output: T) {T: type; Index: type in index}", SliceShape,
     SliceValue},
    {"SparseToDense(sparse_indices: Tindices, output_shape: Tindices, sparse_values: T, default_value: T) -> (dense: "
     "T) {validate_indices: bool = true; T: type; Tindices: type in index}",
     SparseToDenseShape},
    {"Split(split_dim: i32, value: T) -> (output: num_split * T) {num_split: int >= 1; T: type}", SplitShape,
     SplitValue},
    {"SplitV(value: T, size_splits: Tlen, split_dim: i32) -> (output: num_split * T) {num_split: int >= 1; T: type; "
     "Tlen: type in [index, i8] = i64}",
     SplitVShape, SplitVValue},
    {"StridedSlice(input: T, begin: Index, end: Index, strides: Index) -> (output: T) {T: type; Index: type in [index, "
     "i16]; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; new_axis_mask: int = 0; shrink_axis_mask: "
     "int = 0}",
     StridedSliceShape, StridedSliceValue},
    {"StridedSliceGrad(shape: Index, begin: Index, end: Index, strides: Index, dy: T) -> (output: T) {T: type; Index: "
     "type in index; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; new_axis_mask: int = 0; "
     "shrink_axis_mask: int = 0}",
     StridedSliceGradShape},
    {"TensorScatterAdd(tensor: T, indices: Tindices, updates: T) -> (output: T) {T: type; Tindices: type in index; "
     "bad_indices_policy: string = ''}",
     TensorScatterShape},
    {"TensorScatterMax(tensor: T, indices: Tindices, updates: T) -> (output: T) {T: type; Tindices: type in index; "
     "bad_indices_policy: string = ''}",
     TensorScatterShape},
    {"TensorScatterMin(tensor: T, indices: Tindices, updates: T) -> (output: T) {T: type; Tindices: type in index; "
     "bad_indices_policy: string = ''}",
     TensorScatterShape},
    {"TensorScatterSub(tensor: T, indices: Tindices, updates: T) -> (output: T) {T: type; Tindices: type in index; "
     "bad_indices_policy: string = ''}",
     TensorScatterShape},
    {"TensorScatterUpdate(tensor: T, indices: Tindices, updates: T) -> (output: T) {T: type; Tindices: type in [i16, "
     "index, u16]; bad_indices_policy: string = ''}",
     TensorScatterShape},
    {"Tile(input: T, multiples: Tmultiples) -> (output: T) {T: type; Tmultiples: type in index = i32}", TileShape,
     TileValue},
    {"Unpack(value: T) -> (output: num * T) {num: int >= 0; T: type; axis: int = 0}", UnpackShape, UnpackValue},
};

}  // namespace

absl::Span<const OpTableRow> SlicingOps() { return kRows; }

}  // namespace berth
