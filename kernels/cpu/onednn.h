// The one place that knows oneDNN (2.6.3, v2 API): float32 convolutions and matrix products as plain calls.
//
// Primitives are made once for a shape and kept in the node's KernelState; constant weights are brought into oneDNN's
// own layout once and kept beside them. Everything runs on the calling thread, so that results are the same to the bit
// on every device and thread count.
#ifndef BERTH_KERNELS_CPU_ONEDNN_H_
#define BERTH_KERNELS_CPU_ONEDNN_H_

#include <array>
#include <cstdint>

#include "absl/status/status.h"
#include "runtime/kernel.h"

namespace berth::cpu::onednn {

// A two-dimensional convolution. Activations are [batch, h, w, channels] (nhwc) or [batch, channels, h, w]; weights are
// [kh, kw, in / groups, out]. With groups == in channels: depthwise, one output channel for each input channel.
struct Conv {
  int64_t batch = 0, in_channels = 0, out_channels = 0, groups = 1;
  std::array<int64_t, 2> in = {}, out = {}, kernel = {}, stride = {1, 1}, dilation = {1, 1}, pad_low = {},
                         pad_high = {};
  bool nhwc = true;
  friend bool operator==(const Conv&, const Conv&) = default;
};

// out[m, n] = a b, with a [m, k] (or its transpose as stored) and b likewise.
struct MatMul {
  int64_t m = 0, n = 0, k = 0;
  bool transpose_a = false, transpose_b = false;
  friend bool operator==(const MatMul&, const MatMul&) = default;
};

// Weights: their values, and the input that they are, or -1 for none: where a Const made it, its reordered copy is
// kept.
struct Weights {
  const float* values = nullptr;
  int input = -1;
};

// REQUIRES: no size is 0. Errors: ResourceExhausted, and Internal with oneDNN's message.
absl::Status RunConv(KernelArgs& args, const Conv& conv, const float* x, Weights weights, float* y);
// The gradient of RunConv with respect to x: `gradient` has y's shape.
absl::Status RunConvBackward(KernelArgs& args, const Conv& conv, const float* gradient, Weights weights, float* x);
// `count` products of one shape; product i is at the given offsets (in elements) from a, b and out.
struct Offsets {
  int64_t a, b, out;
};
absl::Status RunMatMuls(KernelArgs& args, const MatMul& product, const float* a, const float* b, float* out,
                        absl::Span<const Offsets> offsets);

}  // namespace berth::cpu::onednn

#endif  // BERTH_KERNELS_CPU_ONEDNN_H_
