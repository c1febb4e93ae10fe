#include <string>

#include "graph/ops/op_rows.h"
#include "graph/ops/shape_fns.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

// BatchToSpaceND and SpaceToBatchND: input [batch, space..., rest...], block_shape [m], crops or paddings [m, 2].
absl::Status BlocksShape(ShapeArgs& args, bool to_space) {
  BERTH_ASSIGN_OR_RETURN(const PartialShape block_shape, args.WithRank(1, 1));
  BERTH_ASSIGN_OR_RETURN(const PartialShape edges, args.WithRank(2, 2));
  absl::StatusOr<int64_t> count = MergeDims(block_shape.dim(0), edges.dim(0));
  if (!count.ok() || !MergeDims(edges.dim(1), 2).ok()) {
    return ShapeError("input '", args.InputName(2), "' must be [", block_shape.dim(0), ",2], got ", edges.ToString());
  }
  PartialShape shape = args.input(0);
  if (!shape.has_rank() || *count == kUnknownDim) return args.set_output(0, PartialShape::Unknown());
  if (shape.rank() < *count + 1) {
    return ShapeError("input must have rank ", *count + 1, " or more, got ", shape.ToString());
  }
  const auto blocks = args.IntValues(1), amounts = args.IntValues(2);
  int64_t batch = shape.dim(0), all_blocks = 1;
  for (int m = 0; m < *count; ++m) {
    const int64_t block = blocks.has_value() ? (*blocks)[m].value_or(kUnknownDim) : kUnknownDim;
    if (blocks.has_value() && (*blocks)[m].value_or(1) < 1) return ShapeError("blocks must be at least 1, got ", block);
    BERTH_ASSIGN_OR_RETURN(all_blocks, MulDims(all_blocks, block));
    int64_t edge[2] = {kUnknownDim, kUnknownDim};
    for (int side = 0; side < 2 && amounts.has_value(); ++side) {
      const std::optional<int64_t> amount = (*amounts)[2 * m + side];
      if (amount.value_or(0) < 0) return ShapeError(args.InputName(2), " must be at least 0, got ", *amount);
      edge[side] = amount.value_or(kUnknownDim);
    }
    int64_t size = shape.dim(m + 1);
    if (to_space) {
      BERTH_ASSIGN_OR_RETURN(size, MulDims(size, block));
      BERTH_ASSIGN_OR_RETURN(size, SubDims(size, edge[0]));
      BERTH_ASSIGN_OR_RETURN(size, SubDims(size, edge[1]));
    } else {
      BERTH_ASSIGN_OR_RETURN(size, AddDims(size, edge[0]));
      BERTH_ASSIGN_OR_RETURN(size, AddDims(size, edge[1]));
      if (block == kUnknownDim) {
        size = kUnknownDim;
      } else {
        BERTH_ASSIGN_OR_RETURN(size, DivideDims(size, block));
      }
    }
    shape.set_dim(m + 1, size);
  }
  if (!to_space) {
    BERTH_ASSIGN_OR_RETURN(batch, MulDims(batch, all_blocks));
  } else if (all_blocks == kUnknownDim) {
    batch = kUnknownDim;
  } else {
    BERTH_ASSIGN_OR_RETURN(batch, DivideDims(batch, all_blocks));
  }
  shape.set_dim(0, batch);
  return args.set_output(0, std::move(shape));
}
absl::Status BatchToSpaceNDShape(ShapeArgs& args) { return BlocksShape(args, true); }
absl::Status SpaceToBatchNDShape(ShapeArgs& args) { return BlocksShape(args, false); }

// DepthToSpace and SpaceToDepth.
absl::Status DepthShape(ShapeArgs& args, bool to_space) {
  const DataFormat format = FormatOf(args);
  const int64_t block = args.Attr<int64_t>("block_size", 2);
  if (block < 1 || block > INT32_MAX) return ShapeError("block_size must be from 1 to 2^31-1, got ", block);
  BERTH_ASSIGN_OR_RETURN(PartialShape shape, args.WithRank(0, format.rank()));
  const auto scale = [&](int d, int64_t by, bool up) -> absl::Status {
    absl::StatusOr<int64_t> size = up ? MulDims(shape.dim(d), by) : DivideDims(shape.dim(d), by);
    if (!size.ok())
      return ShapeError("dimension ", d, " must be a multiple of ", by, ", got ", args.input(0).ToString());
    shape.set_dim(d, *size);
    return absl::OkStatus();
  };
  for (int i = 0; i < 2; ++i) BERTH_RETURN_IF_ERROR(scale(format.space(i), block, to_space));
  BERTH_RETURN_IF_ERROR(scale(format.channel(), block * block, !to_space));
  if (format.vectors) {
    absl::StatusOr<int64_t> lanes = MergeDims(shape.dim(4), 4);
    if (!lanes.ok()) return ShapeError("the last dimension must be 4 channels, got ", args.input(0).ToString());
    shape.set_dim(4, *lanes);
  }
  return args.set_output(0, std::move(shape));
}
absl::Status DepthToSpaceShape(ShapeArgs& args) { return DepthShape(args, true); }
absl::Status SpaceToDepthShape(ShapeArgs& args) { return DepthShape(args, false); }

