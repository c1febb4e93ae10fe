#include "graph/ops/op_rows.h"
#include "graph/ops/shape_fns.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

absl::Status SwitchShape(ShapeArgs& args) {
  BERTH_RETURN_IF_ERROR(args.CheckRank(1, 0));
  return UnchangedShape(args);
}

// What holds of every input; where loops come back in, inference runs this until nothing changes.
absl::Status MergeShape(ShapeArgs& args) {
  PartialShape shape = args.input(0);
  const HandleShapes* handle = args.handle(0);
  for (int i = 1; i < args.num_inputs(); ++i) {
    const PartialShape& other = args.input(i);
    if (!shape.has_rank() || !other.has_rank() || shape.rank() != other.rank()) {
      shape = PartialShape::Unknown();
    } else {
      for (int d = 0; d < shape.rank(); ++d) {
        if (shape.dim(d) != other.dim(d)) shape.set_dim(d, kUnknownDim);
      }
    }
    const HandleShapes* other_handle = args.handle(i);
    if (handle != nullptr && (other_handle == nullptr || *handle != *other_handle)) handle = nullptr;
  }
  if (handle != nullptr) args.set_handle(0, *handle);
  BERTH_RETURN_IF_ERROR(args.set_output(1, PartialShape::Scalar()));
  return args.set_output(0, std::move(shape));
}

absl::Status LoopCondShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(PartialShape shape, args.WithRank(0, 0));
  return args.set_output(0, std::move(shape));
}

// A function's argument: what the attributes of the call's maker say of it.
absl::Status ArgShape(ShapeArgs& args) {
  const absl::Span<const PartialShape> shapes = args.Shapes("_output_shapes"), handles = args.Shapes("_handle_shapes");
  const AttrValue* types = args.attr("_handle_dtypes");
  const AttrList* dtypes = types == nullptr ? nullptr : types->get<AttrList>();
  if (!handles.empty() && dtypes != nullptr && !dtypes->type.empty()) {
    args.set_handle(0, {{dtypes->type[0], handles[0]}});
  }
  return args.set_output(0, shapes.empty() ? PartialShape::Unknown() : shapes[0]);
}

// The attribute output_shapes, where it is given.
absl::Status IfShape(ShapeArgs& args) {
  const absl::Span<const PartialShape> shapes = args.Shapes("output_shapes");
  if (shapes.empty()) return UnknownShape(args);
  if (static_cast<int>(shapes.size()) != args.num_outputs()) {
    return ShapeError("output_shapes must have one shape an output, ", args.num_outputs(), ", got ", shapes.size());
  }
  for (int k = 0; k < args.num_outputs(); ++k) BERTH_RETURN_IF_ERROR(args.set_output(k, shapes[k]));
  return absl::OkStatus();
}

// Without output_shapes a loop keeps the shapes of its variables.
absl::Status WhileShape(ShapeArgs& args) {
  if (!args.Shapes("output_shapes").empty()) return IfShape(args);
  for (int k = 0; k < args.num_outputs(); ++k) {
    BERTH_RETURN_IF_ERROR(args.set_output(k, args.input(k)));
    if (const HandleShapes* handle = args.handle(k)) args.set_handle(k, *handle);
  }
  return absl::OkStatus();
}

constexpr OpTableRow kRows[] = {
    {"ControlTrigger() -> ()"},
    {"Enter(data: T) -> (output: T) {T: type; frame_name: string; is_constant: bool = false; parallel_iterations: int "
     "= 10}",
     UnchangedShape},
    {"Exit(data: T) -> (output: T) {T: type}", UnchangedShape},
    {"If(cond: Tcond, input: Tin) -> (output: Tout) {Tcond: type; Tin: list(type) >= 0; Tout: list(type) >= 0; "
     "then_branch: func; else_branch: func; output_shapes: list(shape) = []} stateful",
     IfShape},
    {"LoopCond(input: bool) -> (output: bool)", LoopCondShape},
    {"Merge(inputs: N * T) -> (output: T, value_index: i32) {T: type; N: int >= 1}", MergeShape},
    {"NextIteration(data: T) -> (output: T) {T: type}", UnchangedShape},
    {"NoOp() -> ()"},
    {"PartitionedCall(args: Tin) -> (output: Tout) {Tin: list(type) >= 0; Tout: list(type) >= 0; f: func; config: "
     "string = ''; config_proto: string = ''; executor_type: string = ''}"},
    {"RefEnter(data: T&) -> (output: T&) {T: type; frame_name: string; is_constant: bool = false; parallel_iterations: "
     "int = 10}",
     UnchangedShape},
    {"RefExit(data: T&) -> (output: T&) {T: type}", UnchangedShape},
    {"RefIdentity(input: T&) -> (output: T&) {T: type} uninitialized_input", UnchangedShape},
    {"RefMerge(inputs: N * T&) -> (output: T&, value_index: i32) {T: type; N: int >= 1}", MergeShape},
    {"RefNextIteration(data: T&) -> (output: T&) {T: type}", UnchangedShape},
    {"RefSwitch(data: T&, pred: bool) -> (output_false: T&, output_true: T&) {T: type} uninitialized_input",
     SwitchShape},
    {"StatefulPartitionedCall(args: Tin) -> (output: Tout) {Tin: list(type) >= 0; Tout: list(type) >= 0; f: func; "
     "config: string = ''; config_proto: string = ''; executor_type: string = ''} stateful distributed"},
    {"StatelessIf(cond: Tcond, input: Tin) -> (output: Tout) {Tcond: type; Tin: list(type) >= 0; Tout: list(type) >= "
     "0; then_branch: func; else_branch: func; output_shapes: list(shape) = []}",
     IfShape},
    {"StatelessWhile(input: T) -> (output: T) {T: list(type) >= 0; cond: func; body: func; output_shapes: list(shape) "
     "= []; parallel_iterations: int = 10}",
     WhileShape},
    {"Switch(data: T, pred: bool) -> (output_false: T, output_true: T) {T: type}", SwitchShape},
    {"While(input: T) -> (output: T) {T: list(type) >= 0; cond: func; body: func; output_shapes: list(shape) = []; "
     "parallel_iterations: int = 10} stateful",
     WhileShape},
    {"_Arg() -> (output: T) {T: type; index: int >= 0} stateful", ArgShape},
    {"_HostRecv() -> (tensor: tensor_type) {tensor_type: type; tensor_name: string; send_device: string; "
     "send_device_incarnation: int; recv_device: string; client_terminated: bool = false} stateful distributed"},
    {"_HostSend(tensor: T) -> () {T: type; tensor_name: string; send_device: string; send_device_incarnation: int; "
     "recv_device: string; client_terminated: bool = false} stateful"},
    {"_Recv() -> (tensor: tensor_type) {tensor_type: type; tensor_name: string; send_device: string; "
     "send_device_incarnation: int; recv_device: string; client_terminated: bool = false} stateful distributed"},
    {"_Retval(input: T) -> () {T: type; index: int >= 0} stateful"},
    {"_Send(tensor: T) -> () {T: type; tensor_name: string; send_device: string; send_device_incarnation: int; "
     "recv_device: string; client_terminated: bool = false} stateful"},
};

}  // namespace

absl::Span<const OpTableRow> ControlFlowOps() { return kRows; }

}  // namespace berth
