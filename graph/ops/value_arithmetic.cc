#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "graph/half.h"
#include "graph/ops/value_fns.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

SmallElement OfInt(DType dtype, int64_t value) {
  switch (dtype) {
    case DType::kBool:
      return {true, value != 0 ? 1 : 0, 0};
    case DType::kInt8:
      return {true, static_cast<int8_t>(value), 0};
    case DType::kInt16:
      return {true, static_cast<int16_t>(value), 0};
    case DType::kInt32:
      return {true, static_cast<int32_t>(value), 0};
    case DType::kUint8:
      return {true, static_cast<uint8_t>(value), 0};
    case DType::kUint16:
      return {true, static_cast<uint16_t>(value), 0};
    case DType::kUint32:
      return {true, static_cast<uint32_t>(value), 0};
    default:
      return {true, value, 0};
  }
}

SmallElement OfFloat(DType dtype, double value) {
  switch (dtype) {
    case DType::kFloat32:
      return {true, 0, static_cast<float>(value)};
    case DType::kFloat16:
      return {true, 0, HalfToFloat(FloatToHalf(static_cast<float>(value)))};
    case DType::kBfloat16:
      return {true, 0, Bfloat16ToFloat(FloatToBfloat16(static_cast<float>(value)))};
    default:
      return {true, 0, value};
  }
}

using Int = std::optional<int64_t>;

// Two's complement, as kernels compute.
int64_t Wrap(uint64_t bits) { return static_cast<int64_t>(bits); }

Int FloorDivide(int64_t x, int64_t y) {
  if (y == 0 || (y == -1 && x == std::numeric_limits<int64_t>::min())) return std::nullopt;
  return x / y - ((x % y != 0 && (x < 0) != (y < 0)) ? 1 : 0);
}
Int FloorModulo(int64_t x, int64_t y) {
  if (y == 0 || y == -1) return y == 0 ? Int() : Int(0);
  const int64_t rest = x % y;
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}
Int Power(int64_t x, int64_t y) {
  if (y < 0) return std::nullopt;
  uint64_t result = 1, base = static_cast<uint64_t>(x);
  for (; y != 0; y >>= 1, base *= base) {
    if ((y & 1) != 0) result *= base;
  }
  return Wrap(result);
}

struct Binary {
  const char* op;
  Int (*ints)(int64_t x, int64_t y);
  double (*floats)(double x, double y);
};

constexpr Binary kBinaries[] = {
    {"Add", [](int64_t x, int64_t y) -> Int { return Wrap(uint64_t(x) + uint64_t(y)); },
     [](double x, double y) { return x + y; }},
    {"AddV2", [](int64_t x, int64_t y) -> Int { return Wrap(uint64_t(x) + uint64_t(y)); },
     [](double x, double y) { return x + y; }},
    {"DivNoNan", [](int64_t, int64_t) -> Int { return std::nullopt; },
     [](double x, double y) { return y == 0 ? 0 : x / y; }},
    {"Equal", [](int64_t x, int64_t y) -> Int { return x == y; }, [](double x, double y) { return double(x == y); }},
    {"FloorDiv", FloorDivide, [](double x, double y) { return std::floor(x / y); }},
    {"FloorMod", FloorModulo,
     [](double x, double y) {
       const double rest = std::fmod(x, y);
       return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
     }},
    {"Greater", [](int64_t x, int64_t y) -> Int { return x > y; }, [](double x, double y) { return double(x > y); }},
    {"GreaterEqual", [](int64_t x, int64_t y) -> Int { return x >= y; },
     [](double x, double y) { return double(x >= y); }},
    {"Less", [](int64_t x, int64_t y) -> Int { return x < y; }, [](double x, double y) { return double(x < y); }},
    {"LessEqual", [](int64_t x, int64_t y) -> Int { return x <= y; },
     [](double x, double y) { return double(x <= y); }},
    {"LogicalAnd", [](int64_t x, int64_t y) -> Int { return x & y; }, nullptr},
    {"LogicalOr", [](int64_t x, int64_t y) -> Int { return x | y; }, nullptr},
    {"Maximum", [](int64_t x, int64_t y) -> Int { return std::max(x, y); },
     [](double x, double y) { return std::isnan(x) || x > y ? x : y; }},
    {"Minimum", [](int64_t x, int64_t y) -> Int { return std::min(x, y); },
     [](double x, double y) { return std::isnan(x) || x < y ? x : y; }},
    {"Mul", [](int64_t x, int64_t y) -> Int { return Wrap(uint64_t(x) * uint64_t(y)); },
     [](double x, double y) { return x * y; }},
    {"NotEqual", [](int64_t x, int64_t y) -> Int { return x != y; }, [](double x, double y) { return double(x != y); }},
    {"Pow", Power, [](double x, double y) { return std::pow(x, y); }},
    {"RealDiv",
     [](int64_t x, int64_t y) -> Int {
       if (y == 0 || (y == -1 && x == std::numeric_limits<int64_t>::min())) return std::nullopt;
       return x / y;
     },
     [](double x, double y) { return x / y; }},
    {"SquaredDifference",
     [](int64_t x, int64_t y) -> Int { return Wrap((uint64_t(x) - uint64_t(y)) * (uint64_t(x) - uint64_t(y))); },
     [](double x, double y) { return (x - y) * (x - y); }},
    {"Sub", [](int64_t x, int64_t y) -> Int { return Wrap(uint64_t(x) - uint64_t(y)); },
     [](double x, double y) { return x - y; }},
};

