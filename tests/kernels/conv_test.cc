// Convolutions and matrix products against float64 references, over shapes, paddings, strides, dilations, groups and both
// layouts; and the state that their kernels keep.
#include <cmath>
#include <cstring>
#include <random>

#include "kernels/kernels.h"
#include "runtime/kernel_runner.h"
#include "tests/testing.h"

namespace berth {
namespace {

Tensor Normal(Dims dims, int seed) {
  Tensor t = *AllocateHostTensor(DType::kFloat32, std::move(dims));
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal;
  for (int64_t i = 0; i < t.num_elements(); ++i) t.kernel<float>()[i] = normal(engine);
  return t;
}

AttrValue Ints(std::vector<int64_t> values) {
  AttrList list;
  list.i = std::move(values);
  return AttrValue(list);
}

struct Conv {
  int64_t batch, size, in, kernel, out, stride, dilation, groups;
  const char* padding;
};

// The NHWC result in double.
std::vector<double> Reference(const Conv& c, const Tensor& x, const Tensor& w, int64_t* out_size) {
  const int64_t reach = (c.kernel - 1) * c.dilation + 1;
  const bool same = std::string(c.padding) == "SAME";
  const int64_t n = same ? (c.size + c.stride - 1) / c.stride : (c.size - reach) / c.stride + 1;
  const int64_t low = same ? std::max<int64_t>((n - 1) * c.stride + reach - c.size, 0) / 2 : 0;
  *out_size = n;
  const int64_t in = c.in / c.groups, out = c.out / c.groups;
  std::vector<double> y(c.batch * n * n * c.out);
  for (int64_t b = 0; b < c.batch; ++b)
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        for (int64_t o = 0; o < c.out; ++o)
          for (int64_t p = 0; p < c.kernel; ++p)
            for (int64_t q = 0; q < c.kernel; ++q) {
              const int64_t r = i * c.stride - low + p * c.dilation, s = j * c.stride - low + q * c.dilation;
              if (r < 0 || r >= c.size || s < 0 || s >= c.size) continue;
              for (int64_t k = 0; k < in; ++k) {
                y[((b * n + i) * n + j) * c.out + o] +=
                    static_cast<double>(x.kernel<float>()[((b * c.size + r) * c.size + s) * c.in + o / out * in + k]) *
                    w.kernel<float>()[((p * c.kernel + q) * in + k) * c.out + o];
              }
            }
  return y;
}

Tensor Transposed(const Tensor& x, std::vector<int32_t> perm) {
  const Tensor order = *HostTensorOf<int32_t>({static_cast<int64_t>(perm.size())}, perm);
  return (*RunKernel(*CpuKernels(), {.op = "Transpose", .inputs = {x, order}}))[0];
}

const Conv kConvs[] = {
    {1, 5, 3, 3, 8, 1, 1, 1, "SAME"},
    {2, 7, 16, 1, 17, 1, 1, 1, "VALID"},
    {1, 9, 4, 3, 6, 2, 1, 1, "SAME"},
    {1, 8, 3, 3, 32, 2, 1, 1, "SAME"},
    {3, 6, 5, 2, 7, 1, 2, 1, "VALID"},
    {1, 11, 8, 5, 8, 3, 1, 1, "SAME"},
    {1, 6, 8, 3, 12, 1, 1, 4, "SAME"},
    {2, 7, 16, 3, 16, 1, 1, 16, "SAME"},
    {1, 8, 32, 3, 32, 2, 1, 32, "SAME"},
    {1, 7, 3, 3, 9, 1, 1, 3, "VALID"},
    {1, 1, 1, 1, 1, 1, 1, 1, "VALID"},
    {1, 9, 64, 3, 64, 1, 1, 64, "VALID"},
    {1, 10, 6, 3, 6, 1, 2, 6, "SAME"},
    {0, 5, 3, 3, 8, 1, 1, 1, "SAME"},
    // Large enough to be cut: by rows with and without padding, pointwise, by images, depthwise.
    {1, 40, 32, 3, 64, 1, 1, 1, "SAME"},
    {1, 61, 32, 5, 40, 2, 1, 1, "SAME"},
    {1, 40, 24, 3, 48, 1, 2, 1, "VALID"},
    {1, 64, 64, 1, 64, 1, 1, 1, "VALID"},
    {3, 30, 16, 3, 64, 1, 1, 1, "SAME"},
    {1, 120, 64, 3, 64, 1, 1, 64, "SAME"},
};

TEST_CASE("convolutions agree with float64 in both layouts") {
  for (const Conv& c : kConvs) {
    CAPTURE(c.batch, c.size, c.in, c.kernel, c.out, c.stride, c.dilation, c.groups, c.padding);
    const bool depthwise = c.groups == c.in && c.groups > 1;
    const Tensor x = Normal({c.batch, c.size, c.size, c.in}, 1);
    const Tensor w = Normal({c.kernel, c.kernel, c.in / c.groups, c.out}, 2);
    int64_t n = 0;
    const std::vector<double> want = Reference(c, x, w, &n);
    for (bool nhwc : {true, false}) {
      KernelCall call{.op = depthwise ? "DepthwiseConv2dNative" : "Conv2D"};
      call.inputs = {nhwc ? x : Transposed(x, {0, 3, 1, 2}),
                     depthwise ? w.WithDims({c.kernel, c.kernel, c.in, c.out / c.in}) : w};
      const auto spatial = [&](int64_t v) { return nhwc ? Ints({1, v, v, 1}) : Ints({1, 1, v, v}); };
      call.attrs = {{"strides", spatial(c.stride)},
                    {"dilations", spatial(c.dilation)},
                    {"padding", AttrValue(std::string(c.padding))},
                    {"data_format", AttrValue(std::string(nhwc ? "NHWC" : "NCHW"))}};
      const auto y = RunKernel(*CpuKernels(), call);
      REQUIRE(y.ok());
      const Tensor got = nhwc ? (*y)[0] : Transposed((*y)[0], {0, 2, 3, 1});
      REQUIRE(got.dims() == Dims{c.batch, n, n, c.out});
      double largest = 1, off = 0;
      for (size_t i = 0; i < want.size(); ++i) {
        largest = std::max(largest, std::abs(want[i]));
        off = std::max(off, std::abs(got.kernel<float>()[i] - want[i]));
      }
      CHECK(off <= 1e-5 * largest);
    }
  }
}

TEST_CASE("a kept convolution follows its inputs from run to run") {
  const Tensor x = Normal({1, 8, 8, 16}, 3), w = Normal({3, 3, 16, 16}, 4);
  const KernelCall call{.op = "Conv2D",
                        .inputs = {x, w},
                        .attrs = {{"strides", Ints({1, 1, 1, 1})}, {"padding", AttrValue(std::string("SAME"))}}};
  const auto once = CallKernel(*CpuKernels(), call, 1), thrice = CallKernel(*CpuKernels(), call, 3);
  REQUIRE((once.ok() && thrice.ok()));
  CHECK(std::memcmp(once->outputs[0].kernel_data(), thrice->outputs[0].kernel_data(), once->outputs[0].num_bytes()) ==
        0);
}

TEST_CASE("matrix products agree with float64 for every transposition, and are zero over nothing") {
  const int64_t sizes[][3] = {{1, 1, 1}, {3, 5, 7}, {17, 33, 31}, {64, 4, 256},    {8, 256, 3072},
                              {0, 3, 4}, {4, 3, 0}, {2, 0, 3},    {200, 300, 400}, {5, 1100, 2000}};
  for (const auto& [m, n, k] : sizes) {
    for (int t = 0; t < 4; ++t) {
      const bool ta = (t & 1) != 0, tb = (t & 2) != 0;
      CAPTURE(m, n, k, ta, tb);
      const Tensor a = Normal(ta ? Dims{k, m} : Dims{m, k}, 5), b = Normal(tb ? Dims{n, k} : Dims{k, n}, 6);
      const auto y =
          RunKernel(*CpuKernels(), {.op = "MatMul",
                                    .inputs = {a, b},
                                    .attrs = {{"transpose_a", AttrValue(ta)}, {"transpose_b", AttrValue(tb)}}});
      REQUIRE(y.ok());
      REQUIRE((*y)[0].dims() == Dims{m, n});
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          double sum = 0, size = 1;
          for (int64_t l = 0; l < k; ++l) {
            const double term = static_cast<double>(a.kernel<float>()[ta ? l * m + i : i * k + l]) *
                                b.kernel<float>()[tb ? j * k + l : l * n + j];
            sum += term;
            size = std::max(size, std::abs(term));
          }
          CHECK(std::abs((*y)[0].kernel<float>()[i * n + j] - sum) <= 1e-5 * size * 10);
        }
      }
    }
  }
}

