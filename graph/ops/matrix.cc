#include "graph/ops/op_rows.h"

namespace berth {
namespace {

constexpr OpRow kRows[] = {
    {"BatchMatMul(x: T, y: T) -> (output: T) {T: type in [inexact, index]; adj_x: bool = false; adj_y: bool = false; "
     "grad_x: bool = false; grad_y: bool = false}"},
    {"BatchMatMulV2(x: T, y: T) -> (output: T) {T: type in [inexact, index, i16, u8, u16, u32, u64]; adj_x: bool = "
     "false; adj_y: bool = false; grad_x: bool = false; grad_y: bool = false}"},
    {"Einsum(inputs: N * T) -> (output: T) {equation: string; N: int >= 1; T: type}"},
    {"FFT(input: Tcomplex) -> (output: Tcomplex) {Tcomplex: type in [complex64, complex128] = complex64}"},
    {"IFFT(input: Tcomplex) -> (output: Tcomplex) {Tcomplex: type in [complex64, complex128] = complex64}"},
    {"IRFFT(input: Tcomplex, fft_length: i32) -> (output: Treal) {Treal: type in [f32, f64] = f32; Tcomplex: type in "
     "[complex64, complex128] = complex64}"},
    {"MatMul(a: T, b: T) -> (product: T) {transpose_a: bool = false; transpose_b: bool = false; T: type in [inexact, "
     "index, u8, u16, u32, u64]; grad_a: bool = false; grad_b: bool = false}"},
    {"RFFT(input: Treal, fft_length: i32) -> (output: Tcomplex) {Treal: type in [f32, f64] = f32; Tcomplex: type in "
     "[complex64, complex128] = complex64}"},
};

}  // namespace

absl::Span<const OpRow> MatrixOps() { return kRows; }

}  // namespace berth
