// Pooling over windows of images: MaxPool and AvgPool. What lies in the padding does not count.
#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/status_macros.h"
#include "kernels/cpu/args.h"
#include "kernels/cpu/denormals.h"
#include "kernels/cpu/families.h"
#include "kernels/cpu/float16.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/window.h"

namespace berth::cpu {
namespace {

template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;

struct Problem {
  ImageLayout layout;
  std::array<Window, 2> windows;
  int64_t batch = 0, channels = 0;
};

absl::StatusOr<Problem> ProblemOf(KernelArgs& args) {
  const Tensor& x = args.input(0);
  BERTH_RETURN_IF_ERROR(ExpectRank(x, 4, "input"));
  Problem p;
  BERTH_ASSIGN_OR_RETURN(p.layout, LayoutOf(args.node()));
  const std::vector<int64_t> ksize = IntListAttr(args.node(), "ksize");
  if (ksize.size() != 4) return Refuse("expected ksize of 4 values, got ", ksize.size());
  const Dims kernel(ksize.begin(), ksize.end());
  for (int64_t k : kernel) {
    if (k < 1 || k > INT32_MAX) return Refuse("expected ksize of at least 1, got ", k);
  }
  if (p.layout.batch(kernel) != 1 || p.layout.channels(kernel) != 1) {
    return absl::UnimplementedError(
        absl::StrCat("expected ksize of 1 along batch and channels, got ", DimsString(kernel)));
  }
  BERTH_ASSIGN_OR_RETURN(
      p.windows, WindowsOf(args.node(), p.layout, {p.layout.spatial(x.dims(), 0), p.layout.spatial(x.dims(), 1)},
                           {p.layout.spatial(kernel, 0), p.layout.spatial(kernel, 1)}));
  for (const Window& w : p.windows) {
    if (std::max(w.pad_low, w.pad_high) >= w.kernel) {
      return Refuse("expected explicit_paddings below the window of ", w.kernel, ", got ",
                    std::max(w.pad_low, w.pad_high));
    }
  }
  p.batch = p.layout.batch(x.dims());
  p.channels = p.layout.channels(x.dims());
  return p;
}

// The taps [first, last) of a window that lie on the input.
std::pair<int64_t, int64_t> Taps(const Window& w, int64_t out) {
  const int64_t start = w.At(out, 0);
  return {std::max<int64_t>(-start, 0), std::min(w.kernel, w.in - start)};
}

// One output position: all channels of all its taps into `sums`, then into `out`.
template <typename T, bool kMax>
void PoolAt(const T* in, const ImageSteps& from, std::pair<int64_t, int64_t> rows, std::pair<int64_t, int64_t> columns,
            int64_t channels, Wide<T>* sums, T* out, int64_t out_step) {
  using A = Wide<T>;
  std::fill_n(sums, channels, kMax ? std::numeric_limits<A>::lowest() : A{0});
  for (int64_t i = rows.first; i < rows.second; ++i) {
    for (int64_t j = columns.first; j < columns.second; ++j) {
      const T* x = in + i * from.h + j * from.w;
      for (int64_t c = 0; c < channels; ++c) {
        const A value = static_cast<A>(x[c * from.channel]);
        // NaNs are not the largest, as in TensorFlow: a window of nothing else gives the lowest number.
        sums[c] = kMax ? (sums[c] < value ? value : sums[c]) : static_cast<A>(sums[c] + value);
      }
    }
  }
  const int64_t count =
      std::max<int64_t>(rows.second - rows.first, 0) * std::max<int64_t>(columns.second - columns.first, 0);
  for (int64_t c = 0; c < channels; ++c) {
    const A value = kMax ? sums[c] : static_cast<A>(sums[c] / static_cast<A>(std::max<int64_t>(count, 1)));
    out[c * out_step] = static_cast<T>(value);
  }
}

template <typename T, bool kMax>
absl::Status PoolAll(KernelArgs& args, const Problem& p, Tensor& y) {
  const Window& h = p.windows[0];
  const Window& w = p.windows[1];
  const ImageSteps from = StepsOf(p.layout, p.channels, h.in, w.in);
  const ImageSteps to = StepsOf(p.layout, p.channels, h.out, w.out);
  // Output rows of all images, a few at a time, each few with sums of their own.
  const int64_t rows = p.batch * h.out, grain = GrainFor(w.out * p.channels * h.kernel * w.kernel);
  const int64_t ranges = args.threads() == 1 ? 1 : (rows - 1) / grain + 1;
  BERTH_ASSIGN_OR_RETURN(void* scratch, args.Scratch(ranges * p.channels * sizeof(Wide<T>)));
  ParallelFor(args.threads(), rows, grain, [&](int64_t begin, int64_t end) {
    auto* sums = static_cast<Wide<T>*>(scratch) + begin / grain * p.channels;
    for (int64_t row = begin; row < end; ++row) {
      const int64_t b = row / h.out, i = row % h.out;
      for (int64_t j = 0; j < w.out; ++j) {
        const T* in = args.input(0).kernel<T>() + b * from.batch + h.At(i, 0) * from.h + w.At(j, 0) * from.w;
        PoolAt<T, kMax>(in, from, Taps(h, i), Taps(w, j), p.channels, sums,
                        y.kernel<T>() + b * to.batch + i * to.h + j * to.w, to.channel);
      }
    }
  });
  return absl::OkStatus();
}

// Calls `f` with a value of the C++ type of `dtype`, one that pools have.
template <typename F>
absl::Status WithType(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kFloat16:
      return f(Half());
    case DType::kBfloat16:
      return f(BFloat16());
    case DType::kFloat64:
      return f(double{});
    case DType::kFloat32:
      return f(float{});
    case DType::kInt8:
      return f(int8_t{});
    case DType::kInt16:
      return f(int16_t{});
    case DType::kInt32:
      return f(int32_t{});
    case DType::kInt64:
      return f(int64_t{});
    case DType::kUint16:
      return f(uint16_t{});
    default:
      return f(uint8_t{});
  }
}

template <bool kMax>
absl::Status Pool(KernelArgs& args) {
  const DenormalsAreZero denormals;
  BERTH_ASSIGN_OR_RETURN(const Problem p, ProblemOf(args));
  BERTH_ASSIGN_OR_RETURN(Tensor * y,
                         args.Allocate(0, p.layout.Make(p.batch, p.channels, p.windows[0].out, p.windows[1].out)));
  if (y->num_elements() == 0) return absl::OkStatus();
  return WithType(y->dtype(), [&](auto type) { return PoolAll<decltype(type), kMax>(args, p, *y); });
}

// The largest of every `window` channels that follow each other.
template <typename T>
void MaxOfChannels(KernelArgs& args, int64_t window, Tensor& y) {
  const T* x = args.input(0).kernel<T>();
  ParallelFor(args.threads(), y.num_elements(), GrainFor(window), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      auto largest = static_cast<Wide<T>>(x[i * window]);
      for (int64_t c = 1; c < window; ++c) {
        const auto value = static_cast<Wide<T>>(x[i * window + c]);
        largest = largest < value ? value : largest;
      }
      y.kernel<T>()[i] = static_cast<T>(largest);
    }
  });
}

