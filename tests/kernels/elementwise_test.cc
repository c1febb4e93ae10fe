// Elementwise kernels against float64 references: every size around the vector width, special values, broadcasting.
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "kernels/kernels.h"
#include "runtime/kernel_runner.h"
#include "tests/testing.h"

namespace berth {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

// Seeded values around zero, with NaN, infinities, zeros and large values strewn in.
std::vector<float> Values(int64_t n, bool special, int seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal(0, 2);
  const float specials[] = {kNan, kInf, -kInf, 0.0f, -0.0f, 3e38f, -3e38f, 1e-30f};
  std::vector<float> values(n);
  for (float& v : values) v = special && engine() % 4 == 0 ? specials[engine() % 8] : normal(engine);
  return values;
}

Tensor VectorOf(const std::vector<float>& values) {
  return *HostTensorOf<float>({static_cast<int64_t>(values.size())}, values);
}

bool Near(float got, double want, double tolerance) {
  if (std::isnan(want)) return std::isnan(got);
  if (std::isinf(static_cast<float>(want))) return got == static_cast<float>(want);
  return std::abs(got - want) <= tolerance * std::max(1.0, std::abs(want));
}

struct Unary {
  const char* op;
  std::function<double(double)> reference;
};

TEST_CASE("unary kernels agree with float64 at every size and for special values") {
  const Unary table[] = {
      {"Abs", [](double x) { return std::abs(x); }},
      {"Ceil", [](double x) { return std::ceil(x); }},
      {"Elu", [](double x) { return x < 0 ? std::expm1(x) : x; }},
      {"Exp", [](double x) { return std::exp(x); }},
      {"Floor", [](double x) { return std::floor(x); }},
      {"Log", [](double x) { return std::log(x); }},
      {"Neg", [](double x) { return -x; }},
      {"Reciprocal", [](double x) { return 1 / x; }},
      {"Relu", [](double x) { return x < 0 ? 0 : x; }},
      {"Relu6", [](double x) { return x < 0   ? 0
                                      : x > 6 ? 6
                                              : x; }},
      {"Round", [](double x) { return std::nearbyint(x); }},
      {"Rsqrt", [](double x) { return 1 / std::sqrt(x); }},
      {"Sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }},
      {"Sqrt", [](double x) { return std::sqrt(x); }},
      {"Square", [](double x) { return x * x; }},
      {"Tanh", [](double x) { return std::tanh(x); }},
  };
  for (const Unary& row : table) {
    for (int64_t n : {0, 1, 3, 7, 8, 15, 16, 17, 31, 33, 1001}) {
      const std::vector<float> x = Values(n, true, static_cast<int>(n));
      const auto y = RunKernel(*CpuKernels(), {.op = row.op, .inputs = {VectorOf(x)}});
      CAPTURE(row.op, n);
      REQUIRE(y.ok());
      for (int64_t i = 0; i < n; ++i) {
        CAPTURE(i, x[i], (*y)[0].kernel<float>()[i]);
        CHECK(Near((*y)[0].kernel<float>()[i], row.reference(x[i]), 1e-6));
      }
    }
  }
}

struct Binary {
  const char* op;
  std::function<double(double, double)> reference;
};

TEST_CASE("binary kernels agree with float64 under every way to broadcast") {
  const Binary table[] = {
      {"AddV2", [](double a, double b) { return a + b; }},
      {"DivNoNan", [](double a, double b) { return b == 0 ? 0 : a / b; }},
      {"FloorDiv",
       [](double a, double b) {
         // The quotient is a float, and denormal floats count as zero.
         const float q = static_cast<float>(a) / static_cast<float>(b);
         return std::fpclassify(q) == FP_SUBNORMAL ? 0 : std::floor(static_cast<double>(q));
       }},
      {"Maximum", [](double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b); }},
      {"Minimum", [](double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b); }},
      {"Mul", [](double a, double b) { return a * b; }},
      {"RealDiv", [](double a, double b) { return a / b; }},
      {"SquaredDifference", [](double a, double b) { return (a - b) * (a - b); }},
      {"Sub", [](double a, double b) { return a - b; }},
  };
  const std::pair<Dims, Dims> shapes[] = {{{}, {}},
                                          {{0}, {1}},
                                          {{1}, {17}},
                                          {{33}, {}},
                                          {{5, 1}, {1, 19}},
                                          {{2, 3, 4}, {4}},
                                          {{3, 1, 5}, {2, 1}},
                                          {{7, 9}, {7, 9}},
                                          {{2, 1, 3, 1}, {5, 1, 2}},
                                          {{3, 0, 2}, {1, 2}}};
  for (const Binary& row : table) {
    for (const auto& [da, db] : shapes) {
      CAPTURE(row.op, Tensor(DType::kFloat32, da, nullptr).ShapeString(),
              Tensor(DType::kFloat32, db, nullptr).ShapeString());
      const int64_t na = Tensor(DType::kFloat32, da, nullptr).num_elements();
      const int64_t nb = Tensor(DType::kFloat32, db, nullptr).num_elements();
      const std::vector<float> a = Values(na, true, 1), b = Values(nb, true, 2);
      const auto y = RunKernel(*CpuKernels(),
                               {.op = row.op, .inputs = {*HostTensorOf<float>(da, a), *HostTensorOf<float>(db, b)}});
      REQUIRE(y.ok());
      const Dims& out = (*y)[0].dims();
      for (int64_t i = 0; i < (*y)[0].num_elements(); ++i) {
        // The operand's element by its own dimensions, counted from the last axis.
        const auto element = [&](const Dims& dims) {
          int64_t rest = i, at = 0, step = 1;
          for (size_t k = 0; k < out.size(); ++k) {
            const int64_t index = rest % out[out.size() - 1 - k];
            rest /= out[out.size() - 1 - k];
            if (k < dims.size()) {
              const int64_t d = dims[dims.size() - 1 - k];
              at += d == 1 ? 0 : index * step;
              step *= d;
            }
          }
          return at;
        };
        const float x = a[element(da)], z = b[element(db)];
        CAPTURE(i, x, z, (*y)[0].kernel<float>()[i]);
        CHECK(Near((*y)[0].kernel<float>()[i], row.reference(x, z), 1e-6));
      }
    }
  }
}

