// Boxes on images: choosing among overlapping ones (NonMaxSuppressionV3) and cutting them out (CropAndResize).
#include <algorithm>
#include <cmath>
#include <numeric>

#include "graph/status_macros.h"
#include "kernels/cpu/args.h"
#include "kernels/cpu/denormals.h"
#include "kernels/cpu/families.h"

namespace berth::cpu {
namespace {

// Two opposite corners, in any order.
struct Box {
  float y0, x0, y1, x1;
  explicit Box(const float* corners)
      : y0(std::min(corners[0], corners[2])),
        x0(std::min(corners[1], corners[3])),
        y1(std::max(corners[0], corners[2])),
        x1(std::max(corners[1], corners[3])) {}
  float area() const { return (y1 - y0) * (x1 - x0); }
};

// Intersection over union; 0 for boxes without area.
float Overlap(const Box& a, const Box& b) {
  if (a.area() <= 0 || b.area() <= 0) return 0;
  const float h = std::max(std::min(a.y1, b.y1) - std::max(a.y0, b.y0), 0.0f);
  const float w = std::max(std::min(a.x1, b.x1) - std::max(a.x0, b.x0), 0.0f);
  return h * w / (a.area() + b.area() - h * w);
}

absl::Status NonMaxSuppression(KernelArgs& args) {
  const Tensor& boxes = args.input(0);
  const Tensor& scores = args.input(1);
  BERTH_RETURN_IF_ERROR(ExpectRank(boxes, 2, "boxes"));
  BERTH_RETURN_IF_ERROR(ExpectDims(boxes, {boxes.dim(0), 4}, "boxes"));
  BERTH_RETURN_IF_ERROR(ExpectDims(scores, {boxes.dim(0)}, "scores"));
  BERTH_ASSIGN_OR_RETURN(const int64_t most, IntOf(args.input(2), "max_output_size"));
  if (most < 0) return Refuse("expected max_output_size of at least 0, got ", most);
  for (int i = 3; i < 5; ++i)
    BERTH_RETURN_IF_ERROR(ExpectRank(args.input(i), 0, i == 3 ? "iou_threshold" : "score_threshold"));
  const float overlap = *args.input(3).kernel<float>(), least = *args.input(4).kernel<float>();
  if (!(overlap >= 0 && overlap <= 1)) return Refuse("expected iou_threshold in [0,1], got ", overlap);
  const float* score = scores.kernel<float>();
  std::vector<int32_t> order;
  for (int64_t i = 0; i < boxes.dim(0); ++i) {
    if (score[i] > least) order.push_back(static_cast<int32_t>(i));
  }
  std::stable_sort(order.begin(), order.end(), [score](int32_t a, int32_t b) { return score[a] > score[b]; });
  std::vector<int32_t> chosen;
  for (int32_t candidate : order) {
    if (static_cast<int64_t>(chosen.size()) == most) break;
    const Box box(boxes.kernel<float>() + 4 * candidate);
    const bool hidden = std::any_of(chosen.begin(), chosen.end(), [&](int32_t other) {
      return Overlap(box, Box(boxes.kernel<float>() + 4 * other)) > overlap;
    });
    if (!hidden) chosen.push_back(candidate);
  }
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, {static_cast<int64_t>(chosen.size())}));
  std::copy(chosen.begin(), chosen.end(), y->kernel<int32_t>());
  return absl::OkStatus();
}

// Positions along one axis of a crop, in pixels of the image.
struct Positions {
  float first, step;
  Positions(float low, float high, int64_t image, int64_t crop)
      : first(crop > 1 ? low * static_cast<float>(image - 1) : 0.5f * (low + high) * static_cast<float>(image - 1)),
        step(crop > 1 ? (high - low) * static_cast<float>(image - 1) / static_cast<float>(crop - 1) : 0) {}
  float At(int64_t i) const { return first + static_cast<float>(i) * step; }
};

struct Image {
  const Tensor* tensor;
  int64_t h, w, depth;
  float ValueAt(int64_t b, int64_t y, int64_t x, int64_t d) const {
    const int64_t i = ((b * h + y) * w + x) * depth + d;
    switch (tensor->dtype()) {
      case DType::kFloat32:
        return tensor->kernel<float>()[i];
      case DType::kFloat64:
        return static_cast<float>(tensor->kernel<double>()[i]);
      default:
        return static_cast<float>(IntAt(*tensor, i));
    }
  }
};

