#include "graph/small_tensor.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/half.h"

namespace berth {
namespace {

template <typename T>
T Load(const char* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

SmallElement LoadElement(DType dtype, const char* p) {
  switch (dtype) {
    case DType::kBool:
      return {true, *p != 0 ? 1 : 0, 0};
    case DType::kInt8:
      return {true, Load<int8_t>(p), 0};
    case DType::kInt16:
      return {true, Load<int16_t>(p), 0};
    case DType::kInt32:
      return {true, Load<int32_t>(p), 0};
    case DType::kInt64:
      return {true, Load<int64_t>(p), 0};
    case DType::kUint8:
      return {true, Load<uint8_t>(p), 0};
    case DType::kUint16:
      return {true, Load<uint16_t>(p), 0};
    case DType::kUint32:
      return {true, Load<uint32_t>(p), 0};
    case DType::kUint64:
      return {true, static_cast<int64_t>(Load<uint64_t>(p)), 0};
    case DType::kFloat32:
      return {true, 0, Load<float>(p)};
    case DType::kFloat64:
      return {true, 0, Load<double>(p)};
    case DType::kFloat16:
      return {true, 0, HalfToFloat(Load<uint16_t>(p))};
    case DType::kBfloat16:
      return {true, 0, Bfloat16ToFloat(Load<uint16_t>(p))};
    default:
      return {};
  }
}

}  // namespace

bool SmallTensor::fully_known() const {
  for (const SmallElement& e : elements) {
    if (!e.known) return false;
  }
  return true;
}

std::optional<int64_t> SmallTensor::Int(int64_t k) const {
  if (k < 0 || k >= size() || is_float() || !elements[k].known) return std::nullopt;
  return elements[k].i;
}

std::string SmallTensor::ToString() const {
  return absl::StrCat(ShortDTypeName(dtype), PartialShape(dims).ToString(), " {",
                      absl::StrJoin(elements, ",",
                                    [this](std::string* out, const SmallElement& e) {
                                      if (!e.known) {
                                        out->append("?");
                                      } else if (is_float()) {
                                        absl::StrAppend(out, e.f);
                                      } else {
                                        absl::StrAppend(out, e.i);
                                      }
                                    }),
                      "}");
}

bool SmallTensor::Holds(DType dtype) { return IsInteger(dtype) || IsFloating(dtype) || dtype == DType::kBool; }

std::optional<SmallTensor> SmallTensor::Unknown(DType dtype, const PartialShape& shape) {
  if (!Holds(dtype) || !shape.has_rank()) return std::nullopt;
  const std::optional<int64_t> size = shape.num_elements();
  if (!size.has_value() || *size > kMaxElements) return std::nullopt;
  return SmallTensor{dtype, {shape.dims().begin(), shape.dims().end()}, std::vector<SmallElement>(*size)};
}

std::optional<SmallTensor> SmallTensor::FromLiteral(const Literal& literal) {
  if (literal.is_opaque() || literal.is_elided()) return std::nullopt;
  std::optional<SmallTensor> tensor = Unknown(literal.dtype(), literal.shape());
  if (!tensor.has_value()) return std::nullopt;
  const int width = DTypeSize(literal.dtype());
  std::string bytes(tensor->elements.size() * width, '\0');
  literal.ExpandTo(bytes.data());
  for (size_t k = 0; k < tensor->elements.size(); ++k) {
    tensor->elements[k] = LoadElement(literal.dtype(), bytes.data() + k * width);
  }
  return tensor;
}

SmallTensor SmallTensor::OfInts(DType dtype, std::vector<int64_t> dims, const std::vector<int64_t>& values) {
  SmallTensor tensor{dtype, std::move(dims), std::vector<SmallElement>(values.size())};
  for (size_t k = 0; k < values.size(); ++k) tensor.elements[k] = {true, values[k], 0};
  return tensor;
}

}  // namespace berth
