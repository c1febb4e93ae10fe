#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "graph/attr_proto.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

// TensorFlow's own bound.
constexpr int kMaxRank = 254;
// What stands for a literal without its values: version_number -1, and one string. Other readers see zeros.
constexpr int kElidedVersion = -1;
constexpr char kElidedPrefix[] = "berth elided ";

template <typename To, typename List>
std::string Pack(const List& list, int64_t limit) {
  const int64_t n = std::min<int64_t>(list.size(), limit);
  std::string bytes(n * sizeof(To), '\0');
  for (int64_t i = 0; i < n; ++i) {
    const To value = static_cast<To>(list[static_cast<int>(i)]);
    std::memcpy(bytes.data() + i * sizeof(To), &value, sizeof(To));
  }
  return bytes;
}

// The values of the typed list that fits `type`, at most `limit` elements, packed.
std::string PackValues(DType type, const pb::TensorProto& proto, int64_t limit) {
  switch (type) {
    case DType::kFloat32:
      return Pack<float>(proto.float_val(), limit);
    case DType::kFloat64:
      return Pack<double>(proto.double_val(), limit);
    case DType::kInt32:
    case DType::kQint32:
      return Pack<int32_t>(proto.int_val(), limit);
    case DType::kUint8:
    case DType::kQuint8:
    case DType::kInt8:
    case DType::kQint8:
      return Pack<uint8_t>(proto.int_val(), limit);
    case DType::kInt16:
    case DType::kQint16:
    case DType::kUint16:
    case DType::kQuint16:
      return Pack<uint16_t>(proto.int_val(), limit);
    case DType::kInt64:
      return Pack<int64_t>(proto.int64_val(), limit);
    case DType::kBool:
      return Pack<uint8_t>(proto.bool_val(), limit);
    case DType::kFloat16:
    case DType::kBfloat16:
      return Pack<uint16_t>(proto.half_val(), limit);
    case DType::kUint32:
      return Pack<uint32_t>(proto.uint32_val(), limit);
    case DType::kUint64:
      return Pack<uint64_t>(proto.uint64_val(), limit);
    case DType::kComplex64:  // pairs; half of one is dropped
      return Pack<float>(proto.scomplex_val(), std::min<int64_t>(limit, proto.scomplex_val_size() / 2) * 2);
    case DType::kComplex128:
      return Pack<double>(proto.dcomplex_val(), std::min<int64_t>(limit, proto.dcomplex_val_size() / 2) * 2);
    default:  // the 8-bit floats
      return proto.float8_val().substr(0, limit);
  }
}

template <typename From, typename List>
void Unpack(absl::string_view bytes, List* list) {
  for (size_t at = 0; at + sizeof(From) <= bytes.size(); at += sizeof(From)) {
    From value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    list->Add(value);
  }
}

void UnpackValues(DType type, absl::string_view bytes, pb::TensorProto* proto) {
  switch (type) {
    case DType::kFloat32:
      return Unpack<float>(bytes, proto->mutable_float_val());
    case DType::kFloat64:
      return Unpack<double>(bytes, proto->mutable_double_val());
    case DType::kInt32:
    case DType::kQint32:
      return Unpack<int32_t>(bytes, proto->mutable_int_val());
    case DType::kUint8:
    case DType::kQuint8:
      return Unpack<uint8_t>(bytes, proto->mutable_int_val());
    case DType::kInt8:
    case DType::kQint8:
      return Unpack<int8_t>(bytes, proto->mutable_int_val());
    case DType::kInt16:
    case DType::kQint16:
      return Unpack<int16_t>(bytes, proto->mutable_int_val());
    case DType::kUint16:
    case DType::kQuint16:
      return Unpack<uint16_t>(bytes, proto->mutable_int_val());
    case DType::kInt64:
      return Unpack<int64_t>(bytes, proto->mutable_int64_val());
    case DType::kBool:
      return Unpack<uint8_t>(bytes, proto->mutable_bool_val());
    case DType::kFloat16:
    case DType::kBfloat16:
      return Unpack<uint16_t>(bytes, proto->mutable_half_val());
    case DType::kUint32:
      return Unpack<uint32_t>(bytes, proto->mutable_uint32_val());
    case DType::kUint64:
      return Unpack<uint64_t>(bytes, proto->mutable_uint64_val());
    case DType::kComplex64:
      return Unpack<float>(bytes, proto->mutable_scomplex_val());
    case DType::kComplex128:
      return Unpack<double>(bytes, proto->mutable_dcomplex_val());
    default:
      proto->set_float8_val(std::string(bytes));
  }
}

// Reads what LiteralToProto writes for an elided literal.
absl::StatusOr<Literal> ElidedFromProto(DType type, const PartialShape& shape, absl::string_view text) {
  uint64_t fingerprint = 0;
  int64_t bytes = 0;
  absl::ConsumePrefix(&text, kElidedPrefix);
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ' ');
  if (parts.size() != 2 || !absl::SimpleHexAtoi(parts[0], &fingerprint) || !absl::SimpleAtoi(parts[1], &bytes)) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected fingerprint and size of an elided tensor, got '", text.substr(0, 64), "'"));
  }
  return Literal::Elided(type, shape, bytes, fingerprint);
}

