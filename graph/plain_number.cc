#include "graph/plain_number.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "graph/half.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

template <typename From>
absl::Status Refuse(From value, DType to) {
  return absl::InvalidArgumentError(absl::StrCat("expected a value of type ", ShortDTypeName(to), ", got ", value));
}

// Appends `value` as a To. Rounding to a floating type is no change; another integer is.
template <typename To, typename From>
absl::Status Append(From value, DType to, std::string* bytes) {
  To out;
  if constexpr (std::is_integral_v<To>) {
    const long double wide = static_cast<long double>(value);
    if (!(wide >= static_cast<long double>(std::numeric_limits<To>::min()) &&
          wide <= static_cast<long double>(std::numeric_limits<To>::max())) ||
        std::floor(wide) != wide) {
      return Refuse(value, to);
    }
    out = static_cast<To>(value);
  } else {
    out = static_cast<To>(value);
  }
  bytes->append(reinterpret_cast<const char*>(&out), sizeof out);
  return absl::OkStatus();
}

void Append16(uint16_t bits, std::string* bytes) { bytes->append(reinterpret_cast<const char*>(&bits), sizeof bits); }

template <typename From>
absl::Status AppendAs(From value, DType to, std::string* bytes) {
  switch (to) {
    case DType::kFloat32:
      return Append<float>(value, to, bytes);
    case DType::kFloat64:
      return Append<double>(value, to, bytes);
    case DType::kInt8:
      return Append<int8_t>(value, to, bytes);
    case DType::kInt16:
      return Append<int16_t>(value, to, bytes);
    case DType::kInt32:
      return Append<int32_t>(value, to, bytes);
    case DType::kInt64:
      return Append<int64_t>(value, to, bytes);
    case DType::kUint8:
      return Append<uint8_t>(value, to, bytes);
    case DType::kUint16:
      return Append<uint16_t>(value, to, bytes);
    case DType::kUint32:
      return Append<uint32_t>(value, to, bytes);
    case DType::kUint64:
      return Append<uint64_t>(value, to, bytes);
    case DType::kFloat16:
      Append16(FloatToHalf(static_cast<float>(value)), bytes);
      return absl::OkStatus();
    case DType::kBfloat16:
      Append16(FloatToBfloat16(static_cast<float>(value)), bytes);
      return absl::OkStatus();
    default:
      return Refuse(value, to);
  }
}

template <typename From>
absl::StatusOr<Literal> Convert(const Literal& wide, DType to) {
  const absl::string_view values = wide.bytes();
  std::string bytes;
  for (size_t at = 0; at + sizeof(From) <= values.size(); at += sizeof(From)) {
    From value;
    std::memcpy(&value, values.data() + at, sizeof value);
    BERTH_RETURN_IF_ERROR(AppendAs(value, to, &bytes));
  }
  return Literal::FromBytes(to, wide.shape().dims(), std::move(bytes));
}

}  // namespace

absl::StatusOr<Literal> NumbersAs(const Literal& wide, DType to) {
  if (wide.dtype() == DType::kFloat64) return Convert<double>(wide, to);
  if (wide.dtype() == DType::kInt64) return Convert<int64_t>(wide, to);
  return absl::InvalidArgumentError(
      absl::StrCat("expected plain numbers, got a ", ShortDTypeName(wide.dtype()), " literal"));
}

}  // namespace berth
