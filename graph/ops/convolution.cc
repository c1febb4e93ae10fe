#include <string>

#include "graph/ops/op_rows.h"
#include "graph/ops/shape_fns.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

// What a convolution's or pool's attributes say, one entry a spatial dimension.
struct Window {
  DataFormat format;
  std::string padding;
  std::vector<int64_t> strides, dilations, before, after;
};

absl::Status CheckLength(absl::string_view name, absl::Span<const int64_t> list, int length) {
  if (static_cast<int>(list.size()) == length) return absl::OkStatus();
  return ShapeError(name, " must have ", length, " elements, got ", list.size());
}

absl::StatusOr<Window> WindowOf(const ShapeArgs& args) {
  Window w;
  w.format = FormatOf(args);
  w.padding = args.Attr<std::string>("padding");
  const int rank = w.format.spatial + 2;
  const absl::Span<const int64_t> strides = args.Ints("strides"), dilations = args.Ints("dilations");
  const absl::Span<const int64_t> explicit_paddings = args.Ints("explicit_paddings");
  BERTH_RETURN_IF_ERROR(CheckLength("strides", strides, rank));
  if (!dilations.empty()) BERTH_RETURN_IF_ERROR(CheckLength("dilations", dilations, rank));
  BERTH_RETURN_IF_ERROR(CheckLength("explicit_paddings", explicit_paddings, w.padding == "EXPLICIT" ? 2 * rank : 0));
  for (const int64_t p : explicit_paddings) {
    if (p < 0) return ShapeError("explicit_paddings must be at least 0, got ", p);
  }
  for (int i = 0; i < w.format.spatial; ++i) {
    const int d = w.format.space(i);
    w.strides.push_back(strides[d]);
    w.dilations.push_back(dilations.empty() ? 1 : dilations[d]);
    w.before.push_back(explicit_paddings.empty() ? 0 : explicit_paddings[2 * d]);
    w.after.push_back(explicit_paddings.empty() ? 0 : explicit_paddings[2 * d + 1]);
  }
  return w;
}

// Spatial dimension i of the result, for a window of `size` over `input`.
absl::StatusOr<int64_t> Slide(const Window& w, const PartialShape& input, int i, int64_t size) {
  return WindowedSize(input.dim(w.format.space(i)), size, w.dilations[i], w.strides[i], w.padding, w.before[i],
                      w.after[i]);
}

// Input [batch, space..., channels], filter [window..., channels / groups, out].
absl::Status ConvolutionShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const Window w, WindowOf(args));
  BERTH_ASSIGN_OR_RETURN(const PartialShape input, args.WithRank(0, w.format.rank()));
  BERTH_ASSIGN_OR_RETURN(const PartialShape filter, args.WithRank(1, w.format.rank()));
  const int64_t in = input.dim(w.format.channel());
  const int64_t filter_in = filter.dim(w.format.spatial), out = filter.dim(w.format.spatial + 1);
  if (in != kUnknownDim && filter_in != kUnknownDim) {
    if (filter_in == 0 || in % filter_in != 0) {
      return ShapeError("input channels must be a multiple of the filter's, got ", input.ToString(), " with filter ",
                        filter.ToString());
    }
    const int64_t groups = in / filter_in;
    if (out != kUnknownDim && groups > 1 && out % groups != 0) {
      return ShapeError("output channels must be a multiple of the ", groups, " groups, got filter ",
                        filter.ToString());
    }
  }
  PartialShape shape = PartialShape::OfRank(w.format.rank());
  shape.set_dim(0, input.dim(0));
  shape.set_dim(w.format.channel(), out);
  for (int i = 0; i < w.format.spatial; ++i) {
    BERTH_ASSIGN_OR_RETURN(const int64_t size, Slide(w, input, i, filter.dim(i)));
    shape.set_dim(w.format.space(i), size);
  }
  return args.set_output(0, std::move(shape));
}

// Filter [height, width, channels, multiplier].
absl::Status DepthwiseConvShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const Window w, WindowOf(args));
  BERTH_ASSIGN_OR_RETURN(const PartialShape input, args.WithRank(0, 4));
  BERTH_ASSIGN_OR_RETURN(const PartialShape filter, args.WithRank(1, 4));
  absl::StatusOr<int64_t> channels = MergeDims(input.dim(w.format.channel()), filter.dim(2));
  if (!channels.ok()) {
    return ShapeError("input channels must be the filter's, got ", input.ToString(), " with filter ",
                      filter.ToString());
  }
  BERTH_ASSIGN_OR_RETURN(const int64_t out, MulDims(*channels, filter.dim(3)));
  PartialShape shape = PartialShape::OfRank(4);
  shape.set_dim(0, input.dim(0));
  shape.set_dim(w.format.channel(), out);
  for (int i = 0; i < 2; ++i) {
    BERTH_ASSIGN_OR_RETURN(const int64_t size, Slide(w, input, i, filter.dim(i)));
    shape.set_dim(w.format.space(i), size);
  }
  return args.set_output(0, std::move(shape));
}

