#include <algorithm>

#include "graph/ops/op_rows.h"
#include "graph/ops/shape_fns.h"
#include "graph/ops/value_fns.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

// indices[i] is the front of data[i]'s shape; what follows it is the shape of the merged rows.
absl::Status DynamicStitchShape(ShapeArgs& args) {
  const int n = args.num_inputs() / 2;
  PartialShape row;
  int64_t rows = 0;
  for (int i = 0; i < n; ++i) {
    const PartialShape& indices = args.input(i);
    const PartialShape& data = args.input(i + n);
    const auto values = args.IntValues(i);
    if (!values.has_value()) rows = kUnknownDim;
    for (size_t k = 0; rows != kUnknownDim && k < values->size(); ++k) {
      const std::optional<int64_t>& index = (*values)[k];
      if (index.has_value() && *index < 0) return ShapeError("indices must be at least 0, got ", *index);
      rows = index.has_value() ? std::max(rows, *index + 1) : kUnknownDim;
    }
    if (!indices.has_rank()) continue;
    if (data.has_rank()) {
      PartialShape front = SubShape(data, 0, indices.rank());
      BERTH_RETURN_IF_ERROR(MergeInto(&front, indices, "data must begin with the shape of indices"));
    }
    BERTH_RETURN_IF_ERROR(MergeInto(&row, SubShape(data, indices.rank()), "rows must have one shape"));
  }
  return args.set_output(0, ConcatShapes({rows}, row));
}

// Data begins with the shape of partitions; every part holds some of its rows.
absl::Status DynamicPartitionShape(ShapeArgs& args) {
  const PartialShape& data = args.input(0);
  const PartialShape& partitions = args.input(1);
  PartialShape part;
  if (data.has_rank() && partitions.has_rank()) {
    PartialShape front = SubShape(data, 0, partitions.rank());
    BERTH_RETURN_IF_ERROR(MergeInto(&front, partitions, "data must begin with the shape of partitions"));
    part = ConcatShapes({kUnknownDim}, SubShape(data, partitions.rank()));
  }
  for (int k = 0; k < args.num_outputs(); ++k) BERTH_RETURN_IF_ERROR(args.set_output(k, part));
  return absl::OkStatus();
}

// Shapes that belong to the types of an attribute, as a handle: {types[i], shapes[i]}.
HandleShapes Elements(const ShapeArgs& args, absl::string_view types_attr, absl::string_view shapes_attr) {
  const AttrValue* types = args.attr(types_attr);
  const AttrList* list = types == nullptr ? nullptr : types->get<AttrList>();
  const absl::Span<const PartialShape> shapes = args.Shapes(shapes_attr);
  HandleShapes elements;
  if (list == nullptr || list->type.size() != shapes.size()) return elements;
  for (size_t i = 0; i < shapes.size(); ++i) elements.push_back({list->type[i], shapes[i]});
  return elements;
}

absl::Status QueueShape(ShapeArgs& args) {
  if (HandleShapes elements = Elements(args, "component_types", "shapes"); !elements.empty()) {
    args.set_handle(0, std::move(elements));
  }
  return args.set_output(0, PartialShape::Scalar());
}

absl::Status QueueDequeueShape(ShapeArgs& args) {
  const HandleShapes* elements = args.handle(0);
  const bool known = elements != nullptr && static_cast<int>(elements->size()) == args.num_outputs();
  for (int k = 0; k < args.num_outputs(); ++k) {
    BERTH_RETURN_IF_ERROR(args.set_output(k, known ? (*elements)[k].shape : PartialShape::Unknown()));
  }
  return absl::OkStatus();
}

absl::Status IteratorGetNextShape(ShapeArgs& args) {
  const absl::Span<const PartialShape> shapes = args.Shapes("output_shapes");
  if (static_cast<int>(shapes.size()) != args.num_outputs()) {
    return ShapeError("output_shapes must have one shape an output, ", args.num_outputs(), ", got ", shapes.size());
  }
  for (int k = 0; k < args.num_outputs(); ++k) BERTH_RETURN_IF_ERROR(args.set_output(k, shapes[k]));
  return absl::OkStatus();
}

