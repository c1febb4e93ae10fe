// A constant tensor inside a graph: the value of a Const, or any attribute of type tensor.
//
// Immutable, cheap to copy (storage is shared). A literal may hold fewer values than elements, as TensorProto does:
// the last value repeats, and no value at all reads as zeros. So `Fill`-like constants of huge shape cost nothing until
// they are expanded, and a hostile shape costs nothing at import.
#ifndef BERTH_GRAPH_LITERAL_H_
#define BERTH_GRAPH_LITERAL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "graph/dtype.h"
#include "graph/shape.h"

namespace berth {

class Literal {
 public:
  Literal() = default;  // kInvalid, scalar, zeros

  // `values`: elements in row-major order, little-endian, at most as many as the shape has. REQUIRES: DTypeSize(dtype)
  // > 0 and values.size() a multiple of it; dims >= 0.
  static Literal FromBytes(DType dtype, absl::Span<const int64_t> dims, std::string values);
  static Literal FromStrings(absl::Span<const int64_t> dims, std::vector<std::string> values);
  // A tensor that Berth can carry through but not read (variant, resource, sub-byte types): its serialized TensorProto.
  static Literal Opaque(DType dtype, const PartialShape& shape, std::string tensor_proto);
  // What a dump without values leaves of a large literal: type, shape, size and Fingerprint(). It places, diffs and
  // compares equal to itself, and prints; whoever needs the values must refuse it (is_elided()).
  static Literal Elided(DType dtype, const PartialShape& shape, int64_t stored_bytes, uint64_t fingerprint);

  // T is one of float, double, bool and the fixed-size integers.
  template <typename T>
  static Literal Scalar(T value);
  template <typename T>
  static Literal Vector(absl::Span<const T> values);
  // Every element `value`; stores one.
  template <typename T>
  static Literal Filled(T value, absl::Span<const int64_t> dims);
  static Literal String(absl::string_view value);

  DType dtype() const { return dtype_; }
  // Fully defined but for opaque literals.
  const PartialShape& shape() const { return shape_; }
  // Elements the shape has; -1 when it overflows int64 or is not defined.
  int64_t num_elements() const;
  // Bytes when expanded; -1 on overflow or for strings and opaque literals.
  int64_t num_bytes() const;

  bool is_opaque() const { return opaque_; }
  bool is_elided() const { return elided_; }
  // Bytes of values as stored (strings: their lengths); of an elided literal, of the original.
  int64_t stored_bytes() const;
  // The values stored, as given to FromBytes (or the TensorProto of an opaque literal).
  absl::string_view bytes() const { return bytes_ ? absl::string_view(*bytes_) : absl::string_view(); }
  absl::Span<const std::string> strings() const;
  // Elements stored: fewer than num_elements() when the last one repeats.
  int64_t num_stored() const;
  // True when every element is stored.
  bool is_full() const;

  // Writes num_bytes() bytes, repeating the last stored value. REQUIRES: num_bytes() >= 0 and not elided.
  void ExpandTo(char* out) const;
  // Element i as an integer. Nullopt for non-integer types, i out of range, opaque and elided literals.
  std::optional<int64_t> IntAt(int64_t i) const;
  // All elements as integers; nullopt for non-integer types or more than `limit` elements.
  std::optional<std::vector<int64_t>> Ints(int64_t limit = 4096) const;

  // Equal type, shape and expanded value, by bits. Opaque literals compare by bytes, elided ones by fingerprint, never
  // equal to one with values.
  friend bool operator==(const Literal& a, const Literal& b);
  friend bool operator!=(const Literal& a, const Literal& b) { return !(a == b); }
  // Of type, shape and stored values: equal representation, equal hash, on every machine; an elided literal keeps the
  // hash of its original. O(stored bytes).
  uint64_t Fingerprint() const;

 private:
  DType dtype_ = DType::kInvalid;
  bool opaque_ = false;
  bool elided_ = false;
  int64_t elided_bytes_ = 0;
  uint64_t elided_fingerprint_ = 0;
  PartialShape shape_ = PartialShape::Scalar();
  std::shared_ptr<const std::string> bytes_;
  std::shared_ptr<const std::vector<std::string>> strings_;
};

// The DType of a C++ element type.
template <typename T>
constexpr DType DTypeOf() {
  if constexpr (std::is_same_v<T, float>) return DType::kFloat32;
  if constexpr (std::is_same_v<T, double>) return DType::kFloat64;
  if constexpr (std::is_same_v<T, bool>) return DType::kBool;
  if constexpr (std::is_same_v<T, int8_t>) return DType::kInt8;
  if constexpr (std::is_same_v<T, int16_t>) return DType::kInt16;
  if constexpr (std::is_same_v<T, int32_t>) return DType::kInt32;
  if constexpr (std::is_same_v<T, int64_t>) return DType::kInt64;
  if constexpr (std::is_same_v<T, uint8_t>) return DType::kUint8;
  if constexpr (std::is_same_v<T, uint16_t>) return DType::kUint16;
  if constexpr (std::is_same_v<T, uint32_t>) return DType::kUint32;
  if constexpr (std::is_same_v<T, uint64_t>) return DType::kUint64;
  return DType::kInvalid;
}

template <typename T>
Literal Literal::Scalar(T value) {
  static_assert(DTypeOf<T>() != DType::kInvalid);
  return FromBytes(DTypeOf<T>(), {}, std::string(reinterpret_cast<const char*>(&value), sizeof value));
}

template <typename T>
Literal Literal::Vector(absl::Span<const T> values) {
  static_assert(DTypeOf<T>() != DType::kInvalid);
  const int64_t size = static_cast<int64_t>(values.size());
  return FromBytes(DTypeOf<T>(), {size},
                   std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)));
}

template <typename T>
Literal Literal::Filled(T value, absl::Span<const int64_t> dims) {
  static_assert(DTypeOf<T>() != DType::kInvalid);
  return FromBytes(DTypeOf<T>(), dims, std::string(reinterpret_cast<const char*>(&value), sizeof value));
}

}  // namespace berth

#endif  // BERTH_GRAPH_LITERAL_H_
