#include "graph/dtype.h"

#include <array>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace berth {
namespace {

struct Row {
  const char* name;        // TensorFlow's
  const char* short_name;  // the text form's
  const char* enum_name;   // of the protobuf enum, after "DT_"
  int size;                // bytes, 0: not fixed
  bool has_values;
};

// By number.
constexpr std::array<Row, 33> kRows = {{
    {"?", "?", "INVALID", 0, false},
    {"float32", "f32", "FLOAT", 4, true},
    {"float64", "f64", "DOUBLE", 8, true},
    {"int32", "i32", "INT32", 4, true},
    {"uint8", "u8", "UINT8", 1, true},
    {"int16", "i16", "INT16", 2, true},
    {"int8", "i8", "INT8", 1, true},
    {"string", "string", "STRING", 0, true},
    {"complex64", "c64", "COMPLEX64", 8, false},
    {"int64", "i64", "INT64", 8, true},
    {"bool", "bool", "BOOL", 1, true},
    {"qint8", "qi8", "QINT8", 1, false},
    {"quint8", "qu8", "QUINT8", 1, false},
    {"qint32", "qi32", "QINT32", 4, false},
    {"bfloat16", "bf16", "BFLOAT16", 2, true},
    {"qint16", "qi16", "QINT16", 2, false},
    {"quint16", "qu16", "QUINT16", 2, false},
    {"uint16", "u16", "UINT16", 2, true},
    {"complex128", "c128", "COMPLEX128", 16, false},
    {"float16", "f16", "HALF", 2, true},
    {"resource", "resource", "RESOURCE", 0, true},
    {"variant", "variant", "VARIANT", 0, false},
    {"uint32", "u32", "UINT32", 4, true},
    {"uint64", "u64", "UINT64", 8, true},
    {"float8_e5m2", "f8e5m2", "FLOAT8_E5M2", 1, false},
    {"float8_e4m3fn", "f8e4m3fn", "FLOAT8_E4M3FN", 1, false},
    {"float8_e4m3fnuz", "f8e4m3fnuz", "FLOAT8_E4M3FNUZ", 1, false},
    {"float8_e4m3b11fnuz", "f8e4m3b11fnuz", "FLOAT8_E4M3B11FNUZ", 1, false},
    {"float8_e5m2fnuz", "f8e5m2fnuz", "FLOAT8_E5M2FNUZ", 1, false},
    {"int4", "i4", "INT4", 0, false},
    {"uint4", "u4", "UINT4", 0, false},
    {"int2", "i2", "INT2", 0, false},
    {"uint2", "u2", "UINT2", 0, false},
}};

const Row* Find(DType t) {
  const auto number = static_cast<uint8_t>(BaseOf(t));
  if (number >= kRows.size() || (IsRef(t) && number == 0)) return nullptr;
  return &kRows[number];
}

// "dtype 77" and "dtype77"; a number that names no type has no reference twin.
std::optional<DType> ParseNumber(absl::string_view digits) {
  uint32_t number;
  if (digits.empty() || digits[0] == '+' || !absl::SimpleAtoi(digits, &number) || number > 255) {
    return std::nullopt;
  }
  return static_cast<DType>(number);
}

}  // namespace

bool IsKnown(DType t) { return t != DType::kInvalid && Find(t) != nullptr; }

std::string DTypeName(DType t) {
  const Row* row = Find(t);
  if (row == nullptr) return absl::StrCat("dtype ", static_cast<int>(t));
  return IsRef(t) ? absl::StrCat(row->name, "_ref") : row->name;
}

std::string ShortDTypeName(DType t) {
  const Row* row = Find(t);
  if (row == nullptr) return absl::StrCat("dtype", static_cast<int>(t));
  return IsRef(t) ? absl::StrCat(row->short_name, "&") : row->short_name;
}

std::optional<DType> ParseDType(absl::string_view text) {
  if (text == "?") return DType::kInvalid;
  bool is_ref = false;
  absl::string_view base = text;
  if (absl::EndsWith(text, "&")) {
    is_ref = true;
    base.remove_suffix(1);
  } else if (absl::EndsWith(text, "_ref") || absl::EndsWith(text, "_REF")) {
    is_ref = true;
    base.remove_suffix(4);
  }
  const bool is_enum = absl::StartsWith(base, "DT_");
  if (is_enum) base.remove_prefix(3);
  for (size_t i = 0; i < kRows.size(); ++i) {
    const Row& row = kRows[i];
    const bool found = is_enum ? base == row.enum_name : i > 0 && (base == row.name || base == row.short_name);
    if (!found || (is_ref && i == 0)) continue;
    const DType type = static_cast<DType>(i);
    return is_ref ? RefOf(type) : type;
  }
  if (is_ref || is_enum || !absl::StartsWith(base, "dtype")) return std::nullopt;
  base.remove_prefix(5);
  if (absl::StartsWith(base, " ")) base.remove_prefix(1);
  return ParseNumber(base);
}

int DTypeSize(DType t) {
  const Row* row = Find(t);
  return row == nullptr ? 0 : row->size;
}

bool HasValues(DType t) {
  const Row* row = Find(t);
  return row != nullptr && row->has_values;
}

bool IsFloating(DType t) {
  switch (BaseOf(t)) {
    case DType::kFloat16:
    case DType::kBfloat16:
    case DType::kFloat32:
    case DType::kFloat64:
      return true;
    default:
      return false;
  }
}

bool IsInteger(DType t) {
  switch (BaseOf(t)) {
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
    case DType::kInt64:
    case DType::kUint8:
    case DType::kUint16:
    case DType::kUint32:
    case DType::kUint64:
      return true;
    default:
      return false;
  }
}

}  // namespace berth
