#include <algorithm>

#include "graph/ops/op_rows.h"
#include "graph/ops/shape_fns.h"
#include "graph/ops/value_fns.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

absl::Status AddNShape(ShapeArgs& args) {
  BERTH_RETURN_IF_ERROR(MergedShape(args));
  if (const HandleShapes* handle = args.handle(0)) args.set_handle(0, *handle);
  return absl::OkStatus();
}

// Whether shapes that may broadcast do so whatever their unknown dimensions are: those face 1 (or, as TensorFlow has it,
// one another).
bool SurelyBroadcast(const PartialShape& a, const PartialShape& b) {
  if (!a.has_rank() || !b.has_rank()) return false;
  for (int i = 1; i <= std::min(a.rank(), b.rank()); ++i) {
    const int64_t x = a.dim(a.rank() - i), y = b.dim(b.rank() - i);
    if (x != 1 && y != 1 && (x == kUnknownDim) != (y == kUnknownDim)) return false;
  }
  return true;
}

// With incompatible_shape_error off, shapes that do not broadcast make the answer a scalar.
absl::Status EqualShape(ShapeArgs& args) {
  absl::StatusOr<PartialShape> shape = BroadcastShapes(args.input(0), args.input(1));
  if (args.Attr<bool>("incompatible_shape_error", true)) {
    if (!shape.ok()) return shape.status();
    return args.set_output(0, *std::move(shape));
  }
  if (!shape.ok()) return args.set_output(0, PartialShape::Scalar());
  return args.set_output(0,
                         SurelyBroadcast(args.input(0), args.input(1)) ? *std::move(shape) : PartialShape::Unknown());
}

// The condition is a scalar, a vector that picks rows, or has the shape of the values.
absl::Status SelectShape(ShapeArgs& args) {
  PartialShape shape = args.input(1);
  BERTH_RETURN_IF_ERROR(MergeInto(&shape, args.input(2), "both values must have one shape"));
  if (const HandleShapes* handle = args.handle(1)) args.set_handle(0, *handle);
  const PartialShape& condition = args.input(0);
  if (!condition.has_rank() || condition.rank() == 0 || !shape.has_rank()) return args.set_output(0, std::move(shape));
  if (condition.rank() == 1) {
    if (shape.rank() == 0) {
      return ShapeError("a condition that is a vector needs values of rank 1 or more, got ", shape.ToString());
    }
    absl::StatusOr<int64_t> rows = MergeDims(condition.dim(0), shape.dim(0));
    if (!rows.ok()) {
      return ShapeError("a condition that is a vector must have one element a row, got ", condition.ToString(), " for ",
                        shape.ToString());
    }
    shape.set_dim(0, *rows);
  } else {
    BERTH_RETURN_IF_ERROR(MergeInto(&shape, condition, "condition and values must have one shape"));
  }
  return args.set_output(0, std::move(shape));
}

absl::Status SelectV2Shape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const PartialShape values, BroadcastShapes(args.input(1), args.input(2)));
  BERTH_ASSIGN_OR_RETURN(PartialShape shape, BroadcastShapes(args.input(0), values));
  if (const HandleShapes* handle = args.handle(1)) args.set_handle(0, *handle);
  return args.set_output(0, std::move(shape));
}

