// Offsets for the tensors of a plan: two may share bytes when they do not live at the same time.
//
//   steps   0 1 2 3            a: 64 bytes, steps 0-1    offset 0
//   a       #-#                b: 64 bytes, steps 1-3    offset 64
//   b         #-#-#            c: 64 bytes, steps 2-3    offset 0
//   c           #-#            128 bytes, which is also the lower bound
#ifndef BERTH_RUNTIME_PLAN_MEMORY_H_
#define BERTH_RUNTIME_PLAN_MEMORY_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace berth {

// A tensor's memory, in use from step `first` to step `last`, both included.
struct MemoryBlock {
  int64_t bytes = 0;
  int32_t first = 0;
  int32_t last = 0;
};

struct MemoryPlan {
  std::vector<int64_t> offsets;  // by block; multiples of 64
  int64_t bytes = 0;             // what all take together
  int64_t lower_bound = 0;       // the most that is in use at any step: no plan takes less
};

// The best of two orders: largest block first into the lowest gap, and by first step into the smallest gap; only the
// latter for more than a few thousand blocks. O(n log n) then. Deterministic.
MemoryPlan PlanMemory(absl::Span<const MemoryBlock> blocks);

}  // namespace berth

#endif  // BERTH_RUNTIME_PLAN_MEMORY_H_
