// Two-dimensional convolutions, plain, grouped and depthwise, and the gradient with respect to their input.
#include <algorithm>

#include "graph/status_macros.h"
#include "kernels/cpu/args.h"
#include "kernels/cpu/denormals.h"
#include "kernels/cpu/families.h"
#include "kernels/cpu/float16.h"
#include "kernels/cpu/onednn.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/window.h"

namespace berth::cpu {
namespace {

// A convolution as its kernels see it: weights are [kh, kw, in / groups, out].
struct Problem {
  ImageLayout layout;
  std::array<Window, 2> windows;
  int64_t batch = 0, in_channels = 0, out_channels = 0, groups = 1;

  Dims InDims() const { return layout.Make(batch, in_channels, windows[0].in, windows[1].in); }
  Dims OutDims() const { return layout.Make(batch, out_channels, windows[0].out, windows[1].out); }
  bool Empty() const { return CountOf(InDims()) == 0 || CountOf(OutDims()) == 0; }
};

onednn::Conv ForOneDnn(const Problem& p) {
  onednn::Conv conv{.batch = p.batch,
                    .in_channels = p.in_channels,
                    .out_channels = p.out_channels,
                    .groups = p.groups,
                    .nhwc = p.layout.nhwc};
  for (int i = 0; i < 2; ++i) {
    const Window& w = p.windows[i];
    conv.in[i] = w.in;
    conv.out[i] = w.out;
    conv.kernel[i] = w.kernel;
    conv.stride[i] = w.stride;
    conv.dilation[i] = w.dilation;
    conv.pad_low[i] = w.pad_low;
    conv.pad_high[i] = w.pad_high;
  }
  return conv;
}

absl::StatusOr<Problem> ProblemOf(const Node& node, const Dims& in, const Dims& filter, bool depthwise) {
  if (in.size() != 4 || filter.size() != 4) {
    return Refuse("expected input and filter of rank 4, got shapes ", DimsString(in), " and ", DimsString(filter));
  }
  Problem p;
  BERTH_ASSIGN_OR_RETURN(p.layout, LayoutOf(node));
  p.batch = p.layout.batch(in);
  p.in_channels = p.layout.channels(in);
  BERTH_ASSIGN_OR_RETURN(
      p.windows, WindowsOf(node, p.layout, {p.layout.spatial(in, 0), p.layout.spatial(in, 1)}, {filter[0], filter[1]}));
  if (depthwise) {
    if (filter[2] != p.in_channels) {
      return Refuse("expected a filter for ", p.in_channels, " channels, got shape ", DimsString(filter));
    }
    p.groups = p.in_channels;
    p.out_channels = p.in_channels * filter[3];
    return p;
  }
  p.out_channels = filter[3];
  if (filter[2] == 0 || p.in_channels % filter[2] != 0) {
    return Refuse("expected input channels to be a multiple of the filter's ", filter[2], ", got ", p.in_channels);
  }
  p.groups = p.in_channels / filter[2];
  if (p.groups == 0 || p.out_channels % p.groups != 0) {
    return Refuse("expected output channels to be a multiple of ", p.groups, " groups, got ", p.out_channels);
  }
  return p;
}

// Calls fn(out position, in position, first weight) for every tap of every window that lies on the input, of the output
// rows [begin, end) of all images.
template <typename Fn>
void ForEachTap(const Problem& p, int64_t begin, int64_t end, Fn fn) {
  const auto& [h, w] = p.windows;
  const ImageSteps in = StepsOf(p.layout, p.in_channels, h.in, w.in);
  const ImageSteps out = StepsOf(p.layout, p.out_channels, h.out, w.out);
  const int64_t tap = p.in_channels / p.groups * p.out_channels;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t b = row / h.out, y = row % h.out;
    for (int64_t x = 0; x < w.out; ++x) {
      for (int64_t i = 0; i < h.kernel; ++i) {
        const int64_t from_y = h.At(y, i);
        if (from_y < 0 || from_y >= h.in) continue;
        for (int64_t j = 0; j < w.kernel; ++j) {
          const int64_t from_x = w.At(x, j);
          if (from_x < 0 || from_x >= w.in) continue;
          fn(b * out.batch + y * out.h + x * out.w, b * in.batch + from_y * in.h + from_x * in.w,
             (i * w.kernel + j) * tap);
        }
      }
    }
  }
}

// out += taps, for the types and forms that oneDNN does not take.
template <typename T>
void Direct(const Problem& p, int threads, const T* x, const T* weights, T* y) {
  const int64_t in_step = StepsOf(p.layout, p.in_channels, p.windows[0].in, p.windows[1].in).channel;
  const int64_t out_step = StepsOf(p.layout, p.out_channels, p.windows[0].out, p.windows[1].out).channel;
  const int64_t in = p.in_channels / p.groups, out = p.out_channels / p.groups;
  const auto tap = [&](int64_t to, int64_t from, int64_t weight) {
    for (int64_t g = 0; g < p.groups; ++g) {
      for (int64_t c = 0; c < in; ++c) {
        const T value = x[from + (g * in + c) * in_step];
        const T* w = weights + weight + c * p.out_channels + g * out;
        for (int64_t o = 0; o < out; ++o) y[to + (g * out + o) * out_step] += value * w[o];
      }
    }
  };
  const Window& h = p.windows[0];
  const int64_t row = p.windows[1].out * h.kernel * p.windows[1].kernel * in * p.out_channels;
  ParallelFor(threads, p.batch * h.out, GrainFor(row),
              [&](int64_t begin, int64_t end) { ForEachTap(p, begin, end, tap); });
}

// Windows overlap in x: images are shared among threads, not rows.
template <typename T>
void DirectBackward(const Problem& p, int threads, const T* gradient, const T* weights, T* x) {
  const int64_t in_step = StepsOf(p.layout, p.in_channels, p.windows[0].in, p.windows[1].in).channel;
  const int64_t out_step = StepsOf(p.layout, p.out_channels, p.windows[0].out, p.windows[1].out).channel;
  const int64_t in = p.in_channels / p.groups, out = p.out_channels / p.groups;
  const auto tap = [&](int64_t to, int64_t from, int64_t weight) {
    for (int64_t g = 0; g < p.groups; ++g) {
      for (int64_t c = 0; c < in; ++c) {
        const T* w = weights + weight + c * p.out_channels + g * out;
        T sum = 0;
        for (int64_t o = 0; o < out; ++o) sum += gradient[to + (g * out + o) * out_step] * w[o];
        x[from + (g * in + c) * in_step] += sum;
      }
    }
  };
  const int64_t rows = p.windows[0].out;
  ParallelFor(threads, p.batch, 1, [&](int64_t begin, int64_t end) { ForEachTap(p, begin * rows, end * rows, tap); });
}

enum class Direction { kForward, kBackward };

absl::Status RunFloat(KernelArgs& args, const Problem& p, Direction direction, const float* from,
                      onednn::Weights weights, float* to, int64_t to_count) {
  // oneDNN's depthwise kernels are for one output channel an input channel.
  if (p.groups > 1 && p.in_channels == p.groups && p.out_channels != p.groups) {
    std::fill_n(to, to_count, 0.0f);
    direction == Direction::kForward ? Direct(p, args.threads(), from, weights.values, to)
                                     : DirectBackward(p, args.threads(), from, weights.values, to);
    return absl::OkStatus();
  }
  return direction == Direction::kForward ? onednn::RunConv(args, ForOneDnn(p), from, weights, to)
                                          : onednn::RunConvBackward(args, ForOneDnn(p), from, weights, to);
}

// 16-bit floats: whole operands become float32, and the result is rounded once.
template <typename H>
absl::Status RunHalves(KernelArgs& args, const Problem& p, Direction direction, const Tensor& from,
                       const Tensor& weights, Tensor& to) {
  const int64_t nf = from.num_elements(), nw = weights.num_elements(), nt = to.num_elements();
  BERTH_ASSIGN_OR_RETURN(void* scratch, args.Scratch((nf + nw + nt) * sizeof(float)));
  float* x = static_cast<float*>(scratch);
  ToFloat(from.kernel<H>(), x, nf);
  ToFloat(weights.kernel<H>(), x + nf, nw);
  BERTH_RETURN_IF_ERROR(RunFloat(args, p, direction, x, {x + nf, -1}, x + nf + nw, nt));
  FromFloat(x + nf + nw, to.kernel<H>(), nt);
  return absl::OkStatus();
}

template <typename T>
absl::Status RunDirect(KernelArgs& args, const Problem& p, Direction direction, const Tensor& from,
                       const Tensor& weights, Tensor& to) {
  std::fill_n(to.kernel<T>(), to.num_elements(), T{0});
  direction == Direction::kForward
      ? Direct(p, args.threads(), from.kernel<T>(), weights.kernel<T>(), to.kernel<T>())
      : DirectBackward(p, args.threads(), from.kernel<T>(), weights.kernel<T>(), to.kernel<T>());
  return absl::OkStatus();
}

absl::Status RunAny(KernelArgs& args, const Problem& p, Direction direction, const Tensor& from, int weights_input,
                    Tensor& to) {
  const DenormalsAreZero denormals;
  if (p.Empty()) {
    std::fill_n(to.kernel<char>(), to.num_bytes(), 0);
    return absl::OkStatus();
  }
  const Tensor& weights = args.input(weights_input);
  switch (from.dtype()) {
    case DType::kFloat32:
      return RunFloat(args, p, direction, from.kernel<float>(), {weights.kernel<float>(), weights_input},
                      to.kernel<float>(), to.num_elements());
    case DType::kFloat16:
      return RunHalves<Half>(args, p, direction, from, weights, to);
    case DType::kBfloat16:
      return RunHalves<BFloat16>(args, p, direction, from, weights, to);
    case DType::kInt32:
      return RunDirect<int32_t>(args, p, direction, from, weights, to);
    default:
      return RunDirect<double>(args, p, direction, from, weights, to);
  }
}

template <bool kDepthwise>
absl::Status Forward(KernelArgs& args) {
  const Tensor& x = args.input(0);
  BERTH_ASSIGN_OR_RETURN(const Problem p, ProblemOf(args.node(), x.dims(), args.input(1).dims(), kDepthwise));
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, p.OutDims()));
  return RunAny(args, p, Direction::kForward, x, 1, *y);
}

