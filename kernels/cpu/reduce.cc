// Reductions over any set of axes: Sum, Mean, Prod, Max, Min, All, Any.
//
// The input is read once, in order. Its axes are merged into runs that are kept or reduced in turn, and accumulators of
// a wider type (double, 64-bit integers) stand for the outputs, so that sums do not depend on how the work is cut.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "graph/status_macros.h"
#include "kernels/cpu/args.h"
#include "kernels/cpu/denormals.h"
#include "kernels/cpu/families.h"
#include "kernels/cpu/float16.h"
#include "kernels/cpu/parallel.h"

namespace berth::cpu {
namespace {

enum class Fold { kSum, kMean, kProd, kMax, kMin };

// Merged axes, outermost first, and how far each steps through the accumulators (0: reduced).
struct Runs {
  Dims sizes;
  Dims steps;
  Dims out;         // the output's shape
  int64_t reduced;  // elements that meet in one output
};

absl::StatusOr<Runs> PlanRuns(KernelArgs& args) {
  const Tensor& x = args.input(0);
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> axes, IntsOf(args.input(1), "reduction_indices"));
  const bool keep = AttrOr<bool>(args, "keep_dims", false);
  std::vector<bool> reduced(x.rank(), false);
  for (int64_t given : axes) {
    BERTH_ASSIGN_OR_RETURN(const int axis, AxisOf(given, x.rank(), "reduction_indices"));
    if (reduced[axis]) return Refuse("expected reduction_indices without repetition, got ", given, " again");
    reduced[axis] = true;
  }
  Runs runs{.reduced = 1};
  std::vector<bool> kinds;
  for (int i = 0; i < x.rank(); ++i) {
    if (!reduced[i]) runs.out.push_back(x.dim(i));
    if (reduced[i] && keep) runs.out.push_back(1);
    if (reduced[i]) runs.reduced = Product(runs.reduced, x.dim(i));
    if (!kinds.empty() && kinds.back() == reduced[i]) {
      runs.sizes.back() = Product(runs.sizes.back(), x.dim(i));
    } else {
      runs.sizes.push_back(x.dim(i));
      kinds.push_back(reduced[i]);
    }
  }
  runs.steps.resize(runs.sizes.size());
  int64_t step = 1;
  for (int i = static_cast<int>(runs.sizes.size()) - 1; i >= 0; --i) {
    runs.steps[i] = kinds[i] ? 0 : step;
    if (!kinds[i]) step = Product(step, runs.sizes[i]);
  }
  return runs;
}

// What the fold of no elements of T gives.
template <Fold kFold, typename T, typename A>
A Start() {
  using Limits = std::numeric_limits<T>;
  if constexpr (kFold == Fold::kProd) return A{1};
  if constexpr (kFold == Fold::kMax)
    return static_cast<A>(Limits::has_infinity ? -Limits::infinity() : Limits::lowest());
  if constexpr (kFold == Fold::kMin) return static_cast<A>(Limits::has_infinity ? Limits::infinity() : Limits::max());
  return A{0};
}

// NaN wins over every other maximum and minimum.
template <Fold kFold, typename A>
A Join(A a, A b) {
  if constexpr (kFold == Fold::kProd) return a * b;
  if constexpr (kFold == Fold::kMax) return b > a || b != b ? b : a;
  if constexpr (kFold == Fold::kMin) return b < a || b != b ? b : a;
  return a + b;
}

// Folds x into the accumulators, which hold Start(). Cut along the first axis that is kept, so that each accumulator
// meets its elements in order on one thread.
template <Fold kFold, typename T, typename A>
class Reduction {
 public:
  explicit Reduction(const Runs& runs) : runs_(runs), inner_(runs.sizes.size(), 1) {
    for (size_t i = runs.sizes.size(); i-- > 1;) inner_[i - 1] = inner_[i] * runs.sizes[i];
    while (cut_ < runs.sizes.size() && runs.steps[cut_] == 0) ++cut_;
  }

  void Run(int threads, const T* x, A* out) const {
    if (runs_.sizes.empty()) {
      *out = Join<kFold, A>(*out, static_cast<A>(*x));
      return;
    }
    if (cut_ == runs_.sizes.size()) return Level(0, x, out, 0, 0);
    int64_t elements = inner_[0] * runs_.sizes[0];
    elements /= std::max<int64_t>(runs_.sizes[cut_], 1);
    ParallelFor(threads, runs_.sizes[cut_], GrainFor(elements),
                [&](int64_t begin, int64_t end) { Level(0, x, out, begin, end); });
  }

 private:
  void Level(size_t axis, const T* x, A* out, int64_t begin, int64_t end) const {
    const int64_t step = runs_.steps[axis];
    const int64_t first = axis == cut_ ? begin : 0, last = axis == cut_ ? end : runs_.sizes[axis];
    if (axis + 1 < runs_.sizes.size()) {
      for (int64_t i = first; i < last; ++i) Level(axis + 1, x + i * inner_[axis], out + i * step, begin, end);
    } else if (step == 0) {
      A sum = *out;
      for (int64_t i = first; i < last; ++i) sum = Join<kFold, A>(sum, static_cast<A>(x[i]));
      *out = sum;
    } else {
      for (int64_t i = first; i < last; ++i) out[i] = Join<kFold, A>(out[i], static_cast<A>(x[i]));
    }
  }