struct Unary {
  const char* op;
  Int (*ints)(int64_t x);
  double (*floats)(double x);
};

constexpr Unary kUnaries[] = {
    {"Abs", [](int64_t x) -> Int { return x < 0 ? Wrap(-uint64_t(x)) : x; }, [](double x) { return std::fabs(x); }},
    {"Ceil", nullptr, [](double x) { return std::ceil(x); }},
    {"Exp", nullptr, [](double x) { return std::exp(x); }},
    {"Floor", nullptr, [](double x) { return std::floor(x); }},
    {"Log", nullptr, [](double x) { return std::log(x); }},
    {"LogicalNot", [](int64_t x) -> Int { return x == 0 ? 1 : 0; }, nullptr},
    {"Neg", [](int64_t x) -> Int { return Wrap(-uint64_t(x)); }, [](double x) { return -x; }},
    {"Reciprocal", nullptr, [](double x) { return 1 / x; }},
    {"Rint", nullptr, [](double x) { return std::nearbyint(x); }},
    {"Round", [](int64_t x) -> Int { return x; }, [](double x) { return std::nearbyint(x); }},
    {"Rsqrt", nullptr, [](double x) { return 1 / std::sqrt(x); }},
    {"Sign", [](int64_t x) -> Int { return (x > 0) - (x < 0); }, [](double x) { return double((x > 0) - (x < 0)); }},
    {"Sqrt", nullptr, [](double x) { return std::sqrt(x); }},
    {"Square", [](int64_t x) -> Int { return Wrap(uint64_t(x) * uint64_t(x)); }, [](double x) { return x * x; }},
};

template <typename Row, size_t n>
const Row* FindOp(const Row (&rows)[n], absl::string_view op) {
  for (const Row& row : rows) {
    if (row.op == op) return &row;
  }
  return nullptr;
}

// uint64 beyond int64 is left alone.
bool Readable(const SmallTensor& tensor, const SmallElement& e) {
  return e.known && !(tensor.dtype == DType::kUint64 && e.i < 0);
}

// Element `position` of a tensor of shape `dims`, seen in `in`, which broadcasts to it.
const SmallElement& Broadcast(const SmallTensor& in, const std::vector<int64_t>& dims, int64_t position) {
  int64_t offset = 0, stride = 1;
  for (size_t k = 0; k < dims.size(); ++k) {
    const size_t d = dims.size() - 1 - k;
    const int64_t at = position % dims[d];
    position /= dims[d];
    if (k >= in.dims.size()) continue;
    const int64_t size = in.dims[in.dims.size() - 1 - k];
    offset += size == 1 ? 0 : at * stride;
    stride *= size;
  }
  return in.elements[offset];
}