absl::StatusOr<Literal> StringsFromProto(const PartialShape& shape, int64_t elements, pb::TensorProto& proto) {
  std::vector<std::string> strings;
  for (std::string& s : *proto.mutable_string_val()) {
    if (static_cast<int64_t>(strings.size()) == elements) break;
    strings.push_back(std::move(s));
  }
  return Literal::FromStrings(shape.dims(), std::move(strings));
}

}  // namespace

absl::StatusOr<DType> DTypeFromProto(int number) {
  if (number < 0 || number > 255) {
    return absl::InvalidArgumentError(absl::StrCat("expected the number of a dtype, got ", number));
  }
  return static_cast<DType>(number);
}

absl::StatusOr<PartialShape> ShapeFromProto(const pb::TensorShapeProto& proto) {
  if (proto.unknown_rank()) {
    if (proto.dim_size() == 0) return PartialShape::Unknown();
    return absl::InvalidArgumentError(absl::StrCat("expected no dimensions with unknown_rank, got ", proto.dim_size()));
  }
  if (proto.dim_size() > kMaxRank) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a shape of at most ", kMaxRank, " dimensions, got ", proto.dim_size()));
  }
  std::vector<int64_t> dims;
  dims.reserve(proto.dim_size());
  int64_t elements = 1;  // of the dimensions before the first unknown one
  bool known = true;
  for (const pb::TensorShapeProto::Dim& dim : proto.dim()) {
    if (dim.size() < -1) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected dimensions of at least 0, or -1 for unknown, got ", dim.size()));
    }
    known = known && dim.size() >= 0;
    if (known && __builtin_mul_overflow(elements, dim.size(), &elements)) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected a shape of fewer than 2^63 elements, got more by dimension ", dims.size()));
    }
    dims.push_back(dim.size());
  }
  return PartialShape(absl::MakeConstSpan(dims));
}

absl::StatusOr<Literal> LiteralFromProto(pb::TensorProto& proto) {
  BERTH_ASSIGN_OR_RETURN(const DType type, DTypeFromProto(proto.dtype()));
  BERTH_ASSIGN_OR_RETURN(const PartialShape shape, ShapeFromProto(proto.tensor_shape()));
  if (proto.version_number() == kElidedVersion && proto.string_val_size() == 1 &&
      absl::StartsWith(proto.string_val(0), kElidedPrefix)) {
    return ElidedFromProto(type, shape, proto.string_val(0));
  }
  const bool packed_strings = type == DType::kString && !proto.tensor_content().empty();
  if (IsRef(type) || packed_strings || (type != DType::kString && DTypeSize(type) == 0)) {
    return Literal::Opaque(type, shape, proto.SerializeAsString());
  }
  const std::optional<int64_t> elements = shape.num_elements();
  if (!elements) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected a tensor of a known shape whose elements can be counted, got ", shape.ToString().substr(0, 256)));
  }
  if (type == DType::kString) return StringsFromProto(shape, *elements, proto);
  if (proto.tensor_content().empty()) {
    return Literal::FromBytes(type, shape.dims(), PackValues(type, proto, *elements));
  }
  int64_t bytes;
  if (__builtin_mul_overflow(*elements, int64_t{DTypeSize(type)}, &bytes) ||
      bytes != static_cast<int64_t>(proto.tensor_content().size())) {
    return absl::InvalidArgumentError(absl::StrCat("expected ", DTypeSize(type), " bytes for each element of ",
                                                   ShortDTypeName(type), shape.ToString().substr(0, 256),
                                                   " in tensor_content, got ", proto.tensor_content().size()));
  }
  return Literal::FromBytes(type, shape.dims(), std::move(*proto.mutable_tensor_content()));
}

void ShapeToProto(const PartialShape& shape, pb::TensorShapeProto* proto) {
  if (!shape.has_rank()) {
    proto->set_unknown_rank(true);
    return;
  }
  for (int64_t dim : shape.dims()) proto->add_dim()->set_size(dim);
}

void LiteralToProto(const Literal& literal, pb::TensorProto* proto) {
  if (literal.is_opaque()) {
    proto->ParseFromArray(literal.bytes().data(), static_cast<int>(literal.bytes().size()));
    return;
  }
  proto->set_dtype(static_cast<pb::DataType>(literal.dtype()));
  ShapeToProto(literal.shape(), proto->mutable_tensor_shape());
  if (literal.is_elided()) {
    proto->set_version_number(kElidedVersion);
    proto->add_string_val(
        absl::StrCat(kElidedPrefix, absl::Hex(literal.Fingerprint(), absl::kZeroPad16), " ", literal.stored_bytes()));
    return;
  }
  for (const std::string& s : literal.strings()) proto->add_string_val(s);
  const absl::string_view bytes = literal.bytes();
  if (bytes.empty()) return;
  if (literal.num_stored() > 1 && literal.is_full()) {
    proto->set_tensor_content(bytes.data(), bytes.size());
  } else {
    UnpackValues(literal.dtype(), bytes, proto);
  }
}

}  // namespace berth
