// Conversions between dtypes.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "graph/status_macros.h"
#include "kernels/cpu/args.h"
#include "kernels/cpu/elementwise.h"
#include "kernels/cpu/families.h"
#include "kernels/cpu/parallel.h"

namespace berth::cpu {
namespace {

// As the machine converts: towards zero, and what does not fit becomes what x86 makes of it.
template <typename From, typename To>
To Convert(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    return x != From{0};
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if (sizeof(To) >= 4 && std::is_signed_v<To>) {
      constexpr From kLimit = static_cast<From>(std::numeric_limits<To>::max());
      if (!(x < kLimit) || x < static_cast<From>(std::numeric_limits<To>::min())) {
        return x == kLimit && static_cast<From>(static_cast<To>(x)) == x ? static_cast<To>(x)
                                                                         : std::numeric_limits<To>::min();
      }
      return static_cast<To>(x);
    }
    if constexpr (sizeof(To) == 8) {
      constexpr From kHalf = static_cast<From>(9223372036854775808.0);
      if (x >= kHalf) return static_cast<To>(Convert<From, int64_t>(x - kHalf)) ^ (uint64_t{1} << 63);
      return static_cast<To>(Convert<From, int64_t>(x));
    } else if constexpr (sizeof(To) == 4) {
      return static_cast<To>(Convert<From, int64_t>(x));
    } else {
      return static_cast<To>(Convert<From, int32_t>(x));
    }
  } else {
    return static_cast<To>(x);
  }
}

// A chunk in the type that all conversions meet in: float or double for floats, else the integer itself.
template <typename From, typename To>
void ConvertAll(const void* in, void* out, int64_t n) {
  const From* x = static_cast<const From*>(in);
  To* y = static_cast<To*>(out);
  for (int64_t i = 0; i < n; ++i) y[i] = Convert<From, To>(x[i]);
}

using Loop = void (*)(const void* in, void* out, int64_t n);

template <typename From>
Loop LoopTo(DType to) {
  switch (to) {
    case DType::kFloat32:
      return ConvertAll<From, float>;
    case DType::kFloat64:
      return ConvertAll<From, double>;
    case DType::kInt8:
      return ConvertAll<From, int8_t>;
    case DType::kInt16:
      return ConvertAll<From, int16_t>;
    case DType::kInt32:
      return ConvertAll<From, int32_t>;
    case DType::kInt64:
      return ConvertAll<From, int64_t>;
    case DType::kUint8:
      return ConvertAll<From, uint8_t>;
    case DType::kUint16:
      return ConvertAll<From, uint16_t>;
    case DType::kUint32:
      return ConvertAll<From, uint32_t>;
    case DType::kUint64:
      return ConvertAll<From, uint64_t>;
    case DType::kBool:
      return ConvertAll<From, bool>;
    default:
      return nullptr;
  }
}

Loop LoopOf(DType from, DType to) {
  switch (from) {
    case DType::kFloat32:
      return LoopTo<float>(to);
    case DType::kFloat64:
      return LoopTo<double>(to);
    case DType::kInt8:
      return LoopTo<int8_t>(to);
    case DType::kInt16:
      return LoopTo<int16_t>(to);
    case DType::kInt32:
      return LoopTo<int32_t>(to);
    case DType::kInt64:
      return LoopTo<int64_t>(to);
    case DType::kUint8:
      return LoopTo<uint8_t>(to);
    case DType::kUint16:
      return LoopTo<uint16_t>(to);
    case DType::kUint32:
      return LoopTo<uint32_t>(to);
    case DType::kUint64:
      return LoopTo<uint64_t>(to);
    case DType::kBool:
      return LoopTo<bool>(to);
    default:
      return nullptr;
  }
}

bool Is16BitFloat(DType t) { return t == DType::kFloat16 || t == DType::kBfloat16; }

void Widen(DType from, const char* in, float* out, int64_t n) {
  if (from == DType::kFloat16) {
    ToFloat(reinterpret_cast<const Half*>(in), out, n);
  } else {
    ToFloat(reinterpret_cast<const BFloat16*>(in), out, n);
  }
}

void Narrow(DType to, const float* in, char* out, int64_t n) {
  if (to == DType::kFloat16) {
    FromFloat(in, reinterpret_cast<Half*>(out), n);
  } else {
    FromFloat(in, reinterpret_cast<BFloat16*>(out), n);
  }
}

// With `truncate`, float32 loses its low bits instead of being rounded to them.
void DropLowBits(float* values, int64_t n, DType to) {
  const uint32_t keep = to == DType::kBfloat16 ? 0xffff0000u : 0xffffe000u;
  for (int64_t i = 0; i < n; ++i) {
    if (std::isnan(values[i])) continue;
    values[i] = std::bit_cast<float>(std::bit_cast<uint32_t>(values[i]) & keep);
  }
}

absl::Status Cast(KernelArgs& args) {
  const Tensor& x = args.input(0);
  const DType from = x.dtype(), to = AttrOr<DType>(args, "DstT", x.dtype());
  if (from == to) return args.SetOutput(0, x);
  const bool truncate = AttrOr<bool>(args, "Truncate", false);
  const DType in_type = Is16BitFloat(from) ? DType::kFloat32 : from;
  const DType out_type = Is16BitFloat(to) ? DType::kFloat32 : to;
  const Loop loop = LoopOf(in_type, out_type);
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, x.dims()));
  const char* in = static_cast<const char*>(x.kernel_data());
  char* out = static_cast<char*>(y->kernel_data());
  ParallelFor(args.threads(), x.num_elements(), kElementGrain, [&](int64_t begin, int64_t end) {
    float wide_in[kChunk], wide_out[kChunk];
    for (int64_t i = begin; i < end; i += kChunk) {
      const int64_t count = std::min(kChunk, end - i);
      const void* chunk = in + i * DTypeSize(from);
      if (Is16BitFloat(from)) {
        Widen(from, in + i * DTypeSize(from), wide_in, count);
        chunk = wide_in;
      }
      char* to_chunk = out + i * DTypeSize(to);
      loop(chunk, Is16BitFloat(to) ? reinterpret_cast<char*>(wide_out) : to_chunk, count);
      if (!Is16BitFloat(to)) continue;
      if (truncate && from == DType::kFloat32) DropLowBits(wide_out, count, to);
      Narrow(to, wide_out, to_chunk, count);
    }
  });
  return absl::OkStatus();
}

}  // namespace

void AddCastKernels(KernelTable& table) {
  std::vector<DType> types = NumericTypes();
  types.push_back(DType::kBool);
  table.Add({.op = "Cast", .types = {{"SrcT", types}, {"DstT", types}}, .run = Cast});
}

}  // namespace berth::cpu
