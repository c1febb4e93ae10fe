// NumPy broadcasting at run time: how operands of different shapes step through one output.
//
//   [8,1,3] and [5,1]  ->  out [8,5,3], rows of 3; operand steps {3,0,1} and {0,1,0}
//
// Axes over which every operand steps alike are merged, so that most uses become one or two long
// rows.
#ifndef BERTH_KERNELS_CPU_BROADCAST_H_
#define BERTH_KERNELS_CPU_BROADCAST_H_

#include <array>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/tensor.h"

namespace berth::cpu {

constexpr int kMaxOperands = 3;

struct Broadcast {
  Dims out;                                                         // the output's shape
  Dims sizes;                                                       // merged axes; at least one
  std::array<absl::InlinedVector<int64_t, 6>, kMaxOperands> steps;  // of each operand over `sizes`

  int64_t row() const { return sizes.back(); }
  // 0 or 1: whether operand k repeats one element within a row, or walks.
  int64_t row_step(int k) const { return steps[k].back(); }
};

// REQUIRES: at most kMaxOperands shapes. Error: InvalidArgument naming both shapes that do not fit.
absl::StatusOr<Broadcast> PlanBroadcast(absl::Span<const Tensor* const> operands);

// Calls fn(offsets, output offset) once a row, in the output's order; offsets are in elements, one
// an operand.
template <typename Fn>
void ForEachRow(const Broadcast& plan, Fn fn) {
  const int outer = static_cast<int>(plan.sizes.size()) - 1;
  for (int64_t size : plan.sizes) {
    if (size == 0) return;
  }
  std::array<int64_t, kMaxOperands> offsets = {};
  absl::InlinedVector<int64_t, 6> index(outer, 0);
  for (int64_t at = 0;; at += plan.row()) {
    fn(offsets, at);
    int axis = outer - 1;
    for (; axis >= 0; --axis) {
      const bool carry = ++index[axis] == plan.sizes[axis];
      for (int k = 0; k < kMaxOperands; ++k) {
        if (plan.steps[k].empty()) continue;
        offsets[k] += carry ? plan.steps[k][axis] * (1 - plan.sizes[axis]) : plan.steps[k][axis];
      }
      if (!carry) break;
      index[axis] = 0;
    }
    if (axis < 0) return;
  }
}

}  // namespace berth::cpu

#endif  // BERTH_KERNELS_CPU_BROADCAST_H_
