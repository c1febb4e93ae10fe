// The families of CPU kernels: each function, in the file of its name, adds one family to a table.
#ifndef BERTH_KERNELS_CPU_FAMILIES_H_
#define BERTH_KERNELS_CPU_FAMILIES_H_

#include "runtime/kernel.h"

namespace berth::cpu {

// All of the below.
void AddAllKernels(KernelTable& table);

void AddArgReduceKernels(KernelTable& table);  // ArgMax, ArgMin
void AddBoxKernels(KernelTable& table);        // NonMaxSuppressionV3, CropAndResize
void AddBinaryKernels(KernelTable& table);     // Add, Mul, Less, ..., AddN, BiasAdd
void AddCastKernels(KernelTable& table);       // Cast
void AddConcatKernels(KernelTable& table);     // ConcatV2, Split, SplitV, Pack, Unpack
void AddConstantKernels(KernelTable& table);   // Fill, ZerosLike, OnesLike, Range
void AddConvKernels(KernelTable& table);       // Conv2D, DepthwiseConv2dNative, Conv2DBackpropInput
void AddEinsumKernels(KernelTable& table);     // Einsum
void AddFlowKernels(KernelTable& table);       // Identity, IdentityN, StopGradient, PlaceholderWithDefault, ...
void AddGatherKernels(KernelTable& table);     // Gather, GatherV2, GatherNd, ScatterNd
void AddMatMulKernels(KernelTable& table);     // MatMul, BatchMatMulV2
void AddNormalizeKernels(KernelTable& table);  // FusedBatchNorm and its versions
void AddPadKernels(KernelTable& table);        // Pad, PadV2, MirrorPad
void AddPickKernels(KernelTable& table);       // OneHot, TopKV2, Where
void AddPoolKernels(KernelTable& table);       // MaxPool, AvgPool
void AddRandomKernels(KernelTable& table);     // RandomUniform, TruncatedNormal, RandomShuffle, ...
void AddRearrangeKernels(KernelTable& table);  // Transpose, Tile, BroadcastTo, ReverseV2, SpaceToDepth, ...
void AddReduceKernels(KernelTable& table);     // Sum, Mean, Max, Min, Prod, All, Any
void AddResizeKernels(KernelTable& table);     // ResizeBilinear, ResizeNearestNeighbor
void AddScanKernels(KernelTable& table);       // Cumsum, Cumprod
void AddSelectKernels(KernelTable& table);     // Select, SelectV2
void AddShapeKernels(KernelTable& table);      // Shape, Size, Rank, Reshape, Squeeze, ExpandDims
void AddSliceKernels(KernelTable& table);      // Slice, StridedSlice
void AddSoftmaxKernels(KernelTable& table);    // Softmax, LogSoftmax
void AddUnaryKernels(KernelTable& table);      // Relu, Exp, Neg, ...
void AddVariableKernels(KernelTable& table);   // Assign, AssignAdd, ReadVariableOp, AssignVariableOp, ...

}  // namespace berth::cpu

#endif  // BERTH_KERNELS_CPU_FAMILIES_H_
