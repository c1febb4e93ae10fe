// Matrix products: MatMul, and BatchMatMul with broadcast batch dimensions.
#include <algorithm>

#include "graph/status_macros.h"
#include "kernels/cpu/args.h"
#include "kernels/cpu/broadcast.h"
#include "kernels/cpu/denormals.h"
#include "kernels/cpu/families.h"
#include "kernels/cpu/float16.h"
#include "kernels/cpu/onednn.h"
#include "kernels/cpu/parallel.h"

namespace berth::cpu {
namespace {

using onednn::Offsets;

template <typename T>
struct Matrix {
  const T* data;
  int64_t row_step, column_step;
};

// Row i of the product, for the types that oneDNN does not take; integers wrap.
template <typename T>
void MultiplyRow(Matrix<T> a, Matrix<T> b, T* row, int64_t i, const onednn::MatMul& p) {
  using Sum = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
  std::fill_n(row, p.n, T{0});
  for (int64_t k = 0; k < p.k; ++k) {
    const Sum x = static_cast<Sum>(a.data[i * a.row_step + k * a.column_step]);
    const T* y = b.data + k * b.row_step;
    for (int64_t j = 0; j < p.n; ++j) {
      row[j] = static_cast<T>(static_cast<Sum>(row[j]) + x * static_cast<Sum>(y[j * b.column_step]));
    }
  }
}

template <typename T>
absl::Status MultiplyAll(KernelArgs& args, const Tensor& a, const Tensor& b, Tensor& y, const onednn::MatMul& p,
                         absl::Span<const Offsets> offsets) {
  const int64_t rows = p.m * static_cast<int64_t>(offsets.size());
  ParallelFor(args.threads(), rows, GrainFor(p.n * p.k), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const Offsets& at = offsets[row / p.m];
      const Matrix<T> x{a.kernel<T>() + at.a, p.transpose_a ? 1 : p.k, p.transpose_a ? p.m : 1};
      const Matrix<T> w{b.kernel<T>() + at.b, p.transpose_b ? 1 : p.n, p.transpose_b ? p.k : 1};
      MultiplyRow(x, w, y.kernel<T>() + at.out + row % p.m * p.n, row % p.m, p);
    }
  });
  return absl::OkStatus();
}

// 16-bit floats: whole operands become float32, and the result is rounded once.
template <typename H>
absl::Status MultiplyHalves(KernelArgs& args, const Tensor& a, const Tensor& b, Tensor& y, const onednn::MatMul& p,
                            absl::Span<const Offsets> offsets) {
  const int64_t na = a.num_elements(), nb = b.num_elements(), ny = y.num_elements();
  BERTH_ASSIGN_OR_RETURN(void* scratch, args.Scratch((na + nb + ny) * sizeof(float)));
  float* x = static_cast<float*>(scratch);
  ToFloat(a.kernel<H>(), x, na);
  ToFloat(b.kernel<H>(), x + na, nb);
  BERTH_RETURN_IF_ERROR(onednn::RunMatMuls(args, p, x, x + na, x + na + nb, offsets));
  FromFloat(x + na + nb, y.kernel<H>(), ny);
  return absl::OkStatus();
}

absl::Status Product(KernelArgs& args, const Tensor& a, const Tensor& b, Tensor& y, const onednn::MatMul& p,
                     absl::Span<const Offsets> offsets) {
  const DenormalsAreZero denormals;
  if (p.m == 0 || p.n == 0 || offsets.empty()) return absl::OkStatus();
  if (p.k == 0) {
    std::fill_n(y.kernel<char>(), y.num_bytes(), 0);
    return absl::OkStatus();
  }
  switch (a.dtype()) {
    case DType::kFloat32:
      return onednn::RunMatMuls(args, p, a.kernel<float>(), b.kernel<float>(), y.kernel<float>(), offsets);
    case DType::kFloat64:
      return MultiplyAll<double>(args, a, b, y, p, offsets);
    case DType::kFloat16:
      return MultiplyHalves<Half>(args, a, b, y, p, offsets);
    case DType::kBfloat16:
      return MultiplyHalves<BFloat16>(args, a, b, y, p, offsets);
    case DType::kInt32:
      return MultiplyAll<int32_t>(args, a, b, y, p, offsets);
    case DType::kInt64:
      return MultiplyAll<int64_t>(args, a, b, y, p, offsets);
    case DType::kInt16:
      return MultiplyAll<int16_t>(args, a, b, y, p, offsets);
    case DType::kInt8:
      return MultiplyAll<int8_t>(args, a, b, y, p, offsets);
    case DType::kUint8:
      return MultiplyAll<uint8_t>(args, a, b, y, p, offsets);
    default:
      return absl::UnimplementedError(absl::StrCat("no matrix product of ", DTypeName(a.dtype())));
  }
}