// The pixel at (y, x) of image b, all channels.
void Sample(const Image& image, int64_t b, float y, float x, bool nearest, float* out) {
  if (nearest) {
    for (int64_t d = 0; d < image.depth; ++d) {
      out[d] = image.ValueAt(b, static_cast<int64_t>(std::round(y)), static_cast<int64_t>(std::round(x)), d);
    }
    return;
  }
  const auto top = static_cast<int64_t>(std::floor(y)), bottom = static_cast<int64_t>(std::ceil(y));
  const auto left = static_cast<int64_t>(std::floor(x)), right = static_cast<int64_t>(std::ceil(x));
  const float down = y - static_cast<float>(top), across = x - static_cast<float>(left);
  for (int64_t d = 0; d < image.depth; ++d) {
    const float a = image.ValueAt(b, top, left, d), c = image.ValueAt(b, bottom, left, d);
    const float above = a + (image.ValueAt(b, top, right, d) - a) * across;
    const float below = c + (image.ValueAt(b, bottom, right, d) - c) * across;
    out[d] = above + (below - above) * down;
  }
}

absl::Status CropAndResize(KernelArgs& args) {
  const DenormalsAreZero denormals;
  const Tensor& x = args.input(0);
  const Tensor& boxes = args.input(1);
  BERTH_RETURN_IF_ERROR(ExpectRank(x, 4, "image"));
  BERTH_RETURN_IF_ERROR(ExpectRank(boxes, 2, "boxes"));
  BERTH_RETURN_IF_ERROR(ExpectDims(boxes, {boxes.dim(0), 4}, "boxes"));
  BERTH_RETURN_IF_ERROR(ExpectDims(args.input(2), {boxes.dim(0)}, "box_ind"));
  BERTH_RETURN_IF_ERROR(ExpectDims(args.input(3), {2}, "crop_size"));
  const int64_t h = IntAt(args.input(3), 0), w = IntAt(args.input(3), 1);
  if (h < 1 || w < 1) return Refuse("expected crop_size of at least 1, got ", h, " and ", w);
  const Image image{&x, x.dim(1), x.dim(2), x.dim(3)};
  if (image.h < 1 || image.w < 1) return Refuse("expected images with pixels, got shape ", x.ShapeString());
  const bool nearest = AttrOr<std::string>(args, "method", "bilinear") == "nearest";
  const float outside = AttrOr<float>(args, "extrapolation_value", 0);
  for (int64_t i = 0; i < boxes.dim(0); ++i) {
    const int64_t b = IntAt(args.input(2), i);
    if (b < 0 || b >= x.dim(0)) return Refuse("expected box_ind in [0,", x.dim(0), "), got ", b, " at ", i);
  }
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, {boxes.dim(0), h, w, image.depth}));
  float* out = y->kernel<float>();
  for (int64_t i = 0; i < boxes.dim(0) && image.depth > 0; ++i) {
    const float* corners = boxes.kernel<float>() + 4 * i;
    const Positions rows(corners[0], corners[2], image.h, h), columns(corners[1], corners[3], image.w, w);
    for (int64_t r = 0; r < h; ++r) {
      for (int64_t c = 0; c < w; ++c, out += image.depth) {
        const float at_y = rows.At(r), at_x = columns.At(c);
        const bool inside = at_y >= 0 && at_y <= static_cast<float>(image.h - 1) && at_x >= 0 &&
                            at_x <= static_cast<float>(image.w - 1);
        if (inside) {
          Sample(image, IntAt(args.input(2), i), at_y, at_x, nearest, out);
        } else {
          std::fill_n(out, image.depth, outside);
        }
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

void AddBoxKernels(KernelTable& table) {
  table.Add({.op = "CropAndResize",
             .types = {{"T",
                        {DType::kFloat32, DType::kFloat64, DType::kUint8, DType::kUint16, DType::kInt8, DType::kInt16,
                         DType::kInt32, DType::kInt64}}},
             .host_args = {"crop_size"},
             .run = CropAndResize});
  table.Add({.op = "NonMaxSuppressionV3",
             .types = {{"T", {DType::kFloat32}}, {"T_threshold", {DType::kFloat32}}},
             .host_args = {"max_output_size", "iou_threshold", "score_threshold"},
             .run = NonMaxSuppression});
}

}  // namespace berth::cpu
