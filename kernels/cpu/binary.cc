// Ops of two broadcast operands. A row of the table below is an op: a function object and the
// dtypes it is for.
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "graph/status_macros.h"
#include "kernels/cpu/args.h"
#include "kernels/cpu/broadcast.h"
#include "kernels/cpu/denormals.h"
#include "kernels/cpu/elementwise.h"
#include "kernels/cpu/families.h"
#include "kernels/cpu/gradient_fns.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/simd.h"
#include "kernels/cpu/strided.h"

namespace berth::cpu {
namespace {

// Integer arithmetic wraps, as TensorFlow's does in practice.
template <typename T>
using Wrapping = std::conditional_t<sizeof(T) < 4, uint32_t, std::make_unsigned_t<T>>;

#define BERTH_ARITHMETIC(Name, symbol)                                                         \
  struct Name {                                                                                \
    template <typename T>                                                                      \
    static T Apply(T a, T b) {                                                                 \
      if constexpr (std::is_integral_v<T>) {                                                   \
        return static_cast<T>(static_cast<Wrapping<T>>(a) symbol static_cast<Wrapping<T>>(b)); \
      } else {                                                                                 \
        return a symbol b;                                                                     \
      }                                                                                        \
    }                                                                                          \
    static constexpr auto kSimd = simd::Name;                                                  \
  };
BERTH_ARITHMETIC(Add, +)
BERTH_ARITHMETIC(Sub, -)
BERTH_ARITHMETIC(Mul, *)
#undef BERTH_ARITHMETIC

#define BERTH_COMPARISON(Name, symbol)          \
  struct Name {                                 \
    template <typename T>                       \
    static bool Apply(const T& a, const T& b) { \
      return a symbol b;                        \
    }                                           \
  };
BERTH_COMPARISON(Equal, ==)
BERTH_COMPARISON(NotEqual, !=)
BERTH_COMPARISON(Less, <)
BERTH_COMPARISON(LessEqual, <=)
BERTH_COMPARISON(Greater, >)
BERTH_COMPARISON(GreaterEqual, >=)
BERTH_COMPARISON(And, &&)
BERTH_COMPARISON(Or, ||)
#undef BERTH_COMPARISON

struct Div {
  template <typename T>
  static T Apply(T a, T b) {
    return a / b;
  }
  static constexpr auto kSimd = simd::Div;
};

// What follows divides integers: a zero divisor has no result, and the smallest value over -1
// wraps.
struct Partial {
  template <typename T>
  static bool Defined(T, T b) {
    return !std::is_integral_v<T> || b != 0;
  }
};

template <typename T>
T Quotient(T a, T b) {
  if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
    if (b == -1) return Sub::Apply(T{0}, a);
  }
  return static_cast<T>(a / b);
}

template <typename T>
T Remainder(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fmod(a, b);
  } else {
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return 0;
    }
    return static_cast<T>(a % b);
  }
}

// x / y for floats, truncated towards zero for integers.
struct TruncateDiv : Partial {
  template <typename T>
  static T Apply(T a, T b) {
    return Quotient(a, b);
  }
};

struct TruncateMod : Partial {
  template <typename T>
  static T Apply(T a, T b) {
    return Remainder(a, b);
  }
};

struct FloorDiv : Partial {
  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::floor(a / b);
    } else {
      const bool inexact = Remainder(a, b) != 0;
      return static_cast<T>(Quotient(a, b) - (inexact && ((a < 0) != (b < 0)) ? 1 : 0));
    }
  }
};

struct FloorMod : Partial {
  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      if (b == 0) return std::numeric_limits<T>::quiet_NaN();  // fmod() itself sees denormals
    }
    const T rest = Remainder(a, b);
    return rest != 0 && ((b < 0) != (rest < 0)) ? static_cast<T>(rest + b) : rest;
  }
};

// In 16-bit floats the quotient is rounded before its floor is taken, as in TensorFlow.
template <typename H>
struct HalfFloorDiv {
  static float Apply(float a, float b) { return std::floor(static_cast<float>(H(a / b))); }
};

struct DivNoNan {
  template <typename T>
  static T Apply(T a, T b) {
    return b == 0 ? T{0} : a / b;
  }
};

// NaN in either operand gives NaN.
struct Maximum {
  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(a)) return a;
      if (std::isnan(b)) return b;
    }
    return a < b ? b : a;
  }
};

struct Minimum {
  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(a)) return a;
      if (std::isnan(b)) return b;
    }
    return b < a ? b : a;
  }
};

struct SquaredDifference {
  template <typename T>
  static T Apply(T a, T b) {
    const T d = Sub::Apply(a, b);
    return Mul::Apply(d, d);
  }
};

