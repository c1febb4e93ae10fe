#include "graph/ops/op_rows.h"

namespace berth {
namespace {

constexpr OpRow kRows[] = {
    {"BatchToSpaceND(input: T, block_shape: Tblock_shape, crops: Tcrops) -> (output: T) {T: type; Tblock_shape: type "
     "in index = i32; Tcrops: type in index = i32}"},
    {"CropAndResize(image: T, boxes: f32, box_ind: i32, crop_size: i32) -> (crops: f32) {T: type in [index, u8, u16, "
     "i8, i16, f16, f32, f64]; method: string in [bilinear, nearest] = 'bilinear'; extrapolation_value: float = 0.0}"},
    {"DepthToSpace(input: T) -> (output: T) {T: type; block_size: int >= 2; data_format: string in [NHWC, NCHW, "
     "NCHW_VECT_C] = 'NHWC'}"},
    {"NonMaxSuppression(boxes: f32, scores: f32, max_output_size: i32) -> (selected_indices: i32) {iou_threshold: "
     "float = 0.5}"},
    {"NonMaxSuppressionV2(boxes: T, scores: T, max_output_size: i32, iou_threshold: T_threshold) -> (selected_indices: "
     "i32) {T: type in [f16, f32] = f32; T_threshold: type in [f16, f32] = f32}"},
    {"NonMaxSuppressionV3(boxes: T, scores: T, max_output_size: i32, iou_threshold: T_threshold, score_threshold: "
     "T_threshold) -> (selected_indices: i32) {T: type in [f16, f32] = f32; T_threshold: type in [f16, f32] = f32}"},
    {"NonMaxSuppressionV4(boxes: T, scores: T, max_output_size: i32, iou_threshold: T_threshold, score_threshold: "
     "T_threshold) -> (selected_indices: i32, valid_outputs: i32) {T: type in [f16, f32] = f32; T_threshold: type in "
     "[f16, f32] = f32; pad_to_max_output_size: bool = false}"},
    {"NonMaxSuppressionV5(boxes: T, scores: T, max_output_size: i32, iou_threshold: T, score_threshold: T, "
     "soft_nms_sigma: T) -> (selected_indices: i32, selected_scores: T, valid_outputs: i32) {T: type in [f16, f32] = "
     "f32; pad_to_max_output_size: bool = false}"},
    {"ResizeBilinear(images: T, size: i32) -> (resized_images: f32) {T: type in [signed, u8, u16]; align_corners: bool "
     "= false; half_pixel_centers: bool = false}"},
    {"ResizeNearestNeighbor(images: T, size: i32) -> (resized_images: T) {T: type in [signed, u8, u16]; align_corners: "
     "bool = false; half_pixel_centers: bool = false}"},
    {"SpaceToBatchND(input: T, block_shape: Tblock_shape, paddings: Tpaddings) -> (output: T) {T: type; Tblock_shape: "
     "type in index = i32; Tpaddings: type in index = i32}"},
    {"SpaceToDepth(input: T) -> (output: T) {T: type; block_size: int >= 2; data_format: string in [NHWC, NCHW, "
     "NCHW_VECT_C] = 'NHWC'}"},
};

}  // namespace

absl::Span<const OpRow> SpaceOps() { return kRows; }

}  // namespace berth