// Output 0, one element at a time.
template <typename Compute>
absl::Status Elementwise(ShapeArgs& args, const Compute& compute) {
  std::optional<SmallTensor> out = SmallTensor::Unknown(BaseOf(args.output_dtype(0)), args.output(0));
  if (!out.has_value()) return absl::OkStatus();
  for (int64_t k = 0; k < out->size(); ++k) out->elements[k] = compute(*out, k);
  args.set_value(0, *std::move(out));
  return absl::OkStatus();
}

SmallElement Result(const SmallTensor& in, const SmallTensor& out, double f) {
  if (out.is_float()) return OfFloat(out.dtype, f);
  return in.is_float() ? OfInt(out.dtype, static_cast<int64_t>(f)) : SmallElement();
}

SmallElement Combine(const Binary& op, const SmallTensor& in, const SmallTensor& out, const SmallElement& x,
                     const SmallElement& y) {
  if (in.is_float()) return op.floats == nullptr ? SmallElement() : Result(in, out, op.floats(x.f, y.f));
  const Int result = op.ints(x.i, y.i);
  return result.has_value() ? OfInt(out.dtype, *result) : SmallElement();
}

}  // namespace

absl::Status BinaryValue(ShapeArgs& args) {
  const SmallTensor* x = args.value(0);
  const SmallTensor* y = args.value(1);
  const Binary* op = FindOp(kBinaries, args.op().name);
  if (x == nullptr || y == nullptr || op == nullptr || x->dtype != y->dtype) return absl::OkStatus();
  return Elementwise(args, [&](const SmallTensor& out, int64_t k) {
    const SmallElement& a = Broadcast(*x, out.dims, k);
    const SmallElement& b = Broadcast(*y, out.dims, k);
    return Readable(*x, a) && Readable(*y, b) ? Combine(*op, *x, out, a, b) : SmallElement();
  });
}

absl::Status UnaryValue(ShapeArgs& args) {
  const SmallTensor* x = args.value(0);
  const Unary* op = FindOp(kUnaries, args.op().name);
  if (x == nullptr || op == nullptr) return absl::OkStatus();
  return Elementwise(args, [&](const SmallTensor& out, int64_t k) {
    const SmallElement& e = x->elements[k];
    if (!Readable(*x, e)) return SmallElement();
    if (x->is_float()) return op->floats == nullptr ? SmallElement() : OfFloat(out.dtype, op->floats(e.f));
    const Int result = op->ints == nullptr ? Int() : op->ints(e.i);
    return result.has_value() ? OfInt(out.dtype, *result) : SmallElement();
  });
}

absl::Status AddNValue(ShapeArgs& args) {
  return Elementwise(args, [&](const SmallTensor& out, int64_t k) {
    SmallElement sum{true, 0, 0};
    for (int i = 0; i < args.num_inputs(); ++i) {
      const SmallTensor* in = args.value(i);
      if (in == nullptr || in->size() != out.size() || !in->elements[k].known) return SmallElement();
      const SmallElement& e = in->elements[k];
      sum = out.is_float() ? OfFloat(out.dtype, sum.f + e.f) : OfInt(out.dtype, Wrap(uint64_t(sum.i) + uint64_t(e.i)));
    }
    return sum;
  });
}

absl::Status CastValue(ShapeArgs& args) {
  const SmallTensor* in = args.value(0);
  if (in == nullptr) return absl::OkStatus();
  return Elementwise(args, [&](const SmallTensor& out, int64_t k) {
    const SmallElement& e = in->elements[k];
    if (!Readable(*in, e)) return SmallElement();
    if (out.is_float()) return OfFloat(out.dtype, in->is_float() ? e.f : static_cast<double>(e.i));
    if (!in->is_float()) return OfInt(out.dtype, e.i);
    if (out.dtype == DType::kBool) return OfInt(out.dtype, e.f != 0);
    // What a float beyond the integer's range becomes differs between devices.
    const SmallElement cast = std::fabs(e.f) < 9e18 ? OfInt(out.dtype, static_cast<int64_t>(e.f)) : SmallElement();
    return cast.known && static_cast<double>(cast.i) == std::trunc(e.f) ? cast : SmallElement();
  });
}