// The filter's shape is an input.
absl::Status ConvBackpropFilterShape(ShapeArgs& args) {
  BERTH_RETURN_IF_ERROR(args.CheckRank(0, 4));
  BERTH_RETURN_IF_ERROR(args.CheckRank(2, 4));
  BERTH_ASSIGN_OR_RETURN(PartialShape shape, args.ShapeValue(1));
  if (!shape.has_rank()) shape = PartialShape::OfRank(4);
  if (shape.rank() != 4) return ShapeError("filter_sizes must have 4 elements, got ", shape.ToString());
  return args.set_output(0, std::move(shape));
}

// The input's shape is an input, or only its spatial part.
absl::Status ConvBackpropInputOf(ShapeArgs& args, bool spatial_allowed) {
  BERTH_ASSIGN_OR_RETURN(const PartialShape filter, args.WithRank(1, 4));
  BERTH_ASSIGN_OR_RETURN(const PartialShape gradient, args.WithRank(2, 4));
  BERTH_ASSIGN_OR_RETURN(const PartialShape sizes, args.ShapeValue(0));
  PartialShape shape = PartialShape::OfRank(4);
  const DataFormat format = FormatOf(args);
  if (sizes.has_rank() && sizes.rank() == 2 && spatial_allowed) {
    for (int i = 0; i < 2; ++i) shape.set_dim(format.space(i), sizes.dim(i));
    shape.set_dim(format.channel(), filter.dim(2));
  } else if (sizes.has_rank()) {
    if (sizes.rank() != 4) return ShapeError("input_sizes must have 4 elements, got ", sizes.ToString());
    shape = sizes;
  }
  absl::StatusOr<int64_t> batch = MergeDims(shape.dim(0), gradient.dim(0));
  if (!batch.ok()) {
    return ShapeError("out_backprop must have the batch of input_sizes, got ", gradient.ToString(), " for ",
                      sizes.ToString());
  }
  shape.set_dim(0, *batch);
  return args.set_output(0, std::move(shape));
}
absl::Status ConvBackpropInputShape(ShapeArgs& args) { return ConvBackpropInputOf(args, true); }
absl::Status DepthwiseConvBackpropInputShape(ShapeArgs& args) { return ConvBackpropInputOf(args, false); }

// Only MaxPool of 4 dimensions moves its window over channels as well (`over_channels`); the others leave them alone.
absl::Status PoolShapeOf(ShapeArgs& args, bool over_channels) {
  BERTH_ASSIGN_OR_RETURN(const Window w, WindowOf(args));
  const absl::Span<const int64_t> ksize = args.Ints("ksize");
  BERTH_RETURN_IF_ERROR(CheckLength("ksize", ksize, w.format.spatial + 2));
  for (const int64_t k : ksize) {
    if (k < 1) return ShapeError("ksize must be at least 1, got ", k);
  }
  BERTH_ASSIGN_OR_RETURN(PartialShape shape, args.WithRank(0, w.format.rank()));
  const PartialShape input = shape;
  for (int i = 0; i < w.format.spatial; ++i) {
    BERTH_ASSIGN_OR_RETURN(const int64_t size, Slide(w, input, i, ksize[w.format.space(i)]));
    shape.set_dim(w.format.space(i), size);
  }
  if (over_channels) {
    const int channel = w.format.channel();
    BERTH_ASSIGN_OR_RETURN(const int64_t channels,
                           WindowedSize(input.dim(channel), ksize[channel], 1, args.Ints("strides")[channel],
                                        w.padding == "SAME" ? "SAME" : "VALID"));
    shape.set_dim(channel, channels);
  }
  return args.set_output(0, std::move(shape));
}
absl::Status PoolShape(ShapeArgs& args) { return PoolShapeOf(args, false); }
absl::Status MaxPoolShape(ShapeArgs& args) { return PoolShapeOf(args, true); }

absl::Status AvgPoolGradShape(ShapeArgs& args) {
  BERTH_RETURN_IF_ERROR(args.CheckRank(1, 4));
  BERTH_ASSIGN_OR_RETURN(PartialShape shape, args.ShapeValue(0));
  if (!shape.has_rank()) shape = PartialShape::OfRank(4);
  if (shape.rank() != 4) return ShapeError("orig_input_shape must have 4 elements, got ", shape.ToString());
  return args.set_output(0, std::move(shape));
}

absl::Status MaxPoolGradShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(PartialShape shape, args.WithRank(0, 4));
  BERTH_ASSIGN_OR_RETURN(PartialShape output, args.WithRank(1, 4));
  BERTH_RETURN_IF_ERROR(MergeInto(&output, args.input(2), "grad must have the shape of orig_output"));
  return args.set_output(0, std::move(shape));
}

