// Images at another size: ResizeBilinear, ResizeNearestNeighbor. Arithmetic in float32, in TensorFlow's order.
#include <algorithm>
#include <cmath>

#include "graph/status_macros.h"
#include "kernels/cpu/args.h"
#include "kernels/cpu/denormals.h"
#include "kernels/cpu/families.h"
#include "kernels/cpu/float16.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/strided.h"

namespace berth::cpu {
namespace {

// How positions of one axis map back.
struct Scale {
  int64_t in, out;
  bool align_corners, half_pixel;

  float step() const {
    return align_corners && out > 1 ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                                    : static_cast<float>(in) / static_cast<float>(out);
  }
};

struct Problem {
  Scale h, w;
  int64_t batch, channels;
};

absl::StatusOr<Problem> ProblemOf(KernelArgs& args) {
  const Tensor& x = args.input(0);
  BERTH_RETURN_IF_ERROR(ExpectRank(x, 4, "images"));
  BERTH_RETURN_IF_ERROR(ExpectDims(args.input(1), {2}, "size"));
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> size, IntsOf(args.input(1), "size"));
  const bool align = AttrOr<bool>(args, "align_corners", false);
  const bool half = AttrOr<bool>(args, "half_pixel_centers", false);
  if (align && half) return Refuse("expected at most one of align_corners and half_pixel_centers, got both");
  if (size[0] < 1 || size[1] < 1) return Refuse("expected sizes of at least 1, got ", size[0], " and ", size[1]);
  if (x.dim(1) < 1 || x.dim(2) < 1) return Refuse("expected images with pixels, got shape ", x.ShapeString());
  return Problem{{x.dim(1), size[0], align, half}, {x.dim(2), size[1], align, half}, x.dim(0), x.dim(3)};
}

struct Lerp {
  int64_t low, high;
  float weight;  // of high
};

std::vector<Lerp> LerpsOf(const Scale& scale) {
  std::vector<Lerp> lerps(scale.out);
  const float step = scale.step();
  for (int64_t i = 0; i < scale.out; ++i) {
    const auto at = static_cast<float>(i);
    const float from = scale.half_pixel ? (at + 0.5f) * step - 0.5f : at * step;
    const float floor = std::floor(from);
    lerps[i] = {std::clamp<int64_t>(static_cast<int64_t>(floor), 0, scale.in - 1),
                std::clamp<int64_t>(static_cast<int64_t>(std::ceil(from)), 0, scale.in - 1), from - floor};
  }
  return lerps;
}

template <typename T>
void Bilinear(const Problem& p, int threads, const T* x, float* out) {
  const std::vector<Lerp> rows = LerpsOf(p.h), columns = LerpsOf(p.w);
  const int64_t row_step = p.w.in * p.channels, out_step = p.w.out * p.channels;
  ParallelFor(threads, p.batch * p.h.out, GrainFor(4 * out_step), [&](int64_t begin, int64_t end) {
    float* y = out + begin * out_step;
    for (int64_t i = begin; i < end; ++i) {
      const T* image = x + i / p.h.out * p.h.in * row_step;
      const Lerp& row = rows[i % p.h.out];
      const T* top = image + row.low * row_step;
      const T* bottom = image + row.high * row_step;
      for (const Lerp& column : columns) {
        const int64_t left = column.low * p.channels, right = column.high * p.channels;
        for (int64_t c = 0; c < p.channels; ++c) {
          const auto a = static_cast<float>(top[left + c]), d = static_cast<float>(bottom[left + c]);
          const float above = a + (static_cast<float>(top[right + c]) - a) * column.weight;
          const float below = d + (static_cast<float>(bottom[right + c]) - d) * column.weight;
          *y++ = above + (below - above) * row.weight;
        }
      }
    }
  });
}

absl::Status ResizeBilinear(KernelArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const Problem p, ProblemOf(args));
  const Tensor& x = args.input(0);
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, {p.batch, p.h.out, p.w.out, p.channels}));
  if (y->num_elements() == 0) return absl::OkStatus();
  const DenormalsAreZero denormals;
  float* out = y->kernel<float>();
  switch (x.dtype()) {
    case DType::kFloat16:
      Bilinear(p, args.threads(), x.kernel<Half>(), out);
      break;
    case DType::kBfloat16:
      Bilinear(p, args.threads(), x.kernel<BFloat16>(), out);
      break;
    case DType::kFloat32:
      Bilinear(p, args.threads(), x.kernel<float>(), out);
      break;
    case DType::kFloat64:
      Bilinear(p, args.threads(), x.kernel<double>(), out);
      break;
    case DType::kInt8:
      Bilinear(p, args.threads(), x.kernel<int8_t>(), out);
      break;
    case DType::kInt16:
      Bilinear(p, args.threads(), x.kernel<int16_t>(), out);
      break;
    case DType::kInt32:
      Bilinear(p, args.threads(), x.kernel<int32_t>(), out);
      break;
    case DType::kInt64:
      Bilinear(p, args.threads(), x.kernel<int64_t>(), out);
      break;
    case DType::kUint16:
      Bilinear(p, args.threads(), x.kernel<uint16_t>(), out);
      break;
    default:
      Bilinear(p, args.threads(), x.kernel<uint8_t>(), out);
  }
  return absl::OkStatus();
}

std::vector<int64_t> NearestOf(const Scale& scale) {
  std::vector<int64_t> nearest(scale.out);
  const float step = scale.step();
  for (int64_t i = 0; i < scale.out; ++i) {
    const auto at = static_cast<float>(i);
    const float from = scale.half_pixel ? (at + 0.5f) * step : at * step;
    const float rounded = scale.align_corners ? std::round(from) : std::floor(from);
    nearest[i] = std::clamp<int64_t>(static_cast<int64_t>(rounded), 0, scale.in - 1);
  }
  return nearest;
}

absl::Status ResizeNearest(KernelArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const Problem p, ProblemOf(args));
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, {p.batch, p.h.out, p.w.out, p.channels}));
  if (y->num_elements() == 0) return absl::OkStatus();
  const std::vector<int64_t> rows = NearestOf(p.h), columns = NearestOf(p.w);
  const Elements from = ElementsOf(args.input(0));
  const Elements to = ElementsOf(*y);
  ParallelFor(args.threads(), p.batch * p.h.out, GrainFor(p.w.out * p.channels), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = i / p.h.out * p.h.in + rows[i % p.h.out];
      for (int64_t j = 0; j < p.w.out; ++j) {
        CopyBlock(from.At((row * p.w.in + columns[j]) * p.channels), to.At((i * p.w.out + j) * p.channels), p.channels);
      }
    }
  });
  return absl::OkStatus();
}

}  // namespace

void AddResizeKernels(KernelTable& table) {
  std::vector<DType> types = FloatTypes();
  types.insert(types.end(), {DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64, DType::kUint8, DType::kUint16});
  table.Add({.op = "ResizeBilinear", .types = {{"T", types}}, .host_args = {"size"}, .run = ResizeBilinear});
  table.Add({.op = "ResizeNearestNeighbor", .types = {{"T", types}}, .host_args = {"size"}, .run = ResizeNearest});
}

}  // namespace berth::cpu
