#include "kernels/kernels.h"

#include "kernels/cpu/families.h"

namespace berth {
namespace {

std::shared_ptr<const KernelTable> MakeCpuKernels() {
  auto table = std::make_shared<KernelTable>();
  cpu::AddAllKernels(*table);
  return table;
}

}  // namespace

std::shared_ptr<const KernelTable> CpuKernels() {
  static const auto* const kernels = new std::shared_ptr<const KernelTable>(MakeCpuKernels());
  return *kernels;
}

}  // namespace berth