struct Pow {
  template <typename T>
  static bool Defined(T, T b) {
    return !std::is_integral_v<T> || b >= 0;
  }
  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::pow(a, b);
    } else {
      T result = 1;
      for (auto e = static_cast<std::make_unsigned_t<T>>(b); e != 0; e >>= 1) {
        if (e & 1) result = Mul::Apply(result, a);
        a = Mul::Apply(a, a);
      }
      return result;
    }
  }
};

struct Atan2 {
  template <typename T>
  static T Apply(T a, T b) {
    return std::atan2(a, b);
  }
};

struct MulNoNan {
  template <typename T>
  static T Apply(T a, T b) {
    return b == 0 ? T{0} : a * b;
  }
};

struct Xdivy {
  template <typename T>
  static T Apply(T a, T b) {
    return a == 0 ? T{0} : a / b;
  }
};

struct Xlogy {
  template <typename T>
  static T Apply(T a, T b) {
    return a == 0 ? T{0} : a * std::log(b);
  }
};

template <typename F, typename T>
bool Loop(const void* a, int64_t a_step, const void* b, int64_t b_step, void* out, int64_t n) {
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  auto* z = static_cast<decltype(F::Apply(*x, *y))*>(out);
  if constexpr (requires { F::Defined(*x, *y); }) {
    for (int64_t i = 0; i < n; ++i) {
      if (!F::Defined(x[i * a_step], y[i * b_step])) return false;
    }
  }
  if constexpr (std::is_same_v<T, float> && requires { F::kSimd; }) {
    F::kSimd(x, a_step, y, b_step, z, n);
  } else if (a_step == 1 && b_step == 1) {
    for (int64_t i = 0; i < n; ++i) z[i] = F::Apply(x[i], y[i]);
  } else if (a_step == 1) {
    for (int64_t i = 0; i < n; ++i) z[i] = F::Apply(x[i], *y);
  } else {
    for (int64_t i = 0; i < n; ++i) z[i] = F::Apply(*x, y[i * b_step]);
  }
  return true;
}

template <typename F, bool kToBool, typename... Ts>
constexpr BinaryRow MakeRow(const char* op, const char* no_result) {
  BinaryRow row{.op = op, .to_bool = kToBool, .no_result = no_result};
  ((row.loops[static_cast<int>(DTypeOf<Ts>())] = &Loop<F, Ts>), ...);
  if constexpr ((std::is_same_v<Ts, float> || ...)) {
    row.loops[static_cast<int>(DType::kFloat16)] = &HalfBinaryLoop<Half, &Loop<F, float>, kToBool>;
    row.loops[static_cast<int>(DType::kBfloat16)] = &HalfBinaryLoop<BFloat16, &Loop<F, float>, kToBool>;
  }
  return row;
}

template <typename F>
constexpr BinaryRow Floats(const char* op) {
  return MakeRow<F, false, float, double>(op, "");
}
template <typename F>
constexpr BinaryRow Numbers(const char* op, const char* no_result = "") {
  return MakeRow<F, false, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(
      op, no_result);
}
template <typename F>
constexpr BinaryRow Integers(const char* op, const char* no_result) {
  return MakeRow<F, false, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(op, no_result);
}
template <typename F>
constexpr BinaryRow Comparison(const char* op) {
  return MakeRow<F, true, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(op,
                                                                                                                   "");
}
template <typename F>
constexpr BinaryRow Equality(const char* op) {
  BinaryRow row =
      MakeRow<F, true, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, bool>(
          op, "");
  row.loops[static_cast<int>(DType::kString)] = &Loop<F, std::string>;
  return row;
}

struct Join {
  static std::string Apply(const std::string& a, const std::string& b) { return a + b; }
};

// The row, with a loop that joins strings.
constexpr BinaryRow WithStrings(BinaryRow row) {
  row.loops[static_cast<int>(DType::kString)] = &Loop<Join, std::string>;
  return row;
}

// The row, with loops of its own for the 16-bit floats: for ops whose rounding on the way shows in the result.
template <template <typename> typename F>
constexpr BinaryRow WithHalves(BinaryRow row) {
  row.loops[static_cast<int>(DType::kFloat16)] = &HalfBinaryLoop<Half, &Loop<F<Half>, float>, false>;
  row.loops[static_cast<int>(DType::kBfloat16)] = &HalfBinaryLoop<BFloat16, &Loop<F<BFloat16>, float>, false>;
  return row;
}

constexpr const char kZeroDivisor[] = "expected divisors other than 0, got 0";