constexpr OpTableRow kRows[] = {
    {"AvgPool(value: T) -> (output: T) {ksize: list(int) >= 4; strides: list(int) >= 4; padding: string in [SAME, "
     "VALID]; data_format: string in [NHWC, NCHW] = 'NHWC'; T: type in floating}",
     PoolShape},
    {"AvgPool3D(input: T) -> (output: T) {ksize: list(int) >= 5; strides: list(int) >= 5; padding: string in [SAME, "
     "VALID]; data_format: string in [NDHWC, NCDHW] = 'NDHWC'; T: type in floating}",
     PoolShape},
    {"AvgPoolGrad(orig_input_shape: i32, grad: T) -> (output: T) {ksize: list(int) >= 4; strides: list(int) >= 4; "
     "padding: string in [SAME, VALID]; data_format: string in [NHWC, NCHW] = 'NHWC'; T: type in floating}",
     AvgPoolGradShape},
    {"Conv2D(input: T, filter: T) -> (output: T) {T: type in [floating, i32]; strides: list(int); use_cudnn_on_gpu: "
     "bool = true; padding: string in [SAME, VALID, EXPLICIT]; explicit_paddings: list(int) = []; data_format: string "
     "in [NHWC, NCHW] = 'NHWC'; dilations: list(int) = [1, 1, 1, 1]}",
     ConvolutionShape},
    {"Conv2DBackpropFilter(input: T, filter_sizes: i32, out_backprop: T) -> (output: T) {T: type in floating; strides: "
     "list(int); use_cudnn_on_gpu: bool = true; padding: string in [SAME, VALID, EXPLICIT]; explicit_paddings: "
     "list(int) = []; data_format: string in [NHWC, NCHW] = 'NHWC'; dilations: list(int) = [1, 1, 1, 1]}",
     ConvBackpropFilterShape},
    {"Conv2DBackpropInput(input_sizes: i32, filter: T, out_backprop: T) -> (output: T) {T: type in [floating, i32]; "
     "strides: list(int); use_cudnn_on_gpu: bool = true; padding: string in [SAME, VALID, EXPLICIT]; "
     "explicit_paddings: list(int) = []; data_format: string in [NHWC, NCHW] = 'NHWC'; dilations: list(int) = [1, 1, "
     "1, 1]}",
     ConvBackpropInputShape},
    {"Conv3D(input: T, filter: T) -> (output: T) {T: type in floating; strides: list(int) >= 5; padding: string in "
     "[SAME, VALID]; data_format: string in [NDHWC, NCDHW] = 'NDHWC'; dilations: list(int) = [1, 1, 1, 1, 1]}",
     ConvolutionShape},
    {"DepthwiseConv2dNative(input: T, filter: T) -> (output: T) {T: type in floating; strides: list(int); padding: "
     "string in [SAME, VALID, EXPLICIT]; explicit_paddings: list(int) = []; data_format: string in [NHWC, NCHW] = "
     "'NHWC'; dilations: list(int) = [1, 1, 1, 1]}",
     DepthwiseConvShape},
    {"DepthwiseConv2dNativeBackpropFilter(input: T, filter_sizes: i32, out_backprop: T) -> (output: T) {T: type in "
     "floating; strides: list(int); padding: string in [SAME, VALID, EXPLICIT]; explicit_paddings: list(int) = []; "
     "data_format: string in [NHWC, NCHW] = 'NHWC'; dilations: list(int) = [1, 1, 1, 1]}",
     ConvBackpropFilterShape},
    {"DepthwiseConv2dNativeBackpropInput(input_sizes: i32, filter: T, out_backprop: T) -> (output: T) {T: type in "
     "floating; strides: list(int); padding: string in [SAME, VALID, EXPLICIT]; explicit_paddings: list(int) = []; "
     "data_format: string in [NHWC, NCHW] = 'NHWC'; dilations: list(int) = [1, 1, 1, 1]}",
     DepthwiseConvBackpropInputShape},
    {"MaxPool(input: T) -> (output: T) {T: type in [signed, u8, u16, qint8] = f32; ksize: list(int) >= 4; strides: "
     "list(int) >= 4; padding: string in [SAME, VALID, EXPLICIT]; explicit_paddings: list(int) = []; data_format: "
     "string in [NHWC, NCHW, NCHW_VECT_C] = 'NHWC'}",
     MaxPoolShape},
    {"MaxPool3D(input: T) -> (output: T) {ksize: list(int) >= 5; strides: list(int) >= 5; padding: string in [SAME, "
     "VALID]; data_format: string in [NDHWC, NCDHW] = 'NDHWC'; T: type in [f16, bf16, f32]}",
     PoolShape},
    {"MaxPoolGrad(orig_input: T, orig_output: T, grad: T) -> (output: T) {ksize: list(int) >= 4; strides: list(int) >= "
     "4; padding: string in [SAME, VALID, EXPLICIT]; explicit_paddings: list(int) = []; data_format: string in [NHWC, "
     "NCHW] = 'NHWC'; T: type in real = f32}",
     MaxPoolGradShape},
};

}  // namespace

absl::Span<const OpTableRow> ConvolutionOps() { return kRows; }

}  // namespace berth
