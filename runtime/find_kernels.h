// Which kernel runs each node of a partition; everything that cannot run is found before anything does.
#ifndef BERTH_RUNTIME_FIND_KERNELS_H_
#define BERTH_RUNTIME_FIND_KERNELS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "runtime/device.h"
#include "runtime/kernel.h"
#include "runtime/partition.h"

namespace berth {

// By part, then by node id; null for ops that the executor does itself. Errors: Unimplemented naming every op without a
// kernel, with its first node, how many more there are, and why the kernels that there are do not fit; the same for
// control flow; InvalidArgument for a placeholder that is needed and not fed.
absl::StatusOr<std::vector<std::vector<const KernelDef*>>> FindKernels(const Partition& partition,
                                                                       const std::vector<Device*>& devices,
                                                                       const KernelTable& kernels);

// Which data inputs (or outputs) of the node the kernel wants in host memory on a device that has its own.
std::vector<bool> HostInputs(const Node& node, const KernelDef& kernel);
std::vector<bool> HostOutputs(const Node& node, const KernelDef& kernel);

}  // namespace berth

#endif  // BERTH_RUNTIME_FIND_KERNELS_H_
