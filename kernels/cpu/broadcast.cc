#include "kernels/cpu/broadcast.h"

#include <algorithm>

#include "kernels/cpu/args.h"

namespace berth::cpu {
namespace {

// The dimension of axis `i` counted in an output of rank `rank`.
int64_t DimAt(const Dims& dims, int rank, int i) {
  const int own = i - (rank - static_cast<int>(dims.size()));
  return own < 0 ? 1 : dims[own];
}

bool StepsMerge(const Broadcast& plan, const std::array<int64_t, kMaxOperands>& steps, int operands, int64_t size) {
  for (int k = 0; k < operands; ++k) {
    if (plan.steps[k].back() != steps[k] * size) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<Broadcast> PlanBroadcast(absl::Span<const Tensor* const> operands) {
  Broadcast plan;
  const int count = static_cast<int>(operands.size());
  int rank = 0;
  for (const Tensor* t : operands) rank = std::max(rank, t->rank());
  plan.out.assign(rank, 1);
  for (int i = 0; i < rank; ++i) {
    for (const Tensor* t : operands) {
      const int64_t d = DimAt(t->dims(), rank, i);
      if (d == 1) continue;
      if (plan.out[i] != 1 && plan.out[i] != d) {
        return Refuse("expected shapes that broadcast, got ", operands[0]->ShapeString(), " and ",
                      t == operands[0] ? operands[1]->ShapeString() : t->ShapeString());
      }
      plan.out[i] = d;
    }
  }
  if (std::find(plan.out.begin(), plan.out.end(), 0) != plan.out.end()) {
    plan.sizes = {0};
    for (int k = 0; k < count; ++k) plan.steps[k] = {0};
    return plan;
  }
  // Element steps of every axis, before merging.
  std::array<int64_t, kMaxOperands> span = {1, 1, 1};
  std::vector<std::array<int64_t, kMaxOperands>> all(rank);
  for (int i = rank - 1; i >= 0; --i) {
    for (int k = 0; k < count; ++k) {
      const int64_t d = DimAt(operands[k]->dims(), rank, i);
      all[i][k] = d == 1 ? 0 : span[k];
      span[k] *= d;
    }
  }
  for (int i = 0; i < rank; ++i) {
    if (plan.out[i] == 1) continue;
    if (!plan.sizes.empty() && StepsMerge(plan, all[i], count, plan.out[i])) {
      plan.sizes.back() *= plan.out[i];
      for (int k = 0; k < count; ++k) plan.steps[k].back() = all[i][k];
      continue;
    }
    plan.sizes.push_back(plan.out[i]);
    for (int k = 0; k < count; ++k) plan.steps[k].push_back(all[i][k]);
  }
  if (plan.sizes.empty()) {
    plan.sizes.push_back(1);
    for (int k = 0; k < count; ++k) plan.steps[k].push_back(0);
  }
  return plan;
}

}  // namespace berth::cpu
