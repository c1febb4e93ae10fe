// The one place that knows oneDNN (2.6.3, v2 API): float32 convolutions and matrix products as plain calls.
//
// Primitives are made once for a shape and kept in the node's KernelState; constant weights are brought into oneDNN's
// own layout once and kept beside them. Large problems are cut by their shapes (split.h) into calls that the node's
// threads share, each on one thread, so that results are the same to the bit on every device and thread count.
#ifndef BERTH_KERNELS_CPU_ONEDNN_H_
#define BERTH_KERNELS_CPU_ONEDNN_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "kernels/cpu/split.h"
#include "runtime/kernel.h"

namespace berth::cpu::onednn {

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
absl::Status RunMatMuls(KernelArgs& args, const MatMul& product, const float* a, const float* b, float* out,
                        absl::Span<const Offsets> offsets);

}  // namespace berth::cpu::onednn

#endif  // BERTH_KERNELS_CPU_ONEDNN_H_
