#include "absl/algorithm/container.h"
#include "graph/ops/op_rows.h"
#include "graph/ops/shape_fns.h"
#include "graph/ops/value_fns.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

// Two lists of axes; how many is known where both shapes are.
absl::Status BroadcastGradientArgsShape(ShapeArgs& args) {
  for (int k = 0; k < 2; ++k) BERTH_RETURN_IF_ERROR(args.CheckRank(k, 1));
  BERTH_ASSIGN_OR_RETURN(const GradientAxes axes, BroadcastGradientAxes(args));
  BERTH_RETURN_IF_ERROR(args.set_output(0, {axes.known ? static_cast<int64_t>(axes.first.size()) : kUnknownDim}));
  return args.set_output(1, {axes.known ? static_cast<int64_t>(axes.second.size()) : kUnknownDim});
}

absl::Status BroadcastToShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(PartialShape shape, args.ShapeValue(1));
  const PartialShape& input = args.input(0);
  if (!shape.has_rank() || !input.has_rank()) return args.set_output(0, std::move(shape));
  const int extra = shape.rank() - input.rank();
  for (int d = 0; d < input.rank(); ++d) {
    const int64_t have = input.dim(d), want = extra < 0 ? kUnknownDim : shape.dim(d + extra);
    if (extra < 0 || (have > 1 && want != kUnknownDim && have != want)) {
      return ShapeError("input must broadcast to the shape, got ", input.ToString(), " to ", shape.ToString());
    }
    if (have > 1) shape.set_dim(d + extra, have);
  }
  return args.set_output(0, std::move(shape));
}

absl::Status ConstShape(ShapeArgs& args) {
  const AttrValue* value = args.attr("value");
  const Literal* literal = value == nullptr ? nullptr : value->get<Literal>();
  const AttrValue* attr = args.attr("dtype");
  const DType* dtype = attr == nullptr ? nullptr : attr->get<DType>();
  if (literal != nullptr && dtype != nullptr && *dtype != literal->dtype()) {
    return ShapeError("value must have the type that dtype says, got ", ShortDTypeName(literal->dtype()), " for ",
                      ShortDTypeName(*dtype));
  }
  return args.set_output(0, literal == nullptr ? PartialShape::Unknown() : literal->shape());
}

absl::Status ExpandDimsShape(ShapeArgs& args) {
  const PartialShape& input = args.input(0);
  const std::optional<int64_t> dim = args.ScalarValue(1);
  if (args.input(1).num_elements().value_or(1) != 1) {
    return ShapeError("input 'dim' must have one element, got ", args.input(1).ToString());
  }
  if (!input.has_rank()) return args.set_output(0, PartialShape::Unknown());
  if (!dim.has_value()) return args.set_output(0, PartialShape::OfRank(input.rank() + 1));
  BERTH_ASSIGN_OR_RETURN(const int at, Axis(*dim, input.rank() + 1, "dim"));
  return args.set_output(0, ConcatShapes(ConcatShapes(SubShape(input, 0, at), {1}), SubShape(input, at)));
}

absl::Status FillShape(ShapeArgs& args) {
  BERTH_RETURN_IF_ERROR(args.CheckRank(1, 0));
  BERTH_ASSIGN_OR_RETURN(PartialShape shape, args.ShapeValue(0));
  return args.set_output(0, std::move(shape));
}

absl::Status InvertPermutationShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(PartialShape shape, args.WithRank(0, 1));
  return args.set_output(0, std::move(shape));
}

absl::Status OneHotShape(ShapeArgs& args) {
  for (int i = 1; i < 4; ++i) BERTH_RETURN_IF_ERROR(args.CheckRank(i, 0));
  const int64_t axis = args.Attr<int64_t>("axis", -1);
  if (axis < -1) return ShapeError("axis must be at least -1, got ", axis);
  const std::optional<int64_t> depth = args.ScalarValue(1);
  if (depth.has_value() && *depth < 0) return ShapeError("depth must be at least 0, got ", *depth);
  const PartialShape& indices = args.input(0);
  if (!indices.has_rank()) return args.set_output(0, PartialShape::Unknown());
  BERTH_ASSIGN_OR_RETURN(const int at, Axis(axis, indices.rank() + 1));
  return args.set_output(
      0, ConcatShapes(ConcatShapes(SubShape(indices, 0, at), {depth.value_or(kUnknownDim)}), SubShape(indices, at)));
}

absl::Status PlaceholderShape(ShapeArgs& args) { return args.set_output(0, args.Attr<PartialShape>("shape")); }

