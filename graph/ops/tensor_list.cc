#include "graph/ops/op_rows.h"
#include "graph/ops/shape_fns.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

// An element's shape given as input i: a vector, or the scalar -1 for an unknown rank.
absl::StatusOr<PartialShape> ElementInput(ShapeArgs& args, int i) {
  BERTH_ASSIGN_OR_RETURN(const PartialShape shape, args.WithRankAtMost(i, 1));
  if (!shape.has_rank()) return PartialShape::Unknown();
  if (shape.rank() == 1) return args.ShapeValue(i);
  const std::optional<int64_t> value = args.ScalarValue(i);
  if (value.has_value() && *value != -1) {
    return ShapeError("input '", args.InputName(i), "' must be a vector or -1, got ", *value);
  }
  return PartialShape::Unknown();
}

// What the list of input 0 holds, with the shape given as input i (none: -1) taken in.
absl::StatusOr<PartialShape> ElementOf(ShapeArgs& args, int i) {
  PartialShape element;
  if (i >= 0) {
    BERTH_ASSIGN_OR_RETURN(element, ElementInput(args, i));
  }
  const HandleShapes* list = args.handle(0);
  if (list == nullptr || list->size() != 1) return element;
  const DType expected = args.Attr<DType>("element_dtype");
  if (list->front().dtype != DType::kInvalid && list->front().dtype != expected) {
    return ShapeError("the list must hold ", ShortDTypeName(expected), ", got ", ShortDTypeName(list->front().dtype));
  }
  BERTH_RETURN_IF_ERROR(MergeInto(&element, list->front().shape, "element_shape must fit the list's elements"));
  return element;
}

absl::Status SetList(ShapeArgs& args, PartialShape element) {
  args.set_handle(0, {{args.Attr<DType>("element_dtype"), std::move(element)}});
  return args.set_output(0, PartialShape::Scalar());
}

absl::Status NewTensorListShape(ShapeArgs& args) {
  BERTH_RETURN_IF_ERROR(args.CheckRank(1, 0));
  BERTH_ASSIGN_OR_RETURN(PartialShape element, ElementInput(args, 0));
  return SetList(args, std::move(element));
}

absl::Status TensorListFromTensorShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const PartialShape tensor, args.WithRankAtLeast(0, 1));
  BERTH_ASSIGN_OR_RETURN(PartialShape element, ElementInput(args, 1));
  BERTH_RETURN_IF_ERROR(MergeInto(&element, SubShape(tensor, 1), "element_shape must fit the tensor's rows"));
  return SetList(args, std::move(element));
}

absl::Status TensorListGetItemShape(ShapeArgs& args) {
  BERTH_RETURN_IF_ERROR(args.CheckRank(1, 0));
  BERTH_ASSIGN_OR_RETURN(PartialShape element, ElementOf(args, 2));
  return args.set_output(0, std::move(element));
}

absl::Status TensorListLengthShape(ShapeArgs& args) { return args.set_output(0, PartialShape::Scalar()); }

absl::Status TensorListPopBackShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(PartialShape element, ElementOf(args, 1));
  BERTH_RETURN_IF_ERROR(args.set_output(1, element));
  const HandleShapes* list = args.handle(0);
  return SetList(args, list == nullptr || list->size() != 1 ? PartialShape::Unknown() : list->front().shape);
}

// The list may hold elements of other shapes still: what it held before stays what is known.
absl::Status Extended(ShapeArgs& args, int item) {
  BERTH_ASSIGN_OR_RETURN(PartialShape element, ElementOf(args, -1));
  PartialShape merged = element;
  BERTH_RETURN_IF_ERROR(MergeInto(&merged, args.input(item), "an item must have the shape of the list's elements"));
  return SetList(args, std::move(element));
}
absl::Status TensorListPushBackShape(ShapeArgs& args) { return Extended(args, 1); }
absl::Status TensorListSetItemShape(ShapeArgs& args) {
  BERTH_RETURN_IF_ERROR(args.CheckRank(1, 0));
  return Extended(args, 2);
}

absl::Status TensorListStackShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const PartialShape element, ElementOf(args, 1));
  const int64_t count = args.Attr<int64_t>("num_elements", -1);
  if (count < -1) return ShapeError("num_elements must be at least -1, got ", count);
  return args.set_output(0, ConcatShapes({count}, element));
}

constexpr OpTableRow kRows[] = {
    {"EmptyTensorList(element_shape: shape_type, max_num_elements: i32) -> (handle: variant) {element_dtype: type; "
     "shape_type: type in index}",
     NewTensorListShape},
    {"TensorListFromTensor(tensor: element_dtype, element_shape: shape_type) -> (output_handle: variant) "
     "{element_dtype: type; shape_type: type in index}",
     TensorListFromTensorShape},
    {"TensorListGetItem(input_handle: variant, index: i32, element_shape: Tshape) -> (item: element_dtype) "
     "{element_dtype: type; Tshape: type in index = i32}",
     TensorListGetItemShape},
    {"TensorListLength(input_handle: variant) -> (length: i32)", TensorListLengthShape},
    {"TensorListPopBack(input_handle: variant, element_shape: i32) -> (output_handle: variant, tensor: element_dtype) "
     "{element_dtype: type}",
     TensorListPopBackShape},
    {"TensorListPushBack(input_handle: variant, tensor: element_dtype) -> (output_handle: variant) {element_dtype: "
     "type}",
     TensorListPushBackShape},
    {"TensorListReserve(element_shape: shape_type, num_elements: i32) -> (handle: variant) {element_dtype: type; "
     "shape_type: type in index}",
     NewTensorListShape},
    {"TensorListSetItem(input_handle: variant, index: i32, item: element_dtype) -> (output_handle: variant) "
     "{element_dtype: type; resize_if_index_out_of_bounds: bool = false}",
     TensorListSetItemShape},
    {"TensorListStack(input_handle: variant, element_shape: i32) -> (tensor: element_dtype) {element_dtype: type; "
     "num_elements: int = -1}",
     TensorListStackShape},
};

}  // namespace

absl::Span<const OpTableRow> TensorListOps() { return kRows; }

}  // namespace berth
