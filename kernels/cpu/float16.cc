#include "kernels/cpu/float16.h"

#include <bit>

namespace berth::cpu {
namespace {

// After F. Giesen, "Float to half conversion revisited": denormals are rounded by a float addition.
uint16_t HalfBits(float value) {
  uint32_t f = std::bit_cast<uint32_t>(value);
  const uint32_t sign = f & 0x80000000u;
  f ^= sign;
  uint16_t bits;
  if (f >= 0x47800000u) {  // 65536 and up, infinity, NaN
    bits = f > 0x7f800000u ? 0x7e00 : 0x7c00;
  } else if (f < 0x38800000u) {  // denormal as a half
    const float magic = std::bit_cast<float>(0x3f000000u);
    bits = static_cast<uint16_t>(std::bit_cast<uint32_t>(std::bit_cast<float>(f) + magic) - 0x3f000000u);
  } else {
    const uint32_t odd = (f >> 13) & 1;
    bits = static_cast<uint16_t>((f + 0xc8000fffu + odd) >> 13);
  }
  return static_cast<uint16_t>(bits | (sign >> 16));
}

float HalfValue(uint16_t bits) {
  uint32_t f = (bits & 0x7fffu) << 13;
  const uint32_t exponent = f & 0x0f800000u;
  f += 0x38000000u;
  if (exponent == 0x0f800000u) {
    f += 0x38000000u;  // infinity, NaN
  } else if (exponent == 0) {
    f += 0x00800000u;
    f = std::bit_cast<uint32_t>(std::bit_cast<float>(f) - std::bit_cast<float>(0x38800000u));
  }
  return std::bit_cast<float>(f | (static_cast<uint32_t>(bits & 0x8000u) << 16));
}

uint16_t BFloat16Bits(float value) {
  const uint32_t f = std::bit_cast<uint32_t>(value);
  if ((f & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((f >> 16) | 0x40);
  return static_cast<uint16_t>((f + 0x7fffu + ((f >> 16) & 1)) >> 16);
}

float BFloat16Value(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

}  // namespace

Half::Half(float value) : bits(HalfBits(value)) {}
Half::operator float() const { return HalfValue(bits); }
BFloat16::BFloat16(float value) : bits(BFloat16Bits(value)) {}
BFloat16::operator float() const { return BFloat16Value(bits); }

void ToFloat(const Half* in, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = HalfValue(in[i].bits);
}
void ToFloat(const BFloat16* in, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = BFloat16Value(in[i].bits);
}
void FromFloat(const float* in, Half* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i].bits = HalfBits(in[i]);
}
void FromFloat(const float* in, BFloat16* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i].bits = BFloat16Bits(in[i]);
}

}  // namespace berth::cpu
