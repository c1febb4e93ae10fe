// What placement may know of kernels, made from the kernels themselves.
//
//   KernelDef{op "Relu", kind "CPU", types T in {f32}}  on machine kinds {CPU, GPU (virtual)}
//   -> KernelSupport{"Relu", "CPU", ...} and KernelSupport{"Relu", "GPU", ...}
#ifndef BERTH_KERNELS_OP_SUPPORT_H_
#define BERTH_KERNELS_OP_SUPPORT_H_

#include <string>
#include <vector>

#include "placement/op_support.h"
#include "runtime/kernel.h"

namespace berth {

// One entry for each kernel under its own kind, and, as CPU kernels serve virtual devices, one more
// for each of `virtual_kinds`, with the same dtypes and host arguments. Host arguments hold on
// kinds other than CPU only.
OpSupport SupportFrom(const KernelTable& kernels, const std::vector<std::string>& virtual_kinds = {"GPU"});

}  // namespace berth

#endif  // BERTH_KERNELS_OP_SUPPORT_H_
