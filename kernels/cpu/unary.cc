// Ops of one operand, element by element. A row of the table below is an op: a function object and the dtypes it is
// for.
#include <cmath>
#include <limits>
#include <utility>

#include "graph/status_macros.h"
#include "kernels/cpu/args.h"
#include "kernels/cpu/denormals.h"
#include "kernels/cpu/elementwise.h"
#include "kernels/cpu/families.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/simd.h"
#include "kernels/cpu/strided.h"

namespace berth::cpu {
namespace {

#define BERTH_UNARY(Name, expression) \
  struct Name {                       \
    template <typename T>             \
    static auto Apply(T x, float) {   \
      return expression;              \
    }                                 \
  };
BERTH_UNARY(Acos, std::acos(x))
BERTH_UNARY(Acosh, std::acosh(x))
BERTH_UNARY(Asin, std::asin(x))
BERTH_UNARY(Asinh, std::asinh(x))
BERTH_UNARY(Atan, std::atan(x))
BERTH_UNARY(Atanh, std::atanh(x))
BERTH_UNARY(Ceil, std::ceil(x))
BERTH_UNARY(Cos, std::cos(x))
BERTH_UNARY(Cosh, std::cosh(x))
BERTH_UNARY(Erfc, std::erfc(x))
BERTH_UNARY(Expm1, std::expm1(x))
BERTH_UNARY(Floor, std::floor(x))
BERTH_UNARY(IsFinite, bool{std::isfinite(x)})
BERTH_UNARY(IsInf, bool{std::isinf(x)})
BERTH_UNARY(IsNan, bool{std::isnan(x)})
BERTH_UNARY(Log1p, std::log1p(x))
BERTH_UNARY(Not, !x)
BERTH_UNARY(Reciprocal, T{1} / x)
BERTH_UNARY(Rsqrt, T{1} / std::sqrt(x))
BERTH_UNARY(Sin, std::sin(x))
BERTH_UNARY(Sinh, std::sinh(x))
BERTH_UNARY(Softsign, x / (T{1} + std::abs(x)))
BERTH_UNARY(Sqrt, std::sqrt(x))
BERTH_UNARY(Tan, std::tan(x))
#undef BERTH_UNARY

struct Abs {
  template <typename T>
  static T Apply(T x, float) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::abs(x);
    } else {
      return x < 0 ? static_cast<T>(-static_cast<std::make_unsigned_t<T>>(x)) : x;
    }
  }
};

// Infinities in double give NaN, as in TensorFlow.
struct Erf {
  template <typename T>
  static T Apply(T x, float) {
    if (sizeof(T) == 8 && std::isinf(x)) return std::numeric_limits<T>::quiet_NaN();
    return std::erf(x);
  }
};

// A denormal number is a zero, which std::log() does not see.
struct Log {
  template <typename T>
  static T Apply(T x, float) {
    return std::abs(x) < std::numeric_limits<T>::min() ? -std::numeric_limits<T>::infinity() : std::log(x);
  }
};

struct Neg {
  template <typename T>
  static T Apply(T x, float) {
    if constexpr (std::is_floating_point_v<T>) {
      return -x;
    } else {
      return static_cast<T>(-static_cast<std::make_unsigned_t<T>>(x));
    }
  }
};

struct Square {
  template <typename T>
  static T Apply(T x, float) {
    if constexpr (std::is_floating_point_v<T>) {
      return x * x;
    } else {
      const auto wide = static_cast<uint64_t>(x);
      return static_cast<T>(wide * wide);
    }
  }
};

struct Sign {
  template <typename T>
  static T Apply(T x, float) {
    return x > 0 ? T{1} : x < 0 ? static_cast<T>(-1) : x;
  }
};

// Half to even, whatever the rounding mode is called.
struct Round {
  template <typename T>
  static T Apply(T x, float) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::nearbyint(x);
    } else {
      return x;
    }
  }
};

struct Exp {
  template <typename T>
  static T Apply(T x, float) {
    return std::exp(x);
  }
  static constexpr auto kSimd = simd::Exp;
};

struct Sigmoid {
  template <typename T>
  static T Apply(T x, float) {
    return T{1} / (T{1} + std::exp(-x));
  }
  static constexpr auto kSimd = simd::Sigmoid;
};

struct Tanh {
  template <typename T>
  static T Apply(T x, float) {
    return std::tanh(x);
  }
  static constexpr auto kSimd = simd::Tanh;
};

struct Relu {
  template <typename T>
  static T Apply(T x, float) {
    return x < 0 ? T{0} : x;
  }
  static constexpr auto kSimd = simd::Relu;
};

struct Relu6 {
  template <typename T>
  static T Apply(T x, float) {
    return x < 0 ? T{0} : x > 6 ? T{6} : x;
  }
  static constexpr auto kSimd = simd::Relu6;
};

struct LeakyRelu {
  template <typename T>
  static T Apply(T x, float alpha) {
    return x > 0 ? x : x * static_cast<T>(alpha);
  }
};

struct Elu {
  template <typename T>
  static T Apply(T x, float) {
    return x < 0 ? std::expm1(x) : x;
  }
};

struct Selu {
  template <typename T>
  static T Apply(T x, float) {
    constexpr T kScale = static_cast<T>(1.0507009873554804934193349852946);
    constexpr T kScaledAlpha = static_cast<T>(1.7580993408473768599402175208123);
    return x < 0 ? kScaledAlpha * std::expm1(x) : kScale * x;
  }
};

// log(1 + exp(x)), with the ends where the sum loses one of its terms.
struct Softplus {
  template <typename T>
  static T Apply(T x, float) {
    const T threshold = std::log(std::numeric_limits<T>::epsilon()) + T{2};
    if (x > -threshold) return x;
    if (x < threshold) return std::exp(x);
    return std::log1p(std::exp(x));
  }
};

