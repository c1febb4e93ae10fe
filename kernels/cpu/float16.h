// The two 16-bit float types, stored as TensorFlow stores them, computed in float32.
//
//   Half     1 sign, 5 exponent, 10 mantissa bits (IEEE binary16)
//   BFloat16 the upper half of a float32
#ifndef BERTH_KERNELS_CPU_FLOAT16_H_
#define BERTH_KERNELS_CPU_FLOAT16_H_

#include <cstdint>

namespace berth::cpu {

// Conversions round to nearest, ties to even; NaN stays NaN.
struct Half {
  uint16_t bits = 0;
  Half() = default;
  explicit Half(float value);
  explicit operator float() const;
};

struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  explicit BFloat16(float value);
  explicit operator float() const;
};

// n elements at once.
void ToFloat(const Half* in, float* out, int64_t n);
void ToFloat(const BFloat16* in, float* out, int64_t n);
void FromFloat(const float* in, Half* out, int64_t n);
void FromFloat(const float* in, BFloat16* out, int64_t n);

}  // namespace berth::cpu

#endif  // BERTH_KERNELS_CPU_FLOAT16_H_
