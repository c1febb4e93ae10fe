#include "graph/ops/op_rows.h"
#include "graph/ops/shape_fns.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

// Where channels are: 1 or last.
int ChannelOf(const ShapeArgs& args, const PartialShape& shape) {
  return FormatOf(args).channels_first ? 1 : shape.rank() - 1;
}

// [batch, space..., channels], or [batch, channels, space...] with at least one dimension of space.
absl::StatusOr<PartialShape> Biased(ShapeArgs& args) {
  return args.WithRankAtLeast(0, FormatOf(args).channels_first ? 3 : 2);
}

absl::Status BiasAddShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(PartialShape shape, Biased(args));
  BERTH_ASSIGN_OR_RETURN(const PartialShape bias, args.WithRank(1, 1));
  if (!shape.has_rank()) return args.set_output(0, std::move(shape));
  const int channel = ChannelOf(args, shape);
  absl::StatusOr<int64_t> channels = MergeDims(shape.dim(channel), bias.dim(0));
  if (!channels.ok()) {
    return ShapeError("bias must have one element a channel (dimension ", channel, "), got ", bias.ToString(), " for ",
                      shape.ToString());
  }
  shape.set_dim(channel, *channels);
  return args.set_output(0, std::move(shape));
}

absl::Status BiasAddGradShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const PartialShape shape, Biased(args));
  return args.set_output(0, {shape.has_rank() ? shape.dim(ChannelOf(args, shape)) : kUnknownDim});
}

// x with its channels agreed with the vectors among inputs `first` to `last`.
absl::StatusOr<PartialShape> Normalised(ShapeArgs& args, int x, int first, int last, int64_t* channels) {
  const DataFormat format = FormatOf(args);
  BERTH_ASSIGN_OR_RETURN(PartialShape shape, args.WithRank(x, format.rank()));
  *channels = shape.dim(format.channel());
  for (int i = first; i <= last; ++i) {
    BERTH_ASSIGN_OR_RETURN(const PartialShape vector, args.WithRank(i, 1));
    absl::StatusOr<int64_t> merged = MergeDims(*channels, vector.dim(0));
    if (!merged.ok()) {
      return ShapeError("input '", args.InputName(i), "' must have one element a channel, got ", vector.ToString(),
                        " for ", shape.ToString());
    }
    *channels = *merged;
  }
  shape.set_dim(format.channel(), *channels);
  return shape;
}

// y, batch_mean, batch_variance, two spaces for the gradient, and in V3 one of the device's own choice.
absl::Status BatchNormShape(ShapeArgs& args) {
  int64_t channels;
  // Training reads the given mean and variance where it averages over steps.
  const bool training =
      args.Attr<bool>("is_training", true) && args.Attr<float>("exponential_avg_factor", 1.0f) == 1.0f;
  BERTH_ASSIGN_OR_RETURN(PartialShape shape, Normalised(args, 0, 1, training ? 2 : 4, &channels));
  BERTH_RETURN_IF_ERROR(args.set_output(0, std::move(shape)));
  for (int k = 1; k < 5; ++k) BERTH_RETURN_IF_ERROR(args.set_output(k, {channels}));
  return absl::OkStatus();
}

// The last two outputs are empty.
absl::Status BatchNormGradShape(ShapeArgs& args) {
  int64_t channels;
  const DataFormat format = FormatOf(args);
  BERTH_ASSIGN_OR_RETURN(PartialShape shape, Normalised(args, 1, 2, 4, &channels));
  BERTH_RETURN_IF_ERROR(MergeInto(&shape, args.input(0), "y_backprop must have the shape of x"));
  channels = shape.dim(format.channel());
  BERTH_RETURN_IF_ERROR(args.set_output(0, std::move(shape)));
  for (int k = 1; k < 5; ++k) BERTH_RETURN_IF_ERROR(args.set_output(k, {k > 2 ? 0 : channels}));
  return absl::OkStatus();
}

absl::Status LrnShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(PartialShape shape, args.WithRank(0, 4));
  return args.set_output(0, std::move(shape));
}

absl::Status LrnGradShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(PartialShape shape, args.WithRank(0, 4));
  for (int i = 1; i < 3; ++i) BERTH_RETURN_IF_ERROR(MergeInto(&shape, args.input(i), "inputs must have one shape"));
  return args.set_output(0, std::move(shape));
}