absl::Status PlaceholderWithDefaultShape(ShapeArgs& args) {
  PartialShape shape = args.Attr<PartialShape>("shape");
  PartialShape merged = shape;
  BERTH_RETURN_IF_ERROR(MergeInto(&merged, args.input(0), "the default must fit the shape"));
  return args.set_output(0, std::move(shape));
}

absl::Status RankShape(ShapeArgs& args) { return args.set_output(0, PartialShape::Scalar()); }
absl::Status SizeShape(ShapeArgs& args) { return args.set_output(0, PartialShape::Scalar()); }

absl::Status ShapeShape(ShapeArgs& args) {
  for (int k = 0; k < args.num_outputs(); ++k) {
    const PartialShape& input = args.input(k);
    BERTH_RETURN_IF_ERROR(args.set_output(k, {input.has_rank() ? input.rank() : kUnknownDim}));
  }
  return absl::OkStatus();
}

// The product of what is known, and where the one unknown dimension is: -1 for none, -2 for several.
struct KnownPart {
  int64_t product = 1;
  int unknown = -1;
};
absl::StatusOr<KnownPart> KnownPartOf(const PartialShape& shape) {
  KnownPart part;
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape.dim(d) == kUnknownDim) {
      part.unknown = part.unknown == -1 ? d : -2;
    } else {
      BERTH_ASSIGN_OR_RETURN(part.product, MulDims(part.product, shape.dim(d)));
    }
  }
  return part;
}

absl::Status ReshapeShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(PartialShape shape, args.ShapeValue(1));
  const PartialShape& input = args.input(0);
  if (!shape.has_rank() || !input.has_rank()) return args.set_output(0, std::move(shape));
  BERTH_ASSIGN_OR_RETURN(const KnownPart have, KnownPartOf(input));
  BERTH_ASSIGN_OR_RETURN(const KnownPart want, KnownPartOf(shape));
  const auto refuse = [&] {
    return ShapeError("shape must hold as many elements as the input, got ", shape.ToString(), " for ",
                      input.ToString());
  };
  if (have.unknown == -1 && want.unknown == -1) {
    if (have.product != want.product) return refuse();
  } else if (have.unknown == -1 && want.product != 0) {
    if (have.product % want.product != 0) return refuse();
    if (want.unknown >= 0) shape.set_dim(want.unknown, have.product / want.product);
  } else if (want.unknown == -1 && have.product != 0 && want.product % have.product != 0) {
    return refuse();
  }
  return args.set_output(0, std::move(shape));
}

absl::Status ReverseShape(ShapeArgs& args) {
  BERTH_RETURN_IF_ERROR(args.CheckRank(1, 1));
  const PartialShape& input = args.input(0);
  if (const auto axes = args.IntValues(1); axes.has_value() && input.has_rank()) {
    std::vector<bool> seen(input.rank());
    for (const std::optional<int64_t>& axis : *axes) {
      if (!axis.has_value()) continue;
      BERTH_ASSIGN_OR_RETURN(const int d, Axis(*axis, input.rank()));
      if (seen[d]) return ShapeError("axes must be distinct, got ", d, " twice");
      seen[d] = true;
    }
  }
  return args.set_output(0, input);
}

absl::Status SqueezeShape(ShapeArgs& args) {
  const PartialShape& input = args.input(0);
  const absl::Span<const int64_t> listed = args.Ints("squeeze_dims");
  if (!input.has_rank()) return args.set_output(0, PartialShape::Unknown());
  std::vector<bool> dropped(input.rank());
  for (const int64_t dim : listed) {
    BERTH_ASSIGN_OR_RETURN(const int d, Axis(dim, input.rank(), "squeeze_dims"));
    if (input.dim(d) != kUnknownDim && input.dim(d) != 1) {
      return ShapeError("a dimension to squeeze must be 1, got dimension ", d, " of ", input.ToString());
    }
    dropped[d] = true;
  }
  if (listed.empty()) {
    if (absl::c_linear_search(input.dims(), kUnknownDim)) return args.set_output(0, PartialShape::Unknown());
    for (int d = 0; d < input.rank(); ++d) dropped[d] = input.dim(d) == 1;
  }
  std::vector<int64_t> dims;
  for (int d = 0; d < input.rank(); ++d) {
    if (!dropped[d]) dims.push_back(input.dim(d));
  }
  return args.set_output(0, PartialShape(absl::MakeConstSpan(dims)));
}

