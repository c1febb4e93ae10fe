#include "kernels/cpu/onednn.h"

#include <omp.h>

#include <memory>
#include <oneapi/dnnl/dnnl.hpp>

#include "absl/strings/str_cat.h"
#include "graph/status_macros.h"

namespace berth::cpu::onednn {
namespace {

using dnnl::memory;

constexpr auto kFloat = memory::data_type::f32;

dnnl::engine& Engine() {
  static auto* const engine = new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *engine;
}

// What is kept for one node: the primitive for the last shape, and the weights as it wants them.
template <typename Problem>
struct Kept final : KernelState {
  Problem problem;
  dnnl::primitive primitive;
  memory x, weights, y;  // x and y without memory of their own
  memory given_weights;  // as the graph stores them; empty when oneDNN takes them so
  dnnl::reorder reorder;
  Tensor constant;  // what `weights` was reordered from, kept alive so that its address stays its own
};

// The kept state of this node, made anew when the problem is another.
template <typename Problem>
Kept<Problem>* FindKept(KernelArgs& args, const Problem& problem) {
  auto* kept = static_cast<Kept<Problem>*>(args.state().get());
  return kept != nullptr && kept->problem == problem ? kept : nullptr;
}

// oneDNN reports through exceptions; they end here.
template <typename Fn>
absl::Status Guarded(Fn fn) {
  omp_set_num_threads(1);
  try {
    fn();
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_out_of_memory) {
      return absl::ResourceExhaustedError(absl::StrCat("expected memory for oneDNN, got none: ", error.what()));
    }
    return absl::InternalError(absl::StrCat("oneDNN: ", error.what()));
  }
  return absl::OkStatus();
}

memory::desc ActivationDesc(const Conv& conv, int64_t channels, const std::array<int64_t, 2>& size) {
  return memory::desc({conv.batch, channels, size[0], size[1]}, kFloat,
                      conv.nhwc ? memory::format_tag::nhwc : memory::format_tag::nchw);
}

// Weights as TensorFlow stores them, [kh, kw, in / groups, out], seen in oneDNN's order of dimensions.
memory::desc WeightsDesc(const Conv& conv) {
  const int64_t in = conv.in_channels / conv.groups, out = conv.out_channels / conv.groups;
  if (conv.groups == 1) {
    return memory::desc({out, in, conv.kernel[0], conv.kernel[1]}, kFloat, memory::format_tag::hwio);
  }
  // Output channel g * out + o of group g; depthwise kernels [kh, kw, groups, out] have the same layout.
  return memory::desc(
      {conv.groups, out, in, conv.kernel[0], conv.kernel[1]}, kFloat,
      memory::dims{out, 1, conv.out_channels, conv.kernel[1] * in * conv.out_channels, in * conv.out_channels});
}

memory::desc AnyWeightsDesc(const Conv& conv) {
  const memory::desc given = WeightsDesc(conv);
  return memory::desc(given.dims(), kFloat, memory::format_tag::any);
}

memory::dims Pair(const std::array<int64_t, 2>& values) { return {values[0], values[1]}; }
// oneDNN counts the steps skipped.
memory::dims Skipped(const std::array<int64_t, 2>& dilation) { return {dilation[0] - 1, dilation[1] - 1}; }

template <typename Problem, typename PrimitiveDesc>
void KeepWeights(Kept<Problem>& kept, const memory::desc& given, const PrimitiveDesc& desc) {
  if (desc.weights_desc() == given) {
    kept.weights = memory(given, Engine(), nullptr);
    return;
  }
  kept.weights = memory(desc.weights_desc(), Engine());
  kept.given_weights = memory(given, Engine(), nullptr);
  kept.reorder = dnnl::reorder(kept.given_weights, kept.weights);
}

// Whether a Const, perhaps through Identity nodes, made this input: then its value never changes.
bool IsConstant(const Node& node, int input) {
  Node producer = node.input(input);
  for (int hops = 0; producer.op() == "Identity" && hops < 8; ++hops) producer = producer.input(0);
  return producer.op() == "Const";
}

// Makes kept.weights hold the given values.
void UpdateWeights(KernelArgs& args, const Weights& given, Kept<Conv>& kept, dnnl::stream& stream) {
  if (!kept.given_weights) {
    kept.weights.set_data_handle(const_cast<float*>(given.values));
    return;
  }
  if (kept.constant.has_value() && kept.constant.kernel_data() == given.values) return;
  kept.given_weights.set_data_handle(const_cast<float*>(given.values));
  kept.reorder.execute(stream, kept.given_weights, kept.weights);
  const bool constant = given.input >= 0 && IsConstant(args.node(), given.input);
  kept.constant = constant ? args.input(given.input) : Tensor();
}

std::unique_ptr<Kept<Conv>> MakeConv(const Conv& conv) {
  auto kept = std::make_unique<Kept<Conv>>();
  kept->problem = conv;
  const memory::desc x = ActivationDesc(conv, conv.in_channels, conv.in);
  const memory::desc y = ActivationDesc(conv, conv.out_channels, conv.out);
  const dnnl::convolution_forward::primitive_desc desc(
      dnnl::convolution_forward::desc(dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, x,
                                      AnyWeightsDesc(conv), y, Pair(conv.stride), Skipped(conv.dilation),
                                      Pair(conv.pad_low), Pair(conv.pad_high)),
      Engine());
  kept->primitive = dnnl::convolution_forward(desc);
  kept->x = memory(x, Engine(), nullptr);
  kept->y = memory(y, Engine(), nullptr);
  KeepWeights(*kept, WeightsDesc(conv), desc);
  return kept;
}

std::unique_ptr<Kept<Conv>> MakeConvBackward(const Conv& conv) {
  auto kept = std::make_unique<Kept<Conv>>();
  kept->problem = conv;
  const memory::desc x = ActivationDesc(conv, conv.in_channels, conv.in);
  const memory::desc y = ActivationDesc(conv, conv.out_channels, conv.out);
  const memory::dims stride = Pair(conv.stride), dilation = Skipped(conv.dilation);
  const memory::dims low = Pair(conv.pad_low), high = Pair(conv.pad_high);
  const dnnl::convolution_forward::primitive_desc forward(
      dnnl::convolution_forward::desc(dnnl::prop_kind::forward_training, dnnl::algorithm::convolution_direct, x,
                                      AnyWeightsDesc(conv), y, stride, dilation, low, high),
      Engine());
  const dnnl::convolution_backward_data::primitive_desc desc(
      dnnl::convolution_backward_data::desc(dnnl::algorithm::convolution_direct, x, AnyWeightsDesc(conv), y, stride,
                                            dilation, low, high),
      Engine(), forward);
  kept->primitive = dnnl::convolution_backward_data(desc);
  kept->x = memory(x, Engine(), nullptr);
  kept->y = memory(y, Engine(), nullptr);
  KeepWeights(*kept, WeightsDesc(conv), desc);
  return kept;
}

memory::desc MatrixDesc(int64_t rows, int64_t columns, bool transposed) {
  return memory::desc({rows, columns}, kFloat, transposed ? memory::dims{1, rows} : memory::dims{columns, 1});
}

std::unique_ptr<Kept<MatMul>> MakeMatMul(const MatMul& p) {
  auto kept = std::make_unique<Kept<MatMul>>();
  kept->problem = p;
  const memory::desc a = MatrixDesc(p.m, p.k, p.transpose_a);
  const memory::desc b = MatrixDesc(p.k, p.n, p.transpose_b);
  const memory::desc y = MatrixDesc(p.m, p.n, false);
  kept->primitive = dnnl::matmul(dnnl::matmul::primitive_desc(dnnl::matmul::desc(a, b, y), Engine()));
  kept->x = memory(a, Engine(), nullptr);
  kept->weights = memory(b, Engine(), nullptr);
  kept->y = memory(y, Engine(), nullptr);
  return kept;
}

}  // namespace

