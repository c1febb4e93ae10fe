// The gradients that are elementwise, an op a function object: operands are (gradient, features), (gradient, outputs) or
// (y, gradient), in the op's order.
//
//   ReluGrad::Apply(3.0f, -1.0f)  ->  0
//
// A gradient that is not finite is not masked: NaN and infinity times 0 are NaN, as in TensorFlow.
#ifndef BERTH_KERNELS_CPU_GRADIENT_FNS_H_
#define BERTH_KERNELS_CPU_GRADIENT_FNS_H_

#include <cmath>

namespace berth::cpu {

struct ReluGrad {
  template <typename T>
  static T Apply(T gradient, T feature) {
    return gradient * (feature > 0 ? T{1} : T{0});
  }
};

struct Relu6Grad {
  template <typename T>
  static T Apply(T gradient, T feature) {
    return gradient * (feature > 0 && feature < 6 ? T{1} : T{0});
  }
};

struct SigmoidGrad {
  template <typename T>
  static T Apply(T y, T gradient) {
    return gradient * y * (T{1} - y);
  }
};

struct TanhGrad {
  template <typename T>
  static T Apply(T y, T gradient) {
    return gradient * (T{1} - y * y);
  }
};

// In 16-bit floats, each step rounded.
template <typename H>
struct HalfTanhGrad {
  static float Apply(float y, float gradient) {
    return gradient * static_cast<float>(H(1 - static_cast<float>(H(y * y))));
  }
};

struct InvGrad {
  template <typename T>
  static T Apply(T y, T gradient) {
    return gradient == 0 ? T{0} : -gradient * y * y;
  }
};

struct SqrtGrad {
  template <typename T>
  static T Apply(T y, T gradient) {
    return gradient == 0 ? T{0} : gradient * T{0.5} / y;
  }
};

struct EluGrad {
  template <typename T>
  static T Apply(T gradient, T y) {
    return y < 0 ? (y + T{1}) * gradient : gradient;
  }
};

struct SoftplusGrad {
  template <typename T>
  static T Apply(T gradient, T feature) {
    return gradient / (std::exp(-feature) + T{1});
  }
};

struct SoftsignGrad {
  template <typename T>
  static T Apply(T gradient, T feature) {
    const T root = T{1} + std::abs(feature);
    return gradient / (root * root);
  }
};

struct RsqrtGrad {
  template <typename T>
  static T Apply(T y, T gradient) {
    return gradient == 0 ? T{0} : gradient * T{-0.5} * y * y * y;
  }
};

}  // namespace berth::cpu

#endif  // BERTH_KERNELS_CPU_GRADIENT_FNS_H_
