#include "kernels/cpu/split.h"

#include <algorithm>

namespace berth::cpu::onednn {
namespace {

constexpr int64_t kMostParts = 8;
constexpr int64_t kLeastRows = 64;      // of a matrix product: fewer waste the vectors' registers
constexpr int64_t kLeastColumns = 128;  // likewise

// In how many parts work of this cost falls, of at most `limit`.
int64_t CountFor(double cost, int64_t limit) {
  const double worth = std::min(cost / kPartCost, static_cast<double>(kMostParts));
  return std::max<int64_t>(std::min(static_cast<int64_t>(worth), limit), 1);
}

// The convolution that computes output rows [begin, end) of one image; false where they see nothing but padding.
bool RowsOf(const Conv& conv, int64_t begin, int64_t end, Part<Conv>& part) {
  const int64_t reach = (conv.kernel[0] - 1) * conv.dilation[0] + 1;
  const int64_t first = begin * conv.stride[0] - conv.pad_low[0];
  const int64_t last = (end - 1) * conv.stride[0] - conv.pad_low[0] + reach;
  const int64_t from = std::max<int64_t>(first, 0), to = std::min(last, conv.in[0]);
  if (from >= to) return false;
  part.problem = conv;
  part.problem.in[0] = to - from;
  part.problem.out[0] = end - begin;
  part.problem.pad_low[0] = from - first;
  part.problem.pad_high[0] = last - to;
  part.at = {.a = from * conv.in[1] * conv.in_channels, .out = begin * conv.out[1] * conv.out_channels};
  return true;
}

}  // namespace

double CostOf(const Conv& conv) {
  return static_cast<double>(conv.batch) * static_cast<double>(conv.out[0] * conv.out[1]) *
         static_cast<double>(conv.kernel[0] * conv.kernel[1]) * static_cast<double>(conv.in_channels) /
         static_cast<double>(conv.groups) * static_cast<double>(conv.out_channels);
}

double CostOf(const MatMul& product) {
  return static_cast<double>(product.m) * static_cast<double>(product.n) * static_cast<double>(product.k);
}

std::vector<Part<Conv>> ImagesOf(const Conv& conv) {
  const int64_t count = CountFor(CostOf(conv), conv.batch);
  std::vector<Part<Conv>> parts;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t begin = i * conv.batch / count, end = (i + 1) * conv.batch / count;
    Part<Conv> part{conv,
                    {.a = begin * conv.in[0] * conv.in[1] * conv.in_channels,
                     .out = begin * conv.out[0] * conv.out[1] * conv.out_channels}};
    part.problem.batch = end - begin;
    parts.push_back(part);
  }
  return parts;
}

std::vector<Part<Conv>> PartsOf(const Conv& conv) {
  if (conv.batch != 1 || !conv.nhwc) return ImagesOf(conv);
  const int64_t count = CountFor(CostOf(conv), conv.out[0]);
  std::vector<Part<Conv>> parts;
  for (int64_t i = 0; i < count; ++i) {
    Part<Conv> part;
    if (!RowsOf(conv, i * conv.out[0] / count, (i + 1) * conv.out[0] / count, part)) return {{conv, {}}};
    parts.push_back(part);
  }
  return parts;
}

std::vector<Part<MatMul>> PartsOf(const MatMul& p) {
  const bool rows = p.m >= 2 * kLeastRows;
  const int64_t size = rows ? p.m : p.n;
  const int64_t count = CountFor(CostOf(p), size / (rows ? kLeastRows : kLeastColumns));
  std::vector<Part<MatMul>> parts;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t begin = i * size / count, end = (i + 1) * size / count;
    Part<MatMul> part{p, {}};
    if (rows) {
      part.problem.m = end - begin;
      part.at = {.a = begin * (p.transpose_a ? 1 : p.k), .out = begin * p.n};
    } else {
      part.problem.n = end - begin;
      part.at = {.b = begin * (p.transpose_b ? p.k : 1), .out = begin};
    }
    parts.push_back(part);
  }
  return parts;
}

}  // namespace berth::cpu::onednn
