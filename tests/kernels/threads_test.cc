// Results are the same to the bit for every number of threads: a table of ops, large enough to be shared.
#include <cstring>
#include <random>

#include "kernels/kernels.h"
#include "runtime/kernel_runner.h"
#include "tests/testing.h"

namespace berth {
namespace {

Tensor Floats(Dims dims, DType dtype = DType::kFloat32) {
  Tensor t = *AllocateHostTensor(dtype, std::move(dims));
  std::mt19937 engine(7);
  std::normal_distribution<float> normal;
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    if (dtype == DType::kFloat32) t.kernel<float>()[i] = normal(engine) * (i % 97 == 0 ? 1e-39f : 1.0f);
    if (dtype == DType::kFloat64) t.kernel<double>()[i] = normal(engine);
    if (dtype == DType::kFloat16) t.kernel<uint16_t>()[i] = static_cast<uint16_t>(engine() % 0x7c00);
    if (dtype == DType::kBool) t.kernel<bool>()[i] = engine() % 2 == 0;
  }
  return t;
}

Tensor Ints(std::vector<int32_t> values) {
  return *HostTensorOf<int32_t>({static_cast<int64_t>(values.size())}, values);
}
Tensor Int(int32_t value) { return *HostTensorOf<int32_t>({}, {value}); }

Tensor Indices(int64_t n, int32_t below) {
  std::vector<int32_t> values(n);
  for (int64_t i = 0; i < n; ++i) values[i] = static_cast<int32_t>(i * 7919 % below);
  return Ints(values);
}

AttrValue List(std::vector<int64_t> values) {
  AttrList list;
  list.i = std::move(values);
  return AttrValue(list);
}
AttrValue Text(const char* text) { return AttrValue(std::string(text)); }

std::vector<KernelCall> Calls() {
  const Tensor image = Floats({1, 61, 67, 33}), wide = Floats({300, 400}), row = Floats({400});
  const Tensor images = Floats({3, 40, 40, 16});
  const AttrValue ones = List({1, 1, 1, 1}), twos = List({1, 2, 2, 1}), threes = List({1, 3, 3, 1});
  const AttrValue same = Text("SAME"), valid = Text("VALID");
  std::vector<KernelCall> calls;
  for (const char* op : {"Abs", "Exp", "Relu6", "Sigmoid", "Sqrt", "Tanh", "Erf"}) {
    calls.push_back({.op = op, .inputs = {image}});
  }
  calls.push_back({.op = "Sigmoid", .inputs = {Floats({100001}, DType::kFloat16)}});
  for (const char* op : {"AddV2", "Mul", "Maximum", "Less"}) {
    calls.push_back({.op = op, .inputs = {wide, row}});
    calls.push_back({.op = op, .inputs = {wide, wide}});
    calls.push_back({.op = op, .inputs = {Floats({300, 1}), row}});
  }
  calls.push_back({.op = "AddN", .inputs = {wide, wide, wide}});
  calls.push_back({.op = "BiasAdd", .inputs = {wide, row}});
  calls.push_back({.op = "SelectV2", .inputs = {Floats({300, 400}, DType::kBool), wide, row}});
  calls.push_back({.op = "Cast", .inputs = {wide}, .attrs = {{"DstT", AttrValue(DType::kFloat16)}}});
  calls.push_back({.op = "Transpose", .inputs = {image, Ints({0, 3, 1, 2})}});
  calls.push_back({.op = "Tile", .inputs = {wide, Ints({2, 3})}});
  calls.push_back({.op = "ConcatV2", .inputs = {wide, wide, Int(1)}});
  calls.push_back({.op = "ReverseV2", .inputs = {image, Ints({1})}});
  calls.push_back({.op = "GatherV2", .inputs = {wide, Indices(1000, 300), Int(0)}});
  calls.push_back({.op = "GatherV2", .inputs = {wide, Indices(1000, 400), Int(1)}});
  for (const char* op : {"Sum", "Mean", "Max", "Prod"}) {
    for (const auto& axes : std::vector<std::vector<int32_t>>{{0}, {1}, {3}, {1, 2}, {0, 3}, {0, 1, 2, 3}}) {
      calls.push_back({.op = op, .inputs = {images, Ints(axes)}});
    }
  }
  for (const char* op : {"Softmax", "LogSoftmax"}) {
    calls.push_back({.op = op, .inputs = {wide}});
    calls.push_back({.op = op, .inputs = {Floats({300, 400}, DType::kFloat16)}});
  }
  for (const char* op : {"MaxPool", "AvgPool"}) {
    calls.push_back({.op = op, .inputs = {image}, .attrs = {{"ksize", threes}, {"strides", twos}, {"padding", same}}});
  }
  calls.push_back({.op = "ResizeBilinear", .inputs = {image, Ints({90, 50})}});
  calls.push_back({.op = "ResizeNearestNeighbor", .inputs = {image, Ints({90, 50})}});
  for (bool training : {false, true}) {
    const Tensor c = Floats({16}), v = (*RunKernel(*CpuKernels(), {.op = "Square", .inputs = {c}}))[0];
    calls.push_back(
        {.op = "FusedBatchNormV3", .inputs = {images, c, c, c, v}, .attrs = {{"is_training", AttrValue(training)}}});
  }
  for (const char* op : {"RandomUniform", "RandomStandardNormal", "TruncatedNormal"}) {
    for (DType dtype : {DType::kFloat32, DType::kFloat64}) {
      calls.push_back(
          {.op = op,
           .inputs = {Ints({123, 457})},
           .attrs = {{"dtype", AttrValue(dtype)}, {"seed", AttrValue(int64_t{3})}, {"seed2", AttrValue(int64_t{4})}}});
    }
  }
  // Products: rows shared, columns shared, many small ones, and the types without oneDNN.
  calls.push_back({.op = "MatMul", .inputs = {Floats({517, 300}), Floats({300, 400})}});
  calls.push_back({.op = "MatMul", .inputs = {Floats({3, 1500}), Floats({1500, 4001})}});
  calls.push_back({.op = "MatMul",
                   .inputs = {Floats({300, 517}), Floats({400, 300})},
                   .attrs = {{"transpose_a", AttrValue(true)}, {"transpose_b", AttrValue(true)}}});
  calls.push_back({.op = "BatchMatMulV2", .inputs = {Floats({50, 30, 40}), Floats({50, 40, 70})}});
  calls.push_back({.op = "MatMul", .inputs = {Floats({51, 70}, DType::kFloat64), Floats({70, 60}, DType::kFloat64)}});
  // Convolutions: rows shared, images shared, pointwise, depthwise, strided, dilated, several outputs a depthwise channel.
  const auto conv = [&](const char* op, const Tensor& x, Dims filter, const AttrValue& strides,
                        const AttrValue& padding, int64_t dilation = 1) {
    calls.push_back(
        {.op = op,
         .inputs = {x, Floats(std::move(filter))},
         .attrs = {{"strides", strides}, {"padding", padding}, {"dilations", List({1, dilation, dilation, 1})}}});
  };
  conv("Conv2D", image, {3, 3, 33, 64}, ones, same);
  conv("Conv2D", image, {5, 5, 33, 40}, twos, same);
  conv("Conv2D", image, {3, 3, 33, 64}, ones, valid, 2);
  conv("Conv2D", image, {1, 1, 33, 128}, ones, valid);
  conv("Conv2D", images, {3, 3, 16, 64}, ones, same);
  conv("DepthwiseConv2dNative", Floats({1, 160, 160, 64}), {3, 3, 64, 1}, ones, same);
  conv("DepthwiseConv2dNative", image, {3, 3, 33, 2}, ones, same);
  return calls;
}

TEST_CASE("every number of threads gives the same bits") {
  for (KernelCall call : Calls()) {
    call.threads = 1;
    const auto one = RunKernel(*CpuKernels(), call);
    INFO(call.op << " of " << call.inputs[0].ShapeString());
    REQUIRE(one.ok());
    for (int threads : {2, 4}) {
      call.threads = threads;
      const auto many = RunKernel(*CpuKernels(), call);
      REQUIRE(many.ok());
      for (size_t k = 0; k < one->size(); ++k) {
        REQUIRE((*one)[k].dims() == (*many)[k].dims());
        CHECK(std::memcmp((*one)[k].kernel_data(), (*many)[k].kernel_data(), (*one)[k].num_bytes()) == 0);
      }
    }
  }
}

}  // namespace
}  // namespace berth