absl::Status SoftmaxShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(PartialShape shape, args.WithRankAtLeast(0, 1));
  return args.set_output(0, std::move(shape));
}

absl::Status CrossEntropyShape(ShapeArgs& args) {
  // Of one shape where they can be; else they broadcast.
  absl::StatusOr<PartialShape> same = MergeShapes(args.input(0), args.input(1));
  if (same.ok()) same = MergeShapes(*same, PartialShape::OfRank(2));
  if (!same.ok()) same = BroadcastShapes(args.input(0), args.input(1));
  if (!same.ok()) return same.status();
  PartialShape shape = *std::move(same);
  if (!shape.has_rank()) shape = PartialShape::OfRank(2);
  if (shape.rank() != 2) return ShapeError("features and labels must broadcast to rank 2, got ", shape.ToString());
  BERTH_RETURN_IF_ERROR(args.set_output(0, {shape.dim(0)}));
  return args.set_output(1, std::move(shape));
}

absl::Status SparseCrossEntropyShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(PartialShape features, args.WithRank(0, 2));
  BERTH_ASSIGN_OR_RETURN(const PartialShape labels, args.WithRank(1, 1));
  absl::StatusOr<int64_t> batch = MergeDims(features.dim(0), labels.dim(0));
  if (!batch.ok()) {
    return ShapeError("labels must have one element a row of features, got ", labels.ToString(), " for ",
                      features.ToString());
  }
  features.set_dim(0, *batch);
  BERTH_RETURN_IF_ERROR(args.set_output(0, {*batch}));
  return args.set_output(1, std::move(features));
}

// One answer a row of predictions.
absl::Status InTopKShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const PartialShape predictions, args.WithRank(0, 2));
  BERTH_ASSIGN_OR_RETURN(const PartialShape targets, args.WithRank(1, 1));
  BERTH_ASSIGN_OR_RETURN(const int64_t batch, MergeDims(predictions.dim(0), targets.dim(0)));
  return args.set_output(0, {batch});
}

