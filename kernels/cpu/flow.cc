// Ops that hand on what they are given.
#include <cmath>

#include "graph/status_macros.h"
#include "kernels/cpu/args.h"
#include "kernels/cpu/elementwise.h"
#include "kernels/cpu/families.h"

namespace berth::cpu {
namespace {

absl::Status PassOn(KernelArgs& args) {
  for (int i = 0; i < args.num_outputs() && i < args.num_inputs(); ++i) {
    BERTH_RETURN_IF_ERROR(args.SetOutput(i, args.input(i)));
  }
  return absl::OkStatus();
}

absl::Status EnsureShape(KernelArgs& args) {
  const PartialShape shape = AttrOr<PartialShape>(args, "shape", PartialShape());
  const Tensor& x = args.input(0);
  if (!Compatible(shape, PartialShape(absl::Span<const int64_t>(x.dims())))) {
    return Refuse("expected shape ", shape.ToString(), ", got ", x.ShapeString());
  }
  return args.SetOutput(0, x);
}

template <typename T>
absl::Status FirstBad(const Tensor& x, absl::string_view message) {
  const T* values = x.kernel<T>();
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    const double value = static_cast<double>(static_cast<std::conditional_t<sizeof(T) == 2, float, T>>(values[i]));
    if (!std::isfinite(value)) {
      return Refuse("expected finite values, got ", std::isnan(value) ? "NaN" : "infinity", " at element ", i,
                    message.empty() ? "" : "; ", message);
    }
  }
  return absl::OkStatus();
}

absl::Status CheckNumerics(KernelArgs& args) {
  const Tensor& x = args.input(0);
  const std::string message = AttrOr<std::string>(args, "message", "");
  switch (x.dtype()) {
    case DType::kFloat16:
      BERTH_RETURN_IF_ERROR(FirstBad<Half>(x, message));
      break;
    case DType::kBfloat16:
      BERTH_RETURN_IF_ERROR(FirstBad<BFloat16>(x, message));
      break;
    case DType::kFloat64:
      BERTH_RETURN_IF_ERROR(FirstBad<double>(x, message));
      break;
    default:
      BERTH_RETURN_IF_ERROR(FirstBad<float>(x, message));
  }
  return args.SetOutput(0, x);
}

}  // namespace

void AddFlowKernels(KernelTable& table) {
  for (const char* op : {"Identity", "PlaceholderWithDefault", "PreventGradient", "Snapshot", "StopGradient"}) {
    table.Add({.op = op, .run = PassOn, .cheap = true, .shares_input = true});
  }
  table.Add({.op = "CheckNumerics", .types = {{"T", FloatTypes()}}, .run = CheckNumerics});
  table.Add({.op = "EnsureShape", .run = EnsureShape, .cheap = true, .shares_input = true});
  table.Add({.op = "IdentityN", .run = PassOn, .cheap = true});
}

}  // namespace berth::cpu