// The problem of the two innermost dimensions.
absl::StatusOr<onednn::MatMul> ProblemOf(const Tensor& a, const Tensor& b, bool transpose_a, bool transpose_b) {
  if (a.rank() < 2 || b.rank() < 2) {
    return Refuse("expected matrices, got shapes ", a.ShapeString(), " and ", b.ShapeString());
  }
  onednn::MatMul p{.transpose_a = transpose_a, .transpose_b = transpose_b};
  const int64_t a0 = a.dim(a.rank() - 2), a1 = a.dim(a.rank() - 1);
  const int64_t b0 = b.dim(b.rank() - 2), b1 = b.dim(b.rank() - 1);
  p.m = transpose_a ? a1 : a0;
  p.k = transpose_a ? a0 : a1;
  p.n = transpose_b ? b0 : b1;
  if (p.k != (transpose_b ? b1 : b0)) {
    return Refuse("expected matrices whose inner dimensions agree, got ", a.ShapeString(),
                  transpose_a ? " transposed" : "", " and ", b.ShapeString(), transpose_b ? " transposed" : "");
  }
  return p;
}

absl::Status MatMul(KernelArgs& args) {
  const Tensor& a = args.input(0);
  const Tensor& b = args.input(1);
  BERTH_RETURN_IF_ERROR(ExpectRank(a, 2, "a"));
  BERTH_RETURN_IF_ERROR(ExpectRank(b, 2, "b"));
  BERTH_ASSIGN_OR_RETURN(const onednn::MatMul p, ProblemOf(a, b, AttrOr<bool>(args, "transpose_a", false),
                                                           AttrOr<bool>(args, "transpose_b", false)));
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, {p.m, p.n}));
  return Product(args, a, b, *y, p, {Offsets{}});
}

// The leading dimensions of a tensor, as one that only has a shape.
Tensor BatchOf(const Tensor& t) { return Tensor(t.dtype(), Dims(t.dims().begin(), t.dims().end() - 2), nullptr); }

absl::Status BatchMatMul(KernelArgs& args) {
  const Tensor& a = args.input(0);
  const Tensor& b = args.input(1);
  BERTH_ASSIGN_OR_RETURN(const onednn::MatMul p,
                         ProblemOf(a, b, AttrOr<bool>(args, "adj_x", false), AttrOr<bool>(args, "adj_y", false)));
  const Tensor batch_a = BatchOf(a), batch_b = BatchOf(b);
  BERTH_ASSIGN_OR_RETURN(const Broadcast plan, PlanBroadcast({&batch_a, &batch_b}));
  Dims dims = plan.out;
  dims.push_back(p.m);
  dims.push_back(p.n);
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, dims));
  if (y->num_elements() == 0) return absl::OkStatus();
  std::vector<Offsets> offsets;
  offsets.reserve(CountOf(plan.out));
  ForEachRow(plan, [&](const auto& at, int64_t out_at) {
    for (int64_t i = 0; i < plan.row(); ++i) {
      offsets.push_back({(at[0] + i * plan.row_step(0)) * p.m * p.k, (at[1] + i * plan.row_step(1)) * p.k * p.n,
                         (out_at + i) * p.m * p.n});
    }
  });
  return Product(args, a, b, *y, p, offsets);
}

const std::vector<DType>& MatMulTypes() {
  static const auto* const types =
      new std::vector<DType>{DType::kFloat16, DType::kBfloat16, DType::kFloat32, DType::kFloat64, DType::kInt32,
                             DType::kInt64,   DType::kInt16,    DType::kInt8,    DType::kUint8};
  return *types;
}

}  // namespace

void AddMatMulKernels(KernelTable& table) {
  table.Add({.op = "BatchMatMul", .types = {{"T", MatMulTypes()}}, .run = BatchMatMul});
  table.Add({.op = "BatchMatMulV2", .types = {{"T", MatMulTypes()}}, .run = BatchMatMul});
  table.Add({.op = "MatMul", .types = {{"T", MatMulTypes()}}, .run = MatMul});
}

}  // namespace berth::cpu
