// Conv2D, BatchNorm and Embed: the graphs they make, what these compute beside plain loops, and mistakes.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "graph/modules/modules.h"
#include "graph/ops.h"
#include "graph/variable.h"
#include "kernels/kernels.h"
#include "runtime/session.h"
#include "tests/graph/building.h"
#include "tests/testing.h"

namespace berth {
namespace {

Output Placeholder(const Scope& scope, const PartialShape& shape, DType dtype = DType::kFloat32) {
  return ops::Placeholder(scope.WithName("x"), {.dtype = dtype, .shape = shape});
}

// "x = MatMul(a, b)" lines without those of initialisers and assignments.
std::string Nodes(const absl::StatusOr<Graph>& graph) {
  if (!graph.ok()) return std::string(graph.status().message());
  const std::string all = Structure(*graph);
  std::string text;
  for (size_t at = 0; at < all.size();) {
    const size_t end = all.find('\n', at) + 1;
    const std::string line = all.substr(at, end - at);
    if (line.find("/Initializer/") == std::string::npos && line.find(" = Assign(") == std::string::npos &&
        line.find("/read = ") == std::string::npos) {
      text += line;
    }
    at = end;
  }
  return text;
}

TEST_CASE("Conv2D: Sonnet's variables, initialisers and nodes") {
  const Scope root = Scope::Root();
  const Output y = Conv2D(root, 4, 3, {.stride = 2})(root, Placeholder(root, {1, 8, 7, 2}));
  CHECK(y.shape().ToString() == "[1,4,4,4]");
  const absl::StatusOr<Graph> graph = root.Finish();
  CHECK(Nodes(graph) ==
        "x = Placeholder()\n"
        "conv_2d/w = VariableV2()\n"
        "conv_2d/convolution = Conv2D(x, conv_2d/w/read)\n"
        "conv_2d/b = VariableV2()\n"
        "conv_2d/BiasAdd = BiasAdd(conv_2d/convolution, conv_2d/b/read)\n");
  CHECK(graph->Find("conv_2d/w")->output_shape(0).ToString() == "[3,3,2,4]");
  CHECK(graph->Find("conv_2d/w/Initializer/truncated_normal").has_value());
  CHECK(graph->Find("conv_2d/b/Initializer/zeros").has_value());
}

TEST_CASE("Conv2D of a rate over 1 splits its input into batches") {
  const Scope root = Scope::Root();
  const Output y = Conv2D(root, 1, {3, 2}, {.rate = {2, 3}, .use_bias = false})(root, Placeholder(root, {1, 8, 7, 2}));
  CHECK(y.shape().ToString() == "[1,8,7,1]");
  CHECK(Nodes(root.Finish()) ==
        "x = Placeholder()\n"
        "conv_2d/w = VariableV2()\n"
        "conv_2d/convolution/SpaceToBatchND/block_shape = Const()\n"
        "conv_2d/convolution/SpaceToBatchND/paddings = Const()\n"
        "conv_2d/convolution/SpaceToBatchND = SpaceToBatchND(x, conv_2d/convolution/SpaceToBatchND/block_shape, "
        "conv_2d/convolution/SpaceToBatchND/paddings)\n"
        "conv_2d/convolution = Conv2D(conv_2d/convolution/SpaceToBatchND, conv_2d/w/read)\n"
        "conv_2d/convolution/BatchToSpaceND/block_shape = Const()\n"
        "conv_2d/convolution/BatchToSpaceND/crops = Const()\n"
        "conv_2d/convolution/BatchToSpaceND = BatchToSpaceND(conv_2d/convolution, "
        "conv_2d/convolution/BatchToSpaceND/block_shape, conv_2d/convolution/BatchToSpaceND/crops)\n");
}

TEST_CASE("BatchNorm: variables, and nodes as TensorFlow's batch_normalization writes them") {
  const Scope root = Scope::Root();
  const Output x = Placeholder(root, {1, 2, 2, 3});
  BatchNorm(root, {.scale = true})(root, x);
  BatchNorm(root, {.offset = false, .name = "plain"})(root, x);
  const absl::StatusOr<Graph> graph = root.Finish();
  CHECK(Nodes(graph) ==
        "x = Placeholder()\n"
        "batch_norm/moving_mean = VariableV2()\n"
        "batch_norm/moving_variance = VariableV2()\n"
        "batch_norm/beta = VariableV2()\n"
        "batch_norm/gamma = VariableV2()\n"
        "batch_norm/batch_norm/add/y = Const()\n"
        "batch_norm/batch_norm/add = AddV2(batch_norm/moving_variance/read, batch_norm/batch_norm/add/y)\n"
        "batch_norm/batch_norm/Rsqrt = Rsqrt(batch_norm/batch_norm/add)\n"
        "batch_norm/batch_norm/mul = Mul(batch_norm/batch_norm/Rsqrt, batch_norm/gamma/read)\n"
        "batch_norm/batch_norm/mul_1 = Mul(x, batch_norm/batch_norm/mul)\n"
        "batch_norm/batch_norm/mul_2 = Mul(batch_norm/moving_mean/read, batch_norm/batch_norm/mul)\n"
        "batch_norm/batch_norm/sub = Sub(batch_norm/beta/read, batch_norm/batch_norm/mul_2)\n"
        "batch_norm/batch_norm/add_1 = AddV2(batch_norm/batch_norm/mul_1, batch_norm/batch_norm/sub)\n"
        "plain/moving_mean = VariableV2()\n"
        "plain/moving_variance = VariableV2()\n"
        "plain/batch_norm/add/y = Const()\n"
        "plain/batch_norm/add = AddV2(plain/moving_variance/read, plain/batch_norm/add/y)\n"
        "plain/batch_norm/Rsqrt = Rsqrt(plain/batch_norm/add)\n"
        "plain/batch_norm/mul = Mul(x, plain/batch_norm/Rsqrt)\n"
        "plain/batch_norm/Neg = Neg(plain/moving_mean/read)\n"
        "plain/batch_norm/mul_1 = Mul(plain/batch_norm/Neg, plain/batch_norm/Rsqrt)\n"
        "plain/batch_norm/add_1 = AddV2(plain/batch_norm/mul, plain/batch_norm/mul_1)\n");
  CHECK(graph->Find("batch_norm/moving_mean")->output_shape(0).ToString() == "[1,1,1,3]");
  CHECK(graph->Find("batch_norm/moving_mean/Initializer/zeros").has_value());
  CHECK(graph->Find("batch_norm/moving_variance/Initializer/ones").has_value());
  CHECK(graph->Find("batch_norm/beta/Initializer/zeros").has_value());
  CHECK(graph->Find("batch_norm/gamma/Initializer/ones").has_value());
}

TEST_CASE("Embed: a table and a lookup; its width follows from the vocabulary") {
  const Scope root = Scope::Root();
  const Output y = Embed(root, 100)(root, Placeholder(root, {2, kUnknownDim}, DType::kInt64));
  CHECK(y.shape().ToString() == "[2,?,19]");
  const absl::StatusOr<Graph> graph = root.Finish();
  CHECK(Nodes(graph) ==
        "x = Placeholder()\n"
        "embed/embeddings = VariableV2()\n"
        "embed/embedding_lookup/axis = Const()\n"
        "embed/embedding_lookup = GatherV2(embed/embeddings/read, x, embed/embedding_lookup/axis)\n"
        "embed/embedding_lookup/Identity = Identity(embed/embedding_lookup)\n");
  CHECK(graph->Find("embed/embeddings")->output_shape(0).ToString() == "[100,19]");
  CHECK(graph->Find("embed/embeddings/Initializer/random_normal").has_value());
}

// Runs: the value of `y` for an input, beside the module's variables.
struct Ran {
  std::unique_ptr<Session> session;
  Tensor y;