constexpr BinaryRow kRows[] = {
    WithStrings(Numbers<Add>("Add")),
    Numbers<Add>("AddV2"),
    Floats<Atan2>("Atan2"),
    Floats<Div>("Div"),
    Integers<TruncateDiv>("Div", kZeroDivisor),
    Floats<DivNoNan>("DivNoNan"),
    Floats<EluGrad>("EluGrad"),
    Equality<Equal>("Equal"),
    WithHalves<HalfFloorDiv>(Numbers<FloorDiv>("FloorDiv", kZeroDivisor)),
    Numbers<FloorMod>("FloorMod", kZeroDivisor),
    Comparison<Greater>("Greater"),
    Comparison<GreaterEqual>("GreaterEqual"),
    Floats<InvGrad>("InvGrad"),
    Comparison<Less>("Less"),
    Comparison<LessEqual>("LessEqual"),
    MakeRow<And, true, bool>("LogicalAnd", ""),
    MakeRow<Or, true, bool>("LogicalOr", ""),
    Numbers<Maximum>("Maximum"),
    Numbers<Minimum>("Minimum"),
    Numbers<TruncateMod>("Mod", kZeroDivisor),
    Numbers<Mul>("Mul"),
    Floats<MulNoNan>("MulNoNan"),
    Equality<NotEqual>("NotEqual"),
    Numbers<Pow>("Pow", "expected exponents of at least 0 for integers, got a negative one"),
    Floats<Div>("RealDiv"),
    Floats<Relu6Grad>("Relu6Grad"),
    Floats<InvGrad>("ReciprocalGrad"),
    Floats<ReluGrad>("ReluGrad"),
    Floats<RsqrtGrad>("RsqrtGrad"),
    Floats<SigmoidGrad>("SigmoidGrad"),
    Floats<SoftplusGrad>("SoftplusGrad"),
    Floats<SoftsignGrad>("SoftsignGrad"),
    Floats<SqrtGrad>("SqrtGrad"),
    Numbers<SquaredDifference>("SquaredDifference"),
    Numbers<Sub>("Sub"),
    WithHalves<HalfTanhGrad>(Floats<TanhGrad>("TanhGrad")),
    Integers<TruncateDiv>("TruncateDiv", kZeroDivisor),
    Numbers<TruncateMod>("TruncateMod", kZeroDivisor),
    Floats<Xdivy>("Xdivy"),
    Floats<Xlogy>("Xlogy"),
};

// Two operands of output 0; they are inputs `a_input` and `b_input`, perhaps seen under other dimensions.
absl::StatusOr<Tensor*> Combine(KernelArgs& args, const BinaryRow& row, const Tensor& a, int a_input, const Tensor& b,
                                int b_input) {
  const DenormalsAreZero denormals;
  const BinaryLoop loop = row.loops[static_cast<int>(a.dtype())];
  if (loop == nullptr) return absl::UnimplementedError(absl::StrCat("no ", row.op, " of ", DTypeName(a.dtype())));
  if (a.dims() == b.dims() && a.dtype() != DType::kString) {  // nothing to broadcast: the common case, at once
    Tensor* out = nullptr;
    if (!row.to_bool && a.dims() == args.input(a_input).dims()) {
      BERTH_ASSIGN_OR_RETURN(out, args.ForwardOrAllocate(0, a_input));
    } else {
      BERTH_ASSIGN_OR_RETURN(out, args.Allocate(0, a.dims()));
    }
    const int64_t n = a.num_elements();
    if (loop(a.kernel_data(), 1, b.kernel_data(), 1, out->kernel_data(), n)) return out;
    return absl::InvalidArgumentError(row.no_result);
  }
  BERTH_ASSIGN_OR_RETURN(const Broadcast plan, PlanBroadcast({&a, &b}));
  const Elements x = ElementsOf(a), y = ElementsOf(b);
  Tensor* out = nullptr;
  if (!row.to_bool && plan.out == args.input(a_input).dims()) {
    BERTH_ASSIGN_OR_RETURN(out, args.ForwardOrAllocate(0, a_input));
  } else if (!row.to_bool && plan.out == args.input(b_input).dims()) {
    BERTH_ASSIGN_OR_RETURN(out, args.ForwardOrAllocate(0, b_input));
  } else {
    BERTH_ASSIGN_OR_RETURN(out, args.Allocate(0, plan.out));
  }
  const Elements z = ElementsOf(*out);
  std::atomic<bool> defined = true;
  // Elements [begin, end) of the row at the offsets.
  const auto part = [&](const auto& at, int64_t out_at, int64_t begin, int64_t end) {
    const int64_t x_step = plan.row_step(0), y_step = plan.row_step(1);
    if (!loop(x.At(at[0] + begin * x_step).base, x_step, y.At(at[1] + begin * y_step).base, y_step,
              z.At(out_at + begin).base, end - begin)) {
      defined = false;
    }
  };
  if (plan.num_rows() == 1) {
    ParallelFor(args.threads(), plan.row(), kElementGrain,
                [&](int64_t begin, int64_t end) { part(std::array<int64_t, 2>{}, 0, begin, end); });
  } else {
    ParallelFor(args.threads(), plan.num_rows(), GrainFor(plan.row()), [&](int64_t first, int64_t last) {
      ForEachRow(plan, first, last, [&](const auto& at, int64_t out_at) { part(at, out_at, 0, plan.row()); });
    });
  }
  if (!defined) return absl::InvalidArgumentError(row.no_result);
  return out;
}

