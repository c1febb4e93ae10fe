#include "kernels/cpu/window.h"

#include <algorithm>

#include "graph/status_macros.h"
#include "kernels/cpu/args.h"

namespace berth::cpu {
namespace {

std::string StringAttr(const Node& node, absl::string_view name, absl::string_view fallback) {
  const std::string* value = node.AttrOrDefault<std::string>(name);
  return value == nullptr ? std::string(fallback) : *value;
}

// A list attribute of one value for each of the four axes; empty means ones.
absl::StatusOr<std::array<int64_t, 2>> SpatialAttr(const Node& node, const ImageLayout& layout,
                                                   absl::string_view name) {
  const std::vector<int64_t> values = IntListAttr(node, name);
  if (values.empty()) return std::array<int64_t, 2>{1, 1};
  if (values.size() != 4) return Refuse("expected ", name, " of 4 values, got ", values.size());
  for (int64_t v : values) {
    if (v < 1 || v > INT32_MAX) return Refuse("expected ", name, " of at least 1, got ", v);
  }
  const Dims dims(values.begin(), values.end());
  if (layout.batch(dims) != 1 || layout.channels(dims) != 1) {
    return Refuse("expected ", name, " of 1 along batch and channels, got ", DimsString(dims));
  }
  return std::array<int64_t, 2>{layout.spatial(dims, 0), layout.spatial(dims, 1)};
}

// A window that reaches over the end of its input by less than two strides gives an empty output, as in TensorFlow, which
// refuses it only where the sizes are known before the run.
absl::Status SizeOutput(Window& w, absl::string_view padding) {
  const int64_t reach = (w.kernel - 1) * w.dilation + 1;
  if (padding == "SAME") {
    w.out = (w.in + w.stride - 1) / w.stride;
    const int64_t pad = std::max<int64_t>((w.out - 1) * w.stride + reach - w.in, 0);
    w.pad_low = pad / 2;
    w.pad_high = pad - w.pad_low;
    return absl::OkStatus();
  }
  const int64_t room = w.in + w.pad_low + w.pad_high;
  w.out = (room - reach + w.stride) / w.stride;  // rounded towards 0
  if (w.out < 0) return Refuse("expected an input of at least ", reach, " with its padding, got ", room);
  return absl::OkStatus();
}

}  // namespace

ImageSteps StepsOf(const ImageLayout& layout, int64_t channels, int64_t h, int64_t w) {
  const int64_t image = channels * h * w;
  return layout.nhwc ? ImageSteps{image, w * channels, channels, 1} : ImageSteps{image, w, 1, h * w};
}

absl::StatusOr<ImageLayout> LayoutOf(const Node& node) {
  const std::string format = StringAttr(node, "data_format", "NHWC");
  if (format != "NHWC" && format != "NCHW") return Refuse("expected data_format NHWC or NCHW, got '", format, "'");
  return ImageLayout{.nhwc = format == "NHWC"};
}

absl::StatusOr<std::array<Window, 2>> WindowsOf(const Node& node, const ImageLayout& layout, std::array<int64_t, 2> in,
                                                std::array<int64_t, 2> kernel) {
  BERTH_ASSIGN_OR_RETURN(const auto stride, SpatialAttr(node, layout, "strides"));
  BERTH_ASSIGN_OR_RETURN(const auto dilation, SpatialAttr(node, layout, "dilations"));
  const std::string padding = StringAttr(node, "padding", "VALID");
  const std::vector<int64_t> pads = IntListAttr(node, "explicit_paddings");
  if (padding != "SAME" && padding != "VALID" && padding != "EXPLICIT") {
    return Refuse("expected padding SAME, VALID or EXPLICIT, got '", padding, "'");
  }
  if (padding == "EXPLICIT") {
    if (pads.size() != 8) return Refuse("expected explicit_paddings of 8 values, got ", pads.size());
    for (int64_t pad : pads) {
      if (pad < 0 || pad > INT32_MAX) return Refuse("expected explicit_paddings of at least 0, got ", pad);
    }
  }
  std::array<Window, 2> windows;
  for (int i = 0; i < 2; ++i) {
    if (kernel[i] < 1) return Refuse("expected windows of at least 1, got ", kernel[i]);
    windows[i] = {.in = in[i], .kernel = kernel[i], .stride = stride[i], .dilation = dilation[i]};
    if (padding == "EXPLICIT") {
      const int axis = (layout.nhwc ? 1 : 2) + i;
      windows[i].pad_low = pads[2 * axis];
      windows[i].pad_high = pads[2 * axis + 1];
    }
    BERTH_RETURN_IF_ERROR(SizeOutput(windows[i], padding));
  }
  return windows;
}

}  // namespace berth::cpu