// Height and width as input i, two integers.
absl::StatusOr<PartialShape> SizeInput(ShapeArgs& args, int i) {
  BERTH_ASSIGN_OR_RETURN(PartialShape size, args.ShapeValue(i));
  if (!size.has_rank()) return PartialShape::OfRank(2);
  if (size.rank() != 2) return ShapeError("input '", args.InputName(i), "' must have 2 elements, got ", size.rank());
  return size;
}

absl::Status CropAndResizeShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const PartialShape image, args.WithRank(0, 4));
  BERTH_ASSIGN_OR_RETURN(const PartialShape boxes, args.WithRank(1, 2));
  BERTH_ASSIGN_OR_RETURN(const PartialShape index, args.WithRank(2, 1));
  absl::StatusOr<int64_t> count = MergeDims(boxes.dim(0), index.dim(0));
  if (!count.ok() || !MergeDims(boxes.dim(1), 4).ok()) {
    return ShapeError("boxes must be [n,4] with n image indices, got ", boxes.ToString(), " and ", index.ToString());
  }
  BERTH_ASSIGN_OR_RETURN(const PartialShape size, SizeInput(args, 3));
  return args.set_output(0, {*count, size.dim(0), size.dim(1), image.dim(3)});
}

absl::Status ResizeShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const PartialShape images, args.WithRank(0, 4));
  BERTH_ASSIGN_OR_RETURN(const PartialShape size, SizeInput(args, 1));
  return args.set_output(0, {images.dim(0), size.dim(0), size.dim(1), images.dim(3)});
}

// Boxes [n,4] and scores [n]; further inputs are scalars. How many boxes are kept is seen only when run.
absl::Status NonMaxSuppressionShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const PartialShape boxes, args.WithRank(0, 2));
  BERTH_ASSIGN_OR_RETURN(const PartialShape scores, args.WithRank(1, 1));
  if (!MergeDims(boxes.dim(0), scores.dim(0)).ok() || !MergeDims(boxes.dim(1), 4).ok()) {
    return ShapeError("boxes must be [n,4] with n scores, got ", boxes.ToString(), " and ", scores.ToString());
  }
  for (int i = 2; i < args.num_inputs(); ++i) BERTH_RETURN_IF_ERROR(args.CheckRank(i, 0));
  return args.set_output(0, {kUnknownDim});
}

// The size is known where the result is padded to max_output_size.
int64_t PaddedCount(ShapeArgs& args) {
  if (!args.Attr<bool>("pad_to_max_output_size")) return kUnknownDim;
  const std::optional<int64_t> count = args.ScalarValue(2);
  return count.value_or(-1) < 0 ? kUnknownDim : *count;
}

absl::Status NonMaxSuppressionV4Shape(ShapeArgs& args) {
  BERTH_RETURN_IF_ERROR(NonMaxSuppressionShape(args));
  BERTH_RETURN_IF_ERROR(args.set_output(1, PartialShape::Scalar()));
  return args.set_output(0, {PaddedCount(args)});
}

absl::Status NonMaxSuppressionV5Shape(ShapeArgs& args) {
  BERTH_RETURN_IF_ERROR(NonMaxSuppressionShape(args));
  const int64_t count = PaddedCount(args);
  BERTH_RETURN_IF_ERROR(args.set_output(0, {count}));
  BERTH_RETURN_IF_ERROR(args.set_output(1, {count}));
  return args.set_output(2, PartialShape::Scalar());
}

// The second input is the image that was resized.
absl::Status ResizeBilinearGradShape(ShapeArgs& args) { return args.set_output(0, args.input(1)); }