constexpr OpTableRow kRows[] = {
    {"BiasAdd(value: T, bias: T) -> (output: T) {T: type in number; data_format: string in [NHWC, NCHW] = 'NHWC'}",
     BiasAddShape},
    {"BiasAddGrad(out_backprop: T) -> (output: T) {T: type in number; data_format: string in [NHWC, NCHW] = 'NHWC'}",
     BiasAddGradShape},
    {"BiasAddV1(value: T, bias: T) -> (output: T) {T: type in number}", BiasAddShape},
    {"Elu(features: T) -> (activations: T) {T: type in floating}", UnchangedShape},
    {"EluGrad(gradients: T, outputs: T) -> (backprops: T) {T: type in floating}", MergedShape},
    {"FusedBatchNorm(x: T, scale: T, offset: T, mean: T, variance: T) -> (y: T, batch_mean: T, batch_variance: T, "
     "reserve_space_1: T, reserve_space_2: T) {T: type in [f32]; epsilon: float = 0.0001; exponential_avg_factor: "
     "float "
     "= 1.0; data_format: string in [NHWC, NCHW] = 'NHWC'; is_training: bool = true}",
     BatchNormShape},
    {"FusedBatchNormGradV2(y_backprop: T, x: T, scale: f32, reserve_space_1: U, reserve_space_2: U) -> (x_backprop: T, "
     "scale_backprop: U, offset_backprop: U, reserve_space_3: U, reserve_space_4: U) {T: type in [f16, bf16, f32]; U: "
     "type in [f32]; epsilon: float = 0.0001; data_format: string in [NHWC, NCHW] = 'NHWC'; is_training: bool = true}",
     BatchNormGradShape},
    {"FusedBatchNormGradV3(y_backprop: T, x: T, scale: f32, reserve_space_1: U, reserve_space_2: U, reserve_space_3: "
     "U) -> (x_backprop: T, scale_backprop: U, offset_backprop: U, reserve_space_4: U, reserve_space_5: U) {T: type in "
     "[f16, bf16, f32]; U: type in [f32]; epsilon: float = 0.0001; data_format: string in [NHWC, NCHW, NDHWC, NCDHW] = "
     "'NHWC'; is_training: bool = true}",
     BatchNormGradShape},
    {"FusedBatchNormV2(x: T, scale: U, offset: U, mean: U, variance: U) -> (y: T, batch_mean: U, batch_variance: U, "
     "reserve_space_1: U, reserve_space_2: U) {T: type in [f16, bf16, f32]; U: type in [f32]; epsilon: float = 0.0001; "
     "exponential_avg_factor: float = 1.0; data_format: string in [NHWC, NCHW] = 'NHWC'; is_training: bool = true}",
     BatchNormShape},
    {"FusedBatchNormV3(x: T, scale: U, offset: U, mean: U, variance: U) -> (y: T, batch_mean: U, batch_variance: U, "
     "reserve_space_1: U, reserve_space_2: U, reserve_space_3: U) {T: type in [f16, bf16, f32]; U: type in [bf16, "
     "f32]; epsilon: float = 0.0001; exponential_avg_factor: float = 1.0; data_format: string in [NHWC, NCHW, NDHWC, "
     "NCDHW] = 'NHWC'; is_training: bool = true}",
     BatchNormShape},
    {"InTopK(predictions: f32, targets: T) -> (precision: bool) {k: int; T: type in index = i32}", InTopKShape},
    {"InTopKV2(predictions: f32, targets: T, k: T) -> (precision: bool) {T: type in index = i32}", InTopKShape},
    {"L2Loss(t: T) -> (output: T) {T: type in floating}", ScalarShape},
    {"LRN(input: T) -> (output: T) {depth_radius: int = 5; bias: float = 1.0; alpha: float = 1.0; beta: float = 0.5; "
     "T: type in [f16, bf16, f32] = f32}",
     LrnShape},
    {"LRNGrad(input_grads: T, input_image: T, output_image: T) -> (output: T) {depth_radius: int = 5; bias: float = "
     "1.0; alpha: float = 1.0; beta: float = 0.5; T: type in [f16, bf16, f32] = f32}",
     LrnGradShape},
    {"LeakyRelu(features: T) -> (activations: T) {alpha: float = 0.2; T: type in floating = f32}", UnchangedShape},
    {"LeakyReluGrad(gradients: T, features: T) -> (backprops: T) {alpha: float = 0.2; T: type in floating = f32}",
     MergedShape},
    {"LogSoftmax(logits: T) -> (logsoftmax: T) {T: type in floating}", SoftmaxShape},
    {"Relu(features: T) -> (activations: T) {T: type in [real, qint8]}", UnchangedShape},
    {"Relu6(features: T) -> (activations: T) {T: type in real}", UnchangedShape},
    {"Relu6Grad(gradients: T, features: T) -> (backprops: T) {T: type in real}", MergedShape},
    {"ReluGrad(gradients: T, features: T) -> (backprops: T) {T: type in real}", MergedShape},
    {"Selu(features: T) -> (activations: T) {T: type in floating}", UnchangedShape},
    {"SeluGrad(gradients: T, outputs: T) -> (backprops: T) {T: type in floating}", MergedShape},
    {"Softmax(logits: T) -> (softmax: T) {T: type in floating}", SoftmaxShape},
    {"SoftmaxCrossEntropyWithLogits(features: T, labels: T) -> (loss: T, backprop: T) {T: type in floating}",
     CrossEntropyShape},
    {"Softplus(features: T) -> (activations: T) {T: type in floating}", UnchangedShape},
    {"SoftplusGrad(gradients: T, features: T) -> (backprops: T) {T: type in floating}", MergedShape},
    {"Softsign(features: T) -> (activations: T) {T: type in floating}", UnchangedShape},
    {"SoftsignGrad(gradients: T, features: T) -> (backprops: T) {T: type in floating}", MergedShape},
    {"SparseSoftmaxCrossEntropyWithLogits(features: T, labels: Tlabels) -> (loss: T, backprop: T) {T: type in "
     "floating; Tlabels: type in index = i64}",
     SparseCrossEntropyShape},
};

}  // namespace

absl::Span<const OpTableRow> NnOps() { return kRows; }

}  // namespace berth
