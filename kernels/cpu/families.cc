#include "kernels/cpu/families.h"

namespace berth::cpu {

void AddAllKernels(KernelTable& table) {
  AddArgReduceKernels(table);
  AddBinaryKernels(table);
  AddBoxKernels(table);
  AddCastKernels(table);
  AddConcatKernels(table);
  AddConstantKernels(table);
  AddConvKernels(table);
  AddEinsumKernels(table);
  AddFlowKernels(table);
  AddGatherKernels(table);
  AddMatMulKernels(table);
  AddNormalizeKernels(table);
  AddPadKernels(table);
  AddPickKernels(table);
  AddPoolKernels(table);
  AddRandomKernels(table);
  AddRearrangeKernels(table);
  AddReduceKernels(table);
  AddResizeKernels(table);
  AddScanKernels(table);
  AddSelectKernels(table);
  AddShapeKernels(table);
  AddSliceKernels(table);
  AddSoftmaxKernels(table);
  AddUnaryKernels(table);
  AddVariableKernels(table);
}

}  // namespace berth::cpu
