// The geometry of windows that slide over the two spatial axes of images: convolutions and pooling.
//
//   in 5, kernel 3, stride 2, SAME  ->  out 3, pad 1 before and 1 after
#ifndef BERTH_KERNELS_CPU_WINDOW_H_
#define BERTH_KERNELS_CPU_WINDOW_H_

#include <array>
#include <cstdint>

#include "absl/status/statusor.h"
#include "runtime/kernel.h"

namespace berth::cpu {

// One spatial axis.
struct Window {
  int64_t in = 0, kernel = 1, stride = 1, dilation = 1, out = 0, pad_low = 0, pad_high = 0;

  // The input position of tap k at output position o; outside [0, in) it lies in the padding.
  int64_t At(int64_t o, int64_t k) const { return o * stride - pad_low + k * dilation; }
};

// Where the axes of an image batch are.
struct ImageLayout {
  bool nhwc = true;
  int64_t batch(const Dims& dims) const { return dims[0]; }
  int64_t channels(const Dims& dims) const { return dims[nhwc ? 3 : 1]; }
  int64_t spatial(const Dims& dims, int i) const { return dims[(nhwc ? 1 : 2) + i]; }
  Dims Make(int64_t batch, int64_t channels, int64_t h, int64_t w) const {
    return nhwc ? Dims{batch, h, w, channels} : Dims{batch, channels, h, w};
  }
};

// Element steps of an image batch with `channels` channels.
struct ImageSteps {
  int64_t batch, h, w, channel;
};
ImageSteps StepsOf(const ImageLayout& layout, int64_t channels, int64_t h, int64_t w);

// From the attribute data_format. Error: another format than NHWC and NCHW.
absl::StatusOr<ImageLayout> LayoutOf(const Node& node);

// From the attributes strides, dilations, padding and explicit_paddings, for an input and a kernel of these sizes.
// Errors: sizes that do not fit, strides or dilations below 1, or other than 1 along batch or channels.
absl::StatusOr<std::array<Window, 2>> WindowsOf(const Node& node, const ImageLayout& layout, std::array<int64_t, 2> in,
                                                std::array<int64_t, 2> kernel);

}  // namespace berth::cpu

#endif  // BERTH_KERNELS_CPU_WINDOW_H_
