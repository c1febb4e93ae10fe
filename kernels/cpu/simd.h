// The loops that most time goes into, written once for the widest vectors that the machine at hand
// has.
//
// All take n elements that need no alignment, and allow the output to be an input.
#ifndef BERTH_KERNELS_CPU_SIMD_H_
#define BERTH_KERNELS_CPU_SIMD_H_

#include <cstdint>

namespace berth::cpu::simd {

// A step of 0 repeats the operand's first element, 1 walks.
void Add(const float* a, int64_t a_step, const float* b, int64_t b_step, float* out, int64_t n);
void Sub(const float* a, int64_t a_step, const float* b, int64_t b_step, float* out, int64_t n);
void Mul(const float* a, int64_t a_step, const float* b, int64_t b_step, float* out, int64_t n);
void Div(const float* a, int64_t a_step, const float* b, int64_t b_step, float* out, int64_t n);

// NaN stays NaN.
void Relu(const float* in, float* out, int64_t n);
void Relu6(const float* in, float* out, int64_t n);

// Within 3 units in the last place of the exact function.
void Exp(const float* in, float* out, int64_t n);
void Sigmoid(const float* in, float* out, int64_t n);
void Tanh(const float* in, float* out, int64_t n);

// out[i] += a * x[i]
void Accumulate(float a, const float* x, float* out, int64_t n);
// out[i] += w[i] * x[i]
void AccumulateProduct(const float* w, const float* x, float* out, int64_t n);
// out[i] = in[i] * scale[i] + shift[i]
void ScaleShift(const float* in, const float* scale, const float* shift, float* out, int64_t n);

}  // namespace berth::cpu::simd

#endif  // BERTH_KERNELS_CPU_SIMD_H_