  const Runs& runs_;
  Dims inner_;      // elements of x that one step along each axis passes
  size_t cut_ = 0;  // the first kept axis, or the number of axes
};

template <typename T>
using Float = std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;

// The mean of no elements is NaN; of integers, 0.
template <typename A>
A Divide(A sum, int64_t count) {
  if constexpr (std::is_floating_point_v<A>) return sum / static_cast<A>(count);
  return count == 0 ? A{0} : static_cast<A>(sum / static_cast<A>(count));
}

template <Fold kFold, typename T, typename A>
absl::Status ReduceTo(KernelArgs& args, const Runs& runs, Tensor& y) {
  const int64_t n = y.num_elements();
  if (n == 0) return absl::OkStatus();
  BERTH_ASSIGN_OR_RETURN(void* scratch, args.Scratch(n * sizeof(A)));
  A* sums = static_cast<A*>(scratch);
  std::fill_n(sums, n, Start<kFold, T, A>());
  if (args.input(0).num_elements() > 0) {
    Reduction<kFold, T, A>(runs).Run(args.threads(), args.input(0).kernel<T>(), sums);
  }
  T* out = y.kernel<T>();
  for (int64_t i = 0; i < n; ++i) {
    const A value = kFold == Fold::kMean ? Divide<A>(sums[i], runs.reduced) : sums[i];
    out[i] = static_cast<T>(static_cast<Float<T>>(value));
  }
  return absl::OkStatus();
}

// Halves are widened whole: reductions of them are rare.
template <Fold kFold, typename H>
absl::Status ReduceHalves(KernelArgs& args, const Runs& runs, Tensor& y) {
  const int64_t n = y.num_elements(), count = args.input(0).num_elements();
  BERTH_ASSIGN_OR_RETURN(void* scratch, args.Scratch(n * sizeof(double) + count * sizeof(float)));
  double* sums = static_cast<double*>(scratch);
  float* wide = reinterpret_cast<float*>(sums + n);
  ToFloat(args.input(0).kernel<H>(), wide, count);
  std::fill_n(sums, n, Start<kFold, float, double>());
  if (count > 0) Reduction<kFold, float, double>(runs).Run(args.threads(), wide, sums);
  for (int64_t i = 0; i < n; ++i) {
    y.kernel<H>()[i] = H(static_cast<float>(kFold == Fold::kMean ? Divide(sums[i], runs.reduced) : sums[i]));
  }
  return absl::OkStatus();
}

// Sums of unsigned 64-bit accumulators wrap as each narrower type would; extremes need the sign.
template <Fold kFold, typename T>
using Accumulator = std::conditional_t<
    std::is_floating_point_v<T>, double,
    std::conditional_t<kFold == Fold::kSum || kFold == Fold::kProd || std::is_unsigned_v<T>, uint64_t, int64_t>>;

template <Fold kFold, typename T>
absl::Status Reduce(KernelArgs& args, const Runs& runs, Tensor& y) {
  return ReduceTo<kFold, T, Accumulator<kFold, T>>(args, runs, y);
}

template <Fold kFold>
absl::Status Run(KernelArgs& args) {
  const DenormalsAreZero denormals;
  BERTH_ASSIGN_OR_RETURN(const Runs runs, PlanRuns(args));
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, runs.out));
  switch (args.input(0).dtype()) {
    case DType::kFloat16:
      return ReduceHalves<kFold, Half>(args, runs, *y);
    case DType::kBfloat16:
      return ReduceHalves<kFold, BFloat16>(args, runs, *y);
    case DType::kFloat32:
      return Reduce<kFold, float>(args, runs, *y);
    case DType::kFloat64:
      return Reduce<kFold, double>(args, runs, *y);
    case DType::kInt8:
      return Reduce<kFold, int8_t>(args, runs, *y);
    case DType::kInt16:
      return Reduce<kFold, int16_t>(args, runs, *y);
    case DType::kInt32:
      return Reduce<kFold, int32_t>(args, runs, *y);
    case DType::kInt64:
      return Reduce<kFold, int64_t>(args, runs, *y);
    case DType::kUint16:
      return Reduce<kFold, uint16_t>(args, runs, *y);
    case DType::kUint32:
      return Reduce<kFold, uint32_t>(args, runs, *y);
    case DType::kUint64:
      return Reduce<kFold, uint64_t>(args, runs, *y);
    default:
      return Reduce<kFold, uint8_t>(args, runs, *y);
  }
}

// Truth values are bytes 0 and 1: their conjunction is the minimum, their disjunction the maximum.
template <Fold kFold>
absl::Status RunBool(KernelArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const Runs runs, PlanRuns(args));
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, runs.out));
  BERTH_RETURN_IF_ERROR((ReduceTo<kFold, uint8_t, uint64_t>(args, runs, *y)));
  for (int64_t i = 0; i < y->num_elements(); ++i) y->kernel<uint8_t>()[i] = y->kernel<uint8_t>()[i] != 0;
  return absl::OkStatus();
}

}  // namespace

void AddReduceKernels(KernelTable& table) {
  const std::vector<TypeConstraint> types = {{"T", NumericTypes()}};
  const std::vector<std::string> host = {"reduction_indices"};
  table.Add({.op = "All", .host_args = host, .run = RunBool<Fold::kMin>});
  table.Add({.op = "Any", .host_args = host, .run = RunBool<Fold::kMax>});
  table.Add({.op = "Max", .types = types, .host_args = host, .run = Run<Fold::kMax>});
  table.Add({.op = "Mean", .types = types, .host_args = host, .run = Run<Fold::kMean>});
  table.Add({.op = "Min", .types = types, .host_args = host, .run = Run<Fold::kMin>});
  table.Add({.op = "Prod", .types = types, .host_args = host, .run = Run<Fold::kProd>});
  table.Add({.op = "Sum", .types = types, .host_args = host, .run = Run<Fold::kSum>});
}

}  // namespace berth::cpu
