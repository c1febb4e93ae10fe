#include "graph/ops/op_rows.h"

namespace berth {
namespace {

constexpr OpRow kRows[] = {
    {"BroadcastGradientArgs(s0: T, s1: T) -> (r0: T, r1: T) {T: type in index = i32}"},
    {"BroadcastTo(input: T, shape: Tidx) -> (output: T) {T: type; Tidx: type in index = i32}"},
    {"CheckNumerics(tensor: T) -> (output: T) {T: type in floating; message: string} stateful"},
    {"Const() -> (output: dtype) {value: tensor; dtype: type}"},
    {"ExpandDims(input: T, dim: Tdim) -> (output: T) {T: type; Tdim: type in index = i32}"},
    {"Fill(dims: index_type, value: T) -> (output: T) {T: type; index_type: type in index = i32}"},
    {"Identity(input: T) -> (output: T) {T: type}"},
    {"InvertPermutation(x: T) -> (y: T) {T: type in index = i32}"},
    {"OneHot(indices: TI, depth: i32, on_value: T, off_value: T) -> (output: T) {axis: int = -1; T: type; TI: type in "
     "[index, u8, i8] = i64}"},
    {"OnesLike(x: T) -> (y: T) {T: type in [real, complex64, complex128, bool]}"},
    {"Placeholder() -> (output: dtype) {dtype: type; shape: shape = ?}"},
    {"PlaceholderV2() -> (output: dtype) {dtype: type; shape: shape} deprecated 23"},
    {"PlaceholderWithDefault(input: dtype) -> (output: dtype) {dtype: type; shape: shape}"},
    {"PreventGradient(input: T) -> (output: T) {T: type; message: string = ''}"},
    {"Rank(input: T) -> (output: i32) {T: type}"},
    {"Reshape(tensor: T, shape: Tshape) -> (output: T) {T: type; Tshape: type in index = i32}"},
    {"ReverseV2(tensor: T, axis: Tidx) -> (output: T) {Tidx: type in index = i32; T: type in [real, bool, complex64, "
     "complex128, string]}"},
    {"Shape(input: T) -> (output: out_type) {T: type; out_type: type in index = i32}"},
    {"ShapeN(input: N * T) -> (output: N * out_type) {N: int >= 1; T: type; out_type: type in index = i32}"},
    {"Size(input: T) -> (output: out_type) {T: type; out_type: type in index = i32}"},
    {"Squeeze(input: T) -> (output: T) {T: type; squeeze_dims: list(int) >= 0 = []}"},
    {"StopGradient(input: T) -> (output: T) {T: type}"},
    {"Transpose(x: T, perm: Tperm) -> (y: T) {T: type; Tperm: type in index = i32}"},
    {"Unique(x: T) -> (y: T, idx: out_idx) {T: type; out_idx: type in index = i32}"},
    {"Where(input: T) -> (index: i64) {T: type in [number, bool] = bool}"},
    {"ZerosLike(x: T) -> (y: T) {T: type}"},
};

}  // namespace

absl::Span<const OpRow> ArrayOps() { return kRows; }

}  // namespace berth