// The input's shape as given: whole, or only its two spatial sizes.
absl::StatusOr<Dims> InputDims(KernelArgs& args, bool depthwise) {
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, IntsOf(args.input(0), "input_sizes"));
  for (int64_t d : sizes) {
    if (d < 0 || d > INT32_MAX) return Refuse("expected input_sizes of at least 0, got ", d);
  }
  const Dims& filter = args.input(1).dims();
  const Dims& gradient = args.input(2).dims();
  if (sizes.size() == 2 && filter.size() == 4 && gradient.size() == 4) {
    BERTH_ASSIGN_OR_RETURN(const ImageLayout layout, LayoutOf(args.node()));
    return layout.Make(layout.batch(gradient), filter[2], sizes[0], sizes[1]);
  }
  if (sizes.size() != 4) {
    return Refuse("expected input_sizes of 4 values", depthwise ? "" : " or 2", ", got ", sizes.size());
  }
  return Dims(sizes.begin(), sizes.end());
}

template <bool kDepthwise>
absl::Status Backward(KernelArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const Dims in, InputDims(args, kDepthwise));
  const Tensor& gradient = args.input(2);
  BERTH_ASSIGN_OR_RETURN(const Problem p, ProblemOf(args.node(), in, args.input(1).dims(), kDepthwise));
  BERTH_RETURN_IF_ERROR(ExpectDims(gradient, p.OutDims(), "a gradient"));
  BERTH_ASSIGN_OR_RETURN(Tensor * x, args.Allocate(0, in));
  return RunAny(args, p, Direction::kBackward, gradient, 1, *x);
}

}  // namespace

void AddConvKernels(KernelTable& table) {
  std::vector<DType> with_int = FloatTypes();
  with_int.push_back(DType::kInt32);
  table.Add({.op = "Conv2D", .types = {{"T", with_int}}, .run = Forward<false>});
  table.Add(
      {.op = "Conv2DBackpropInput", .types = {{"T", with_int}}, .host_args = {"input_sizes"}, .run = Backward<false>});
  table.Add({.op = "DepthwiseConv2dNative", .types = {{"T", FloatTypes()}}, .run = Forward<true>});
  table.Add({.op = "DepthwiseConv2dNativeBackpropInput",
             .types = {{"T", FloatTypes()}},
             .host_args = {"input_sizes"},
             .run = Backward<true>});
}

}  // namespace berth::cpu