struct Refusal {
  KernelCall call;
  std::string text;
};

TEST_CASE("a window over the end of its input gives nothing") {
  const std::vector<std::pair<std::string, AttrValue>> attrs = {{"strides", Ints({1, 1, 1, 1})},
                                                                {"padding", AttrValue(std::string("VALID"))}};
  const auto y = RunKernel(
      *CpuKernels(), {.op = "Conv2D", .inputs = {Normal({1, 2, 4, 3}, 1), Normal({3, 3, 3, 5}, 1)}, .attrs = attrs});
  REQUIRE(y.ok());
  CHECK((*y)[0].dims() == Dims{1, 0, 2, 5});
}

TEST_CASE("convolutions and products refuse shapes that do not fit") {
  const AttrValue ones = Ints({1, 1, 1, 1}), valid = AttrValue(std::string("VALID"));
  const Refusal table[] = {
      {{.op = "MatMul", .inputs = {Normal({2, 3}, 1), Normal({4, 5}, 1)}},
       "expected matrices whose inner dimensions agree, got [2,3] and [4,5]"},
      {{.op = "MatMul", .inputs = {Normal({2}, 1), Normal({4, 5}, 1)}}, "expected a of rank 2, got shape [2]"},
      {{.op = "BatchMatMulV2", .inputs = {Normal({2, 3, 4}, 1), Normal({3, 4, 5}, 1)}},
       "expected shapes that broadcast, got [2] and [3]"},
      {{.op = "Conv2D",
        .inputs = {Normal({1, 1, 2, 3}, 1), Normal({3, 3, 3, 1}, 1)},
        .attrs = {{"strides", ones}, {"padding", valid}}},
       "expected an input of at least 3 with its padding, got 1"},
      {{.op = "Conv2D",
        .inputs = {Normal({1, 4, 4, 3}, 1), Normal({3, 3, 0, 1}, 1)},
        .attrs = {{"strides", ones}, {"padding", valid}}},
       "expected input channels to be a multiple of the filter's 0, got 3"},
      {{.op = "Conv2D",
        .inputs = {Normal({1, 4, 4, 3}, 1), Normal({3, 3, 2, 1}, 1)},
        .attrs = {{"strides", ones}, {"padding", valid}}},
       "expected input channels to be a multiple of the filter's 2, got 3"},
      {{.op = "Conv2D",
        .inputs = {Normal({1, 4, 4, 3}, 1), Normal({3, 3, 3, 1}, 1)},
        .attrs = {{"strides", Ints({1, 0, 1, 1})}, {"padding", valid}}},
       "expected strides of at least 1, got 0"},
      {{.op = "Conv2D",
        .inputs = {Normal({4, 4, 3}, 1), Normal({3, 3, 3, 1}, 1)},
        .attrs = {{"strides", ones}, {"padding", valid}}},
       "expected input and filter of rank 4, got shapes [4,4,3] and [3,3,3,1]"},
  };
  for (const Refusal& row : table) {
    const auto y = RunKernel(*CpuKernels(), row.call);
    CAPTURE(row.call.op);
    REQUIRE(!y.ok());
    CHECK(std::string(y.status().message()) == row.text);
  }
}

}  // namespace
}  // namespace berth
