// Choosing between two tensors, element by element: Select (one shape, or a condition a row) and SelectV2
// (broadcasting).
#include <array>

#include "graph/status_macros.h"
#include "kernels/cpu/args.h"
#include "kernels/cpu/broadcast.h"
#include "kernels/cpu/families.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/strided.h"

namespace berth::cpu {
namespace {

absl::Status Choose(KernelArgs& args, const Tensor& condition, const Tensor& yes, const Tensor& no) {
  BERTH_ASSIGN_OR_RETURN(const Broadcast plan, PlanBroadcast({&condition, &yes, &no}));
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, plan.out));
  const bool* c = condition.kernel<bool>();
  const Elements a = ElementsOf(yes), b = ElementsOf(no), to = ElementsOf(*y);
  WithElementType(to, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    const auto part = [&](const auto& at, int64_t out_at, int64_t begin, int64_t end) {
      const T* if_true = reinterpret_cast<const T*>(a.base) + at[1];
      const T* if_false = reinterpret_cast<const T*>(b.base) + at[2];
      T* out = reinterpret_cast<T*>(to.base) + out_at;
      for (int64_t i = begin; i < end; ++i) {
        out[i] = c[at[0] + i * plan.row_step(0)] ? if_true[i * plan.row_step(1)] : if_false[i * plan.row_step(2)];
      }
    };
    if (plan.num_rows() == 1) {
      ParallelFor(args.threads(), plan.row(), kElementGrain,
                  [&](int64_t begin, int64_t end) { part(std::array<int64_t, kMaxOperands>{}, 0, begin, end); });
      return;
    }
    ParallelFor(args.threads(), plan.num_rows(), GrainFor(plan.row()), [&](int64_t first, int64_t last) {
      ForEachRow(plan, first, last, [&](const auto& at, int64_t out_at) { part(at, out_at, 0, plan.row()); });
    });
  });
  return absl::OkStatus();
}

absl::Status SelectV2(KernelArgs& args) { return Choose(args, args.input(0), args.input(1), args.input(2)); }

absl::Status Select(KernelArgs& args) {
  const Tensor& condition = args.input(0);
  const Tensor& yes = args.input(1);
  BERTH_RETURN_IF_ERROR(ExpectDims(args.input(2), yes.dims(), "e"));
  if (condition.rank() == 0 || condition.dims() == yes.dims()) return Choose(args, condition, yes, args.input(2));
  if (condition.rank() != 1 || yes.rank() < 1 || condition.dim(0) != yes.dim(0)) {
    return Refuse("expected a condition of shape ", yes.ShapeString(), ", [] or one a row, got ",
                  condition.ShapeString());
  }
  Dims dims(yes.rank(), 1);
  dims[0] = condition.dim(0);
  return Choose(args, condition.WithDims(dims), yes, args.input(2));
}

}  // namespace

void AddSelectKernels(KernelTable& table) {
  table.Add({.op = "Select", .types = {{"T", AllTypes()}}, .run = Select});
  table.Add({.op = "SelectV2", .types = {{"T", AllTypes()}}, .run = SelectV2});
}

}  // namespace berth::cpu
