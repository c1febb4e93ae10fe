#include "tools/values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "graph/half.h"
#include "graph/status_macros.h"
#include "runtime/npy.h"

namespace berth {
namespace {

using Json = nlohmann::json;

absl::Status Wrong(absl::string_view flag, const NamedValue& value, absl::string_view what) {
  return WithExit(absl::InvalidArgumentError(
                      absl::StrFormat("flag %s '%s': %s, got '%s'", flag, value.name, what, value.value.substr(0, 64))),
                  kExitUsage);
}

constexpr size_t kMaxRank = 254;

// Appends the leaves of a nested list, and finds its dimensions; false when it is ragged or too deep.
bool Flatten(const Json& json, size_t depth, Dims& dims, std::vector<Json>& leaves) {
  if (depth > kMaxRank) return false;
  if (!json.is_array()) {
    leaves.push_back(json);
    return depth == dims.size();
  }
  const int64_t size = static_cast<int64_t>(json.size());
  if (depth == dims.size()) {
    if (!leaves.empty()) return false;
    dims.push_back(size);
  }
  if (dims[depth] != size) return false;
  return std::all_of(json.begin(), json.end(),
                     [&](const Json& item) { return Flatten(item, depth + 1, dims, leaves); });
}

template <typename T>
bool StoreLeaves(const std::vector<Json>& leaves, T* out) {
  for (const Json& leaf : leaves) {
    if constexpr (std::is_same_v<T, bool>) {
      if (!leaf.is_boolean()) return false;
      *out++ = leaf.get<bool>();
    } else if constexpr (std::is_floating_point_v<T>) {
      if (!leaf.is_number()) return false;
      *out = static_cast<T>(leaf.get<double>());
      if (!std::isfinite(*out++)) return false;
    } else if (leaf.is_number_unsigned()) {  // all that have no sign
      const uint64_t wide = leaf.get<uint64_t>();
      if (wide > static_cast<uint64_t>(std::numeric_limits<T>::max())) return false;
      *out++ = static_cast<T>(wide);
    } else {
      if (!leaf.is_number_integer()) return false;
      const int64_t wide = leaf.get<int64_t>();
      if (std::is_unsigned_v<T> || wide < static_cast<int64_t>(std::numeric_limits<T>::min())) return false;
      *out++ = static_cast<T>(wide);
    }
  }
  return true;
}

// The 16-bit floats, rounded from float32.
bool StoreShort(const std::vector<Json>& leaves, uint16_t (*round)(float), uint16_t* out) {
  std::vector<float> wide(leaves.size());
  if (!StoreLeaves(leaves, wide.data())) return false;
  std::transform(wide.begin(), wide.end(), out, round);
  return true;
}

bool Store(DType dtype, const std::vector<Json>& leaves, void* out) {
  switch (dtype) {
    case DType::kFloat16:
      return StoreShort(leaves, FloatToHalf, static_cast<uint16_t*>(out));
    case DType::kBfloat16:
      return StoreShort(leaves, FloatToBfloat16, static_cast<uint16_t*>(out));
    case DType::kFloat32:
      return StoreLeaves(leaves, static_cast<float*>(out));
    case DType::kFloat64:
      return StoreLeaves(leaves, static_cast<double*>(out));
    case DType::kInt8:
      return StoreLeaves(leaves, static_cast<int8_t*>(out));
    case DType::kInt16:
      return StoreLeaves(leaves, static_cast<int16_t*>(out));
    case DType::kInt32:
      return StoreLeaves(leaves, static_cast<int32_t*>(out));
    case DType::kInt64:
      return StoreLeaves(leaves, static_cast<int64_t*>(out));
    case DType::kUint8:
      return StoreLeaves(leaves, static_cast<uint8_t*>(out));
    case DType::kUint16:
      return StoreLeaves(leaves, static_cast<uint16_t*>(out));
    case DType::kUint32:
      return StoreLeaves(leaves, static_cast<uint32_t*>(out));
    case DType::kUint64:
      return StoreLeaves(leaves, static_cast<uint64_t*>(out));
    case DType::kBool:
      return StoreLeaves(leaves, static_cast<bool*>(out));
    default:
      return false;
  }
}

template <typename T>
std::string Shortest(T value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return std::string(text, end);
}

// As JSON has it; bytes that are no UTF-8 as \xff.
std::string QuotedString(const std::string& value) {
  const Json json(value);
  const std::string text = json.dump(-1, ' ', true, Json::error_handler_t::replace);
  const bool is_utf8 = text == json.dump(-1, ' ', true, Json::error_handler_t::ignore);
  return is_utf8 ? text : absl::StrCat("\"", absl::CHexEscape(value), "\"");
}

std::string Element(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DType::kFloat32:
      return Shortest(t.kernel<float>()[i]);
    case DType::kFloat64:
      return Shortest(t.kernel<double>()[i]);
    case DType::kFloat16:
      return Shortest(HalfToFloat(t.kernel<uint16_t>()[i]));
    case DType::kBfloat16:
      return Shortest(Bfloat16ToFloat(t.kernel<uint16_t>()[i]));
    case DType::kInt8:
      return Shortest(static_cast<int>(t.kernel<int8_t>()[i]));
    case DType::kInt16:
      return Shortest(t.kernel<int16_t>()[i]);
    case DType::kInt32:
      return Shortest(t.kernel<int32_t>()[i]);
    case DType::kInt64:
      return Shortest(t.kernel<int64_t>()[i]);
    case DType::kUint8:
      return Shortest(static_cast<int>(t.kernel<uint8_t>()[i]));
    case DType::kUint16:
      return Shortest(t.kernel<uint16_t>()[i]);
    case DType::kUint32:
      return Shortest(t.kernel<uint32_t>()[i]);
    case DType::kUint64:
      return Shortest(t.kernel<uint64_t>()[i]);
    case DType::kBool:
      return t.kernel<bool>()[i] ? "true" : "false";
    case DType::kString:
      return QuotedString((*t.strings())[i]);
    default:
      return "?";
  }
}

void PrintList(const Tensor& t, int axis, int64_t& next, std::string& out) {
  if (axis == t.rank()) {
    out += Element(t, next++);
    return;
  }
  out += "[";
  for (int64_t i = 0; i < t.dim(axis); ++i) {
    if (i > 0) {
      const bool row = axis + 1 == t.rank();
      out.append(row ? ", " : ",\n");
      if (!row) out.append(static_cast<size_t>(axis) + 1, ' ');
    }
    PrintList(t, axis + 1, next, out);
  }
  out += "]";
}

}  // namespace

