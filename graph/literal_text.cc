#include "graph/literal_text.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "graph/half.h"

namespace berth {
namespace {

template <typename Bits, typename T>
std::string FloatingText(T value) {
  Bits bits;
  std::memcpy(&bits, &value, sizeof bits);
  if (std::isnan(value)) {
    Bits quiet;
    const T nan = std::numeric_limits<T>::quiet_NaN();
    std::memcpy(&quiet, &nan, sizeof quiet);
    return bits == quiet ? "nan" : absl::StrCat("nan:0x", absl::Hex(bits));
  }
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  const absl::string_view digits(buffer, end - buffer);
  return digits.find_first_of(".e") == absl::string_view::npos ? absl::StrCat(digits, ".0") : std::string(digits);
}

// The 16-bit kinds print the float of the same value; NaNs by their own 16 bits.
std::string HalfText(uint16_t bits, float value) {
  return std::isnan(value) ? absl::StrCat("nan:0x", absl::Hex(bits)) : FloatText(value);
}

template <typename T>
T Load(const char* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

std::string ElementText(DType type, const char* p) {
  switch (type) {
    case DType::kFloat32:
      return FloatText(Load<float>(p));
    case DType::kFloat64:
      return FloatText(Load<double>(p));
    case DType::kFloat16:
      return HalfText(Load<uint16_t>(p), HalfToFloat(Load<uint16_t>(p)));
    case DType::kBfloat16:
      return HalfText(Load<uint16_t>(p), Bfloat16ToFloat(Load<uint16_t>(p)));
    case DType::kBool:
      return absl::StrCat(Load<uint8_t>(p));
    case DType::kInt8:
    case DType::kQint8:
      return absl::StrCat(Load<int8_t>(p));
    case DType::kInt16:
    case DType::kQint16:
      return absl::StrCat(Load<int16_t>(p));
    case DType::kInt32:
    case DType::kQint32:
      return absl::StrCat(Load<int32_t>(p));
    case DType::kInt64:
      return absl::StrCat(Load<int64_t>(p));
    case DType::kUint16:
    case DType::kQuint16:
      return absl::StrCat(Load<uint16_t>(p));
    case DType::kUint32:
      return absl::StrCat(Load<uint32_t>(p));
    case DType::kUint64:
      return absl::StrCat(Load<uint64_t>(p));
    case DType::kComplex64:
      return absl::StrCat(FloatText(Load<float>(p)), "|", FloatText(Load<float>(p + 4)));
    case DType::kComplex128:
      return absl::StrCat(FloatText(Load<double>(p)), "|", FloatText(Load<double>(p + 8)));
    default:  // one byte
      return absl::StrCat(Load<uint8_t>(p));
  }
}

}  // namespace

std::string FloatText(float f) { return FloatingText<uint32_t>(f); }
std::string FloatText(double d) { return FloatingText<uint64_t>(d); }

std::string LiteralText(const Literal& literal, bool all_values) {
  std::string text = absl::StrCat("tensor<", ShortDTypeName(literal.dtype()));
  absl::StrAppend(&text, literal.shape().ToString());
  if (literal.is_elided() || (!all_values && literal.stored_bytes() > kMaxPrintedBytes)) {
    absl::StrAppend(&text, " #", absl::Hex(literal.Fingerprint(), absl::kZeroPad16), " ", literal.stored_bytes(), "B>");
    return text;
  }
  if (literal.is_opaque()) {
    absl::StrAppend(&text, " proto \"", absl::CHexEscape(literal.bytes()), "\">");
    return text;
  }
  const char* separator = " ";
  if (literal.dtype() == DType::kString) {
    for (const std::string& s : literal.strings()) {
      absl::StrAppend(&text, separator, "\"", absl::CHexEscape(s), "\"");
      separator = ",";
    }
  } else {
    const int size = DTypeSize(literal.dtype());
    for (int64_t i = 0; i < literal.num_stored(); ++i) {
      absl::StrAppend(&text, separator, ElementText(literal.dtype(), literal.bytes().data() + i * size));
      separator = ",";
    }
  }
  if (literal.num_stored() > 0 && !literal.is_full()) text += ",...";
  return text + ">";
}

std::string AttrNameText(absl::string_view name) {
  bool plain = !name.empty() && !absl::ascii_isdigit(name[0]);
  for (char c : name) plain = plain && (absl::ascii_isalnum(c) || c == '_' || c == '.');
  return plain ? std::string(name) : absl::StrCat("\"", absl::CHexEscape(name), "\"");
}

}  // namespace berth
