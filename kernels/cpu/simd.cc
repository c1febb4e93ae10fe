#include "kernels/cpu/simd.h"

// Three targets are enough for machines in use; each costs compile time.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace berth::cpu::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<float>;

// Full vectors, then the tail through a padded buffer: every element goes through the same
// instructions, so that a value does not depend on where in the array it stands.
template <typename Fn>
HWY_INLINE void Map(const float* in, float* out, int64_t n, Fn fn) {
  const Tag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(fn(d, hn::LoadU(d, in + i)), d, out + i);
  if (i == n) return;
  HWY_ALIGN float buffer[HWY_MAX_BYTES / sizeof(float)] = {};
  for (int64_t k = i; k < n; ++k) buffer[k - i] = in[k];
  hn::Store(fn(d, hn::Load(d, buffer)), d, buffer);
  for (int64_t k = i; k < n; ++k) out[k] = buffer[k - i];
}

template <typename Fn>
HWY_INLINE void Zip(const float* a, int64_t a_step, const float* b, int64_t b_step, float* out, int64_t n, Fn fn) {
  const Tag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  if (a_step == 1 && b_step == 1) {
    for (; i + lanes <= n; i += lanes) {
      hn::StoreU(fn(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, out + i);
    }
  } else if (a_step == 1) {
    const auto y = hn::Set(d, *b);
    for (; i + lanes <= n; i += lanes) hn::StoreU(fn(hn::LoadU(d, a + i), y), d, out + i);
  } else if (b_step == 1) {
    const auto x = hn::Set(d, *a);
    for (; i + lanes <= n; i += lanes) hn::StoreU(fn(x, hn::LoadU(d, b + i)), d, out + i);
  }
  const hn::CappedTag<float, 1> one;
  for (; i < n; ++i) {
    const auto x = hn::Set(one, a[i * a_step]);
    hn::StoreU(fn(x, hn::Set(one, b[i * b_step])), one, out + i);
  }
}

void Add(const float* a, int64_t as, const float* b, int64_t bs, float* out, int64_t n) {
  Zip(a, as, b, bs, out, n, [](auto x, auto y) HWY_ATTR { return hn::Add(x, y); });
}
void Sub(const float* a, int64_t as, const float* b, int64_t bs, float* out, int64_t n) {
  Zip(a, as, b, bs, out, n, [](auto x, auto y) HWY_ATTR { return hn::Sub(x, y); });
}
void Mul(const float* a, int64_t as, const float* b, int64_t bs, float* out, int64_t n) {
  Zip(a, as, b, bs, out, n, [](auto x, auto y) HWY_ATTR { return hn::Mul(x, y); });
}
void Div(const float* a, int64_t as, const float* b, int64_t bs, float* out, int64_t n) {
  Zip(a, as, b, bs, out, n, [](auto x, auto y) HWY_ATTR { return hn::Div(x, y); });
}

void Relu(const float* in, float* out, int64_t n) {
  Map(in, out, n, [](auto d, auto x) HWY_ATTR {
    const auto zero = hn::Zero(d);
    return hn::IfThenElse(hn::Lt(x, zero), zero, x);
  });
}
void Relu6(const float* in, float* out, int64_t n) {
  Map(in, out, n, [](auto d, auto x) HWY_ATTR {
    const auto zero = hn::Zero(d);
    const auto six = hn::Set(d, 6.0f);
    return hn::IfThenElse(hn::Lt(x, zero), zero, hn::IfThenElse(hn::Gt(x, six), six, x));
  });
}

// hn::Exp is for finite arguments of ordinary size: clamp, then let what leaves the range say so.
template <class D, class V>
HWY_INLINE V SafeExp(D d, V x) {
  const V low = hn::Set(d, -104.0f);
  const V high = hn::Set(d, 88.722839f);
  const V y = hn::Exp(d, hn::Min(hn::Max(x, low), high));
  const V infinity = hn::Set(d, __builtin_inff());
  return hn::IfThenElse(hn::Gt(x, high), infinity, hn::IfThenElse(hn::IsNaN(x), x, y));
}

void Exp(const float* in, float* out, int64_t n) {
  Map(in, out, n, [](auto d, auto x) HWY_ATTR { return SafeExp(d, x); });
}
void Sigmoid(const float* in, float* out, int64_t n) {
  Map(in, out, n, [](auto d, auto x) HWY_ATTR {
    const auto one = hn::Set(d, 1.0f);
    return hn::Div(one, hn::Add(one, SafeExp(d, hn::Neg(x))));
  });
}
void Tanh(const float* in, float* out, int64_t n) {
  Map(in, out, n, [](auto d, auto x) HWY_ATTR {
    const auto limit = hn::Set(d, 20.0f);
    const auto y = hn::Tanh(d, hn::Min(hn::Max(x, hn::Neg(limit)), limit));
    return hn::IfThenElse(hn::IsNaN(x), x, y);
  });
}

void Accumulate(float a, const float* x, float* out, int64_t n) {
  const Tag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto va = hn::Set(d, a);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(hn::MulAdd(va, hn::LoadU(d, x + i), hn::LoadU(d, out + i)), d, out + i);
  }
  const hn::CappedTag<float, 1> one;
  for (; i < n; ++i) {
    hn::StoreU(hn::MulAdd(hn::Set(one, a), hn::LoadU(one, x + i), hn::LoadU(one, out + i)), one, out + i);
  }
}
void AccumulateProduct(const float* w, const float* x, float* out, int64_t n) {
  const Tag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(hn::MulAdd(hn::LoadU(d, w + i), hn::LoadU(d, x + i), hn::LoadU(d, out + i)), d, out + i);
  }
  const hn::CappedTag<float, 1> one;
  for (; i < n; ++i) {
    hn::StoreU(hn::MulAdd(hn::LoadU(one, w + i), hn::LoadU(one, x + i), hn::LoadU(one, out + i)), one, out + i);
  }
}
void ScaleShift(const float* in, const float* scale, const float* shift, float* out, int64_t n) {
  const Tag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(hn::MulAdd(hn::LoadU(d, in + i), hn::LoadU(d, scale + i), hn::LoadU(d, shift + i)), d, out + i);
  }
  const hn::CappedTag<float, 1> one;
  for (; i < n; ++i) {
    hn::StoreU(hn::MulAdd(hn::LoadU(one, in + i), hn::LoadU(one, scale + i), hn::LoadU(one, shift + i)), one, out + i);
  }
}

}  // namespace berth::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace berth::cpu::simd {

