#include "graph/attr_hash.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <variant>

#include "absl/hash/hash.h"

namespace berth {

size_t HashText(absl::string_view text) { return absl::Hash<absl::string_view>()(text); }
size_t Mix(size_t h, size_t more) {
  return (h ^ (more + 0x9e3779b97f4a7c15 + (h << 6) + (h >> 2))) * 0xff51afd7ed558ccd;
}

// Most attributes' names and strings are short: their bytes are two words.
size_t HashShort(absl::string_view text) {
  const size_t n = text.size();
  if (n > 16) return HashText(text);
  uint64_t head = 0, tail = 0;
  if (n >= 8) {
    std::memcpy(&head, text.data(), 8);
    std::memcpy(&tail, text.data() + n - 8, 8);
  } else if (n >= 4) {
    uint32_t low, high;
    std::memcpy(&low, text.data(), 4);
    std::memcpy(&high, text.data() + n - 4, 4);
    head = low | static_cast<uint64_t>(high) << 32;
  } else if (n > 0) {
    head = static_cast<uint8_t>(text[0]) | static_cast<uint8_t>(text[n / 2]) << 8 |
           static_cast<uint8_t>(text[n - 1]) << 16;
  }
  return Mix(Mix(n, head), tail);
}

namespace {

// Larger tensors are interned by the identity of their storage, so that no one reads megabytes to make a node.
constexpr size_t kMaxHashedBytes = 256;

// Hash of an attribute value, within one process.
struct ValueHash {
  size_t operator()(std::monostate) const { return 0; }
  size_t operator()(const std::string& s) const { return HashShort(s); }
  size_t operator()(int64_t i) const { return static_cast<size_t>(i); }
  size_t operator()(float f) const {
    uint32_t bits;
    std::memcpy(&bits, &f, sizeof bits);
    return bits;
  }
  size_t operator()(bool b) const { return b; }
  size_t operator()(DType t) const { return static_cast<size_t>(t); }
  size_t operator()(const PartialShape& s) const { return absl::Hash<PartialShape>()(s); }
  size_t operator()(const Literal& l) const {
    const absl::string_view bytes = l.bytes();
    size_t h = Mix(static_cast<size_t>(l.dtype()), (*this)(l.shape()));
    if (bytes.size() > kMaxHashedBytes) return Mix(h, reinterpret_cast<size_t>(bytes.data()));
    h = Mix(h, HashText(bytes));
    if (l.strings().size() == 1) h = Mix(h, HashText(l.strings()[0].substr(0, kMaxHashedBytes)));
    return Mix(h, l.strings().size());
  }
  size_t operator()(const AttrPlaceholder& p) const { return HashText(p.name); }
  size_t operator()(const FunctionRef& f) const { return HashText(f.name); }
  size_t operator()(const AttrList& list) const {
    size_t h = list.size();
    for (const std::string& s : list.s) h = Mix(h, HashText(s));
    for (int64_t i : list.i) h = Mix(h, static_cast<size_t>(i));
    for (float f : list.f) h = Mix(h, (*this)(f));
    for (DType t : list.type) h = Mix(h, static_cast<size_t>(t));
    for (const PartialShape& s : list.shape) h = Mix(h, (*this)(s));
    for (const FunctionRef& f : list.func) h = Mix(h, (*this)(f));
    return h;
  }
};

bool SameRepresentation(const Literal& a, const Literal& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape() || a.is_opaque() != b.is_opaque() ||
      a.is_elided() != b.is_elided() || a.bytes().size() != b.bytes().size() ||
      a.strings().size() != b.strings().size()) {
    return false;
  }
  if (a.bytes().size() > kMaxHashedBytes) return a.bytes().data() == b.bytes().data();
  if (a.strings().size() > 1) return a.strings().data() == b.strings().data();
  return a == b;
}

}  // namespace

size_t HashValue(const AttrValue& v) { return Mix(v.kind().index(), std::visit(ValueHash(), v.kind())); }

// The frequent kinds first.
bool SameValue(const AttrValue& a, const AttrValue& b) {
  if (a.kind().index() != b.kind().index()) return false;
  if (const DType* type = a.get<DType>()) return *type == *b.get<DType>();
  if (const int64_t* i = a.get<int64_t>()) return *i == *b.get<int64_t>();
  if (const bool* flag = a.get<bool>()) return *flag == *b.get<bool>();
  const Literal* x = a.get<Literal>();
  const Literal* y = b.get<Literal>();
  if (x != nullptr && y != nullptr) return SameRepresentation(*x, *y);
  return a == b;
}

}  // namespace berth
