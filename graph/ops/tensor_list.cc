#include "graph/ops/op_rows.h"

namespace berth {
namespace {

constexpr OpRow kRows[] = {
    {"EmptyTensorList(element_shape: shape_type, max_num_elements: i32) -> (handle: variant) {element_dtype: type; "
     "shape_type: type in index}"},
    {"TensorListFromTensor(tensor: element_dtype, element_shape: shape_type) -> (output_handle: variant) "
     "{element_dtype: type; shape_type: type in index}"},
    {"TensorListGetItem(input_handle: variant, index: i32, element_shape: Tshape) -> (item: element_dtype) "
     "{element_dtype: type; Tshape: type in index = i32}"},
    {"TensorListLength(input_handle: variant) -> (length: i32)"},
    {"TensorListPopBack(input_handle: variant, element_shape: i32) -> (output_handle: variant, tensor: element_dtype) "
     "{element_dtype: type}"},
    {"TensorListPushBack(input_handle: variant, tensor: element_dtype) -> (output_handle: variant) {element_dtype: "
     "type}"},
    {"TensorListReserve(element_shape: shape_type, num_elements: i32) -> (handle: variant) {element_dtype: type; "
     "shape_type: type in index}"},
    {"TensorListSetItem(input_handle: variant, index: i32, item: element_dtype) -> (output_handle: variant) "
     "{element_dtype: type; resize_if_index_out_of_bounds: bool = false}"},
    {"TensorListStack(input_handle: variant, element_shape: i32) -> (tensor: element_dtype) {element_dtype: type; "
     "num_elements: int = -1}"},
};

}  // namespace

absl::Span<const OpRow> TensorListOps() { return kRows; }

}  // namespace berth