template <typename F, typename T>
void Loop(const void* in, void* out, int64_t n, float parameter) {
  const T* x = static_cast<const T*>(in);
  auto* y = static_cast<decltype(F::Apply(*x, parameter))*>(out);
  if constexpr (std::is_same_v<T, float> && requires { F::kSimd; }) {
    F::kSimd(x, y, n);
  } else {
    for (int64_t i = 0; i < n; ++i) y[i] = F::Apply(x[i], parameter);
  }
}

template <typename F, bool kToBool, typename... Ts>
constexpr UnaryRow MakeRow(const char* op, const char* parameter = nullptr) {
  UnaryRow row{.op = op, .to_bool = kToBool, .parameter = parameter};
  ((row.loops[static_cast<int>(DTypeOf<Ts>())] = &Loop<F, Ts>), ...);
  if constexpr ((std::is_same_v<Ts, float> || ...)) {
    row.loops[static_cast<int>(DType::kFloat16)] = &HalfUnaryLoop<Half, &Loop<F, float>, kToBool>;
    row.loops[static_cast<int>(DType::kBfloat16)] = &HalfUnaryLoop<BFloat16, &Loop<F, float>, kToBool>;
  }
  return row;
}

template <typename F>
constexpr UnaryRow Floats(const char* op, const char* parameter = nullptr) {
  return MakeRow<F, false, float, double>(op, parameter);
}
template <typename F>
constexpr UnaryRow Signed(const char* op) {
  return MakeRow<F, false, float, double, int8_t, int16_t, int32_t, int64_t>(op);
}
template <typename F>
constexpr UnaryRow Numbers(const char* op) {
  return MakeRow<F, false, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(op);
}

constexpr UnaryRow kRows[] = {
    Signed<Abs>("Abs"),
    Floats<Acos>("Acos"),
    Floats<Acosh>("Acosh"),
    Floats<Asin>("Asin"),
    Floats<Asinh>("Asinh"),
    Floats<Atan>("Atan"),
    Floats<Atanh>("Atanh"),
    Floats<Ceil>("Ceil"),
    Floats<Cos>("Cos"),
    Floats<Cosh>("Cosh"),
    Floats<Elu>("Elu"),
    Floats<Erf>("Erf"),
    Floats<Erfc>("Erfc"),
    Floats<Exp>("Exp"),
    Floats<Expm1>("Expm1"),
    Floats<Floor>("Floor"),
    Floats<Reciprocal>("Inv"),
    MakeRow<IsFinite, true, float, double>("IsFinite"),
    MakeRow<IsInf, true, float, double>("IsInf"),
    MakeRow<IsNan, true, float, double>("IsNan"),
    Floats<LeakyRelu>("LeakyRelu", "alpha"),
    Floats<Log>("Log"),
    Floats<Log1p>("Log1p"),
    MakeRow<Not, true, bool>("LogicalNot"),
    Signed<Neg>("Neg"),
    Floats<Reciprocal>("Reciprocal"),
    Numbers<Relu>("Relu"),
    Numbers<Relu6>("Relu6"),
    Floats<Round>("Rint"),
    Signed<Round>("Round"),
    Floats<Rsqrt>("Rsqrt"),
    Floats<Selu>("Selu"),
    Floats<Sigmoid>("Sigmoid"),
    Signed<Sign>("Sign"),
    Floats<Sin>("Sin"),
    Floats<Sinh>("Sinh"),
    Floats<Softplus>("Softplus"),
    Floats<Softsign>("Softsign"),
    Floats<Sqrt>("Sqrt"),
    Numbers<Square>("Square"),
    Floats<Tan>("Tan"),
    Floats<Tanh>("Tanh"),
};

absl::Status RunRow(KernelArgs& args, const UnaryRow& row) {
  const Tensor& x = args.input(0);
  Tensor* y = nullptr;
  if (row.to_bool) {
    BERTH_ASSIGN_OR_RETURN(y, args.Allocate(0, x.dims()));
  } else {
    BERTH_ASSIGN_OR_RETURN(y, args.ForwardOrAllocate(0, 0));
  }
  const DenormalsAreZero denormals;
  const float parameter = row.parameter == nullptr ? 0 : AttrOr<float>(args, row.parameter, 0);
  const UnaryLoop loop = row.loops[static_cast<int>(x.dtype())];
  const Elements from = ElementsOf(x), to = ElementsOf(*y);
  ParallelFor(args.threads(), x.num_elements(), kElementGrain, [&](int64_t begin, int64_t end) {
    loop(from.At(begin).base, to.At(begin).base, end - begin, parameter);
  });
  return absl::OkStatus();
}

template <size_t kIndex>
absl::Status Run(KernelArgs& args) {
  return RunRow(args, kRows[kIndex]);
}

template <size_t... kIndices>
void AddRows(KernelTable& table, std::index_sequence<kIndices...>) {
  constexpr KernelFn kRuns[] = {&Run<kIndices>...};
  for (size_t i = 0; i < sizeof...(kIndices); ++i) {
    const UnaryRow& row = kRows[i];
    KernelDef def{.op = row.op, .run = kRuns[i]};
    TypeConstraint types{.attr = "T"};
    for (int t = 0; t < kDTypes; ++t) {
      if (row.loops[t] != nullptr) types.types.push_back(static_cast<DType>(t));
    }
    if (types.types != std::vector<DType>{DType::kBool}) def.types.push_back(types);
    if (!row.to_bool) def.in_place = {0};
    table.Add(std::move(def));
  }
}

}  // namespace

void AddUnaryKernels(KernelTable& table) { AddRows(table, std::make_index_sequence<std::size(kRows)>()); }

}  // namespace berth::cpu
