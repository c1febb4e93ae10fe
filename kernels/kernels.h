// Every kernel that Berth has, as a value: what a session is given to run with.
//
//   SessionOptions options;
//   options.kernels = CpuKernels();
//   options.support = SupportFrom(*options.kernels, machine_kinds);
#ifndef BERTH_KERNELS_KERNELS_H_
#define BERTH_KERNELS_KERNELS_H_

#include <memory>

#include "runtime/kernel.h"

namespace berth {

// The kernels of kind CPU, which serve virtual devices of every kind too. Made once and shared;
// thread-safe.
std::shared_ptr<const KernelTable> CpuKernels();

}  // namespace berth

#endif  // BERTH_KERNELS_KERNELS_H_
