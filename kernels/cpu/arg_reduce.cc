// The index of the largest or smallest element along an axis; of equal ones, the first. NaN is never chosen over a
// number.
#include "graph/status_macros.h"
#include "kernels/cpu/args.h"
#include "kernels/cpu/families.h"
#include "kernels/cpu/float16.h"

namespace berth::cpu {
namespace {

template <typename T>
auto ValueOf(T x) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return static_cast<float>(x);
  } else {
    return x;
  }
}

template <typename T, bool kMax>
void Search(const T* x, int64_t outer, int64_t size, int64_t inner, int64_t* out) {
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      const T* first = x + o * size * inner + i;
      int64_t best = 0;
      auto value = ValueOf(*first);
      for (int64_t k = 1; k < size; ++k) {
        const auto candidate = ValueOf(first[k * inner]);
        if (kMax ? candidate > value : candidate < value) {
          best = k;
          value = candidate;
        } else if (value != value && candidate == candidate) {
          best = k;
          value = candidate;
        }
      }
      out[o * inner + i] = best;
    }
  }
}

template <bool kMax>
absl::Status SearchAny(const Tensor& x, int64_t outer, int64_t size, int64_t inner, int64_t* out) {
  switch (x.dtype()) {
    case DType::kFloat16:
      Search<Half, kMax>(x.kernel<Half>(), outer, size, inner, out);
      break;
    case DType::kBfloat16:
      Search<BFloat16, kMax>(x.kernel<BFloat16>(), outer, size, inner, out);
      break;
    case DType::kFloat32:
      Search<float, kMax>(x.kernel<float>(), outer, size, inner, out);
      break;
    case DType::kFloat64:
      Search<double, kMax>(x.kernel<double>(), outer, size, inner, out);
      break;
    case DType::kInt8:
      Search<int8_t, kMax>(x.kernel<int8_t>(), outer, size, inner, out);
      break;
    case DType::kInt16:
      Search<int16_t, kMax>(x.kernel<int16_t>(), outer, size, inner, out);
      break;
    case DType::kInt32:
      Search<int32_t, kMax>(x.kernel<int32_t>(), outer, size, inner, out);
      break;
    case DType::kInt64:
      Search<int64_t, kMax>(x.kernel<int64_t>(), outer, size, inner, out);
      break;
    case DType::kUint16:
      Search<uint16_t, kMax>(x.kernel<uint16_t>(), outer, size, inner, out);
      break;
    case DType::kUint32:
      Search<uint32_t, kMax>(x.kernel<uint32_t>(), outer, size, inner, out);
      break;
    case DType::kUint64:
      Search<uint64_t, kMax>(x.kernel<uint64_t>(), outer, size, inner, out);
      break;
    default:
      Search<uint8_t, kMax>(x.kernel<uint8_t>(), outer, size, inner, out);
  }
  return absl::OkStatus();
}

template <bool kMax>
absl::Status ArgReduce(KernelArgs& args) {
  const Tensor& x = args.input(0);
  BERTH_ASSIGN_OR_RETURN(const int64_t given, IntOf(args.input(1), "dimension"));
  BERTH_ASSIGN_OR_RETURN(const int axis, AxisOf(given, x.rank(), "dimension"));
  if (x.dim(axis) == 0) return Refuse("expected elements along dimension ", axis, ", got shape ", x.ShapeString());
  Dims dims = x.dims();
  dims.erase(dims.begin() + axis);
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, dims));
  const int64_t n = y->num_elements();
  if (n == 0) return absl::OkStatus();
  std::vector<int64_t> found(n);
  BERTH_RETURN_IF_ERROR(
      SearchAny<kMax>(x, CountOf(x.dims(), 0, axis), x.dim(axis), CountOf(x.dims(), axis + 1, x.rank()), found.data()));
  for (int64_t i = 0; i < n; ++i) {
    switch (DTypeSize(y->dtype())) {
      case 2:
        y->kernel<int16_t>()[i] = static_cast<int16_t>(found[i]);
        break;
      case 4:
        y->kernel<int32_t>()[i] = static_cast<int32_t>(found[i]);
        break;
      default:
        y->kernel<int64_t>()[i] = found[i];
    }
  }
  return absl::OkStatus();
}

}  // namespace

void AddArgReduceKernels(KernelTable& table) {
  std::vector<DType> types = NumericTypes();
  types.push_back(DType::kBool);
  for (bool max : {true, false}) {
    table.Add({.op = max ? "ArgMax" : "ArgMin",
               .types = {{"T", types}},
               .host_args = {"dimension"},
               .run = max ? ArgReduce<true> : ArgReduce<false>});
  }
}

}  // namespace berth::cpu
