// Reductions and arg reductions against float64 loops: every set of axes, every dtype, nothing, and special values.
#include <cmath>
#include <limits>

#include "tests/kernels/array.h"
#include "tests/testing.h"

namespace berth {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double Join(const std::string& op, double a, double b) {
  if (op == "Prod") return a * b;
  if (op == "Max") return std::isnan(a) || std::isnan(b) ? kNan : std::max(a, b);
  if (op == "Min") return std::isnan(a) || std::isnan(b) ? kNan : std::min(a, b);
  return a + b;
}

// Reduces the axes whose bits are set in `mask`.
Array Reduced(const std::string& op, const Array& x, int mask, bool keep) {
  Dims kept;  // with 1 for what is reduced
  double count = 1;
  for (size_t i = 0; i < x.dims.size(); ++i) {
    kept.push_back(mask >> i & 1 ? 1 : x.dims[i]);
    if (mask >> i & 1) count *= static_cast<double>(x.dims[i]);
  }
  const double start = op == "Prod" ? 1 : op == "Max" ? -kInf : op == "Min" ? kInf : 0;
  Array y = Generate(kept, [&](const Index&) { return start; });
  Generate(x.dims, [&](const Index& index) {
    int64_t at = 0;
    for (size_t i = 0; i < kept.size(); ++i) at = at * kept[i] + (mask >> i & 1 ? 0 : index[i]);
    y.values[at] = Join(op, y.values[at], x.At(index));
    return 0.0;
  });
  if (op == "Mean") {
    for (double& value : y.values) value /= count;
  }
  if (keep) return y;
  y.dims.clear();
  for (size_t i = 0; i < x.dims.size(); ++i) {
    if (!(mask >> i & 1)) y.dims.push_back(x.dims[i]);
  }
  return y;
}

Tensor AxesOf(int mask, int rank) {
  std::vector<int32_t> axes;
  for (int i = 0; i < rank; ++i) {
    if (mask >> i & 1) axes.push_back(i % 2 == 0 ? i : i - rank);  // some counted from the end
  }
  return Ints(axes);
}

TEST_CASE("reductions agree with float64 over every set of axes") {
  const Dims shapes[] = {{}, {1}, {17}, {3, 5}, {2, 1, 9}, {4, 3, 2, 5}, {0}, {3, 0, 2}};
  for (const char* op : {"Sum", "Mean", "Prod", "Max", "Min"}) {
    for (const Dims& dims : shapes) {
      const Array x = Random(dims, 3);
      const int rank = static_cast<int>(dims.size());
      for (int mask = 0; mask < 1 << rank; ++mask) {
        for (bool keep : {false, true}) {
          CAPTURE(mask, keep);
          KernelCall call{.op = op, .inputs = {x.As(DType::kFloat32), AxesOf(mask, rank)}};
          call.attrs = {{"keep_dims", AttrValue(keep)}};
          CheckCall(call, {Reduced(op, x, mask, keep)}, 1e-6);
          call.inputs[0] = x.As(DType::kFloat64);
          CheckCall(call, {Reduced(op, x, mask, keep)}, 1e-14);
        }
      }
    }
  }
}

TEST_CASE("reductions of integers and 16-bit floats") {
  const Array x = Generate({2, 3}, [](const Index& i) { return static_cast<double>(1 + (i[0] * 3 + i[1]) % 4); });
  for (DType dtype : {DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64, DType::kUint8, DType::kUint16,
                      DType::kUint32, DType::kUint64, DType::kFloat16, DType::kBfloat16}) {
    for (const char* op : {"Sum", "Prod", "Max", "Min"}) {
      CheckCall({.op = op, .inputs = {x.As(dtype), Ints({1})}}, {Reduced(op, x, 2, false)});
    }
  }
  // The extremes of nothing are the type's own.
  const Array none{{0, 2}, {}};
  CheckCall({.op = "Max", .inputs = {none.As(DType::kInt8), Ints({0})}}, {{{2}, {-128, -128}}});
  CheckCall({.op = "Max", .inputs = {none.As(DType::kUint16), Ints({0})}}, {{{2}, {0, 0}}});
  CheckCall({.op = "Min", .inputs = {none.As(DType::kInt32), Ints({0})}}, {{{2}, {2147483647, 2147483647}}});
  CheckCall({.op = "Min", .inputs = {none.As(DType::kBfloat16), Ints({0})}}, {{{2}, {kInf, kInf}}});
  // The mean of integers is cut towards zero.
  CheckCall({.op = "Mean", .inputs = {Array{{4}, {-1, -2, -2, -2}}.As(DType::kInt32), Ints({0})}}, {{{}, {-1}}});
}

TEST_CASE("NaN and infinity in reductions") {
  const Array x{{4, 3}, {kNan, 1, 2, kInf, 1, 2, -kInf, kInf, 0, 3, kNan, kInf}};
  for (const char* op : {"Sum", "Mean", "Prod", "Max", "Min"}) {
    CheckCall({.op = op, .inputs = {x.As(DType::kFloat32), Ints({1})}}, {Reduced(op, x, 2, false)});
    CheckCall({.op = op, .inputs = {x.As(DType::kFloat32), Ints({0})}}, {Reduced(op, x, 1, false)});
  }
}

TEST_CASE("all and any, also of nothing") {
  const Array x{{2, 2}, {1, 0, 1, 1}}, none{{0, 2}, {}};
  const Tensor axis = Ints({1}), outer = Ints({0});
  CheckCall({.op = "All", .inputs = {x.As(DType::kBool), axis}}, {{{2}, {0, 1}}});
  CheckCall({.op = "Any", .inputs = {x.As(DType::kBool), outer}}, {{{2}, {1, 1}}});
  CheckCall({.op = "All", .inputs = {none.As(DType::kBool), outer}}, {{{2}, {1, 1}}});
  CheckCall({.op = "Any", .inputs = {none.As(DType::kBool), outer}}, {{{2}, {0, 0}}});
}

TEST_CASE("arg reductions: the first of equal ones, numbers before NaN") {
  const Array x{{2, 4}, {1, 5, 5, 2, kNan, 0, -3, kNan}};
  CheckCall({.op = "ArgMax", .inputs = {x.As(DType::kFloat32), Int(1)}}, {{{2}, {1, 1}}});
  CheckCall({.op = "ArgMin", .inputs = {x.As(DType::kFloat32), Int(-1)}}, {{{2}, {0, 2}}});
  CheckCall({.op = "ArgMax", .inputs = {Counting({3, 2, 2}).As(DType::kUint16), Int(0)}}, {{{2, 2}, {2, 2, 2, 2}}});
  CheckCall({.op = "ArgMin", .inputs = {Counting({5}).As(DType::kUint64), Int(0)}}, {{{}, {0}}});
}

TEST_CASE("running sums and products of every dtype") {
  const Array x{{2, 3}, {1, 2, 3, 4, 5, 6}};
  for (DType dtype : {DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64, DType::kUint8, DType::kUint16,
                      DType::kUint32, DType::kUint64, DType::kFloat16, DType::kBfloat16, DType::kFloat32}) {
    CheckCall({.op = "Cumsum", .inputs = {x.As(dtype), Int(1)}}, {{{2, 3}, {1, 3, 6, 4, 9, 15}}});
    CheckCall({.op = "Cumprod", .inputs = {x.As(dtype), Int(-1)}, .attrs = {{"exclusive", AttrValue(true)}}},
              {{{2, 3}, {1, 1, 2, 1, 4, 20}}});
  }
  CheckCall({.op = "Cumsum", .inputs = {Array{{2}, {100, 100}}.As(DType::kInt8), Int(0)}}, {{{2}, {100, -56}}});
}

TEST_CASE("reductions refuse axes that are not there") {
  const Tensor x = Counting({2, 3}).As(DType::kFloat32);
  CheckRefusals({
      {{.op = "Sum", .inputs = {x, Ints({2})}}, "expected reduction_indices in [-2,2), got 2"},
      {{.op = "Sum", .inputs = {x, Ints({0, -2})}}, "expected reduction_indices without repetition, got -2 again"},
  });
}

}  // namespace
}  // namespace berth