constexpr OpTableRow kRows[] = {
    {"Abs(x: T) -> (y: T) {T: type in signed}", UnchangedShape, UnaryValue},
    {"Acos(x: T) -> (y: T) {T: type in [inexact, i8, i16, index]}", UnchangedShape},
    {"Acosh(x: T) -> (y: T) {T: type in inexact}", UnchangedShape},
    {"Add(x: T, y: T) -> (z: T) {T: type in [signed, u8, complex64, complex128, string]}", BroadcastShape, BinaryValue},
    {"AddN(inputs: N * T) -> (sum: T) {N: int >= 1; T: type in [number, variant]} aggregate commutative", AddNShape,
     AddNValue},
    {"AddV2(x: T, y: T) -> (z: T) {T: type in [real, complex64, complex128]} aggregate commutative", BroadcastShape,
     BinaryValue},
    {"AsString(input: T) -> (output: string) {T: type in [real, complex64, complex128, bool, variant, string]; "
     "precision: int = -1; scientific: bool = false; shortest: bool = false; width: int = -1; fill: string = ''}",
     UnchangedShape},
    {"Asin(x: T) -> (y: T) {T: type in [inexact, i8, i16, index]}", UnchangedShape},
    {"Asinh(x: T) -> (y: T) {T: type in inexact}", UnchangedShape},
    {"Atan(x: T) -> (y: T) {T: type in [inexact, i8, i16, index]}", UnchangedShape},
    {"Atan2(y: T, x: T) -> (z: T) {T: type in floating}", BroadcastShape},
    {"Atanh(x: T) -> (y: T) {T: type in inexact}", UnchangedShape},
    {"Cast(x: SrcT) -> (y: DstT) {SrcT: type; DstT: type; Truncate: bool = false}", UnchangedShape, CastValue},
    {"Ceil(x: T) -> (y: T) {T: type in floating}", UnchangedShape, UnaryValue},
    {"ClipByValue(t: T, clip_value_min: T, clip_value_max: T) -> (output: T) {T: type in number}", UnchangedShape},
    {"Cos(x: T) -> (y: T) {T: type in inexact}", UnchangedShape},
    {"Cosh(x: T) -> (y: T) {T: type in inexact}", UnchangedShape},
    {"Digamma(x: T) -> (y: T) {T: type in floating}", UnchangedShape},
    {"Div(x: T, y: T) -> (z: T) {T: type in [real, complex64, complex128]}", BroadcastShape},
    {"DivNoNan(x: T, y: T) -> (z: T) {T: type in inexact}", BroadcastShape, BinaryValue},
    {"Equal(x: T, y: T) -> (z: bool) {T: type; incompatible_shape_error: bool = true} commutative", EqualShape,
     BinaryValue},
    {"Erf(x: T) -> (y: T) {T: type in floating}", UnchangedShape},
    {"Erfc(x: T) -> (y: T) {T: type in floating}", UnchangedShape},
    {"Exp(x: T) -> (y: T) {T: type in inexact}", UnchangedShape, UnaryValue},
    {"Expm1(x: T) -> (y: T) {T: type in inexact}", UnchangedShape},
    {"FakeQuantWithMinMaxArgs(inputs: f32) -> (outputs: f32) {min: float = -6.0; max: float = 6.0; num_bits: int = 8; "
     "narrow_range: bool = false}",
     UnchangedShape},
    {"FakeQuantWithMinMaxVars(inputs: f32, min: f32, max: f32) -> (outputs: f32) {num_bits: int = 8; narrow_range: "
     "bool = false}",
     UnchangedShape},
    {"Floor(x: T) -> (y: T) {T: type in floating}", UnchangedShape, UnaryValue},
    {"FloorDiv(x: T, y: T) -> (z: T) {T: type in [real, complex64, complex128]}", BroadcastShape, BinaryValue},
    {"FloorMod(x: T, y: T) -> (z: T) {T: type in real}", BroadcastShape, BinaryValue},
    {"Greater(x: T, y: T) -> (z: bool) {T: type in real}", BroadcastShape, BinaryValue},
    {"GreaterEqual(x: T, y: T) -> (z: bool) {T: type in real}", BroadcastShape, BinaryValue},
    {"Inv(x: T) -> (y: T) {T: type in [signed, complex64, complex128]}", UnchangedShape},
    {"InvGrad(y: T, dy: T) -> (z: T) {T: type in inexact}", MergedShape},
    {"Invert(x: T) -> (y: T) {T: type in [i8, i16, index, u8, u16, u32, u64]}", UnchangedShape},
    {"IsFinite(x: T) -> (y: bool) {T: type in floating}", UnchangedShape},
    {"IsInf(x: T) -> (y: bool) {T: type in floating}", UnchangedShape},
    {"IsNan(x: T) -> (y: bool) {T: type in floating}", UnchangedShape},
    {"Less(x: T, y: T) -> (z: bool) {T: type in real}", BroadcastShape, BinaryValue},
    {"LessEqual(x: T, y: T) -> (z: bool) {T: type in real}", BroadcastShape, BinaryValue},
    {"Lgamma(x: T) -> (y: T) {T: type in floating}", UnchangedShape},
    {"Log(x: T) -> (y: T) {T: type in inexact}", UnchangedShape, UnaryValue},
    {"Log1p(x: T) -> (y: T) {T: type in inexact}", UnchangedShape},
    {"LogicalAnd(x: bool, y: bool) -> (z: bool) commutative", BroadcastShape, BinaryValue},
    {"LogicalNot(x: bool) -> (y: bool)", UnchangedShape, UnaryValue},
    {"LogicalOr(x: bool, y: bool) -> (z: bool) commutative", BroadcastShape, BinaryValue},
    {"Maximum(x: T, y: T) -> (z: T) {T: type in real}", BroadcastShape, BinaryValue},
    {"Minimum(x: T, y: T) -> (z: T) {T: type in real}", BroadcastShape, BinaryValue},
    {"Mod(x: T, y: T) -> (z: T) {T: type in [floating, index]}", BroadcastShape},
    {"Mul(x: T, y: T) -> (z: T) {T: type in [real, complex64, complex128]} commutative", BroadcastShape, BinaryValue},
    {"MulNoNan(x: T, y: T) -> (z: T) {T: type in inexact}", BroadcastShape},
    {"Neg(x: T) -> (y: T) {T: type in [signed, complex64, complex128]}", UnchangedShape, UnaryValue},
    {"NextAfter(x1: T, x2: T) -> (output: T) {T: type in [f64, f32] = f32}", BroadcastShape},
    {"NotEqual(x: T, y: T) -> (z: bool) {T: type; incompatible_shape_error: bool = true} commutative", EqualShape,
     BinaryValue},
    {"Pow(x: T, y: T) -> (z: T) {T: type in [signed, complex64, complex128]}", BroadcastShape, BinaryValue},
    {"RealDiv(x: T, y: T) -> (z: T) {T: type in [real, complex64, complex128]}", BroadcastShape, BinaryValue},
    {"Reciprocal(x: T) -> (y: T) {T: type in [signed, complex64, complex128]}", UnchangedShape, UnaryValue},
    {"ReciprocalGrad(y: T, dy: T) -> (z: T) {T: type in inexact}", MergedShape},
    {"Rint(x: T) -> (y: T) {T: type in floating}", UnchangedShape, UnaryValue},
    {"Round(x: T) -> (y: T) {T: type in [signed, complex64, complex128]}", UnchangedShape, UnaryValue},
    {"Rsqrt(x: T) -> (y: T) {T: type in inexact}", UnchangedShape, UnaryValue},
    {"RsqrtGrad(y: T, dy: T) -> (z: T) {T: type in inexact}", MergedShape},
    {"Select(condition: bool, t: T, e: T) -> (output: T) {T: type}", SelectShape, SelectValue},
    {"SelectV2(condition: bool, t: T, e: T) -> (output: T) {T: type}", SelectV2Shape, SelectValue},
    {"Sigmoid(x: T) -> (y: T) {T: type in inexact}", UnchangedShape},
    {"SigmoidGrad(y: T, dy: T) -> (z: T) {T: type in inexact}", MergedShape},
    {"Sign(x: T) -> (y: T) {T: type in [signed, complex64, complex128]}", UnchangedShape, UnaryValue},
    {"Sin(x: T) -> (y: T) {T: type in inexact}", UnchangedShape},
    {"Sinh(x: T) -> (y: T) {T: type in inexact}", UnchangedShape},
    {"Sqrt(x: T) -> (y: T) {T: type in inexact}", UnchangedShape, UnaryValue},
    {"SqrtGrad(y: T, dy: T) -> (z: T) {T: type in inexact}", MergedShape},
    {"Square(x: T) -> (y: T) {T: type in [real, complex64, complex128]}", UnchangedShape, UnaryValue},
    {"SquaredDifference(x: T, y: T) -> (z: T) {T: type in [inexact, index]} commutative", BroadcastShape, BinaryValue},
    {"Sub(x: T, y: T) -> (z: T) {T: type in [real, complex64, complex128]}", BroadcastShape, BinaryValue},
    {"Tan(x: T) -> (y: T) {T: type in [inexact, i8, i16, index]}", UnchangedShape},
    {"Tanh(x: T) -> (y: T) {T: type in inexact}", UnchangedShape},
    {"TanhGrad(y: T, dy: T) -> (z: T) {T: type in inexact}", MergedShape},
    {"TruncateDiv(x: T, y: T) -> (z: T) {T: type in [real, complex64, complex128]}", BroadcastShape},
    {"TruncateMod(x: T, y: T) -> (z: T) {T: type in [floating, index]}", BroadcastShape},
    {"Xdivy(x: T, y: T) -> (z: T) {T: type in inexact}", BroadcastShape},
    {"Xlogy(x: T, y: T) -> (z: T) {T: type in inexact}", BroadcastShape},
};

}  // namespace

absl::Span<const OpTableRow> ElementwiseOps() { return kRows; }

}  // namespace berth
