#include "kernels/cpu/families.h"

namespace berth::cpu {

void AddAllKernels(KernelTable& table) {
  AddBinaryKernels(table);
  AddConcatKernels(table);
  AddConstantKernels(table);
  AddConvKernels(table);
  AddFlowKernels(table);
  AddMatMulKernels(table);
  AddRandomKernels(table);
  AddShapeKernels(table);
  AddSliceKernels(table);
  AddUnaryKernels(table);
  AddVariableKernels(table);
}

}  // namespace berth::cpu