// As TensorFlow: of NHWC images, over channels or over height and width, and over channels only side by side.
absl::Status MaxPool(KernelArgs& args) {
  const Tensor& x = args.input(0);
  const std::vector<int64_t> ksize = IntListAttr(args.node(), "ksize"), strides = IntListAttr(args.node(), "strides");
  BERTH_ASSIGN_OR_RETURN(const ImageLayout layout, LayoutOf(args.node()));
  if (!layout.nhwc || ksize.size() != 4 || ksize[3] < 2 || x.dims().size() != 4) return Pool<true>(args);
  const int64_t window = ksize[3], channels = x.dims()[3];
  if (strides != std::vector<int64_t>{1, 1, 1, window} || ksize != std::vector<int64_t>{1, 1, 1, window} ||
      !IntListAttr(args.node(), "explicit_paddings").empty() || channels % window != 0) {
    return Refuse("expected a window over channels alone, as far as its stride, that divides them, got ksize [",
                  absl::StrJoin(ksize, ","), "] and strides [", absl::StrJoin(strides, ","), "] for ",
                  DimsString(x.dims()));
  }
  const DenormalsAreZero denormals;
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, {x.dims()[0], x.dims()[1], x.dims()[2], channels / window}));
  return WithType(y->dtype(), [&](auto type) {
    MaxOfChannels<decltype(type)>(args, window, *y);
    return absl::OkStatus();
  });
}

}  // namespace

void AddPoolKernels(KernelTable& table) {
  std::vector<DType> types = FloatTypes();
  table.Add({.op = "AvgPool", .types = {{"T", types}}, .run = Pool<false>});
  types.insert(types.end(), {DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64, DType::kUint8, DType::kUint16});
  table.Add({.op = "MaxPool", .types = {{"T", types}}, .run = MaxPool});
}

}  // namespace berth::cpu