// A stack's handle has two elements too.
absl::Status StackShape(ShapeArgs& args) { return args.set_output(0, {2}); }
absl::Status StackPushShape(ShapeArgs& args) { return args.set_output(0, args.input(1)); }

// A tensor array's handle has two elements; what its entries have in common goes along with it.
absl::Status TensorArrayShape(ShapeArgs& args) {
  BERTH_RETURN_IF_ERROR(args.CheckRank(0, 0));
  const PartialShape entry = args.Attr<PartialShape>("element_shape");
  if (entry.fully_defined() || args.Attr<bool>("identical_element_shapes")) {
    args.set_handle(0, {{args.Attr<DType>("dtype"), entry}});
  }
  BERTH_RETURN_IF_ERROR(args.set_output(1, PartialShape::Scalar()));
  return args.set_output(0, {2});
}

absl::Status CheckArray(ShapeArgs& args, int flow) {
  BERTH_ASSIGN_OR_RETURN(const PartialShape handle, args.WithRank(0, 1));
  if (!MergeDims(handle.dim(0), 2).ok()) return ShapeError("a handle must have two elements, got ", handle.ToString());
  return args.CheckRank(flow, 0);
}

PartialShape EntryShape(const ShapeArgs& args) {
  const HandleShapes* entries = args.handle(0);
  return entries == nullptr || entries->size() != 1 ? PartialShape::Unknown() : entries->front().shape;
}

absl::Status TensorArrayGradShape(ShapeArgs& args) {
  BERTH_RETURN_IF_ERROR(CheckArray(args, 1));
  if (const HandleShapes* entries = args.handle(0)) args.set_handle(0, *entries);
  BERTH_RETURN_IF_ERROR(args.set_output(1, PartialShape::Scalar()));
  return args.set_output(0, {2});
}

absl::Status TensorArrayReadShape(ShapeArgs& args) {
  BERTH_RETURN_IF_ERROR(CheckArray(args, 2));
  BERTH_RETURN_IF_ERROR(args.CheckRank(1, 0));
  return args.set_output(0, EntryShape(args));
}

absl::Status TensorArrayWriteShape(ShapeArgs& args) {
  BERTH_RETURN_IF_ERROR(CheckArray(args, 3));
  BERTH_RETURN_IF_ERROR(args.CheckRank(1, 0));
  PartialShape entry = EntryShape(args);
  BERTH_RETURN_IF_ERROR(MergeInto(&entry, args.input(2), "a value must have the shape of the array's entries"));
  return args.set_output(0, PartialShape::Scalar());
}

absl::Status TensorArrayGatherShape(ShapeArgs& args) {
  BERTH_RETURN_IF_ERROR(CheckArray(args, 2));
  BERTH_ASSIGN_OR_RETURN(const PartialShape indices, args.WithRank(1, 1));
  PartialShape entry = args.Attr<PartialShape>("element_shape");
  BERTH_RETURN_IF_ERROR(MergeInto(&entry, EntryShape(args), "element_shape must fit the array's entries"));
  return args.set_output(0, ConcatShapes(indices, entry));
}

absl::Status TensorArrayScatterShape(ShapeArgs& args) {
  BERTH_RETURN_IF_ERROR(CheckArray(args, 3));
  BERTH_ASSIGN_OR_RETURN(const PartialShape indices, args.WithRank(1, 1));
  PartialShape value = ConcatShapes(indices, EntryShape(args));
  BERTH_RETURN_IF_ERROR(MergeInto(&value, args.input(2), "a value must have one row an index"));
  return args.set_output(0, PartialShape::Scalar());
}

absl::Status TensorArraySizeShape(ShapeArgs& args) {
  BERTH_RETURN_IF_ERROR(CheckArray(args, 1));
  return args.set_output(0, PartialShape::Scalar());
}