constexpr OpTableRow kRows[] = {
    {"BatchToSpaceND(input: T, block_shape: Tblock_shape, crops: Tcrops) -> (output: T) {T: type; Tblock_shape: type "
     "in index = i32; Tcrops: type in index = i32}",
     BatchToSpaceNDShape},
    {"CropAndResize(image: T, boxes: f32, box_ind: i32, crop_size: i32) -> (crops: f32) {T: type in [index, u8, u16, "
     "i8, i16, f16, f32, f64]; method: string in [bilinear, nearest] = 'bilinear'; extrapolation_value: float = 0.0}",
     CropAndResizeShape},
    {"DepthToSpace(input: T) -> (output: T) {T: type; block_size: int >= 2; data_format: string in [NHWC, NCHW, "
     "NCHW_VECT_C] = 'NHWC'}",
     DepthToSpaceShape},
    {"NonMaxSuppression(boxes: f32, scores: f32, max_output_size: i32) -> (selected_indices: i32) {iou_threshold: "
     "float = 0.5}",
     NonMaxSuppressionShape},
    {"NonMaxSuppressionV2(boxes: T, scores: T, max_output_size: i32, iou_threshold: T_threshold) -> (selected_indices: "
     "i32) {T: type in [f16, f32] = f32; T_threshold: type in [f16, f32] = f32}",
     NonMaxSuppressionShape},
    {"NonMaxSuppressionV3(boxes: T, scores: T, max_output_size: i32, iou_threshold: T_threshold, score_threshold: "
     "T_threshold) -> (selected_indices: i32) {T: type in [f16, f32] = f32; T_threshold: type in [f16, f32] = f32}",
     NonMaxSuppressionShape},
    {"NonMaxSuppressionV4(boxes: T, scores: T, max_output_size: i32, iou_threshold: T_threshold, score_threshold: "
     "T_threshold) -> (selected_indices: i32, valid_outputs: i32) {T: type in [f16, f32] = f32; T_threshold: type in "
     "[f16, f32] = f32; pad_to_max_output_size: bool = false}",
     NonMaxSuppressionV4Shape},
    {"NonMaxSuppressionV5(boxes: T, scores: T, max_output_size: i32, iou_threshold: T, score_threshold: T, "
     "soft_nms_sigma: T) -> (selected_indices: i32, selected_scores: T, valid_outputs: i32) {T: type in [f16, f32] = "
     "f32; pad_to_max_output_size: bool = false}",
     NonMaxSuppressionV5Shape},
    {"ResizeArea(images: T, size: i32) -> (resized_images: f32) {T: type in [signed, u8, u16]; align_corners: bool = "
     "false}",
     ResizeShape},
    {"ResizeBicubic(images: T, size: i32) -> (resized_images: f32) {T: type in [signed, u8, u16]; align_corners: bool "
     "= false; half_pixel_centers: bool = false}",
     ResizeShape},
    {"ResizeBilinear(images: T, size: i32) -> (resized_images: f32) {T: type in [signed, u8, u16]; align_corners: bool "
     "= false; half_pixel_centers: bool = false}",
     ResizeShape},
    {"ResizeBilinearGrad(grads: f32, original_image: T) -> (output: T) {T: type in floating; align_corners: bool = "
     "false; half_pixel_centers: bool = false}",
     ResizeBilinearGradShape},
    {"ResizeNearestNeighbor(images: T, size: i32) -> (resized_images: T) {T: type in [signed, u8, u16]; align_corners: "
     "bool = false; half_pixel_centers: bool = false}",
     ResizeShape},
    {"ResizeNearestNeighborGrad(grads: T, size: i32) -> (output: T) {T: type in [floating, u8, i8, i32]; "
     "align_corners: bool = false; half_pixel_centers: bool = false}",
     ResizeShape},
    {"SpaceToBatchND(input: T, block_shape: Tblock_shape, paddings: Tpaddings) -> (output: T) {T: type; Tblock_shape: "
     "type in index = i32; Tpaddings: type in index = i32}",
     SpaceToBatchNDShape},
    {"SpaceToDepth(input: T) -> (output: T) {T: type; block_size: int >= 2; data_format: string in [NHWC, NCHW, "
     "NCHW_VECT_C] = 'NHWC'}",
     SpaceToDepthShape},
};

}  // namespace

absl::Span<const OpTableRow> SpaceOps() { return kRows; }

}  // namespace berth
