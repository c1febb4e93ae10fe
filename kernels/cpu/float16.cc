#include "kernels/cpu/float16.h"

#include "graph/half.h"

namespace berth::cpu {

Half::Half(float value) : bits(FloatToHalf(value)) {}
Half::operator float() const { return HalfToFloat(bits); }
BFloat16::BFloat16(float value) : bits(FloatToBfloat16(value)) {}
BFloat16::operator float() const { return Bfloat16ToFloat(bits); }

void ToFloat(const Half* in, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = HalfToFloat(in[i].bits);
}
void ToFloat(const BFloat16* in, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = Bfloat16ToFloat(in[i].bits);
}
void FromFloat(const float* in, Half* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i].bits = FloatToHalf(in[i]);
}
void FromFloat(const float* in, BFloat16* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i].bits = FloatToBfloat16(in[i]);
}

}  // namespace berth::cpu
