// Ops that make tensors of given shape: filled, zero, counting.
#include <bit>
#include <cmath>

#include "graph/status_macros.h"
#include "kernels/cpu/args.h"
#include "kernels/cpu/families.h"
#include "kernels/cpu/float16.h"
#include "kernels/cpu/strided.h"

namespace berth::cpu {
namespace {

absl::StatusOr<Dims> DimsOf(const Tensor& t, absl::string_view what) {
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> values, IntsOf(t, what));
  if (t.rank() != 1) return Refuse("expected ", what, " to be a vector, got shape ", t.ShapeString());
  for (int64_t d : values) {
    if (d < 0) return Refuse("expected ", what, " of at least 0, got ", d);
  }
  return Dims(values.begin(), values.end());
}

absl::Status Fill(KernelArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const Dims dims, DimsOf(args.input(0), "dims"));
  if (args.input(1).rank() != 0) {
    return Refuse("expected value to be a scalar, got shape ", args.input(1).ShapeString());
  }
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, dims));
  Repeat(ElementsOf(args.input(1)), ElementsOf(*y), y->num_elements());
  return absl::OkStatus();
}

absl::Status Empty(KernelArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const Dims dims, DimsOf(args.input(0), "shape"));
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, dims));
  Clear(ElementsOf(*y), y->num_elements());
  return absl::OkStatus();
}

absl::Status ZerosLike(KernelArgs& args) {
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, args.input(0).dims()));
  Clear(ElementsOf(*y), y->num_elements());
  return absl::OkStatus();
}

// The bytes of 1 as each dtype; zeros for strings.
uint64_t OneBits(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return Half(1.0f).bits;
    case DType::kBfloat16:
      return BFloat16(1.0f).bits;
    case DType::kFloat32:
      return std::bit_cast<uint32_t>(1.0f);
    case DType::kFloat64:
      return std::bit_cast<uint64_t>(1.0);
    default:
      return 1;
  }
}

absl::Status OnesLike(KernelArgs& args) {
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, args.input(0).dims()));
  uint64_t one = OneBits(y->dtype());
  const Elements to = ElementsOf(*y);
  Repeat({reinterpret_cast<char*>(&one), to.size, false}, to, y->num_elements());
  return absl::OkStatus();
}

// Values are made as TensorFlow makes them: start + i * delta in T.
template <typename T>
absl::Status RangeOf(KernelArgs& args) {
  const T start = *args.input(0).kernel<T>();
  const T limit = *args.input(1).kernel<T>();
  const T delta = *args.input(2).kernel<T>();
  if (delta == T{0}) return Refuse("expected delta other than 0, got 0");
  if (delta > T{0} ? start > limit : start < limit) {
    return Refuse("expected limit ", delta > T{0} ? "at least" : "at most", " start ", start, ", got ", limit);
  }
  uint64_t count = 0;
  if constexpr (std::is_integral_v<T>) {
    using Wide = uint64_t;
    const Wide span = delta > 0 ? Wide(limit) - Wide(start) : Wide(start) - Wide(limit);
    const Wide step = delta > 0 ? Wide(delta) : -Wide(delta);
    count = span / step + (span % step != 0 ? 1 : 0);
  } else {
    const double size = std::ceil(std::abs((limit - start) / delta));  // in T, as the values
    if (!(size < 9e18)) return Refuse("expected a finite number of elements, got ", size);
    count = static_cast<uint64_t>(size);
  }
  if (count > uint64_t{INT64_MAX}) return Refuse("expected at most 2^63 elements, got ", count);
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, {static_cast<int64_t>(count)}));
  for (uint64_t i = 0; i < count; ++i) {
    if constexpr (std::is_integral_v<T>) {
      y->kernel<T>()[i] = static_cast<T>(static_cast<uint64_t>(start) + i * static_cast<uint64_t>(delta));
    } else {
      y->kernel<T>()[i] = start + static_cast<T>(i) * delta;
    }
  }
  return absl::OkStatus();
}

// The 16-bit types are computed in themselves, each step rounded, the index too.
template <typename T>
absl::Status ShortRangeOf(KernelArgs& args) {
  const auto rounded = [](float value) { return static_cast<float>(T(value)); };
  const auto start = static_cast<float>(*args.input(0).kernel<T>());
  const auto limit = static_cast<float>(*args.input(1).kernel<T>());
  const auto delta = static_cast<float>(*args.input(2).kernel<T>());
  if (delta == 0) return Refuse("expected delta other than 0, got 0");
  if (delta > 0 ? start > limit : start < limit) {
    return Refuse("expected limit ", delta > 0 ? "at least" : "at most", " start ", start, ", got ", limit);
  }
  const float size = std::ceil(std::abs(rounded(rounded(limit - start) / delta)));
  if (!std::isfinite(size)) return Refuse("expected a finite number of elements, got ", size);
  const auto count = static_cast<int64_t>(size);
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, {count}));
  for (int64_t i = 0; i < count; ++i) {
    y->kernel<T>()[i] = T(start + rounded(rounded(static_cast<float>(i)) * delta));
  }
  return absl::OkStatus();
}

absl::Status Range(KernelArgs& args) {
  for (int i = 0; i < 3; ++i)
    BERTH_RETURN_IF_ERROR(ExpectRank(args.input(i), 0, i == 0 ? "start" : i == 1 ? "limit" : "delta"));
  switch (args.input(0).dtype()) {
    case DType::kInt32:
      return RangeOf<int32_t>(args);
    case DType::kInt64:
      return RangeOf<int64_t>(args);
    case DType::kFloat16:
      return ShortRangeOf<Half>(args);
    case DType::kBfloat16:
      return ShortRangeOf<BFloat16>(args);
    case DType::kFloat32:
      return RangeOf<float>(args);
    default:
      return RangeOf<double>(args);
  }
}

}  // namespace

void AddConstantKernels(KernelTable& table) {
  table.Add({.op = "Empty", .types = {{"dtype", AllTypes()}}, .host_args = {"shape"}, .run = Empty});
  table.Add({.op = "Fill", .types = {{"T", AllTypes()}}, .host_args = {"dims"}, .run = Fill});
  table.Add({.op = "OnesLike", .types = {{"T", AllTypes()}}, .run = OnesLike});
  table.Add(
      {.op = "Range",
       .types = {{"Tidx",
                  {DType::kInt32, DType::kInt64, DType::kFloat16, DType::kBfloat16, DType::kFloat32, DType::kFloat64}}},
       .host_args = {"start", "limit", "delta", "output"},
       .run = Range,
       .cheap = true});
  table.Add({.op = "ZerosLike", .types = {{"T", AllTypes()}}, .run = ZerosLike});
}

}  // namespace berth::cpu
