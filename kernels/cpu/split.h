// How one convolution or matrix product is cut into calls of oneDNN, for several threads to make. The cut depends on the
// shapes alone: every number of threads makes the same calls and gets the same results to the bit.
//
//   [1,64,64,32] convolved by 3x3 to [1,64,64,64], SAME  ->  8 parts of 8 output rows, each with the input rows it needs
#ifndef BERTH_KERNELS_CPU_SPLIT_H_
#define BERTH_KERNELS_CPU_SPLIT_H_

#include <array>
#include <cstdint>
#include <vector>

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

// Where operands begin, in elements.
struct Offsets {
  int64_t a = 0, b = 0, out = 0;
};

// A smaller problem of the same kind on the same memory; matrices keep the whole's distance between rows.
template <typename Problem>
struct Part {
  Problem problem;
  Offsets at;  // of a convolution: a is its input
};

// At least one part; one, the problem itself, where parts would be too small to be worth it.
std::vector<Part<Conv>> PartsOf(const Conv& conv);
// The same, cut between images only.
std::vector<Part<Conv>> ImagesOf(const Conv& conv);
std::vector<Part<MatMul>> PartsOf(const MatMul& product);

// Multiply-adds of a problem.
double CostOf(const Conv& conv);
double CostOf(const MatMul& product);
// Multiply-adds that are worth a call, and a thread, of their own.
constexpr double kPartCost = 1 << 22;

}  // namespace berth::cpu::onednn

#endif  // BERTH_KERNELS_CPU_SPLIT_H_
