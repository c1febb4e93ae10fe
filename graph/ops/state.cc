#include <string>

#include "graph/ops/op_rows.h"
#include "graph/ops/shape_fns.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

absl::Status VariableShape(ShapeArgs& args) { return args.set_output(0, args.Attr<PartialShape>("shape")); }

absl::Status VarHandleOpShape(ShapeArgs& args) {
  args.set_handle(0, {{args.Attr<DType>("dtype"), args.Attr<PartialShape>("shape")}});
  return args.set_output(0, PartialShape::Scalar());
}

// What variable input i holds, checked against the dtype that the op expects; of unknown shape when nothing is known.
absl::StatusOr<PartialShape> VariableOf(ShapeArgs& args, int i, DType expected) {
  const HandleShapes* handle = args.handle(i);
  if (handle == nullptr || handle->size() != 1) return PartialShape::Unknown();
  const HandleShape& variable = handle->front();
  if (variable.dtype != DType::kInvalid && expected != DType::kInvalid && variable.dtype != expected) {
    return ShapeError("variable '", args.InputName(i), "' must hold ", ShortDTypeName(expected), ", got ",
                      ShortDTypeName(variable.dtype));
  }
  return variable.shape;
}

absl::Status ReadVariableOpShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(PartialShape shape, VariableOf(args, 0, args.Attr<DType>("dtype")));
  return args.set_output(0, std::move(shape));
}

// AssignVariableOp, AssignAddVariableOp, AssignSubVariableOp.
absl::Status AssignVariableOpShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(PartialShape shape, VariableOf(args, 0, args.Attr<DType>("dtype")));
  return MergeInto(&shape, args.input(1), "the value must have the variable's shape");
}

absl::Status ResourceGatherShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const PartialShape params, VariableOf(args, 0, args.Attr<DType>("dtype")));
  const PartialShape& indices = args.input(1);
  if (!params.has_rank() || !indices.has_rank()) return args.set_output(0, PartialShape::Unknown());
  int64_t batch = args.Attr<int64_t>("batch_dims");
  if (batch < 0) batch += indices.rank();
  if (batch < 0 || batch > indices.rank() || batch >= params.rank()) {
    return ShapeError("batch_dims must be less than the rank of the variable and at most that of indices, got ", batch,
                      " for ", params.ToString(), " and ", indices.ToString());
  }
  const int b = static_cast<int>(batch);
  PartialShape front = SubShape(params, 0, b);
  BERTH_RETURN_IF_ERROR(MergeInto(&front, SubShape(indices, 0, b), "batch dimensions must agree"));
  return args.set_output(0, ConcatShapes(ConcatShapes(front, SubShape(indices, b)), SubShape(params, b + 1)));
}

// updates: indices.shape + variable.shape[1:], or a scalar.
absl::Status ResourceScatterAddShape(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const PartialShape variable, VariableOf(args, 0, args.Attr<DType>("dtype")));
  const PartialShape& updates = args.input(2);
  if (updates.has_rank() && updates.rank() == 0) return absl::OkStatus();
  PartialShape expected = ConcatShapes(args.input(1), SubShape(variable, 1));
  return MergeInto(&expected, updates, "updates must have the shape of the rows they change");
}

absl::Status AssignShape(ShapeArgs& args) {
  PartialShape shape = args.input(1);
  if (args.Attr<bool>("validate_shape", true)) {
    BERTH_RETURN_IF_ERROR(MergeInto(&shape, args.input(0), "the value must have the variable's shape"));
  }
  return args.set_output(0, std::move(shape));
}

absl::Status AssignUpdateShape(ShapeArgs& args) {
  PartialShape shape = args.input(0);
  BERTH_RETURN_IF_ERROR(MergeInto(&shape, args.input(1), "the value must have the variable's shape"));
  return args.set_output(0, std::move(shape));
}

// Optimisers: the variable, its slots and the gradient have one shape; rates and such are scalars.
absl::Status ApplyShape(ShapeArgs& args) {
  PartialShape shape;
  for (int i = 0; i < args.num_inputs(); ++i) {
    const std::string name = args.InputName(i);
    const bool gradient = name == "grad" || name == "delta";
    if (args.input_dtype(i) == DType::kResource) {
      BERTH_ASSIGN_OR_RETURN(const PartialShape slot, VariableOf(args, i, args.Attr<DType>("T")));
      BERTH_RETURN_IF_ERROR(MergeInto(&shape, slot, "variable, slots and gradient must have one shape"));
    } else if (gradient || args.op().inputs[i].is_ref) {
      BERTH_RETURN_IF_ERROR(MergeInto(&shape, args.input(i), "variable, slots and gradient must have one shape"));
    } else {
      BERTH_RETURN_IF_ERROR(args.CheckRank(i, 0));
    }
  }
  return args.num_outputs() == 0 ? absl::OkStatus() : args.set_output(0, std::move(shape));
}

// The shape's length is the variable's rank.
absl::Status VariableShapeShape(ShapeArgs& args) {
  const HandleShapes* handle = args.handle(0);
  const bool known = handle != nullptr && handle->size() == 1 && (*handle)[0].shape.has_rank();
  return args.set_output(0, PartialShape({known ? (*handle)[0].shape.rank() : kUnknownDim}));
}