HWY_EXPORT(Add);
HWY_EXPORT(Sub);
HWY_EXPORT(Mul);
HWY_EXPORT(Div);
HWY_EXPORT(Relu);
HWY_EXPORT(Relu6);
HWY_EXPORT(Exp);
HWY_EXPORT(Sigmoid);
HWY_EXPORT(Tanh);
HWY_EXPORT(Accumulate);
HWY_EXPORT(AccumulateProduct);
HWY_EXPORT(ScaleShift);

void Add(const float* a, int64_t as, const float* b, int64_t bs, float* out, int64_t n) {
  HWY_DYNAMIC_DISPATCH(Add)(a, as, b, bs, out, n);
}
void Sub(const float* a, int64_t as, const float* b, int64_t bs, float* out, int64_t n) {
  HWY_DYNAMIC_DISPATCH(Sub)(a, as, b, bs, out, n);
}
void Mul(const float* a, int64_t as, const float* b, int64_t bs, float* out, int64_t n) {
  HWY_DYNAMIC_DISPATCH(Mul)(a, as, b, bs, out, n);
}
void Div(const float* a, int64_t as, const float* b, int64_t bs, float* out, int64_t n) {
  HWY_DYNAMIC_DISPATCH(Div)(a, as, b, bs, out, n);
}
void Relu(const float* in, float* out, int64_t n) { HWY_DYNAMIC_DISPATCH(Relu)(in, out, n); }
void Relu6(const float* in, float* out, int64_t n) { HWY_DYNAMIC_DISPATCH(Relu6)(in, out, n); }
void Exp(const float* in, float* out, int64_t n) { HWY_DYNAMIC_DISPATCH(Exp)(in, out, n); }
void Sigmoid(const float* in, float* out, int64_t n) { HWY_DYNAMIC_DISPATCH(Sigmoid)(in, out, n); }
void Tanh(const float* in, float* out, int64_t n) { HWY_DYNAMIC_DISPATCH(Tanh)(in, out, n); }
void Accumulate(float a, const float* x, float* out, int64_t n) { HWY_DYNAMIC_DISPATCH(Accumulate)(a, x, out, n); }
void AccumulateProduct(const float* w, const float* x, float* out, int64_t n) {
  HWY_DYNAMIC_DISPATCH(AccumulateProduct)(w, x, out, n);
}
void ScaleShift(const float* in, const float* scale, const float* shift, float* out, int64_t n) {
  HWY_DYNAMIC_DISPATCH(ScaleShift)(in, scale, shift, out, n);
}

}  // namespace berth::cpu::simd
#endif  // HWY_ONCE