constexpr BinaryRow kAdd = Numbers<Add>("Add");

// Every input has the shape of the first.
absl::Status AddN(KernelArgs& args) {
  const Tensor& first = args.input(0);
  for (int i = 1; i < args.num_inputs(); ++i) {
    BERTH_RETURN_IF_ERROR(ExpectDims(args.input(i), first.dims(), absl::StrCat("input ", i)));
  }
  if (args.num_inputs() == 1) return args.SetOutput(0, first);
  BERTH_ASSIGN_OR_RETURN(Tensor * sum, Combine(args, kAdd, first, 0, args.input(1), 1));
  const DenormalsAreZero denormals;
  const BinaryLoop add = kAdd.loops[static_cast<int>(first.dtype())];
  for (int i = 2; i < args.num_inputs(); ++i) {
    const Elements x = ElementsOf(*sum), y = ElementsOf(args.input(i));
    ParallelFor(args.threads(), sum->num_elements(), kElementGrain, [&](int64_t begin, int64_t end) {
      add(x.At(begin).base, 1, y.At(begin).base, 1, x.At(begin).base, end - begin);
    });
  }
  return absl::OkStatus();
}

absl::Status BiasAdd(KernelArgs& args) {
  const Tensor& x = args.input(0);
  const Tensor& bias = args.input(1);
  const bool last = AttrOr<std::string>(args, "data_format", "NHWC") != "NCHW";
  BERTH_RETURN_IF_ERROR(ExpectRank(bias, 1, "bias"));
  if (x.rank() < 2) return Refuse("expected an input of rank at least 2, got shape ", x.ShapeString());
  const int axis = last ? x.rank() - 1 : 1;
  if (bias.dim(0) != x.dim(axis)) {
    return Refuse("expected a bias of ", x.dim(axis), " elements, got ", bias.dim(0));
  }
  Dims dims(x.rank() - axis, 1);
  dims[0] = bias.dim(0);
  return Combine(args, kAdd, x, 0, bias.WithDims(dims), 1).status();
}

// With incompatible_shape_error=false, shapes that do not broadcast are unequal as a whole.
absl::Status UnequalShapes(KernelArgs& args, bool value) {
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, {}));
  *y->kernel<bool>() = value;
  return absl::OkStatus();
}

bool ShapesMayDiffer(KernelArgs& args) { return !AttrOr<bool>(args, "incompatible_shape_error", true); }

template <size_t kIndex>
absl::Status Run(KernelArgs& args) {
  if (kRows[kIndex].to_bool && ShapesMayDiffer(args) && !PlanBroadcast({&args.input(0), &args.input(1)}).ok()) {
    return UnequalShapes(args, kRows[kIndex].op == absl::string_view("NotEqual"));
  }
  return Combine(args, kRows[kIndex], args.input(0), 0, args.input(1), 1).status();
}

template <size_t... kIndices>
void AddRows(KernelTable& table, std::index_sequence<kIndices...>) {
  constexpr KernelFn kRuns[] = {&Run<kIndices>...};
  for (size_t i = 0; i < sizeof...(kIndices); ++i) {
    const BinaryRow& row = kRows[i];
    KernelDef def{.op = row.op, .run = kRuns[i]};
    TypeConstraint types{.attr = "T"};
    for (int t = 0; t < kDTypes; ++t) {
      if (row.loops[t] != nullptr) types.types.push_back(static_cast<DType>(t));
    }
    if (types.types != std::vector<DType>{DType::kBool}) def.types.push_back(types);
    if (!row.to_bool) def.in_place = {0, 1};
    table.Add(std::move(def));
  }
}

}  // namespace

void AddBinaryKernels(KernelTable& table) {
  AddRows(table, std::make_index_sequence<std::size(kRows)>());
  table.Add({.op = "AddN", .types = {{"T", NumericTypes()}}, .run = AddN, .in_place = {0}});
  table.Add({.op = "BiasAdd", .types = {{"T", NumericTypes()}}, .run = BiasAdd, .in_place = {0}});
}

}  // namespace berth::cpu
