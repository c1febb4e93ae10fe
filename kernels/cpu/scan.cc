// Running sums and products along an axis: Cumsum, Cumprod.
#include "graph/status_macros.h"
#include "kernels/cpu/args.h"
#include "kernels/cpu/denormals.h"
#include "kernels/cpu/families.h"
#include "kernels/cpu/float16.h"

namespace berth::cpu {
namespace {

enum class Fold { kSum, kProd };

// What a running value is kept in: integers wrap, 16-bit floats are rounded at each step as they are stored.
template <typename T>
using Wide = std::conditional_t<std::is_integral_v<T>, uint64_t, std::conditional_t<sizeof(T) == 2, float, T>>;

template <Fold kFold, typename T>
void Scan(const Tensor& x, int axis, bool exclusive, bool reverse, Tensor& y) {
  const int64_t size = x.dim(axis), inner = CountOf(x.dims(), axis + 1, x.rank());
  const int64_t outer = CountOf(x.dims(), 0, axis);
  const int64_t step = reverse ? -inner : inner, first = reverse ? (size - 1) * inner : 0;
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      const T* from = x.kernel<T>() + o * size * inner + first + i;
      T* to = y.kernel<T>() + o * size * inner + first + i;
      Wide<T> running = kFold == Fold::kSum ? Wide<T>{0} : Wide<T>{1};
      for (int64_t k = 0; k < size; ++k) {
        const auto value = static_cast<Wide<T>>(from[k * step]);
        const Wide<T> next = kFold == Fold::kSum ? running + value : running * value;
        to[k * step] = static_cast<T>(exclusive ? running : next);
        running = next;
      }
    }
  }
}

template <Fold kFold>
absl::Status Cumulate(KernelArgs& args) {
  const DenormalsAreZero denormals;
  const Tensor& x = args.input(0);
  BERTH_ASSIGN_OR_RETURN(const int64_t given, IntOf(args.input(1), "axis"));
  BERTH_ASSIGN_OR_RETURN(const int axis, AxisOf(given, x.rank(), "axis"));
  const bool exclusive = AttrOr<bool>(args, "exclusive", false), reverse = AttrOr<bool>(args, "reverse", false);
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, x.dims()));
  if (y->num_elements() == 0) return absl::OkStatus();
  switch (x.dtype()) {
    case DType::kFloat16:
      Scan<kFold, Half>(x, axis, exclusive, reverse, *y);
      break;
    case DType::kBfloat16:
      Scan<kFold, BFloat16>(x, axis, exclusive, reverse, *y);
      break;
    case DType::kFloat32:
      Scan<kFold, float>(x, axis, exclusive, reverse, *y);
      break;
    case DType::kFloat64:
      Scan<kFold, double>(x, axis, exclusive, reverse, *y);
      break;
    case DType::kInt8:
      Scan<kFold, int8_t>(x, axis, exclusive, reverse, *y);
      break;
    case DType::kInt16:
      Scan<kFold, int16_t>(x, axis, exclusive, reverse, *y);
      break;
    case DType::kInt32:
      Scan<kFold, int32_t>(x, axis, exclusive, reverse, *y);
      break;
    case DType::kUint8:
      Scan<kFold, uint8_t>(x, axis, exclusive, reverse, *y);
      break;
    case DType::kUint16:
      Scan<kFold, uint16_t>(x, axis, exclusive, reverse, *y);
      break;
    case DType::kUint32:
      Scan<kFold, uint32_t>(x, axis, exclusive, reverse, *y);
      break;
    case DType::kUint64:
      Scan<kFold, uint64_t>(x, axis, exclusive, reverse, *y);
      break;
    default:
      Scan<kFold, int64_t>(x, axis, exclusive, reverse, *y);
  }
  return absl::OkStatus();
}

}  // namespace

void AddScanKernels(KernelTable& table) {
  const std::vector<TypeConstraint> types = {{"T", NumericTypes()}};
  table.Add({.op = "Cumprod", .types = types, .host_args = {"axis"}, .run = Cumulate<Fold::kProd>});
  table.Add({.op = "Cumsum", .types = types, .host_args = {"axis"}, .run = Cumulate<Fold::kSum>});
}

}  // namespace berth::cpu
