// Ops on images and on rows of classes against float64 loops: pooling, resizing, batch normalisation, softmax.
#include <cmath>
#include <limits>

#include "tests/kernels/array.h"
#include "tests/testing.h"

namespace berth {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Pooling {
  Dims dims;  // nhwc
  int64_t kernel, stride;
  bool same;
};

Array Pooled(const Array& x, const Pooling& p, bool max) {
  const auto size = [&](int64_t in) {
    return p.same ? (in + p.stride - 1) / p.stride : (in - p.kernel) / p.stride + 1;
  };
  const auto low = [&](int64_t in) {
    return p.same ? std::max<int64_t>((size(in) - 1) * p.stride + p.kernel - in, 0) / 2 : 0;
  };
  const int64_t h = x.dims[1], w = x.dims[2];
  return Generate({x.dims[0], size(h), size(w), x.dims[3]}, [&](const Index& i) {
    double sum = 0, most = -kInf;
    int64_t count = 0;
    for (int64_t r = 0; r < p.kernel; ++r) {
      for (int64_t s = 0; s < p.kernel; ++s) {
        const int64_t y = i[1] * p.stride - low(h) + r, z = i[2] * p.stride - low(w) + s;
        if (y < 0 || y >= h || z < 0 || z >= w) continue;
        const double value = x.At({i[0], y, z, i[3]});
        sum += value;
        most = std::isnan(value) || value > most ? value : most;
        ++count;
      }
    }
    return max ? most : sum / static_cast<double>(count);
  });
}

Array ToNchw(const Array& x) {
  return Generate({x.dims[0], x.dims[3], x.dims[1], x.dims[2]}, [&](const Index& i) {
    return x.At({i[0], i[2], i[3], i[1]});
  });
}

TEST_CASE("pooling agrees with float64 in both layouts") {
  const Pooling table[] = {{{1, 1, 1, 1}, 1, 1, false}, {{1, 5, 7, 3}, 2, 2, false}, {{2, 5, 7, 3}, 3, 2, true},
                           {{1, 6, 4, 17}, 2, 1, true}, {{1, 3, 3, 2}, 3, 3, false}, {{0, 4, 4, 2}, 2, 2, true},
                           {{1, 4, 4, 0}, 2, 2, true}};
  for (const Pooling& p : table) {
    const Array x = Random(p.dims, 5);
    for (const char* op : {"MaxPool", "AvgPool"}) {
      const Array y = Pooled(x, p, op == std::string("MaxPool"));
      for (bool nhwc : {true, false}) {
        const auto spatial = [&](int64_t v) { return nhwc ? List({1, v, v, 1}) : List({1, 1, v, v}); };
        KernelCall call{.op = op, .inputs = {(nhwc ? x : ToNchw(x)).As(DType::kFloat32)}};
        call.attrs = {{"ksize", spatial(p.kernel)},
                      {"strides", spatial(p.stride)},
                      {"padding", Text(p.same ? "SAME" : "VALID")},
                      {"data_format", Text(nhwc ? "NHWC" : "NCHW")}};
        CheckCall(call, {nhwc ? y : ToNchw(y)}, 1e-6);
      }
    }
  }
  const std::vector<std::pair<std::string, AttrValue>> attrs = {
      {"ksize", List({1, 2, 2, 1})}, {"strides", List({1, 2, 2, 1})}, {"padding", Text("VALID")}};
  CheckCall({.op = "MaxPool", .inputs = {Counting({1, 2, 2, 1}).As(DType::kUint16)}, .attrs = attrs},
            {{{1, 1, 1, 1}, {4}}});
  // A window that does not fit leaves nothing, up to two strides; beyond, it is refused.
  for (const char* op : {"MaxPool", "AvgPool"}) {
    const std::vector<std::pair<std::string, AttrValue>> wide = {
        {"ksize", List({1, 5, 2, 1})}, {"strides", List({1, 2, 2, 1})}, {"padding", Text("VALID")}};
    CheckCall({.op = op, .inputs = {Random({1, 2, 2, 3}, 1).As(DType::kFloat32)}, .attrs = wide}, {{{1, 0, 1, 3}, {}}});
    CheckRefusals({{{.op = op, .inputs = {Random({1, 1, 2, 3}, 1).As(DType::kFloat32)}, .attrs = wide},
                    "expected an input of at least 5 with its padding, got 1"}});
  }
  CheckCall({.op = "MaxPool", .inputs = {Array{{1, 2, 2, 1}, {1, kNan, kInf, 2}}.As(DType::kFloat32)}, .attrs = attrs},
            {{{1, 1, 1, 1}, {kInf}}});
}

TEST_CASE("MaxPool over channels, as far as its stride") {
  const auto attrs = [](std::vector<int64_t> ksize, std::vector<int64_t> strides) {
    return std::vector<std::pair<std::string, AttrValue>>{
        {"ksize", List(ksize)}, {"strides", List(strides)}, {"padding", Text("SAME")}};
  };
  const Array x = Random({2, 3, 2, 6}, 7);
  const Array y = Generate({2, 3, 2, 2}, [&](const Index& i) {
    double most = -kInf;
    for (int64_t c = 0; c < 3; ++c) most = std::max(most, x.At({i[0], i[1], i[2], 3 * i[3] + c}));
    return most;
  });
  CheckCall({.op = "MaxPool", .inputs = {x.As(DType::kFloat32)}, .attrs = attrs({1, 1, 1, 3}, {1, 1, 1, 3})}, {y},
            1e-6);
  CheckCall({.op = "MaxPool", .inputs = {x.As(DType::kFloat64)}, .attrs = attrs({1, 1, 1, 3}, {1, 1, 1, 3})}, {y});
  CheckCall({.op = "MaxPool",
             .inputs = {Counting({1, 1, 1, 6}).As(DType::kInt8)},
             .attrs = attrs({1, 1, 1, 6}, {1, 1, 1, 6})},
            {{{1, 1, 1, 1}, {6}}});
  CheckCall({.op = "MaxPool",
             .inputs = {Array{{1, 1, 1, 4}, {1, kNan, kNan, 2}}.As(DType::kFloat32)},
             .attrs = attrs({1, 1, 1, 2}, {1, 1, 1, 2})},
            {{{1, 1, 1, 2}, {1, kNan}}});
  CheckCall({.op = "MaxPool",
             .inputs = {Random({0, 3, 2, 6}, 7).As(DType::kFloat32)},
             .attrs = attrs({1, 1, 1, 3}, {1, 1, 1, 3})},
            {{{0, 3, 2, 2}, {}}});
  const Tensor six = x.As(DType::kFloat32);
  const std::string refusal =
      "expected a window over channels alone, as far as its stride, that divides them, got ksize ";
  CheckRefusals({
      {{.op = "MaxPool", .inputs = {six}, .attrs = attrs({1, 1, 1, 3}, {1, 1, 1, 2})},
       refusal + "[1,1,1,3] and strides [1,1,1,2] for [2,3,2,6]"},
      {{.op = "MaxPool", .inputs = {six}, .attrs = attrs({1, 1, 1, 4}, {1, 1, 1, 4})},
       refusal + "[1,1,1,4] and strides [1,1,1,4] for [2,3,2,6]"},
      {{.op = "MaxPool", .inputs = {six}, .attrs = attrs({1, 2, 1, 3}, {1, 2, 1, 3})},
       refusal + "[1,2,1,3] and strides [1,2,1,3] for [2,3,2,6]"},
  });
}

// Where output position i lies in the input.
double Source(int64_t i, int64_t in, int64_t out, bool align, bool half) {
  const double step = align && out > 1 ? static_cast<double>(in - 1) / static_cast<double>(out - 1)
                                       : static_cast<double>(in) / static_cast<double>(out);
  return half ? (static_cast<double>(i) + 0.5) * step - 0.5 : static_cast<double>(i) * step;
}

TEST_CASE("bilinear resizing agrees with float64") {
  const std::pair<Dims, std::vector<int32_t>> table[] = {{{1, 3, 5, 2}, {6, 10}},
                                                         {{2, 8, 8, 1}, {4, 2}},
                                                         {{1, 1, 1, 3}, {4, 5}},
                                                         {{1, 4, 4, 3}, {1, 1}},
                                                         {{0, 2, 2, 1}, {3, 3}}};
  for (const auto& row : table) {
    const Dims& dims = row.first;
    const std::vector<int32_t>& size = row.second;
    const Array x = Random(dims, 6);
    for (int mode = 0; mode < 3; ++mode) {
      const bool align = mode == 1, half = mode == 2;
      const auto value = [&](const Index& i) {
        const auto clamped = [](double v, int64_t n) { return std::clamp<int64_t>(static_cast<int64_t>(v), 0, n - 1); };
        const double r = Source(i[1], x.dims[1], size[0], align, half),
                     s = Source(i[2], x.dims[2], size[1], align, half);
        const int64_t top = clamped(std::floor(r), x.dims[1]), bottom = clamped(std::ceil(r), x.dims[1]);
        const int64_t left = clamped(std::floor(s), x.dims[2]), right = clamped(std::ceil(s), x.dims[2]);
        const double a = x.At({i[0], top, left, i[3]}), b = x.At({i[0], top, right, i[3]});
        const double c = x.At({i[0], bottom, left, i[3]}), d = x.At({i[0], bottom, right, i[3]});
        const double above = a + (b - a) * (s - std::floor(s)), below = c + (d - c) * (s - std::floor(s));
        return above + (below - above) * (r - std::floor(r));
      };
      CheckCall({.op = "ResizeBilinear",
                 .inputs = {x.As(DType::kFloat32), Ints(size)},
                 .attrs = {{"align_corners", AttrValue(align)}, {"half_pixel_centers", AttrValue(half)}}},
                {Generate({dims[0], size[0], size[1], dims[3]}, value)}, 1e-5);
    }
  }
  const Array x = Counting({1, 2, 2, 1});
  CheckCall({.op = "ResizeNearestNeighbor", .inputs = {x.As(DType::kUint16), Ints({4, 3})}},
            {Generate({1, 4, 3, 1}, [&](const Index& i) {
              return x.At({0, i[1] / 2, i[2] * 2 / 3, 0});
            })});
}

TEST_CASE("batch normalisation agrees with float64, for inference and training") {
  for (const Dims& dims : {Dims{1, 1, 1, 1}, Dims{2, 3, 5, 4}, Dims{1, 4, 4, 17}}) {
    const Array x = Random(dims, 8);
    const int64_t n = dims[3];
    const Array scale = Random({n}, 1), offset = Random({n}, 2), mean = Random({n}, 3);
    Array variance = Random({n}, 4);
    for (double& v : variance.values) v = v * v;
    const double count = static_cast<double>(dims[0] * dims[1] * dims[2]);
    Array batch_mean{{n}, std::vector<double>(n)}, batch_variance = batch_mean;
    Generate(dims, [&](const Index& i) { return batch_mean.values[i[3]] += x.At(i) / count; });
    Generate(dims, [&](const Index& i) {
      return batch_variance.values[i[3]] += std::pow(x.At(i) - batch_mean.values[i[3]], 2) / count;
    });
    for (bool training : {false, true}) {
      const Array& m = training ? batch_mean : mean;
      const Array& v = training ? batch_variance : variance;
      const Array y = Generate(dims, [&](const Index& i) {
        const int64_t c = i[3];
        return (x.At(i) - m.values[c]) * scale.values[c] / std::sqrt(v.values[c] + 0.001) + offset.values[c];
      });
      for (bool nhwc : {true, false}) {
        KernelCall call{.op = "FusedBatchNormV3", .inputs = {(nhwc ? x : ToNchw(x)).As(DType::kFloat32)}};
        for (const Array& a : {scale, offset, mean, variance}) call.inputs.push_back(a.As(DType::kFloat32));
        call.attrs = {{"epsilon", AttrValue(0.001f)},
                      {"is_training", AttrValue(training)},
                      {"data_format", Text(nhwc ? "NHWC" : "NCHW")}};
        CheckCall(call, {nhwc ? y : ToNchw(y), m}, 1e-5);
      }
    }
  }
}

TEST_CASE("softmax agrees with float64, and large and infinite logits stay finite") {
  for (const Dims& dims : {Dims{1}, Dims{17}, Dims{3, 5}, Dims{2, 3, 33}, Dims{0, 4}, Dims{4, 0}}) {
    Array x = Random(dims, 9);
    for (size_t i = 0; i < x.values.size(); i += 3) x.values[i] += 500;
    const int64_t n = dims.back();
    std::vector<double> sums, most;
    for (size_t i = 0; i < x.values.size(); ++i) {
      if (i % n == 0) {
        most.push_back(*std::max_element(x.values.begin() + i, x.values.begin() + i + n));
        sums.push_back(0);
      }
      sums.back() += std::exp(x.values[i] - most.back());
    }
    Array soft = x, log = x;
    for (size_t i = 0; i < x.values.size(); ++i) {
      log.values[i] = x.values[i] - most[i / n] - std::log(sums[i / n]);
      soft.values[i] = std::exp(log.values[i]);
    }
    CheckCall({.op = "Softmax", .inputs = {x.As(DType::kFloat32)}}, {soft}, 1e-5);
    CheckCall({.op = "LogSoftmax", .inputs = {x.As(DType::kFloat32)}}, {log}, 1e-4);
    CheckCall({.op = "Softmax", .inputs = {x.As(DType::kFloat64)}}, {soft}, 1e-13);
  }
  CheckCall({.op = "Softmax", .inputs = {Array{{1, 3}, {-kInf, 0, 0}}.As(DType::kFloat32)}}, {{{1, 3}, {0, 0.5, 0.5}}});
}

TEST_CASE("image ops refuse what does not fit") {
  const Tensor x = Counting({1, 4, 4, 2}).As(DType::kFloat32), flat = Counting({4, 4}).As(DType::kFloat32);
  const AttrValue ones = List({1, 1, 1, 1}), valid = Text("VALID");
  CheckRefusals({
      {{.op = "MaxPool", .inputs = {flat}, .attrs = {{"ksize", ones}, {"strides", ones}, {"padding", valid}}},
       "expected input of rank 4, got shape [4,4]"},
      {{.op = "MaxPool",
        .inputs = {x},
        .attrs = {{"ksize", List({1, 0, 1, 1})}, {"strides", ones}, {"padding", valid}}},
       "expected ksize of at least 1, got 0"},
      {{.op = "AvgPool",
        .inputs = {x},
        .attrs = {{"ksize", List({1, 6, 6, 1})}, {"strides", ones}, {"padding", valid}}},
       "expected an input of at least 6 with its padding, got 4"},
      {{.op = "MaxPool",
        .inputs = {x},
        .attrs = {{"ksize", List({1, 2, 2, 1})},
                  {"strides", ones},
                  {"padding", Text("EXPLICIT")},
                  {"explicit_paddings", List({0, 0, 0, 2, 0, 0, 0, 0})}}},
       "expected explicit_paddings below the window of 2, got 2"},
      {{.op = "ResizeBilinear", .inputs = {x, Ints({0, 4})}}, "expected sizes of at least 1, got 0 and 4"},
      {{.op = "FusedBatchNormV3", .inputs = {x, x, x, x, x}}, "expected input 1 of shape [2], got [1,4,4,2]"},
      {{.op = "Softmax", .inputs = {Counting({}).As(DType::kFloat32)}},
       "expected logits of rank at least 1, got a scalar"},
  });
}

}  // namespace
}  // namespace berth
