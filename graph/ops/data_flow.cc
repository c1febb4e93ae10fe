#include "graph/ops/op_rows.h"

namespace berth {
namespace {

constexpr OpRow kRows[] = {
    {"BatchDatasetV2(input_dataset: variant, batch_size: i64, drop_remainder: bool) -> (handle: variant) "
     "{parallel_copy: bool = false; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = "
     "''}"},
    {"DynamicStitch(indices: N * i32, data: N * T) -> (merged: T) {N: int >= 1; T: type}"},
    {"FIFOQueueV2() -> (handle: resource) {component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: "
     "int = -1; container: string = ''; shared_name: string = ''} stateful"},
    {"IteratorGetNext(iterator: resource) -> (components: output_types) {output_types: list(type) >= 1; output_shapes: "
     "list(shape) >= 1} stateful"},
    {"IteratorToStringHandle(resource_handle: resource) -> (string_handle: string) stateful"},
    {"ModelDataset(input_dataset: variant) -> (handle: variant) {algorithm: int = 0; cpu_budget: int = 0; ram_budget: "
     "int = 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1}"},
    {"OneShotIterator() -> (handle: resource) {dataset_factory: func; output_types: list(type) >= 1; output_shapes: "
     "list(shape) >= 1; container: string = ''; shared_name: string = ''} stateful"},
    {"OptimizeDataset(input_dataset: variant, optimizations: string) -> (handle: variant) {output_types: list(type) >= "
     "1; output_shapes: list(shape) >= 1; optimization_configs: list(string) = []}"},
    {"QueueDequeueV2(handle: resource) -> (components: component_types) {component_types: list(type) >= 1; timeout_ms: "
     "int = -1} stateful"},
    {"QueueEnqueueV2(handle: resource, components: Tcomponents) -> () {Tcomponents: list(type) >= 1; timeout_ms: int = "
     "-1} stateful"},
    {"RangeDataset(start: i64, stop: i64, step: i64) -> (handle: variant) {output_types: list(type) >= 1; "
     "output_shapes: list(shape) >= 1; metadata: string = ''; replicate_on_split: bool = false} stateful"},
    {"StackPopV2(handle: resource) -> (elem: elem_type) {elem_type: type} stateful"},
    {"StackPushV2(handle: resource, elem: T) -> (output: T) {T: type; swap_memory: bool = false} stateful"},
    {"StackV2(max_size: i32) -> (handle: resource) {elem_type: type; stack_name: string = ''} stateful"},
    {"TensorArrayGatherV3(handle: resource, indices: i32, flow_in: f32) -> (value: dtype) {dtype: type; element_shape: "
     "shape = ?} stateful"},
    {"TensorArrayGradV3(handle: resource, flow_in: f32) -> (grad_handle: resource, flow_out: f32) {source: string} "
     "stateful"},
    {"TensorArrayReadV3(handle: resource, index: i32, flow_in: f32) -> (value: dtype) {dtype: type} stateful"},
    {"TensorArrayScatterV3(handle: resource, indices: i32, value: T, flow_in: f32) -> (flow_out: f32) {T: type} "
     "stateful"},
    {"TensorArraySizeV3(handle: resource, flow_in: f32) -> (size: i32) stateful"},
    {"TensorArrayV3(size: i32) -> (handle: resource, flow: f32) {dtype: type; element_shape: shape = ?; dynamic_size: "
     "bool = false; clear_after_read: bool = true; identical_element_shapes: bool = false; tensor_array_name: string = "
     "''} stateful"},
    {"TensorArrayWriteV3(handle: resource, index: i32, value: T, flow_in: f32) -> (flow_out: f32) {T: type} stateful"},
};

}  // namespace

absl::Span<const OpRow> DataFlowOps() { return kRows; }

}  // namespace berth
