// Loops over elements with their types erased, so that one engine serves every op and dtype: a
// family is a table whose rows hold, for each dtype, a pointer to the innermost loop.
//
//   constexpr UnaryRow kRows[] = {Unary<Negate, float, double, int32_t>("Neg"), ...};
//
// 16-bit floats are computed in float32, a chunk at a time, through the float32 loop of the same
// op.
#ifndef BERTH_KERNELS_CPU_ELEMENTWISE_H_
#define BERTH_KERNELS_CPU_ELEMENTWISE_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "graph/dtype.h"
#include "graph/literal.h"
#include "kernels/cpu/float16.h"

namespace berth::cpu {

constexpr int kDTypes = 24;  // DType numbers that a row can hold loops for
constexpr int64_t kChunk = 256;

template <typename T>
constexpr DType ElementDType() {
  if constexpr (std::is_same_v<T, Half>) return DType::kFloat16;
  if constexpr (std::is_same_v<T, BFloat16>) return DType::kBfloat16;
  return DTypeOf<T>();
}

// out[i] = f(in[i]); `parameter` is the op's attribute where it has one.
using UnaryLoop = void (*)(const void* in, void* out, int64_t n, float parameter);
// out[i] = f(a[i * a_step], b[i * b_step]), steps 0 or 1. False: an element has no result (division
// by zero).
using BinaryLoop = bool (*)(const void* a, int64_t a_step, const void* b, int64_t b_step, void* out, int64_t n);

struct UnaryRow {
  const char* op = nullptr;
  std::array<UnaryLoop, kDTypes> loops = {};
  bool to_bool = false;
  const char* parameter = nullptr;  // a float attribute
};

struct BinaryRow {
  const char* op = nullptr;
  std::array<BinaryLoop, kDTypes> loops = {};
  bool to_bool = false;
  const char* no_result = "";  // the error when a loop says false
};

template <typename H, UnaryLoop kFloatLoop, bool kToBool>
void HalfUnaryLoop(const void* in, void* out, int64_t n, float parameter) {
  float x[kChunk], y[kChunk];
  for (int64_t i = 0; i < n; i += kChunk) {
    const int64_t count = std::min(kChunk, n - i);
    ToFloat(static_cast<const H*>(in) + i, x, count);
    if constexpr (kToBool) {
      kFloatLoop(x, static_cast<bool*>(out) + i, count, parameter);
    } else {
      kFloatLoop(x, y, count, parameter);
      FromFloat(y, static_cast<H*>(out) + i, count);
    }
  }
}

template <typename H, BinaryLoop kFloatLoop, bool kToBool>
bool HalfBinaryLoop(const void* a, int64_t a_step, const void* b, int64_t b_step, void* out, int64_t n) {
  float x[kChunk], y[kChunk], z[kChunk];
  for (int64_t i = 0; i < n; i += kChunk) {
    const int64_t count = std::min(kChunk, n - i);
    ToFloat(static_cast<const H*>(a) + i * a_step, x, a_step == 0 ? 1 : count);
    ToFloat(static_cast<const H*>(b) + i * b_step, y, b_step == 0 ? 1 : count);
    if constexpr (kToBool) {
      if (!kFloatLoop(x, a_step, y, b_step, static_cast<bool*>(out) + i, count)) return false;
    } else {
      if (!kFloatLoop(x, a_step, y, b_step, z, count)) return false;
      FromFloat(z, static_cast<H*>(out) + i, count);
    }
  }
  return true;
}

}  // namespace berth::cpu

#endif  // BERTH_KERNELS_CPU_ELEMENTWISE_H_
