#include "graph/ops/op_rows.h"

namespace berth {
namespace {

constexpr OpRow kRows[] = {
    {"BiasAdd(value: T, bias: T) -> (output: T) {T: type in number; data_format: string in [NHWC, NCHW] = 'NHWC'}"},
    {"BiasAddGrad(out_backprop: T) -> (output: T) {T: type in number; data_format: string in [NHWC, NCHW] = 'NHWC'}"},
    {"Elu(features: T) -> (activations: T) {T: type in floating}"},
    {"EluGrad(gradients: T, outputs: T) -> (backprops: T) {T: type in floating}"},
    {"FusedBatchNormGradV2(y_backprop: T, x: T, scale: f32, reserve_space_1: U, reserve_space_2: U) -> (x_backprop: T, "
     "scale_backprop: U, offset_backprop: U, reserve_space_3: U, reserve_space_4: U) {T: type in [f16, bf16, f32]; U: "
     "type in [f32]; epsilon: float = 0.0001; data_format: string in [NHWC, NCHW] = 'NHWC'; is_training: bool = true}"},
    {"FusedBatchNormGradV3(y_backprop: T, x: T, scale: f32, reserve_space_1: U, reserve_space_2: U, reserve_space_3: "
     "U) -> (x_backprop: T, scale_backprop: U, offset_backprop: U, reserve_space_4: U, reserve_space_5: U) {T: type in "
     "[f16, bf16, f32]; U: type in [f32]; epsilon: float = 0.0001; data_format: string in [NHWC, NCHW, NDHWC, NCDHW] = "
     "'NHWC'; is_training: bool = true}"},
    {"FusedBatchNormV2(x: T, scale: U, offset: U, mean: U, variance: U) -> (y: T, batch_mean: U, batch_variance: U, "
     "reserve_space_1: U, reserve_space_2: U) {T: type in [f16, bf16, f32]; U: type in [f32]; epsilon: float = 0.0001; "
     "exponential_avg_factor: float = 1.0; data_format: string in [NHWC, NCHW] = 'NHWC'; is_training: bool = true}"},
    {"FusedBatchNormV3(x: T, scale: U, offset: U, mean: U, variance: U) -> (y: T, batch_mean: U, batch_variance: U, "
     "reserve_space_1: U, reserve_space_2: U, reserve_space_3: U) {T: type in [f16, bf16, f32]; U: type in [bf16, "
     "f32]; epsilon: float = 0.0001; exponential_avg_factor: float = 1.0; data_format: string in [NHWC, NCHW, NDHWC, "
     "NCDHW] = 'NHWC'; is_training: bool = true}"},
    {"L2Loss(t: T) -> (output: T) {T: type in floating}"},
    {"LRN(input: T) -> (output: T) {depth_radius: int = 5; bias: float = 1.0; alpha: float = 1.0; beta: float = 0.5; "
     "T: type in [f16, bf16, f32] = f32}"},
    {"LRNGrad(input_grads: T, input_image: T, output_image: T) -> (output: T) {depth_radius: int = 5; bias: float = "
     "1.0; alpha: float = 1.0; beta: float = 0.5; T: type in [f16, bf16, f32] = f32}"},
    {"LeakyRelu(features: T) -> (activations: T) {alpha: float = 0.2; T: type in floating = f32}"},
    {"LeakyReluGrad(gradients: T, features: T) -> (backprops: T) {alpha: float = 0.2; T: type in floating = f32}"},
    {"LogSoftmax(logits: T) -> (logsoftmax: T) {T: type in floating}"},
    {"Relu(features: T) -> (activations: T) {T: type in [real, qint8]}"},
    {"Relu6(features: T) -> (activations: T) {T: type in real}"},
    {"Relu6Grad(gradients: T, features: T) -> (backprops: T) {T: type in real}"},
    {"ReluGrad(gradients: T, features: T) -> (backprops: T) {T: type in real}"},
    {"Selu(features: T) -> (activations: T) {T: type in floating}"},
    {"Softmax(logits: T) -> (softmax: T) {T: type in floating}"},
    {"SoftmaxCrossEntropyWithLogits(features: T, labels: T) -> (loss: T, backprop: T) {T: type in floating}"},
    {"Softplus(features: T) -> (activations: T) {T: type in floating}"},
    {"SoftplusGrad(gradients: T, features: T) -> (backprops: T) {T: type in floating}"},
    {"Softsign(features: T) -> (activations: T) {T: type in floating}"},
    {"SparseSoftmaxCrossEntropyWithLogits(features: T, labels: Tlabels) -> (loss: T, backprop: T) {T: type in "
     "floating; Tlabels: type in index = i64}"},
};

}  // namespace

absl::Span<const OpRow> NnOps() { return kRows; }

}  // namespace berth