absl::Status SelectValue(ShapeArgs& args) {
  const SmallTensor* condition = args.value(0);
  const SmallTensor* values[] = {args.value(2), args.value(1)};
  if (condition == nullptr) return absl::OkStatus();
  const bool rows = args.op().name == "Select" && condition->dims.size() == 1;
  return Elementwise(args, [&](const SmallTensor& out, int64_t k) {
    const int64_t row = rows ? k / std::max<int64_t>(1, out.size() / condition->size()) : 0;
    const SmallElement& choice = rows ? condition->elements[row] : Broadcast(*condition, out.dims, k);
    const SmallTensor* chosen = choice.known ? values[choice.i != 0 ? 1 : 0] : nullptr;
    return chosen == nullptr ? SmallElement() : Broadcast(*chosen, out.dims, k);
  });
}

absl::StatusOr<int64_t> RangeSize(ShapeArgs& args) {
  const SmallTensor* in[3];
  for (int i = 0; i < 3; ++i) {
    in[i] = args.value(i);
    if (in[i] == nullptr || in[i]->size() != 1 || !in[i]->elements[0].known) return kUnknownDim;
  }
  const SmallElement &start = in[0]->elements[0], &limit = in[1]->elements[0], &delta = in[2]->elements[0];
  const bool floats = in[0]->is_float();
  if (floats ? delta.f == 0 : delta.i == 0) return ShapeError("delta must not be 0, got 0");
  const bool up = floats ? delta.f > 0 : delta.i > 0;
  if (floats ? (up ? start.f > limit.f : start.f < limit.f) : (up ? start.i > limit.i : start.i < limit.i)) {
    return ShapeError("limit must lie in the direction of delta, got ", floats ? start.f : static_cast<double>(start.i),
                      " to ", floats ? limit.f : static_cast<double>(limit.i), " by ",
                      floats ? delta.f : static_cast<double>(delta.i));
  }
  if (floats) {
    // Counted in the range's own type, as the kernel counts.
    const double size = BaseOf(args.input_dtype(0)) == DType::kFloat32
                            ? std::ceil(std::fabs((static_cast<float>(limit.f) - static_cast<float>(start.f)) /
                                                  static_cast<float>(delta.f)))
                            : std::ceil(std::fabs((limit.f - start.f) / delta.f));
    if (!(size < 9e18)) return ShapeError("a range must have less than 2^63 elements, got ", size);
    return static_cast<int64_t>(size);
  }
  const uint64_t span = up ? uint64_t(limit.i) - uint64_t(start.i) : uint64_t(start.i) - uint64_t(limit.i);
  const uint64_t step = up ? uint64_t(delta.i) : -uint64_t(delta.i);
  const uint64_t size = span / step + (span % step != 0 ? 1 : 0);
  if (size > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return ShapeError("a range must have less than 2^63 elements, got ", size);
  }
  return static_cast<int64_t>(size);
}

absl::Status RangeValue(ShapeArgs& args) {
  const SmallTensor* start = args.value(0);
  const SmallTensor* delta = args.value(2);
  if (start == nullptr || delta == nullptr) return absl::OkStatus();
  const SmallElement first = start->elements[0], step = delta->elements[0];
  if (!first.known || !step.known) return absl::OkStatus();
  return Elementwise(args, [&](const SmallTensor& out, int64_t k) {
    if (out.is_float()) return OfFloat(out.dtype, first.f + static_cast<double>(k) * step.f);
    return OfInt(out.dtype, Wrap(uint64_t(first.i) + uint64_t(k) * uint64_t(step.i)));
  });
}

