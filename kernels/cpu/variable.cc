// Variables: those behind references (VariableV2) and behind resource handles (VarHandleOp). The executor holds the
// state; a kernel reaches it through the reference or resource input.
#include "graph/status_macros.h"
#include "kernels/cpu/args.h"
#include "kernels/cpu/denormals.h"
#include "kernels/cpu/families.h"

namespace berth::cpu {
namespace {

enum class Update { kAdd, kSub };

template <typename T>
void Combine(const Tensor& from, const Tensor& by, Update update, Tensor& to) {
  const T* x = from.kernel<T>();
  const T* d = by.kernel<T>();
  T* y = to.kernel<T>();
  for (int64_t i = 0; i < to.num_elements(); ++i) {
    if constexpr (std::is_integral_v<T>) {
      const uint64_t a = static_cast<uint64_t>(x[i]), b = static_cast<uint64_t>(d[i]);
      y[i] = static_cast<T>(update == Update::kAdd ? a + b : a - b);
    } else {
      y[i] = update == Update::kAdd ? x[i] + d[i] : x[i] - d[i];
    }
  }
}

const std::vector<DType>& UpdateTypes() {
  static const auto* const types =
      new std::vector<DType>{DType::kFloat32, DType::kFloat64, DType::kInt32, DType::kInt64};
  return *types;
}

// Into new memory: who read the variable before keeps what it read.
absl::Status UpdateVariable(KernelArgs& args, Update update) {
  BERTH_ASSIGN_OR_RETURN(const Tensor variable, args.ReadVariable(0));
  const Tensor& by = args.input(1);
  if (by.dtype() != variable.dtype()) {
    return Refuse("expected a value of type ", DTypeName(variable.dtype()), ", got ", DTypeName(by.dtype()));
  }
  BERTH_RETURN_IF_ERROR(ExpectDims(by, variable.dims(), "a value"));
  BERTH_ASSIGN_OR_RETURN(Tensor updated, args.AllocateValue(variable.dtype(), variable.dims()));
  const DenormalsAreZero denormals;
  switch (by.dtype()) {
    case DType::kFloat32:
      Combine<float>(variable, by, update, updated);
      break;
    case DType::kFloat64:
      Combine<double>(variable, by, update, updated);
      break;
    case DType::kInt32:
      Combine<int32_t>(variable, by, update, updated);
      break;
    default:
      Combine<int64_t>(variable, by, update, updated);
  }
  return args.AssignVariable(0, std::move(updated));
}

absl::Status AssignAdd(KernelArgs& args) { return UpdateVariable(args, Update::kAdd); }
absl::Status AssignSub(KernelArgs& args) { return UpdateVariable(args, Update::kSub); }

absl::Status Assign(KernelArgs& args) {
  const Tensor& value = args.input(1);
  if (AttrOr<bool>(args, "validate_shape", true)) {
    const PartialShape& declared = args.node().input(0).output_shape(args.node().data_inputs()[0].slot);
    if (args.VariableInitialized(0)) {
      BERTH_ASSIGN_OR_RETURN(const Tensor current, args.ReadVariable(0));
      BERTH_RETURN_IF_ERROR(ExpectDims(value, current.dims(), "a value"));
    } else if (!Compatible(declared, PartialShape(absl::Span<const int64_t>(value.dims())))) {
      return Refuse("expected a value of shape ", declared.ToString(), ", got ", value.ShapeString());
    }
  }
  return args.AssignVariable(0, value);
}

absl::Status AssignVariableOp(KernelArgs& args) { return args.AssignVariable(0, args.input(1)); }

absl::Status ReadVariableOp(KernelArgs& args) {
  BERTH_ASSIGN_OR_RETURN(Tensor value, args.ReadVariable(0));
  const DType dtype = AttrOr<DType>(args, "dtype", value.dtype());
  if (dtype != value.dtype()) {
    return Refuse("expected a variable of type ", DTypeName(dtype), ", got ", DTypeName(value.dtype()));
  }
  return args.SetOutput(0, std::move(value));
}

absl::Status IsInitialized(KernelArgs& args) {
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, {}));
  *y->kernel<bool>() = args.VariableInitialized(0);
  return absl::OkStatus();
}

absl::Status VariableShape(KernelArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const Tensor value, args.ReadVariable(0));
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, {value.rank()}));
  for (int i = 0; i < value.rank(); ++i) {
    if (y->dtype() == DType::kInt32) y->kernel<int32_t>()[i] = static_cast<int32_t>(value.dim(i));
    if (y->dtype() == DType::kInt64) y->kernel<int64_t>()[i] = value.dim(i);
  }
  return absl::OkStatus();
}

}  // namespace

void AddVariableKernels(KernelTable& table) {
  table.Add({.op = "Assign", .types = {{"T", AllTypes()}}, .run = Assign});
  table.Add({.op = "AssignAdd", .types = {{"T", UpdateTypes()}}, .run = AssignAdd});
  table.Add({.op = "AssignAddVariableOp", .types = {{"dtype", UpdateTypes()}}, .run = AssignAdd});
  table.Add({.op = "AssignSub", .types = {{"T", UpdateTypes()}}, .run = AssignSub});
  table.Add({.op = "AssignSubVariableOp", .types = {{"dtype", UpdateTypes()}}, .run = AssignSub});
  table.Add({.op = "AssignVariableOp", .types = {{"dtype", AllTypes()}}, .run = AssignVariableOp});
  table.Add({.op = "IsVariableInitialized", .host_args = {"is_initialized"}, .run = IsInitialized, .cheap = true});
  table.Add({.op = "ReadVariableOp", .types = {{"dtype", AllTypes()}}, .run = ReadVariableOp, .cheap = true});
  table.Add({.op = "VarIsInitializedOp", .host_args = {"is_initialized"}, .run = IsInitialized, .cheap = true});
  table.Add({.op = "VariableShape", .host_args = {"output"}, .run = VariableShape, .cheap = true});
}

}  // namespace berth::cpu
