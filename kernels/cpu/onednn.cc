#include "kernels/cpu/onednn.h"

#include <omp.h>

#include <memory>
#include <mutex>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/status_macros.h"
#include "kernels/cpu/parallel.h"

namespace berth::cpu::onednn {
namespace {

using dnnl::memory;

constexpr auto kFloat = memory::data_type::f32;

dnnl::engine& Engine() {
  static auto* const engine = new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *engine;
}

// A primitive and what it works on. Its scratch memory is the thread's, so that several threads may execute it at once.
template <typename Problem>
struct Executable {
  Problem problem;
  dnnl::primitive primitive;
  memory::desc x, weights, y, scratch;
};

// What is kept for one node: the primitives for the last shape, and the weights as they want them.
template <typename Problem>
struct Kept final : KernelState {
  Problem problem;
  std::vector<Part<Problem>> parts;
  std::vector<size_t> executable_of;  // by part
  std::vector<Executable<Problem>> executables;
  memory weights;        // in oneDNN's own layout
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

dnnl::primitive_attr OwnScratch() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

// Memory of this thread, for the primitive about to run on it.
memory ScratchOf(const memory::desc& desc) {
  thread_local memory block;
  thread_local size_t size = 0;
  if (desc.get_size() > size) {
    block =
        memory({{static_cast<memory::dim>(desc.get_size())}, memory::data_type::u8, memory::format_tag::a}, Engine());
    size = desc.get_size();
  }
  return memory(desc, Engine(), block.get_data_handle());
}

// The arguments of a call, with scratch memory where it is needed.
using Arguments = std::unordered_map<int, memory>;
void Execute(const dnnl::primitive& primitive, const memory::desc& scratch, dnnl::stream& stream, Arguments arguments) {
  if (scratch.get_size() > 0) arguments.emplace(DNNL_ARG_SCRATCHPAD, ScratchOf(scratch));
  primitive.execute(stream, arguments);
}

// Calls fn(i, stream) for i in [0, count), `grain` calls at a time, on the node's threads. The first error of any.
template <typename Fn>
absl::Status ForEach(KernelArgs& args, int64_t count, int64_t grain, Fn fn) {
  std::mutex mu;
  absl::Status result;
  ParallelFor(args.threads(), count, grain, [&](int64_t begin, int64_t end) {
    const absl::Status status = Guarded([&] {
      dnnl::stream stream(Engine());
      for (int64_t i = begin; i < end; ++i) fn(i, stream);
    });
    if (status.ok()) return;
    std::lock_guard<std::mutex> lock(mu);
    result.Update(status);
  });
  return result;
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

// Whether a Const, perhaps through Identity nodes, made this input: then its value never changes.
bool IsConstant(const Node& node, int input) {
  Node producer = node.input(input);
  for (int hops = 0; producer.op() == "Identity" && hops < 8; ++hops) producer = producer.input(0);
  return producer.op() == "Const";
}

// The weights as the primitives want them.
float* UpdateWeights(KernelArgs& args, const Weights& given, Kept<Conv>& kept) {
  auto* values = const_cast<float*>(given.values);
  if (!kept.given_weights) return values;
  if (!kept.constant.has_value() || kept.constant.kernel_data() != values) {
    dnnl::stream stream(Engine());
    kept.given_weights.set_data_handle(values);
    kept.reorder.execute(stream, kept.given_weights, kept.weights);
    const bool constant = given.input >= 0 && IsConstant(args.node(), given.input);
    kept.constant = constant ? args.input(given.input) : Tensor();
  }
  return static_cast<float*>(kept.weights.get_data_handle());
}

Executable<Conv> ForwardOf(const Conv& conv) {
  const memory::desc x = ActivationDesc(conv, conv.in_channels, conv.in);
  const memory::desc y = ActivationDesc(conv, conv.out_channels, conv.out);
  const dnnl::convolution_forward::primitive_desc desc(
      dnnl::convolution_forward::desc(dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, x,
                                      AnyWeightsDesc(conv), y, Pair(conv.stride), Skipped(conv.dilation),
                                      Pair(conv.pad_low), Pair(conv.pad_high)),
      OwnScratch(), Engine());
  return {conv, dnnl::convolution_forward(desc), x, desc.weights_desc(), y, desc.scratchpad_desc()};
}

Executable<Conv> BackwardOf(const Conv& conv) {
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
      OwnScratch(), Engine(), forward);
  return {conv, dnnl::convolution_backward_data(desc), x, desc.weights_desc(), y, desc.scratchpad_desc()};
}

// One executable for each different part.
template <typename Problem, typename Make>
void MakeExecutables(Kept<Problem>& kept, Make make) {
  kept.executables.clear();
  kept.executable_of.clear();
  for (const Part<Problem>& part : kept.parts) {
    size_t i = 0;
    while (i < kept.executables.size() && !(kept.executables[i].problem == part.problem)) ++i;
    if (i == kept.executables.size()) kept.executables.push_back(make(part.problem));
    kept.executable_of.push_back(i);
  }
}

// All parts must take the weights in one layout; where oneDNN wants several, the convolution stays whole.
std::unique_ptr<Kept<Conv>> MakeConv(const Conv& conv, std::vector<Part<Conv>> parts,
                                     Executable<Conv> (*make)(const Conv&)) {
  auto kept = std::make_unique<Kept<Conv>>();
  kept->problem = conv;
  kept->parts = std::move(parts);
  MakeExecutables(*kept, make);
  const memory::desc wanted = kept->executables[0].weights;
  for (const Executable<Conv>& executable : kept->executables) {
    if (executable.weights == wanted) continue;
    return MakeConv(conv, {{conv, {}}}, make);
  }
  const memory::desc given = WeightsDesc(conv);
  if (wanted == given) return kept;
  kept->weights = memory(wanted, Engine());
  kept->given_weights = memory(given, Engine(), nullptr);
  kept->reorder = dnnl::reorder(kept->given_weights, kept->weights);
  return kept;
}

memory::desc MatrixDesc(int64_t rows, int64_t columns, bool transposed, int64_t step) {
  return memory::desc({rows, columns}, kFloat, transposed ? memory::dims{1, step} : memory::dims{step, 1});
}

std::unique_ptr<Kept<MatMul>> MakeMatMul(const MatMul& whole) {
  auto kept = std::make_unique<Kept<MatMul>>();
  kept->problem = whole;
  kept->parts = PartsOf(whole);
  MakeExecutables(*kept, [&](const MatMul& p) -> Executable<MatMul> {
    const memory::desc a = MatrixDesc(p.m, p.k, p.transpose_a, p.transpose_a ? whole.m : whole.k);
    const memory::desc b = MatrixDesc(p.k, p.n, p.transpose_b, p.transpose_b ? whole.k : whole.n);
    const memory::desc y = MatrixDesc(p.m, p.n, false, whole.n);
    const dnnl::matmul::primitive_desc desc(dnnl::matmul::desc(a, b, y), OwnScratch(), Engine());
    return {p, dnnl::matmul(desc), a, b, y, desc.scratchpad_desc()};
  });
  return kept;
}

}  // namespace

absl::Status RunConv(KernelArgs& args, const Conv& conv, const float* x, Weights weights, float* y) {
  float* w = nullptr;
  BERTH_RETURN_IF_ERROR(Guarded([&] {
    if (FindKept(args, conv) == nullptr) args.state() = MakeConv(conv, PartsOf(conv), ForwardOf);
    w = UpdateWeights(args, weights, *FindKept(args, conv));
  }));
  const Kept<Conv>& kept = *FindKept(args, conv);
  return ForEach(args, static_cast<int64_t>(kept.parts.size()), 1, [&](int64_t i, dnnl::stream& stream) {
    const Executable<Conv>& e = kept.executables[kept.executable_of[i]];
    const Offsets& at = kept.parts[i].at;
    Execute(e.primitive, e.scratch, stream,
            {{DNNL_ARG_SRC, memory(e.x, Engine(), const_cast<float*>(x + at.a))},
             {DNNL_ARG_WEIGHTS, memory(e.weights, Engine(), w)},
             {DNNL_ARG_DST, memory(e.y, Engine(), y + at.out)}});
  });
}

absl::Status RunConvBackward(KernelArgs& args, const Conv& conv, const float* gradient, Weights weights, float* x) {
  float* w = nullptr;
  BERTH_RETURN_IF_ERROR(Guarded([&] {
    if (FindKept(args, conv) == nullptr) args.state() = MakeConv(conv, ImagesOf(conv), BackwardOf);
    w = UpdateWeights(args, weights, *FindKept(args, conv));
  }));
  const Kept<Conv>& kept = *FindKept(args, conv);
  return ForEach(args, static_cast<int64_t>(kept.parts.size()), 1, [&](int64_t i, dnnl::stream& stream) {
    const Executable<Conv>& e = kept.executables[kept.executable_of[i]];
    const Offsets& at = kept.parts[i].at;
    Execute(e.primitive, e.scratch, stream,
            {{DNNL_ARG_DIFF_SRC, memory(e.x, Engine(), x + at.a)},
             {DNNL_ARG_WEIGHTS, memory(e.weights, Engine(), w)},
             {DNNL_ARG_DIFF_DST, memory(e.y, Engine(), const_cast<float*>(gradient + at.out))}});
  });
}

absl::Status RunMatMuls(KernelArgs& args, const MatMul& product, const float* a, const float* b, float* out,
                        absl::Span<const Offsets> offsets) {
  BERTH_RETURN_IF_ERROR(Guarded([&] {
    if (FindKept(args, product) == nullptr) args.state() = MakeMatMul(product);
  }));
  const Kept<MatMul>& kept = *FindKept(args, product);
  const int64_t parts = static_cast<int64_t>(kept.parts.size()), calls = parts * static_cast<int64_t>(offsets.size());
  const auto grain = static_cast<int64_t>(kPartCost / (CostOf(product) / static_cast<double>(parts))) + 1;
  return ForEach(args, calls, parts > 1 ? 1 : grain, [&](int64_t i, dnnl::stream& stream) {
    const Executable<MatMul>& e = kept.executables[kept.executable_of[i % parts]];
    const Offsets& part = kept.parts[i % parts].at;
    const Offsets& at = offsets[i / parts];
    Execute(e.primitive, e.scratch, stream,
            {{DNNL_ARG_SRC, memory(e.x, Engine(), const_cast<float*>(a + at.a + part.a))},
             {DNNL_ARG_WEIGHTS, memory(e.weights, Engine(), const_cast<float*>(b + at.b + part.b))},
             {DNNL_ARG_DST, memory(e.y, Engine(), out + at.out + part.out)}});
  });
}

}  // namespace berth::cpu::onednn