absl::Status ReductionValue(ShapeArgs& args) {
  const SmallTensor* in = args.value(0);
  const auto axes = args.IntValues(1);
  std::optional<SmallTensor> out = SmallTensor::Unknown(BaseOf(args.output_dtype(0)), args.output(0));
  if (in == nullptr || !axes.has_value() || !out.has_value()) return absl::OkStatus();
  const int rank = static_cast<int>(in->dims.size());
  std::vector<bool> reduced(rank);
  for (const std::optional<int64_t>& axis : *axes) {
    if (!axis.has_value() || *axis < -rank || *axis >= rank) return absl::OkStatus();
    reduced[*axis < 0 ? *axis + rank : *axis] = true;
  }
  const std::string& name = args.op().name;
  const char* step = name == "Prod"  ? "Mul"
                     : name == "Max" ? "Maximum"
                     : name == "Min" ? "Minimum"
                     : name == "All" ? "LogicalAnd"
                     : name == "Any" ? "LogicalOr"
                                     : "Add";
  const Binary* op = FindOp(kBinaries, step);
  std::vector<int64_t> count(out->elements.size());
  std::vector<bool> open(out->elements.size());
  for (int64_t k = 0; k < in->size(); ++k) {
    int64_t rest = k, to = 0, stride = 1;
    for (int d = rank - 1; d >= 0; --d) {
      if (!reduced[d]) {
        to += rest % in->dims[d] * stride;
        stride *= in->dims[d];
      }
      rest /= in->dims[d];
    }
    SmallElement& result = out->elements[to];
    open[to] = open[to] || !Readable(*in, in->elements[k]);
    if (open[to]) continue;
    result = count[to]++ == 0 ? in->elements[k] : Combine(*op, *in, *out, result, in->elements[k]);
    open[to] = !result.known;
  }
  for (size_t k = 0; k < out->elements.size(); ++k) {
    SmallElement& result = out->elements[k];
    if (open[k]) {
      result = SmallElement();
    } else if (count[k] == 0) {
      // The empty sum, product, conjunction, disjunction; an empty maximum, minimum or mean is left unknown.
      if (name == "Sum" || name == "Any") result = {true, 0, 0};
      if (name == "Prod" || name == "All") result = {true, 1, 1};
    } else if (name == "Mean") {
      result = out->is_float() ? OfFloat(out->dtype, result.f / static_cast<double>(count[k]))
                               : OfInt(out->dtype, result.i / count[k]);
    }
  }
  args.set_value(0, *std::move(out));
  return absl::OkStatus();
}

absl::StatusOr<GradientAxes> BroadcastGradientAxes(ShapeArgs& args) {
  GradientAxes axes;
  const auto first = args.IntValues(0), second = args.IntValues(1);
  if (!first.has_value() || !second.has_value()) return axes;
  const int n = static_cast<int>(std::max(first->size(), second->size()));
  const auto at = [n](const auto& list, int d) -> Int {
    const int extra = n - static_cast<int>(list->size());
    return d < extra ? Int(1) : (*list)[d - extra];
  };
  const bool same = *first == *second;
  for (int d = 0; d < n; ++d) {
    const Int x = at(first, d), y = at(second, d);
    // For equal shapes TensorFlow's answer for dimensions of 1 depends on the version.
    if (!x.has_value() || !y.has_value() || (same && *x == 1)) return GradientAxes();
    if (*x != *y && *x != 1 && *y != 1) {
      return ShapeError("shapes must broadcast, got ", *x, " against ", *y, " in dimension ", d);
    }
    if (*x == 1) axes.first.push_back(d);
    if (*y == 1) axes.second.push_back(d);
  }
  axes.known = true;
  return axes;
}

absl::Status BroadcastGradientArgsValue(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const GradientAxes axes, BroadcastGradientAxes(args));
  if (!axes.known) return absl::OkStatus();
  const DType dtype = args.output_dtype(0);
  args.set_value(0, SmallTensor::OfInts(dtype, {static_cast<int64_t>(axes.first.size())}, axes.first));
  args.set_value(1, SmallTensor::OfInts(dtype, {static_cast<int64_t>(axes.second.size())}, axes.second));
  return absl::OkStatus();
}

}  // namespace berth