constexpr OpTableRow kRows[] = {
    {"ApplyAdagrad(var: T&, accum: T&, lr: T, grad: T) -> (out: T&) {T: type in number; use_locking: bool = false; "
     "update_slots: bool = true}",
     ApplyShape},
    {"ApplyAdam(var: T&, m: T&, v: T&, beta1_power: T, beta2_power: T, lr: T, beta1: T, beta2: T, epsilon: T, grad: T) "
     "-> (out: T&) {T: type in number; use_locking: bool = false; use_nesterov: bool = false}",
     ApplyShape},
    {"ApplyGradientDescent(var: T&, alpha: T, delta: T) -> (out: T&) {T: type in number; use_locking: bool = false}",
     ApplyShape},
    {"ApplyMomentum(var: T&, accum: T&, lr: T, grad: T, momentum: T) -> (out: T&) {T: type in number; use_locking: "
     "bool = false; use_nesterov: bool = false}",
     ApplyShape},
    {"ApplyRMSProp(var: T&, ms: T&, mom: T&, lr: T, rho: T, momentum: T, epsilon: T, grad: T) -> (out: T&) {T: type in "
     "number; use_locking: bool = false}",
     ApplyShape},
    {"Assign(ref: T&, value: T) -> (output_ref: T&) {T: type; validate_shape: bool = true; use_locking: bool = true} "
     "uninitialized_input",
     AssignShape},
    {"AssignAdd(ref: T&, value: T) -> (output_ref: T&) {T: type in number; use_locking: bool = false}",
     AssignUpdateShape},
    {"AssignAddVariableOp(resource: resource, value: dtype) -> () {dtype: type} stateful", AssignVariableOpShape},
    {"AssignSub(ref: T&, value: T) -> (output_ref: T&) {T: type in number; use_locking: bool = false}",
     AssignUpdateShape},
    {"AssignSubVariableOp(resource: resource, value: dtype) -> () {dtype: type} stateful", AssignVariableOpShape},
    {"AssignVariableOp(resource: resource, value: dtype) -> () {dtype: type; validate_shape: bool = false} stateful",
     AssignVariableOpShape},
    {"DestroyResourceOp(resource: resource) -> () {ignore_lookup_error: bool = true} stateful"},
    {"IsVariableInitialized(ref: dtype&) -> (is_initialized: bool) {dtype: type} uninitialized_input", ScalarShape},
    {"ReadVariableOp(resource: resource) -> (value: dtype) {dtype: type} stateful", ReadVariableOpShape},
    {"ResourceApplyAdagrad(var: resource, accum: resource, lr: T, grad: T) -> () {T: type in number; use_locking: bool "
     "= false; update_slots: bool = true} stateful",
     ApplyShape},
    {"ResourceApplyAdam(var: resource, m: resource, v: resource, beta1_power: T, beta2_power: T, lr: T, beta1: T, "
     "beta2: T, epsilon: T, grad: T) -> () {T: type in number; use_locking: bool = false; use_nesterov: bool = false} "
     "stateful",
     ApplyShape},
    {"ResourceApplyGradientDescent(var: resource, alpha: T, delta: T) -> () {T: type in number; use_locking: bool = "
     "false} stateful",
     ApplyShape},
    {"ResourceApplyKerasMomentum(var: resource, accum: resource, lr: T, grad: T, momentum: T) -> () {T: type in "
     "number; use_locking: bool = false; use_nesterov: bool = false} stateful",
     ApplyShape},
    {"ResourceApplyMomentum(var: resource, accum: resource, lr: T, grad: T, momentum: T) -> () {T: type in number; "
     "use_locking: bool = false; use_nesterov: bool = false} stateful",
     ApplyShape},
    {"ResourceApplyRMSProp(var: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, epsilon: T, grad: "
     "T) -> () {T: type in number; use_locking: bool = false} stateful",
     ApplyShape},
    {"ResourceGather(resource: resource, indices: Tindices) -> (output: dtype) {batch_dims: int = 0; validate_indices: "
     "bool = true; dtype: type; Tindices: type in index} stateful",
     ResourceGatherShape},
    {"ResourceScatterAdd(resource: resource, indices: Tindices, updates: dtype) -> () {dtype: type in number; "
     "Tindices: type in index} stateful",
     ResourceScatterAddShape},
    {"VarHandleOp() -> (resource: resource) {container: string = ''; shared_name: string = ''; debug_name: string = "
     "''; dtype: type; shape: shape; allowed_devices: list(string) = []} stateful",
     VarHandleOpShape},
    {"VarIsInitializedOp(resource: resource) -> (is_initialized: bool) stateful", ScalarShape},
    {"VariableShape(input: resource) -> (output: out_type) {out_type: type in index = i32}", VariableShapeShape},
    {"VariableV2() -> (ref: dtype&) {shape: shape; dtype: type; container: string = ''; shared_name: string = ''} "
     "stateful",
     VariableShape},
};

}  // namespace

absl::Span<const OpTableRow> StateOps() { return kRows; }

}  // namespace berth