absl::Status TransposeShape(ShapeArgs& args) {
  PartialShape input = args.input(0);
  BERTH_ASSIGN_OR_RETURN(const PartialShape order, args.WithRank(1, 1));
  const auto perm = args.IntValues(1);
  const int64_t rank = input.has_rank() ? input.rank() : order.dim(0);
  if (rank == kUnknownDim || rank > INT16_MAX) return args.set_output(0, PartialShape::Unknown());
  if (!MergeDims(order.dim(0), rank).ok()) {
    return ShapeError("perm must have one element a dimension, got ", order.ToString(), " for ", input.ToString());
  }
  if (!input.has_rank()) input = PartialShape::OfRank(static_cast<int>(rank));
  PartialShape shape = PartialShape::OfRank(static_cast<int>(rank));
  std::vector<bool> seen(rank);
  for (int d = 0; d < rank && perm.has_value(); ++d) {
    if (!(*perm)[d].has_value()) continue;
    BERTH_ASSIGN_OR_RETURN(const int from, Axis(*(*perm)[d], static_cast<int>(rank), "perm"));
    if (seen[from]) return ShapeError("perm must be a permutation, got ", from, " twice");
    seen[from] = true;
    shape.set_dim(d, input.dim(from));
  }
  return args.set_output(0, std::move(shape));
}

absl::Status UniqueShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(PartialShape input, args.WithRank(0, 1));
  BERTH_RETURN_IF_ERROR(args.set_output(0, {UniqueCount(args)}));
  return args.set_output(1, std::move(input));
}

absl::Status WhereShape(ShapeArgs& args) {
  const PartialShape& input = args.input(0);
  return args.set_output(0, {NonZeroCount(args), input.has_rank() ? input.rank() : kUnknownDim});
}

absl::Status EmptyShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(PartialShape shape, args.ShapeValue(0));
  return args.set_output(0, std::move(shape));
}

// What is asserted of the shape is known after it.
absl::Status EnsureShapeShape(ShapeArgs& args) {
  PartialShape shape = args.input(0);
  BERTH_RETURN_IF_ERROR(
      MergeInto(&shape, args.Attr<PartialShape>("shape"), "input must have the shape that is asked for"));
  return args.set_output(0, std::move(shape));
}

absl::Status IdentityNShape(ShapeArgs& args) {
  for (int k = 0; k < std::min(args.num_inputs(), args.num_outputs()); ++k) {
    BERTH_RETURN_IF_ERROR(args.set_output(k, args.input(k)));
    if (const HandleShapes* handle = args.handle(k)) args.set_handle(k, *handle);
  }
  return absl::OkStatus();
}

// Elements of another size fold into, or out of, the last dimension.
absl::Status BitcastShape(ShapeArgs& args) {
  PartialShape shape = args.input(0);
  const int from = DTypeSize(BaseOf(args.input_dtype(0))), to = DTypeSize(BaseOf(args.output_dtype(0)));
  if (!shape.has_rank() || from == to) return args.set_output(0, std::move(shape));
  if (from == 0 || to == 0) return args.set_output(0, PartialShape::Unknown());
  if (from > to) return args.set_output(0, ConcatShapes(shape, {from / to}));
  if (shape.rank() < 1 || !MergeDims(shape.dim(shape.rank() - 1), to / from).ok()) {
    return ShapeError("the last dimension must be ", to / from, ", got ", shape.ToString());
  }
  return args.set_output(0, SubShape(shape, 0, -1));
}

absl::Status BroadcastArgsShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const PartialShape a, args.WithRank(0, 1));
  BERTH_ASSIGN_OR_RETURN(const PartialShape b, args.WithRank(1, 1));
  const bool known = a.dim(0) != kUnknownDim && b.dim(0) != kUnknownDim;
  return args.set_output(0, {known ? std::max(a.dim(0), b.dim(0)) : kUnknownDim});
}

absl::Status LinSpaceShape(ShapeArgs& args) {
  for (int i = 0; i < 3; ++i) BERTH_RETURN_IF_ERROR(args.CheckRank(i, 0));
  const std::optional<int64_t> count = args.ScalarValue(2);
  if (count.has_value() && *count < 1) return ShapeError("num must be at least 1, got ", *count);
  return args.set_output(0, {count.value_or(kUnknownDim)});
}

