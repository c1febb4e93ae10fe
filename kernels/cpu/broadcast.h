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
  int64_t num_rows() const {
    int64_t n = 1;
    for (size_t i = 0; i + 1 < sizes.size(); ++i) n *= sizes[i];
    return sizes.back() == 0 ? 0 : n;
  }
  // 0 or 1: whether operand k repeats one element within a row, or walks.
  int64_t row_step(int k) const { return steps[k].back(); }
};

// REQUIRES: at most kMaxOperands shapes. Error: InvalidArgument naming both shapes that do not fit.
absl::StatusOr<Broadcast> PlanBroadcast(absl::Span<const Tensor* const> operands);

// Calls fn(offsets, output offset) once a row for rows [first, last), in the output's order; offsets are in elements,
// one an operand.
template <typename Fn>
void ForEachRow(const Broadcast& plan, int64_t first, int64_t last, Fn fn) {
  if (first >= last) return;
  const int outer = static_cast<int>(plan.sizes.size()) - 1;
  std::array<int64_t, kMaxOperands> offsets = {};
  absl::InlinedVector<int64_t, 6> index(outer, 0);
  int64_t rest = first;
  for (int axis = outer - 1; axis >= 0; --axis) {
    index[axis] = rest % plan.sizes[axis];
    rest /= plan.sizes[axis];
    for (int k = 0; k < kMaxOperands; ++k) {
      if (!plan.steps[k].empty()) offsets[k] += index[axis] * plan.steps[k][axis];
    }
  }
  for (int64_t row = first; row < last; ++row) {
    fn(offsets, row * plan.row());
    for (int axis = outer - 1; axis >= 0; --axis) {
      const bool carry = ++index[axis] == plan.sizes[axis];
      for (int k = 0; k < kMaxOperands; ++k) {
        if (plan.steps[k].empty()) continue;
        offsets[k] += carry ? plan.steps[k][axis] * (1 - plan.sizes[axis]) : plan.steps[k][axis];
      }
      if (!carry) break;
      index[axis] = 0;
    }
  }
}

// Every row.
template <typename Fn>
void ForEachRow(const Broadcast& plan, Fn fn) {
  ForEachRow(plan, 0, plan.num_rows(), fn);
}

}  // namespace berth::cpu

#endif  // BERTH_KERNELS_CPU_BROADCAST_H_
