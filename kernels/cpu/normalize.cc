// Batch normalisation of images: FusedBatchNorm and its versions 2 and 3, for inference and training.
#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/status_macros.h"
#include "kernels/cpu/args.h"
#include "kernels/cpu/denormals.h"
#include "kernels/cpu/families.h"
#include "kernels/cpu/float16.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/window.h"

namespace berth::cpu {
namespace {

// An image batch as rows of `inner` elements that belong to one channel each (NCHW), or to all channels in turn (NHWC).
struct Layout {
  int64_t channels = 0, outer = 0, inner = 0;
  int64_t count() const { return outer * inner; }  // elements of a channel
};

// Calls fn(channel, element) for every element of rows [begin, end) of channels [first, last), in memory's order.
template <typename Fn>
void ForEachElement(const Layout& l, int64_t begin, int64_t end, int64_t first, int64_t last, Fn fn) {
  for (int64_t o = begin; o < end; ++o) {
    int64_t at = (o * l.channels + first) * l.inner;
    for (int64_t c = first; c < last; ++c) {
      for (int64_t i = 0; i < l.inner; ++i) fn(c, at++);
    }
  }
}

struct Moments {
  std::vector<double> mean, variance;
};

// Channels are shared among threads; each is summed in memory's order.
template <typename T>
Moments MomentsOf(const Layout& l, int threads, const T* x) {
  Moments m{std::vector<double>(l.channels), std::vector<double>(l.channels)};
  const double count = static_cast<double>(l.count());
  ParallelFor(threads, l.channels, std::max<int64_t>(GrainFor(2 * l.count()), 16), [&](int64_t first, int64_t last) {
    ForEachElement(l, 0, l.outer, first, last, [&](int64_t c, int64_t at) { m.mean[c] += static_cast<float>(x[at]); });
    for (int64_t c = first; c < last; ++c) m.mean[c] /= count;
    ForEachElement(l, 0, l.outer, first, last, [&](int64_t c, int64_t at) {
      const double d = static_cast<float>(x[at]) - m.mean[c];
      m.variance[c] += d * d;
    });
    for (int64_t c = first; c < last; ++c) m.variance[c] /= count;
  });
  return m;
}

struct Outputs {
  Tensor *y, *mean, *variance, *reserve1, *reserve2;
};

template <typename T>
void Normalize(KernelArgs& args, const Layout& l, bool training, const Outputs& out) {
  const T* x = args.input(0).kernel<T>();
  const float* scale = args.input(1).kernel<float>();
  const float* offset = args.input(2).kernel<float>();
  const float epsilon = AttrOr<float>(args, "epsilon", 0.0001f);
  std::vector<float> mean(l.channels), factor(l.channels);
  const Moments moments = training ? MomentsOf(l, args.threads(), x) : Moments();
  const float keep = 1 - AttrOr<float>(args, "exponential_avg_factor", 1.0f);
  // The running variance is unbiased; what normalises is not.
  const double unbias = l.count() > 1 ? static_cast<double>(l.count()) / static_cast<double>(l.count() - 1) : 1.0;
  for (int64_t c = 0; c < l.channels; ++c) {
    const float old_mean = training && keep == 0 ? 0 : args.input(3).kernel<float>()[c];
    const float old_variance = training && keep == 0 ? 0 : args.input(4).kernel<float>()[c];
    const double variance = training ? moments.variance[c] : static_cast<double>(old_variance);
    mean[c] = training ? static_cast<float>(moments.mean[c]) : old_mean;
    factor[c] = static_cast<float>(scale[c] / std::sqrt(variance + epsilon));
    out.reserve1->kernel<float>()[c] = mean[c];
    out.reserve2->kernel<float>()[c] = static_cast<float>(variance);
    const auto now = static_cast<float>(variance * (training ? unbias : 1.0));
    out.mean->kernel<float>()[c] = training && keep != 0 ? keep * old_mean + (1 - keep) * mean[c] : mean[c];
    out.variance->kernel<float>()[c] = training && keep != 0 ? keep * old_variance + (1 - keep) * now : now;
  }
  T* y = out.y->kernel<T>();
  const int64_t row = l.channels * l.inner;
  ParallelFor(args.threads(), l.outer, GrainFor(row), [&](int64_t begin, int64_t end) {
    ForEachElement(l, begin, end, 0, l.channels, [&](int64_t c, int64_t at) {
      y[at] = static_cast<T>((static_cast<float>(x[at]) - mean[c]) * factor[c] + offset[c]);
    });
  });
}

absl::Status FusedBatchNorm(KernelArgs& args) {
  const Tensor& x = args.input(0);
  BERTH_RETURN_IF_ERROR(ExpectRank(x, 4, "x"));
  BERTH_ASSIGN_OR_RETURN(const ImageLayout layout, LayoutOf(args.node()));
  const bool training = AttrOr<bool>(args, "is_training", true);
  Layout l{.channels = layout.channels(x.dims())};
  const int64_t pixels = layout.spatial(x.dims(), 0) * layout.spatial(x.dims(), 1);
  l.outer = layout.nhwc ? x.dim(0) * pixels : x.dim(0);
  l.inner = layout.nhwc ? 1 : pixels;
  const bool statistics = !training || AttrOr<float>(args, "exponential_avg_factor", 1.0f) != 1.0f;
  for (int i = 1; i < (statistics ? 5 : 3); ++i) {
    BERTH_RETURN_IF_ERROR(ExpectDims(args.input(i), {l.channels}, absl::StrCat("input ", i)));
  }
  Outputs out;
  BERTH_ASSIGN_OR_RETURN(out.y, args.Allocate(0, x.dims()));
  BERTH_ASSIGN_OR_RETURN(out.mean, args.Allocate(1, {l.channels}));
  BERTH_ASSIGN_OR_RETURN(out.variance, args.Allocate(2, {l.channels}));
  BERTH_ASSIGN_OR_RETURN(out.reserve1, args.Allocate(3, {l.channels}));
  BERTH_ASSIGN_OR_RETURN(out.reserve2, args.Allocate(4, {l.channels}));
  if (args.num_outputs() > 5) BERTH_RETURN_IF_ERROR(args.Allocate(5, {0}).status());
  if (x.num_elements() == 0) {  // statistics of nothing, as TensorFlow says, training or not
    std::fill_n(out.mean->kernel<float>(), l.channels, std::numeric_limits<float>::quiet_NaN());
    std::fill_n(out.variance->kernel<float>(), l.channels, std::numeric_limits<float>::quiet_NaN());
    std::fill_n(out.reserve1->kernel<float>(), l.channels, 0.0f);
    std::fill_n(out.reserve2->kernel<float>(), l.channels, 0.0f);
    return absl::OkStatus();
  }
  const DenormalsAreZero denormals;
  switch (x.dtype()) {
    case DType::kFloat16:
      Normalize<Half>(args, l, training, out);
      break;
    case DType::kBfloat16:
      Normalize<BFloat16>(args, l, training, out);
      break;
    default:
      Normalize<float>(args, l, training, out);
  }
  return absl::OkStatus();
}

}  // namespace

void AddNormalizeKernels(KernelTable& table) {
  table.Add({.op = "FusedBatchNorm", .types = {{"T", {DType::kFloat32}}}, .run = FusedBatchNorm});
  const std::vector<TypeConstraint> types = {{"T", {DType::kFloat16, DType::kBfloat16, DType::kFloat32}},
                                             {"U", {DType::kFloat32}}};
  table.Add({.op = "FusedBatchNormV2", .types = types, .run = FusedBatchNorm});
  table.Add({.op = "FusedBatchNormV3", .types = types, .run = FusedBatchNorm});
}

}  // namespace berth::cpu