constexpr OpTableRow kRows[] = {
    {"Bitcast(input: T) -> (output: type) {T: type in number; type: type in number}", BitcastShape},
    {"BroadcastArgs(s0: T, s1: T) -> (r0: T) {T: type in index = i32}", BroadcastArgsShape},
    {"BroadcastGradientArgs(s0: T, s1: T) -> (r0: T, r1: T) {T: type in index = i32}", BroadcastGradientArgsShape,
     BroadcastGradientArgsValue},
    {"BroadcastTo(input: T, shape: Tidx) -> (output: T) {T: type; Tidx: type in index = i32}", BroadcastToShape,
     BroadcastToValue},
    {"CheckNumerics(tensor: T) -> (output: T) {T: type in floating; message: string} stateful", UnchangedShape,
     CopyValue},
    {"ConjugateTranspose(x: T, perm: Tperm) -> (y: T) {T: type; Tperm: type in index = i32}", TransposeShape},
    {"Const() -> (output: dtype) {value: tensor; dtype: type}", ConstShape, ConstValue},
    {"Empty(shape: i32) -> (output: dtype) {dtype: type; init: bool = false} stateful", EmptyShape},
    {"EnsureShape(input: T) -> (output: T) {shape: shape; T: type}", EnsureShapeShape},
    {"ExpandDims(input: T, dim: Tdim) -> (output: T) {T: type; Tdim: type in index = i32}", ExpandDimsShape, CopyValue},
    {"Fill(dims: index_type, value: T) -> (output: T) {T: type; index_type: type in index = i32}", FillShape,
     FillValue},
    {"Identity(input: T) -> (output: T) {T: type}", UnchangedShape, CopyValue},
    {"IdentityN(input: T) -> (output: T) {T: list(type) >= 1}", IdentityNShape},
    {"InvertPermutation(x: T) -> (y: T) {T: type in index = i32}", InvertPermutationShape, InvertPermutationValue},
    {"LinSpace(start: T, stop: T, num: Tidx) -> (output: T) {T: type in floating; Tidx: type in index = i32}",
     LinSpaceShape},
    {"OneHot(indices: TI, depth: i32, on_value: T, off_value: T) -> (output: T) {axis: int = -1; T: type; TI: type in "
     "[index, u8, i8] = i64}",
     OneHotShape, OneHotValue},
    {"OnesLike(x: T) -> (y: T) {T: type in [real, complex64, complex128, bool]}", UnchangedShape, FillLikeValue},
    {"Placeholder() -> (output: dtype) {dtype: type; shape: shape = ?}", PlaceholderShape},
    {"PlaceholderV2() -> (output: dtype) {dtype: type; shape: shape} deprecated 23", PlaceholderShape},
    {"PlaceholderWithDefault(input: dtype) -> (output: dtype) {dtype: type; shape: shape}",
     PlaceholderWithDefaultShape},
    {"PreventGradient(input: T) -> (output: T) {T: type; message: string = ''}", UnchangedShape, CopyValue},
    {"Rank(input: T) -> (output: i32) {T: type}", RankShape, RankValue},
    {"Reshape(tensor: T, shape: Tshape) -> (output: T) {T: type; Tshape: type in index = i32}", ReshapeShape,
     CopyValue},
    {"ReverseV2(tensor: T, axis: Tidx) -> (output: T) {Tidx: type in index = i32; T: type in [real, bool, complex64, "
     "complex128, string]}",
     ReverseShape, ReverseValue},
    {"Shape(input: T) -> (output: out_type) {T: type; out_type: type in index = i32}", ShapeShape, ShapeValue},
    {"ShapeN(input: N * T) -> (output: N * out_type) {N: int >= 1; T: type; out_type: type in index = i32}", ShapeShape,
     ShapeValue},
    {"Size(input: T) -> (output: out_type) {T: type; out_type: type in index = i32}", SizeShape, SizeValue},
    {"Snapshot(input: T) -> (output: T) {T: type}", UnchangedShape},
    {"Squeeze(input: T) -> (output: T) {T: type; squeeze_dims: list(int) >= 0 = []}", SqueezeShape, CopyValue},
    {"StopGradient(input: T) -> (output: T) {T: type}", UnchangedShape, CopyValue},
    {"Transpose(x: T, perm: Tperm) -> (y: T) {T: type; Tperm: type in index = i32}", TransposeShape, TransposeValue},
    {"Unique(x: T) -> (y: T, idx: out_idx) {T: type; out_idx: type in index = i32}", UniqueShape, UniqueValue},
    {"Where(input: T) -> (index: i64) {T: type in [number, bool] = bool}", WhereShape, WhereValue},
    {"ZerosLike(x: T) -> (y: T) {T: type}", UnchangedShape, FillLikeValue},
};

}  // namespace

absl::Span<const OpTableRow> ArrayOps() { return kRows; }

}  // namespace berth