constexpr OpTableRow kRows[] = {
    {"BatchDatasetV2(input_dataset: variant, batch_size: i64, drop_remainder: bool) -> (handle: variant) "
     "{parallel_copy: bool = false; output_types: list(type) >= 1; output_shapes: list(shape) >= 1; metadata: string = "
     "''}",
     ScalarShape},
    {"DynamicPartition(data: T, partitions: i32) -> (outputs: num_partitions * T) {num_partitions: int >= 1; T: type}",
     DynamicPartitionShape},
    {"DynamicStitch(indices: N * i32, data: N * T) -> (merged: T) {N: int >= 1; T: type}", DynamicStitchShape,
     DynamicStitchValue},
    {"FIFOQueueV2() -> (handle: resource) {component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: "
     "int = -1; container: string = ''; shared_name: string = ''} stateful",
     QueueShape},
    {"IteratorGetNext(iterator: resource) -> (components: output_types) {output_types: list(type) >= 1; output_shapes: "
     "list(shape) >= 1} stateful",
     IteratorGetNextShape},
    {"IteratorToStringHandle(resource_handle: resource) -> (string_handle: string) stateful", ScalarShape},
    {"ModelDataset(input_dataset: variant) -> (handle: variant) {algorithm: int = 0; cpu_budget: int = 0; ram_budget: "
     "int = 0; output_types: list(type) >= 1; output_shapes: list(shape) >= 1}",
     ScalarShape},
    {"OneShotIterator() -> (handle: resource) {dataset_factory: func; output_types: list(type) >= 1; output_shapes: "
     "list(shape) >= 1; container: string = ''; shared_name: string = ''} stateful",
     ScalarShape},
    {"OptimizeDataset(input_dataset: variant, optimizations: string) -> (handle: variant) {output_types: list(type) >= "
     "1; output_shapes: list(shape) >= 1; optimization_configs: list(string) = []}",
     ScalarShape},
    {"ParallelDynamicStitch(indices: N * i32, data: N * T) -> (merged: T) {N: int >= 1; T: type}", DynamicStitchShape,
     DynamicStitchValue},
    {"QueueDequeueV2(handle: resource) -> (components: component_types) {component_types: list(type) >= 1; timeout_ms: "
     "int = -1} stateful",
     QueueDequeueShape},
    {"QueueEnqueueV2(handle: resource, components: Tcomponents) -> () {Tcomponents: list(type) >= 1; timeout_ms: int = "
     "-1} stateful"},
    {"RangeDataset(start: i64, stop: i64, step: i64) -> (handle: variant) {output_types: list(type) >= 1; "
     "output_shapes: list(shape) >= 1; metadata: string = ''; replicate_on_split: bool = false} stateful",
     ScalarShape},
    {"StackPopV2(handle: resource) -> (elem: elem_type) {elem_type: type} stateful", UnknownShape},
    {"StackPushV2(handle: resource, elem: T) -> (output: T) {T: type; swap_memory: bool = false} stateful",
     StackPushShape},
    {"StackV2(max_size: i32) -> (handle: resource) {elem_type: type; stack_name: string = ''} stateful", StackShape},
    {"TensorArrayGatherV3(handle: resource, indices: i32, flow_in: f32) -> (value: dtype) {dtype: type; element_shape: "
     "shape = ?} stateful",
     TensorArrayGatherShape},
    {"TensorArrayGradV3(handle: resource, flow_in: f32) -> (grad_handle: resource, flow_out: f32) {source: string} "
     "stateful",
     TensorArrayGradShape},
    {"TensorArrayReadV3(handle: resource, index: i32, flow_in: f32) -> (value: dtype) {dtype: type} stateful",
     TensorArrayReadShape},
    {"TensorArrayScatterV3(handle: resource, indices: i32, value: T, flow_in: f32) -> (flow_out: f32) {T: type} "
     "stateful",
     TensorArrayScatterShape},
    {"TensorArraySizeV3(handle: resource, flow_in: f32) -> (size: i32) stateful", TensorArraySizeShape},
    {"TensorArrayV3(size: i32) -> (handle: resource, flow: f32) {dtype: type; element_shape: shape = ?; dynamic_size: "
     "bool = false; clear_after_read: bool = true; identical_element_shapes: bool = false; tensor_array_name: string = "
     "''} stateful",
     TensorArrayShape},
    {"TensorArrayWriteV3(handle: resource, index: i32, value: T, flow_in: f32) -> (flow_out: f32) {T: type} stateful",
     TensorArrayWriteShape},
};

}  // namespace

absl::Span<const OpTableRow> DataFlowOps() { return kRows; }

}  // namespace berth
