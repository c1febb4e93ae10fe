// Softmax and LogSoftmax over the last axis, and the loss that they are trained with.
#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/status_macros.h"
#include "kernels/cpu/args.h"
#include "kernels/cpu/denormals.h"
#include "kernels/cpu/families.h"
#include "kernels/cpu/float16.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/simd.h"

namespace berth::cpu {
namespace {

void ExpRow(const float* in, float* out, int64_t n) { simd::Exp(in, out, n); }
void ExpRow(const double* in, double* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = std::exp(in[i]);
}

// y = x - max(x), e = exp(y); gives the sum of e. The sum is in double, in order.
template <typename T>
double ShiftedExp(const T* x, T* shifted, T* e, int64_t n) {
  T most = -std::numeric_limits<T>::infinity();
  for (int64_t i = 0; i < n; ++i) most = std::max(most, x[i]);
  for (int64_t i = 0; i < n; ++i) shifted[i] = x[i] - most;
  ExpRow(shifted, e, n);
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += e[i];
  return sum;
}

// x and y may be the same memory; `e` has room for one row.
template <typename T>
void Rows(const T* x, T* y, T* e, int64_t rows, int64_t n, bool log) {
  for (int64_t row = 0; row < rows; ++row, x += n, y += n) {
    const double sum = ShiftedExp(x, y, e, n);
    if (log) {
      const T log_sum = static_cast<T>(std::log(sum));
      for (int64_t i = 0; i < n; ++i) y[i] -= log_sum;
    } else {
      const T scale = static_cast<T>(1 / sum);
      for (int64_t i = 0; i < n; ++i) y[i] = e[i] * scale;
    }
  }
}

template <typename H>
void HalfRows(const H* x, H* y, float* wide, int64_t rows, int64_t n, bool log) {
  for (int64_t row = 0; row < rows; ++row) {
    ToFloat(x + row * n, wide, n);
    Rows(wide, wide, wide + n, 1, n, log);
    FromFloat(wide, y + row * n, n);
  }
}

template <bool kLog>
absl::Status Softmax(KernelArgs& args) {
  const Tensor& x = args.input(0);
  if (x.rank() < 1) return Refuse("expected logits of rank at least 1, got a scalar");
  const int64_t n = x.dim(x.rank() - 1);
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.ForwardOrAllocate(0, 0));
  if (x.num_elements() == 0) return absl::OkStatus();
  const DenormalsAreZero denormals;
  const int64_t rows = x.num_elements() / n;
  // Rows [begin, end), with room of two rows of float64 for what is computed on the way.
  const auto range = [&](int64_t begin, int64_t end, double* room) {
    const int64_t at = begin * n, count = end - begin;
    auto* wide = reinterpret_cast<float*>(room);
    switch (x.dtype()) {
      case DType::kFloat16:
        HalfRows(x.kernel<Half>() + at, y->kernel<Half>() + at, wide, count, n, kLog);
        break;
      case DType::kBfloat16:
        HalfRows(x.kernel<BFloat16>() + at, y->kernel<BFloat16>() + at, wide, count, n, kLog);
        break;
      case DType::kFloat32:
        Rows(x.kernel<float>() + at, y->kernel<float>() + at, wide, count, n, kLog);
        break;
      default:
        Rows(x.kernel<double>() + at, y->kernel<double>() + at, room, count, n, kLog);
    }
  };
  const int64_t grain = GrainFor(4 * n), ranges = args.threads() == 1 ? 1 : (rows - 1) / grain + 1;
  BERTH_ASSIGN_OR_RETURN(void* scratch, args.Scratch(ranges * 2 * n * sizeof(double)));
  ParallelFor(args.threads(), rows, grain, [&](int64_t begin, int64_t end) {
    range(begin, end, static_cast<double*>(scratch) + begin / grain * 2 * n);
  });
  return absl::OkStatus();
}

// Loss of each row against its label, and the gradient with respect to the logits.
template <typename T>
absl::Status SparseLoss(const Tensor& logits, const Tensor& labels, Tensor& loss, Tensor& gradient, T* e) {
  const int64_t rows = logits.dim(0), n = logits.dim(1);
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t label = IntAt(labels, row);
    if (label < 0 || label >= n) return Refuse("expected labels in [0,", n, "), got ", label, " at ", row);
    T* y = gradient.kernel<T>() + row * n;
    const double sum = ShiftedExp(logits.kernel<T>() + row * n, y, e, n);
    loss.kernel<T>()[row] = static_cast<T>(std::log(sum)) - y[label];
    for (int64_t i = 0; i < n; ++i) y[i] = static_cast<T>(e[i] / sum) - (i == label ? T{1} : T{0});
  }
  return absl::OkStatus();
}

absl::Status SparseSoftmaxCrossEntropy(KernelArgs& args) {
  const Tensor& logits = args.input(0);
  const Tensor& labels = args.input(1);
  const DenormalsAreZero denormals;
  BERTH_RETURN_IF_ERROR(ExpectRank(logits, 2, "features"));
  BERTH_RETURN_IF_ERROR(ExpectDims(labels, {logits.dim(0)}, "labels"));
  if (logits.dim(1) == 0) return Refuse("expected at least one class, got shape ", logits.ShapeString());
  BERTH_ASSIGN_OR_RETURN(Tensor * loss, args.Allocate(0, labels.dims()));
  BERTH_ASSIGN_OR_RETURN(Tensor * gradient, args.Allocate(1, logits.dims()));
  BERTH_ASSIGN_OR_RETURN(void* scratch, args.Scratch(logits.dim(1) * sizeof(double)));
  if (logits.dtype() == DType::kFloat64) {
    return SparseLoss(logits, labels, *loss, *gradient, static_cast<double*>(scratch));
  }
  return SparseLoss(logits, labels, *loss, *gradient, static_cast<float*>(scratch));
}

}  // namespace

void AddSoftmaxKernels(KernelTable& table) {
  table.Add({.op = "LogSoftmax", .types = {{"T", FloatTypes()}}, .run = Softmax<true>, .in_place = {0}});
  table.Add({.op = "Softmax", .types = {{"T", FloatTypes()}}, .run = Softmax<false>, .in_place = {0}});
  table.Add({.op = "SparseSoftmaxCrossEntropyWithLogits",
             .types = {{"T", {DType::kFloat32, DType::kFloat64}}, {"Tlabels", IndexTypes()}},
             .run = SparseSoftmaxCrossEntropy});
}

}  // namespace berth::cpu