absl::StatusOr<NamedValue> SplitNamedValue(absl::string_view flag, absl::string_view text) {
  const size_t equals = text.find('=');
  if (equals == absl::string_view::npos || equals == 0) {
    return WithExit(absl::InvalidArgumentError(
                        absl::StrFormat("flag %s: expected NAME=VALUE or NAME=@FILE.npy, got '%s'", flag, text)),
                    kExitUsage);
  }
  return NamedValue{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

absl::StatusOr<Tensor> ReadValue(absl::string_view flag, const NamedValue& value, DType dtype, Io& io) {
  absl::string_view text = value.value;
  if (absl::ConsumePrefix(&text, "@")) {
    const std::string file(text);
    BERTH_ASSIGN_OR_RETURN(const std::string bytes, ReadInput(file, io));
    absl::StatusOr<Tensor> tensor = ReadNpy(bytes, file);
    if (!tensor.ok()) return WithExit(tensor.status(), kExitUnreadable);
    return tensor;
  }
  dtype = BaseOf(dtype);
  if (dtype == DType::kString && !absl::StartsWith(text, "[") && !absl::StartsWith(text, "\"")) {
    const Dims scalar;
    return Tensor(scalar, std::make_shared<std::vector<std::string>>(1, std::string(text)));
  }
  const Json json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return Wrong(flag, value, "expected a number, true, false, or nested lists of them");
  Dims dims;
  std::vector<Json> leaves;
  if (!Flatten(json, 0, dims, leaves)) {
    return Wrong(flag, value, absl::StrCat("expected lists of equal length, at most ", kMaxRank, " deep"));
  }
  if (dtype == DType::kString) {
    auto strings = std::make_shared<std::vector<std::string>>();
    for (const Json& leaf : leaves) {
      if (!leaf.is_string()) return Wrong(flag, value, "expected strings");
      strings->push_back(leaf.get<std::string>());
    }
    return Tensor(dims, std::move(strings));
  }
  if (DTypeSize(dtype) == 0) {
    return Wrong(flag, value,
                 absl::StrCat("expected a tensor whose values can be written, got one of ", DTypeName(dtype)));
  }
  BERTH_ASSIGN_OR_RETURN(Tensor tensor, AllocateHostTensor(dtype, dims));
  if (!Store(dtype, leaves, tensor.kernel_data())) {
    return Wrong(flag, value, absl::StrCat("expected values of type ", DTypeName(dtype)));
  }
  return tensor;
}

std::string PrintTensor(const Tensor& host, int64_t limit) {
  const int64_t n = host.num_elements();
  std::string out;
  int64_t brackets = 1;  // of an empty tensor: before its first dimension of 0
  for (int axis = 0; n == 0 && brackets <= limit && host.dim(axis) != 0; ++axis) {
    brackets *= std::min(host.dim(axis), limit + 1);
  }
  if (brackets > limit) return "[]";
  if (n <= limit) {
    int64_t next = 0;
    PrintList(host, 0, next, out);
    return out;
  }
  out.push_back('[');
  for (int64_t i = 0; i < 8; ++i) absl::StrAppend(&out, Element(host, i), ", ");
  absl::StrAppend(&out, "... ", n, " elements; --out DIR writes them all]");
  return out;
}

}  // namespace berth
