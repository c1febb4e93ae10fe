#include "graph/ops/op_rows.h"

namespace berth {
namespace {

constexpr OpRow kRows[] = {
    {"AvgPool(value: T) -> (output: T) {ksize: list(int) >= 4; strides: list(int) >= 4; padding: string in [SAME, "
     "VALID]; data_format: string in [NHWC, NCHW] = 'NHWC'; T: type in floating}"},
    {"AvgPoolGrad(orig_input_shape: i32, grad: T) -> (output: T) {ksize: list(int) >= 4; strides: list(int) >= 4; "
     "padding: string in [SAME, VALID]; data_format: string in [NHWC, NCHW] = 'NHWC'; T: type in floating}"},
    {"Conv2D(input: T, filter: T) -> (output: T) {T: type in [floating, i32]; strides: list(int); use_cudnn_on_gpu: "
     "bool = true; padding: string in [SAME, VALID, EXPLICIT]; explicit_paddings: list(int) = []; data_format: string "
     "in [NHWC, NCHW] = 'NHWC'; dilations: list(int) = [1, 1, 1, 1]}"},
    {"Conv2DBackpropFilter(input: T, filter_sizes: i32, out_backprop: T) -> (output: T) {T: type in floating; strides: "
     "list(int); use_cudnn_on_gpu: bool = true; padding: string in [SAME, VALID, EXPLICIT]; explicit_paddings: "
     "list(int) = []; data_format: string in [NHWC, NCHW] = 'NHWC'; dilations: list(int) = [1, 1, 1, 1]}"},
    {"Conv2DBackpropInput(input_sizes: i32, filter: T, out_backprop: T) -> (output: T) {T: type in [floating, i32]; "
     "strides: list(int); use_cudnn_on_gpu: bool = true; padding: string in [SAME, VALID, EXPLICIT]; "
     "explicit_paddings: list(int) = []; data_format: string in [NHWC, NCHW] = 'NHWC'; dilations: list(int) = [1, 1, "
     "1, 1]}"},
    {"Conv3D(input: T, filter: T) -> (output: T) {T: type in floating; strides: list(int) >= 5; padding: string in "
     "[SAME, VALID]; data_format: string in [NDHWC, NCDHW] = 'NDHWC'; dilations: list(int) = [1, 1, 1, 1, 1]}"},
    {"DepthwiseConv2dNative(input: T, filter: T) -> (output: T) {T: type in floating; strides: list(int); padding: "
     "string in [SAME, VALID, EXPLICIT]; explicit_paddings: list(int) = []; data_format: string in [NHWC, NCHW] = "
     "'NHWC'; dilations: list(int) = [1, 1, 1, 1]}"},
    {"DepthwiseConv2dNativeBackpropFilter(input: T, filter_sizes: i32, out_backprop: T) -> (output: T) {T: type in "
     "floating; strides: list(int); padding: string in [SAME, VALID, EXPLICIT]; explicit_paddings: list(int) = []; "
     "data_format: string in [NHWC, NCHW] = 'NHWC'; dilations: list(int) = [1, 1, 1, 1]}"},
    {"DepthwiseConv2dNativeBackpropInput(input_sizes: i32, filter: T, out_backprop: T) -> (output: T) {T: type in "
     "floating; strides: list(int); padding: string in [SAME, VALID, EXPLICIT]; explicit_paddings: list(int) = []; "
     "data_format: string in [NHWC, NCHW] = 'NHWC'; dilations: list(int) = [1, 1, 1, 1]}"},
    {"MaxPool(input: T) -> (output: T) {T: type in [signed, u8, u16, qint8] = f32; ksize: list(int) >= 4; strides: "
     "list(int) >= 4; padding: string in [SAME, VALID, EXPLICIT]; explicit_paddings: list(int) = []; data_format: "
     "string in [NHWC, NCHW, NCHW_VECT_C] = 'NHWC'}"},
    {"MaxPoolGrad(orig_input: T, orig_output: T, grad: T) -> (output: T) {ksize: list(int) >= 4; strides: list(int) >= "
     "4; padding: string in [SAME, VALID, EXPLICIT]; explicit_paddings: list(int) = []; data_format: string in [NHWC, "
     "NCHW] = 'NHWC'; T: type in real = f32}"},
};

}  // namespace

absl::Span<const OpRow> ConvolutionOps() { return kRows; }

}  // namespace berth