  std::vector<float> Values(const Tensor& t) const { return {t.kernel<float>(), t.kernel<float>() + t.num_elements()}; }
  std::vector<float> Variable(const std::string& name) const {
    const absl::StatusOr<Tensor> value = session->GetVariable(name);
    REQUIRE(value.ok());
    return Values(*value);
  }
};

Ran Run(const Scope& root, const Output& y, const Tensor& x, const std::string& machine) {
  InitOp(root);
  absl::StatusOr<Graph> graph = root.Finish();
  INFO(graph.status().ToString());
  REQUIRE(graph.ok());
  SessionOptions options;
  options.machine = *ParseMachine(machine);
  options.policy = RoundRobin();
  options.kernels = CpuKernels();
  auto session = Session::Create(std::make_shared<const Graph>(*std::move(graph)), std::move(options));
  INFO(session.status().ToString());
  REQUIRE(session.ok());
  REQUIRE((*session)->Run({.targets = {"init"}}).ok());
  const auto values = (*session)->Run({.feeds = {{"x", x}}, .fetches = {y.name()}});
  INFO(values.status().ToString());
  REQUIRE(values.ok());
  return {*std::move(session), (*values)[0]};
}

// Values of both signs that repeat late.
Tensor Wave(Dims dims) {
  Tensor t = *AllocateHostTensor(DType::kFloat32, std::move(dims));
  for (int64_t i = 0; i < t.num_elements(); ++i) t.kernel<float>()[i] = std::sin(0.7f * static_cast<float>(i));
  return t;
}

void CheckClose(const std::vector<float>& got, const std::vector<double>& want) {
  REQUIRE(got.size() == want.size());
  double worst = 0;
  for (size_t i = 0; i < got.size(); ++i) worst = std::max(worst, std::abs(got[i] - want[i]));
  CHECK(worst < 1e-5);
}

TEST_CASE("Conv2D computes what seven loops do, for every padding, stride and rate") {
  struct Case {
    Size2D kernel, stride, rate;
    ConvPadding padding;
  };
  const Case cases[] = {
      {3, 1, 1, ConvPadding::kSame},  {{3, 2}, {2, 1}, 1, ConvPadding::kSame}, {2, 3, 1, ConvPadding::kValid},
      {3, 1, 2, ConvPadding::kSame},  {{2, 3}, 1, {3, 2}, ConvPadding::kSame}, {{2, 3}, 1, {1, 2}, ConvPadding::kValid},
      {1, 1, 1, ConvPadding::kValid},
  };
  constexpr int64_t kB = 2, kH = 9, kW = 8, kN = 3, kM = 2;
  for (const Case& c : cases) {
    INFO(c.kernel.height << "x" << c.kernel.width << " stride " << c.stride.height << " rate " << c.rate.height);
    const Scope root = Scope::Root();
    const Output y =
        Conv2D(root, kM, c.kernel,
               {.stride = c.stride,
                .rate = c.rate,
                .padding = c.padding,
                .initializers = {{"b", Initializer::Constant(0.5)}}})(root, Placeholder(root, {kB, kH, kW, kN}));
    const Tensor x = Wave({kB, kH, kW, kN});
    const Ran ran = Run(root, y, x, "cpu:1,gpu:2");
    const std::vector<float> w = ran.Variable("conv_2d/w"), b = ran.Variable("conv_2d/b");
    const int64_t oh = ran.y.dim(1), ow = ran.y.dim(2);
    const auto before = [&](int64_t in, int64_t out, int64_t k, int64_t stride, int64_t rate) -> int64_t {
      if (c.padding == ConvPadding::kValid) return 0;
      return std::max<int64_t>((out - 1) * stride + (k - 1) * rate + 1 - in, 0) / 2;
    };
    const int64_t top = before(kH, oh, c.kernel.height, c.stride.height, c.rate.height);
    const int64_t left = before(kW, ow, c.kernel.width, c.stride.width, c.rate.width);
    std::vector<double> want;
    for (int64_t n = 0; n < kB; ++n) {
      for (int64_t p = 0; p < oh * ow; ++p) {
        for (int64_t m = 0; m < kM; ++m) {
          double sum = b[m];
          for (int64_t k = 0; k < c.kernel.height * c.kernel.width; ++k) {
            const int64_t row = p / ow * c.stride.height - top + k / c.kernel.width * c.rate.height;
            const int64_t column = p % ow * c.stride.width - left + k % c.kernel.width * c.rate.width;
            if (row < 0 || row >= kH || column < 0 || column >= kW) continue;
            for (int64_t i = 0; i < kN; ++i) {
              sum += static_cast<double>(x.kernel<float>()[((n * kH + row) * kW + column) * kN + i]) *
                     w[(k * kN + i) * kM + m];
            }
          }
          want.push_back(sum);
        }
      }
    }
    CheckClose(ran.Values(ran.y), want);
  }
}

TEST_CASE("BatchNorm computes (x - mean) / sqrt(variance + eps) * gamma + beta") {
  for (const bool offset : {false, true}) {
    for (const bool scale : {false, true}) {
      const Scope root = Scope::Root();
      InitializerMap first = {{"moving_mean", Initializer::RandomNormal({})},
                              {"moving_variance", Initializer::RandomUniform({.min = 0.5, .max = 2})}};
      if (offset) first.insert({"beta", Initializer::RandomNormal({})});
      if (scale) first.insert({"gamma", Initializer::RandomNormal({})});
      const Output y = BatchNorm(root, {.offset = offset, .scale = scale, .initializers = first})(
          root, Placeholder(root, {2, 3, 4, 5}));
      const Tensor x = Wave({2, 3, 4, 5});
      const Ran ran = Run(root, y, x, "cpu:1,gpu:2");
      const std::vector<float> mean = ran.Variable("batch_norm/moving_mean"),
                               variance = ran.Variable("batch_norm/moving_variance"),
                               beta = offset ? ran.Variable("batch_norm/beta") : std::vector<float>(5, 0.0f),
                               gamma = scale ? ran.Variable("batch_norm/gamma") : std::vector<float>(5, 1.0f);
      std::vector<double> want;
      for (int64_t i = 0; i < x.num_elements(); ++i) {
        const int64_t c = i % 5;
        want.push_back((x.kernel<float>()[i] - mean[c]) / std::sqrt(variance[c] + 1e-3) * gamma[c] + beta[c]);
      }
      CheckClose(ran.Values(ran.y), want);
    }
  }
}

TEST_CASE("Embed gives rows of its table") {
  const Scope root = Scope::Root();
  const Output y = Embed(root, 10, {.width = 4})(root, Placeholder(root, {5}, DType::kInt32));
  const int32_t ids[] = {3, 0, 9, 3, 1};
  const Ran ran = Run(root, y, *HostTensorOf<int32_t>({5}, ids), "cpu:1,gpu:2");
  const std::vector<float> table = ran.Variable("embed/embeddings");
  std::vector<double> want;
  for (const int32_t id : ids) want.insert(want.end(), table.begin() + 4 * id, table.begin() + 4 * id + 4);
  CheckClose(ran.Values(ran.y), want);
}

TEST_CASE("bad layers: each mistake has its message, with the line of the call") {
  static constexpr CallSite kMade{"model.cc", 7};
  static constexpr CallSite kFirst{"model.cc", 8};
  static constexpr CallSite kSecond{"model.cc", 9};
  const struct {
    const char* what;
    void (*build)(const Scope& root);
    const char* expected;
  } cases[] = {
      {"rank",
       [](const Scope& s) {
         Conv2D(s, 2, 3)(s, Placeholder(s, {8, 3}), kFirst);
       },
       "model.cc:8: module 'conv_2d': expected an input of rank 4, got rank 2 [8,3]"},
      {"unknown channels",
       [](const Scope& s) {
         Conv2D(s, 2, 3)(s, Placeholder(s, {8, 4, 4, kUnknownDim}), kFirst);
       },
       "model.cc:8: module 'conv_2d': expected an input of known channels, got [8,4,4,?]"},
      {"unknown height of a rate over 1",
       [](const Scope& s) {
         Conv2D(s, 2, 3, {.rate = 2})(s, Placeholder(s, {8, kUnknownDim, 4, 3}), kFirst);
       },
       "model.cc:8: module 'conv_2d': expected an input of known height, width and channels, got [8,?,4,3]"},
      {"other channels at the second connection",
       [](const Scope& s) {
         const Module conv = Conv2D(s, 2, 3);
         conv(s, Placeholder(s, {8, 4, 4, 3}), kFirst);
         conv(s, Placeholder(s, {8, 4, 4, 5}), kSecond);
       },
       "model.cc:9: module 'conv_2d': expected an input like f32[8,4,4,3] of its first connection at model.cc:8, where "
       "variable 'w' became f32[3,3,3,2], got f32[8,4,4,5], which wants f32[3,3,5,2]"},
      {"an unknown key of Conv2D",
       [](const Scope& s) {
         Conv2D(s, 2, 3, {.initializers = {{"bias", Initializer::Zeros()}}}, kMade);
       },
       "model.cc:7: module 'conv_2d': expected initializers of 'w', 'b', got one of 'bias'"},
      {"channels", [](const Scope& s) { Conv2D(s, -2, 3, {}, kMade); },
       "model.cc:7: module 'conv_2d': expected 0 output channels or more, got -2"},
      {"kernel",
       [](const Scope& s) {
         Conv2D(s, 2, {3, 0}, {}, kMade);
       },
       "model.cc:7: module 'conv_2d': expected a kernel of at least 1x1, got 3x0"},
      {"stride", [](const Scope& s) { Conv2D(s, 2, 3, {.stride = -1}, kMade); },
       "model.cc:7: module 'conv_2d': expected a stride of at least 1x1, got -1x-1"},
      {"stride and rate",
       [](const Scope& s) {
         Conv2D(s, 2, 3, {.stride = 2, .rate = {1, 2}}, kMade);
       },
       "model.cc:7: module 'conv_2d': expected a stride or a rate over 1, got stride 2x2 and rate 1x2"},
      {"rank of BatchNorm", [](const Scope& s) { BatchNorm(s)(s, Placeholder(s, {8}), kFirst); },
       "model.cc:8: module 'batch_norm': expected an input of rank 2 or more, got rank 1 [8]"},
      {"width of BatchNorm",
       [](const Scope& s) {
         BatchNorm(s)(s, Placeholder(s, {8, kUnknownDim}), kFirst);
       },
       "model.cc:8: module 'batch_norm': expected an input of known last dimension, got [8,?]"},
      {"an unknown key of BatchNorm",
       [](const Scope& s) {
         BatchNorm(s, {.initializers = {{"gamma", Initializer::Ones()}}}, kMade);
       },
       "model.cc:7: module 'batch_norm': expected initializers of 'moving_mean', 'moving_variance', 'beta', got one of "
       "'gamma'"},
      {"ids", [](const Scope& s) { Embed(s, 10)(s, Placeholder(s, {8}), kFirst); },
       "model.cc:8: module 'embed': expected ids of int32 or int64, got float32"},
      {"vocabulary", [](const Scope& s) { Embed(s, 0, {}, kMade); },
       "model.cc:7: module 'embed': expected a vocabulary and a width of at least 1, got 0 and 0"},
      {"an unknown key of Embed",
       [](const Scope& s) {
         Embed(s, 10, {.initializers = {{"w", Initializer::Ones()}}}, kMade);
       },
       "model.cc:7: module 'embed': expected initializers of 'embeddings', got one of 'w'"},
  };
  for (const auto& c : cases) {
    INFO(c.what);
    const Scope root = Scope::Root();
    c.build(root);
    CHECK(std::string(root.Finish().status().message()) == c.expected);
  }
}

}  // namespace
}  // namespace berth