absl::Status RunConv(KernelArgs& args, const Conv& conv, const float* x, Weights weights, float* y) {
  return Guarded([&] {
    if (FindKept(args, conv) == nullptr) args.state() = MakeConv(conv);
    Kept<Conv>& kept = *FindKept(args, conv);
    dnnl::stream stream(Engine());
    UpdateWeights(args, weights, kept, stream);
    kept.x.set_data_handle(const_cast<float*>(x));
    kept.y.set_data_handle(y);
    kept.primitive.execute(stream, {{DNNL_ARG_SRC, kept.x}, {DNNL_ARG_WEIGHTS, kept.weights}, {DNNL_ARG_DST, kept.y}});
  });
}

absl::Status RunConvBackward(KernelArgs& args, const Conv& conv, const float* gradient, Weights weights, float* x) {
  return Guarded([&] {
    if (FindKept(args, conv) == nullptr) args.state() = MakeConvBackward(conv);
    Kept<Conv>& kept = *FindKept(args, conv);
    dnnl::stream stream(Engine());
    UpdateWeights(args, weights, kept, stream);
    kept.x.set_data_handle(x);
    kept.y.set_data_handle(const_cast<float*>(gradient));
    kept.primitive.execute(
        stream, {{DNNL_ARG_DIFF_SRC, kept.x}, {DNNL_ARG_WEIGHTS, kept.weights}, {DNNL_ARG_DIFF_DST, kept.y}});
  });
}

absl::Status RunMatMuls(KernelArgs& args, const MatMul& product, const float* a, const float* b, float* out,
                        absl::Span<const Offsets> offsets) {
  return Guarded([&] {
    if (FindKept(args, product) == nullptr) args.state() = MakeMatMul(product);
    Kept<MatMul>& kept = *FindKept(args, product);
    dnnl::stream stream(Engine());
    for (const Offsets& at : offsets) {
      kept.x.set_data_handle(const_cast<float*>(a + at.a));
      kept.weights.set_data_handle(const_cast<float*>(b + at.b));
      kept.y.set_data_handle(out + at.out);
      kept.primitive.execute(stream,
                             {{DNNL_ARG_SRC, kept.x}, {DNNL_ARG_WEIGHTS, kept.weights}, {DNNL_ARG_DST, kept.y}});
    }
  });
}

}  // namespace berth::cpu::onednn
