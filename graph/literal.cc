#include "graph/literal.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "graph/fingerprint.h"

namespace berth {
namespace {

bool AllZero(absl::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == 0; });
}

template <typename T>
int64_t Read(const char* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return static_cast<int64_t>(value);
}

int64_t ReadInt(DType type, const char* p) {
  switch (type) {
    case DType::kInt8:
      return Read<int8_t>(p);
    case DType::kInt16:
      return Read<int16_t>(p);
    case DType::kInt32:
      return Read<int32_t>(p);
    case DType::kUint8:
      return Read<uint8_t>(p);
    case DType::kUint16:
      return Read<uint16_t>(p);
    case DType::kUint32:
      return Read<uint32_t>(p);
    default:
      return Read<int64_t>(p);
  }
}

// Element i of a list whose last value repeats; `none` when the list is empty.
template <typename List, typename T>
const T& Repeated(const List& list, int64_t i, const T& none) {
  if (list.empty()) return none;
  return list[std::min<int64_t>(i, static_cast<int64_t>(list.size()) - 1)];
}

}  // namespace

Literal Literal::FromBytes(DType dtype, absl::Span<const int64_t> dims, std::string values) {
  Literal literal;
  literal.dtype_ = dtype;
  literal.shape_ = PartialShape(dims);
  if (!values.empty()) literal.bytes_ = std::make_shared<const std::string>(std::move(values));
  return literal;
}

Literal Literal::FromStrings(absl::Span<const int64_t> dims, std::vector<std::string> values) {
  Literal literal;
  literal.dtype_ = DType::kString;
  literal.shape_ = PartialShape(dims);
  if (!values.empty()) {
    literal.strings_ = std::make_shared<const std::vector<std::string>>(std::move(values));
  }
  return literal;
}

Literal Literal::Opaque(DType dtype, const PartialShape& shape, std::string tensor_proto) {
  Literal literal;
  literal.dtype_ = dtype;
  literal.opaque_ = true;
  literal.shape_ = shape;
  literal.bytes_ = std::make_shared<const std::string>(std::move(tensor_proto));
  return literal;
}

Literal Literal::Elided(DType dtype, const PartialShape& shape, int64_t stored_bytes, uint64_t fingerprint) {
  Literal literal;
  literal.dtype_ = dtype;
  literal.elided_ = true;
  literal.elided_bytes_ = stored_bytes;
  literal.elided_fingerprint_ = fingerprint;
  literal.shape_ = shape;
  return literal;
}

Literal Literal::String(absl::string_view value) { return FromStrings({}, {std::string(value)}); }

int64_t Literal::num_elements() const { return shape_.num_elements().value_or(-1); }

int64_t Literal::num_bytes() const {
  const int size = DTypeSize(dtype_);
  const int64_t elements = num_elements();
  int64_t bytes;
  if (opaque_ || size == 0 || elements < 0 || __builtin_mul_overflow(elements, int64_t{size}, &bytes)) {
    return -1;
  }
  return bytes;
}

int64_t Literal::stored_bytes() const {
  if (elided_) return elided_bytes_;
  int64_t total = static_cast<int64_t>(bytes().size());
  for (const std::string& s : strings()) total += static_cast<int64_t>(s.size());
  return total;
}

absl::Span<const std::string> Literal::strings() const {
  if (strings_ == nullptr) return {};
  return *strings_;
}

int64_t Literal::num_stored() const {
  if (opaque_ || elided_) return 0;
  if (dtype_ == DType::kString) return static_cast<int64_t>(strings().size());
  const int size = DTypeSize(dtype_);
  return size == 0 ? 0 : static_cast<int64_t>(bytes().size()) / size;
}

bool Literal::is_full() const { return !opaque_ && !elided_ && num_stored() == num_elements(); }

void Literal::ExpandTo(char* out) const {
  const int64_t total = num_bytes();
  const absl::string_view values = bytes();
  const int64_t stored = static_cast<int64_t>(values.size());
  if (total <= 0) return;
  if (stored == 0) {
    std::memset(out, 0, total);
    return;
  }
  std::memcpy(out, values.data(), std::min(stored, total));
  const int64_t size = DTypeSize(dtype_);
  const char* last = values.data() + stored - size;
  for (int64_t at = stored; at < total; at += size) std::memcpy(out + at, last, size);
}

std::optional<int64_t> Literal::IntAt(int64_t i) const {
  if (!IsInteger(dtype_) || opaque_ || elided_ || i < 0 || i >= num_elements()) return std::nullopt;
  const int64_t stored = num_stored();
  if (stored == 0) return 0;
  return ReadInt(dtype_, bytes().data() + std::min(i, stored - 1) * DTypeSize(dtype_));
}

std::optional<std::vector<int64_t>> Literal::Ints(int64_t limit) const {
  const int64_t n = num_elements();
  if (!IsInteger(dtype_) || opaque_ || elided_ || n < 0 || n > limit) return std::nullopt;
  std::vector<int64_t> ints(n);
  for (int64_t i = 0; i < n; ++i) ints[i] = *IntAt(i);
  return ints;
}

bool operator==(const Literal& a, const Literal& b) {
  if (a.dtype_ != b.dtype_ || a.opaque_ != b.opaque_ || a.elided_ != b.elided_ || a.shape_ != b.shape_) {
    return false;
  }
  if (a.elided_) {
    return a.elided_fingerprint_ == b.elided_fingerprint_ && a.elided_bytes_ == b.elided_bytes_;
  }
  if (a.bytes_ == b.bytes_ && a.strings_ == b.strings_) return true;
  if (a.opaque_) return a.bytes() == b.bytes();
  if (a.dtype_ == DType::kString) {
    const std::string none;
    const size_t n = std::max(a.strings().size(), b.strings().size());
    for (size_t i = 0; i < n; ++i) {
      if (Repeated(a.strings(), i, none) != Repeated(b.strings(), i, none)) return false;
    }
    return true;
  }
  if (a.bytes().size() == b.bytes().size()) return a.bytes() == b.bytes();
  // One stores more than the other: the tail of the longer must repeat the shorter's last value.
  const absl::string_view longer = a.bytes().size() > b.bytes().size() ? a.bytes() : b.bytes();
  const absl::string_view shorter = a.bytes().size() > b.bytes().size() ? b.bytes() : a.bytes();
  if (shorter.empty()) return AllZero(longer);
  const size_t size = DTypeSize(a.dtype_);
  if (longer.substr(0, shorter.size()) != shorter) return false;
  // Equal to itself shifted by one element, from the shorter's last value on.
  const absl::string_view tail = longer.substr(shorter.size() - size);
  return tail.substr(size) == tail.substr(0, tail.size() - size);
}

uint64_t Literal::Fingerprint() const {
  if (elided_) return elided_fingerprint_;
  uint64_t h = berth::Fingerprint(static_cast<uint64_t>(dtype_), opaque_);
  h = berth::Fingerprint(shape_.has_rank() ? shape_.rank() : ~uint64_t{0}, h);
  if (shape_.has_rank()) {
    for (int64_t dim : shape_.dims()) h = berth::Fingerprint(static_cast<uint64_t>(dim), h);
  }
  h = berth::Fingerprint(bytes(), h);
  for (const std::string& s : strings()) h = berth::Fingerprint(s, h);
  return h;
}

}  // namespace berth
