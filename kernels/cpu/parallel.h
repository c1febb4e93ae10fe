// Loops that the threads of one session share: how a kernel uses KernelArgs::threads().
//
//   ParallelFor(args.threads(), n, kElementGrain, [&](int64_t begin, int64_t end) {
//     for (int64_t i = begin; i < end; ++i) y[i] = f(x[i]);
//   });
//
// Which thread takes which range is left to chance; so results are the same to the bit for every number of threads only
// where no value depends on where ranges begin and end. Split over outputs, never over what is summed.
#ifndef BERTH_KERNELS_CPU_PARALLEL_H_
#define BERTH_KERNELS_CPU_PARALLEL_H_

#include <algorithm>
#include <cstdint>

#include "absl/functional/function_ref.h"

namespace berth::cpu {

using RangeFn = absl::FunctionRef<void(int64_t begin, int64_t end)>;

// Calls fn for ranges that cover [0, items) once, of `grain` items each but the last, on at most `threads` threads: the
// caller's, which can finish alone, and helpers from one pool for the process. Returns when all is done. With one thread
// or one range: fn(0, items) on the caller's, and no thread is made. Helpers compute in the caller's floating-point
// mode. May be called by several threads at once, and inside itself. REQUIRES: grain >= 1; fn throws nothing.
void ParallelFor(int threads, int64_t items, int64_t grain, RangeFn fn);

// Items of `cost` elementary steps each that are worth handing to another thread.
constexpr int64_t GrainFor(int64_t cost) {
  return std::max<int64_t>((int64_t{1} << 15) / std::max<int64_t>(cost, 1), 1);
}
// Elements that are loaded, computed in a step or two and stored.
constexpr int64_t kElementGrain = int64_t{1} << 15;

}  // namespace berth::cpu

#endif  // BERTH_KERNELS_CPU_PARALLEL_H_
