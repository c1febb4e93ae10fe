// Indices from values and back: OneHot, TopKV2, Where.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "graph/status_macros.h"
#include "kernels/cpu/args.h"
#include "kernels/cpu/families.h"
#include "kernels/cpu/float16.h"
#include "kernels/cpu/strided.h"

namespace berth::cpu {
namespace {

absl::Status OneHot(KernelArgs& args) {
  const Tensor& indices = args.input(0);
  BERTH_ASSIGN_OR_RETURN(const int64_t depth, IntOf(args.input(1), "depth"));
  if (depth < 0) return Refuse("expected depth of at least 0, got ", depth);
  BERTH_RETURN_IF_ERROR(ExpectRank(args.input(2), 0, "on_value"));
  BERTH_RETURN_IF_ERROR(ExpectRank(args.input(3), 0, "off_value"));
  const int64_t given = AttrOr<int64_t>(args, "axis", -1);
  BERTH_ASSIGN_OR_RETURN(const int axis, AxisOf(given, indices.rank() + 1, "axis"));
  Dims dims = indices.dims();
  dims.insert(dims.begin() + axis, depth);
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, dims));
  const Elements to = ElementsOf(*y);
  Repeat(ElementsOf(args.input(3)), to, y->num_elements());
  const int64_t inner = CountOf(indices.dims(), axis, indices.rank());
  for (int64_t i = 0; i < indices.num_elements(); ++i) {
    const int64_t index = IntAt(indices, i);
    if (index < 0 || index >= depth) continue;  // all off
    CopyBlock(ElementsOf(args.input(2)), to.At((i / inner * depth + index) * inner + i % inner), 1);
  }
  return absl::OkStatus();
}

template <typename T>
auto ValueOf(T x) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return static_cast<float>(x);
  } else {
    return x;
  }
}

// Before `b` in the order wanted: larger values first, then lower indices; NaN comes last.
template <typename V>
bool Before(V a, int64_t i, V b, int64_t j) {
  const bool a_is_nan = a != a, b_is_nan = b != b;
  if (a_is_nan != b_is_nan) return b_is_nan;
  return a > b || (!(a < b) && i < j);
}

template <typename T>
void TopRow(const T* x, int64_t n, int64_t k, std::vector<int64_t>& order) {
  order.resize(n);
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(order.begin(), order.begin() + k, order.end(),
                    [x](int64_t i, int64_t j) { return Before(ValueOf(x[i]), i, ValueOf(x[j]), j); });
}

void TopRowOf(const Tensor& x, int64_t start, int64_t n, int64_t k, std::vector<int64_t>& order) {
  switch (x.dtype()) {
    case DType::kFloat16:
      return TopRow(x.kernel<Half>() + start, n, k, order);
    case DType::kBfloat16:
      return TopRow(x.kernel<BFloat16>() + start, n, k, order);
    case DType::kFloat32:
      return TopRow(x.kernel<float>() + start, n, k, order);
    case DType::kFloat64:
      return TopRow(x.kernel<double>() + start, n, k, order);
    case DType::kInt8:
      return TopRow(x.kernel<int8_t>() + start, n, k, order);
    case DType::kInt16:
      return TopRow(x.kernel<int16_t>() + start, n, k, order);
    case DType::kInt32:
      return TopRow(x.kernel<int32_t>() + start, n, k, order);
    case DType::kInt64:
      return TopRow(x.kernel<int64_t>() + start, n, k, order);
    case DType::kUint16:
      return TopRow(x.kernel<uint16_t>() + start, n, k, order);
    case DType::kUint32:
      return TopRow(x.kernel<uint32_t>() + start, n, k, order);
    case DType::kUint64:
      return TopRow(x.kernel<uint64_t>() + start, n, k, order);
    default:
      return TopRow(x.kernel<uint8_t>() + start, n, k, order);
  }
}

void StoreIndex(Tensor& to, int64_t at, int64_t index) {
  switch (DTypeSize(to.dtype())) {
    case 2:
      to.kernel<int16_t>()[at] = static_cast<int16_t>(index);
      break;
    case 4:
      to.kernel<int32_t>()[at] = static_cast<int32_t>(index);
      break;
    default:
      to.kernel<int64_t>()[at] = index;
  }
}

absl::Status TopK(KernelArgs& args) {
  const Tensor& x = args.input(0);
  BERTH_ASSIGN_OR_RETURN(const int64_t k, IntOf(args.input(1), "k"));
  if (x.rank() < 1) return Refuse("expected an input of rank at least 1, got a scalar");
  const int64_t n = x.dim(x.rank() - 1);
  if (k < 0 || k > n) return Refuse("expected k in [0,", n, "], got ", k);
  Dims dims = x.dims();
  dims.back() = k;
  BERTH_ASSIGN_OR_RETURN(Tensor * values, args.Allocate(0, dims));
  BERTH_ASSIGN_OR_RETURN(Tensor * indices, args.Allocate(1, dims));
  if (values->num_elements() == 0) return absl::OkStatus();
  std::vector<int64_t> order;
  for (int64_t row = 0; row < x.num_elements() / n; ++row) {
    TopRowOf(x, row * n, n, k, order);
    for (int64_t i = 0; i < k; ++i) {
      CopyBlock(ElementsOf(x).At(row * n + order[i]), ElementsOf(*values).At(row * k + i), 1);
      StoreIndex(*indices, row * k + i, order[i]);
    }
  }
  return absl::OkStatus();
}

// Not zero, whatever the type: any bit but the sign of a float zero.
bool IsTrue(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DType::kFloat16:
    case DType::kBfloat16:
      return (t.kernel<uint16_t>()[i] & 0x7fff) != 0;
    case DType::kFloat32:
      return t.kernel<float>()[i] != 0;
    case DType::kFloat64:
      return t.kernel<double>()[i] != 0;
    case DType::kBool:
      return t.kernel<bool>()[i];
    default:
      return IntAt(t, i) != 0;
  }
}

absl::Status Where(KernelArgs& args) {
  const Tensor& x = args.input(0);
  const int64_t n = x.num_elements();
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) count += IsTrue(x, i);
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, {count, x.rank()}));
  const Strides strides = RowMajor(x.dims());
  int64_t* out = y->kernel<int64_t>();
  for (int64_t i = 0; i < n; ++i) {
    if (!IsTrue(x, i)) continue;
    for (int d = 0; d < x.rank(); ++d) *out++ = i / strides[d] % x.dim(d);
  }
  return absl::OkStatus();
}

}  // namespace

void AddPickKernels(KernelTable& table) {
  table.Add({.op = "OneHot",
             .types = {{"T", AllTypes()}, {"TI", {DType::kUint8, DType::kInt8, DType::kInt32, DType::kInt64}}},
             .host_args = {"depth"},
             .run = OneHot});
  table.Add({.op = "TopKV2", .types = {{"T", NumericTypes()}}, .host_args = {"k"}, .run = TopK});
  std::vector<DType> types = NumericTypes();
  types.push_back(DType::kBool);
  table.Add({.op = "Where", .types = {{"T", types}}, .run = Where});
}

}  // namespace berth::cpu
