#include "graph/ops/op_rows.h"

namespace berth {
namespace {

constexpr OpRow kRows[] = {
    {"Abs(x: T) -> (y: T) {T: type in signed}"},
    {"Add(x: T, y: T) -> (z: T) {T: type in [signed, u8, complex64, complex128, string]}"},
    {"AddN(inputs: N * T) -> (sum: T) {N: int >= 1; T: type in [number, variant]} aggregate commutative"},
    {"AddV2(x: T, y: T) -> (z: T) {T: type in [real, complex64, complex128]} aggregate commutative"},
    {"Atan2(y: T, x: T) -> (z: T) {T: type in floating}"},
    {"Cast(x: SrcT) -> (y: DstT) {SrcT: type; DstT: type; Truncate: bool = false}"},
    {"Ceil(x: T) -> (y: T) {T: type in floating}"},
    {"Cos(x: T) -> (y: T) {T: type in inexact}"},
    {"DivNoNan(x: T, y: T) -> (z: T) {T: type in inexact}"},
    {"Equal(x: T, y: T) -> (z: bool) {T: type; incompatible_shape_error: bool = true} commutative"},
    {"Erf(x: T) -> (y: T) {T: type in floating}"},
    {"Exp(x: T) -> (y: T) {T: type in inexact}"},
    {"Expm1(x: T) -> (y: T) {T: type in inexact}"},
    {"Floor(x: T) -> (y: T) {T: type in floating}"},
    {"FloorDiv(x: T, y: T) -> (z: T) {T: type in [real, complex64, complex128]}"},
    {"FloorMod(x: T, y: T) -> (z: T) {T: type in real}"},
    {"Greater(x: T, y: T) -> (z: bool) {T: type in real}"},
    {"GreaterEqual(x: T, y: T) -> (z: bool) {T: type in real}"},
    {"IsFinite(x: T) -> (y: bool) {T: type in floating}"},
    {"IsInf(x: T) -> (y: bool) {T: type in floating}"},
    {"IsNan(x: T) -> (y: bool) {T: type in floating}"},
    {"Less(x: T, y: T) -> (z: bool) {T: type in real}"},
    {"LessEqual(x: T, y: T) -> (z: bool) {T: type in real}"},
    {"Log(x: T) -> (y: T) {T: type in inexact}"},
    {"Log1p(x: T) -> (y: T) {T: type in inexact}"},
    {"LogicalAnd(x: bool, y: bool) -> (z: bool) commutative"},
    {"LogicalNot(x: bool) -> (y: bool)"},
    {"LogicalOr(x: bool, y: bool) -> (z: bool) commutative"},
    {"Maximum(x: T, y: T) -> (z: T) {T: type in real}"},
    {"Minimum(x: T, y: T) -> (z: T) {T: type in real}"},
    {"Mul(x: T, y: T) -> (z: T) {T: type in [real, complex64, complex128]} commutative"},
    {"Neg(x: T) -> (y: T) {T: type in [signed, complex64, complex128]}"},
    {"NotEqual(x: T, y: T) -> (z: bool) {T: type; incompatible_shape_error: bool = true} commutative"},
    {"Pow(x: T, y: T) -> (z: T) {T: type in [signed, complex64, complex128]}"},
    {"RealDiv(x: T, y: T) -> (z: T) {T: type in [real, complex64, complex128]}"},
    {"Reciprocal(x: T) -> (y: T) {T: type in [signed, complex64, complex128]}"},
    {"ReciprocalGrad(y: T, dy: T) -> (z: T) {T: type in inexact}"},
    {"Rint(x: T) -> (y: T) {T: type in floating}"},
    {"Round(x: T) -> (y: T) {T: type in [signed, complex64, complex128]}"},
    {"Rsqrt(x: T) -> (y: T) {T: type in inexact}"},
    {"RsqrtGrad(y: T, dy: T) -> (z: T) {T: type in inexact}"},
    {"Select(condition: bool, t: T, e: T) -> (output: T) {T: type}"},
    {"SelectV2(condition: bool, t: T, e: T) -> (output: T) {T: type}"},
    {"Sigmoid(x: T) -> (y: T) {T: type in inexact}"},
    {"SigmoidGrad(y: T, dy: T) -> (z: T) {T: type in inexact}"},
    {"Sign(x: T) -> (y: T) {T: type in [signed, complex64, complex128]}"},
    {"Sin(x: T) -> (y: T) {T: type in inexact}"},
    {"Sqrt(x: T) -> (y: T) {T: type in inexact}"},
    {"SqrtGrad(y: T, dy: T) -> (z: T) {T: type in inexact}"},
    {"Square(x: T) -> (y: T) {T: type in [real, complex64, complex128]}"},
    {"SquaredDifference(x: T, y: T) -> (z: T) {T: type in [inexact, index]} commutative"},
    {"Sub(x: T, y: T) -> (z: T) {T: type in [real, complex64, complex128]}"},
    {"Tanh(x: T) -> (y: T) {T: type in inexact}"},
    {"TanhGrad(y: T, dy: T) -> (z: T) {T: type in inexact}"},
};

}  // namespace

absl::Span<const OpRow> ElementwiseOps() { return kRows; }

}  // namespace berth