struct Refusal {
  KernelCall call;
  std::string text;
};

TEST_CASE("elementwise kernels refuse what has no result") {
  const Tensor two = *HostTensorOf<int32_t>({2}, {7, -3}), zero = *HostTensorOf<int32_t>({}, {0});
  const Tensor minus = *HostTensorOf<int32_t>({}, {-1}), three = *HostTensorOf<int32_t>({3}, {1, 2, 3});
  const Refusal table[] = {
      {{.op = "FloorDiv", .inputs = {two, zero}}, "expected divisors other than 0, got 0"},
      {{.op = "FloorMod", .inputs = {two, zero}}, "expected divisors other than 0, got 0"},
      {{.op = "Pow", .inputs = {two, minus}}, "expected exponents of at least 0 for integers, got a negative one"},
      {{.op = "Mul", .inputs = {two, three}}, "expected shapes that broadcast, got [2] and [3]"},
      {{.op = "AddN", .inputs = {two, three}}, "expected input 1 of shape [2], got [3]"},
      {{.op = "BiasAdd", .inputs = {three, two}}, "expected an input of rank at least 2, got shape [3]"},
  };
  for (const Refusal& row : table) {
    const auto y = RunKernel(*CpuKernels(), row.call);
    CAPTURE(row.call.op);
    REQUIRE(!y.ok());
    CHECK(y.status().code() == absl::StatusCode::kInvalidArgument);
    CHECK(std::string(y.status().message()) == row.text);
  }
}

TEST_CASE("gradients pass on NaN and infinity, a denormal is a zero, and halves round the quotient before its floor") {
  const auto run = [](const char* op, std::vector<Tensor> inputs) {
    const auto y = RunKernel(*CpuKernels(), {.op = op, .inputs = std::move(inputs)});
    REQUIRE(y.ok());
    return (*y)[0];
  };
  const Tensor relu = run("ReluGrad", {VectorOf({kNan, kInf, 2, 3}), VectorOf({-1, 0, -1, 1})});
  CHECK(std::isnan(relu.kernel<float>()[0]));
  CHECK(std::isnan(relu.kernel<float>()[1]));
  CHECK(relu.kernel<float>()[2] == 0);
  CHECK(relu.kernel<float>()[3] == 3);
  CHECK(run("RsqrtGrad", {VectorOf({kInf}), VectorOf({0})}).kernel<float>()[0] == 0);
  CHECK(run("Log", {VectorOf({1e-40f})}).kernel<float>()[0] == -kInf);
  // In bfloat16, 7.21875 / 0.380859 is 19; in float32 it is 18.95.
  const auto bfloat = [](uint16_t bits) {
    Tensor t = *AllocateHostTensor(DType::kBfloat16, {1});
    *t.kernel<uint16_t>() = bits;
    return t;
  };
  CHECK(*run("FloorDiv", {bfloat(0x40e7), bfloat(0x3ec3)}).kernel<uint16_t>() == 0x4198);
}

TEST_CASE("the smallest integer divided by -1 wraps") {
  const Tensor least = *HostTensorOf<int32_t>({1}, {std::numeric_limits<int32_t>::min()});
  const Tensor minus = *HostTensorOf<int32_t>({}, {-1});
  const auto y = RunKernel(*CpuKernels(), {.op = "FloorDiv", .inputs = {least, minus}});
  REQUIRE(y.ok());
  CHECK((*y)[0].kernel<int32_t>()[0] == std::numeric_limits<int32_t>::min());
}

}  // namespace
}  // namespace berth
