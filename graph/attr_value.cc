#include "graph/attr_value.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "graph/fingerprint.h"
#include "graph/literal_text.h"

namespace berth {
namespace {

uint32_t Bits(float f) {
  uint32_t bits;
  std::memcpy(&bits, &f, sizeof bits);
  return bits;
}

bool SameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * 4) == 0);
}

std::string Quote(absl::string_view text) { return absl::StrCat("\"", absl::CHexEscape(text), "\""); }

// Prints an attribute's value; lists print their elements as the value of that kind alone would.
class Printer {
 public:
  explicit Printer(bool all_values) : all_values_(all_values) {}

  std::string operator()(std::monostate) const { return "none"; }
  std::string operator()(const std::string& s) const { return Quote(s); }
  std::string operator()(int64_t i) const { return absl::StrCat(i); }
  std::string operator()(float f) const { return FloatText(f); }
  std::string operator()(bool b) const { return b ? "true" : "false"; }
  std::string operator()(DType t) const { return ShortDTypeName(t); }
  std::string operator()(const PartialShape& s) const { return "shape " + s.ToString(); }
  std::string operator()(const Literal& l) const { return LiteralText(l, all_values_); }
  std::string operator()(const AttrPlaceholder& p) const { return "$" + Quote(p.name); }
  std::string operator()(const FunctionRef& f) const {
    std::string text = absl::StrCat("func ", Quote(f.name), "{");
    const char* comma = "";
    for (const auto& [name, value] : f.attrs) {
      absl::StrAppend(&text, comma, AttrNameText(name), "=", std::visit(*this, value.kind()));
      comma = ", ";
    }
    return text + "}";
  }
  std::string operator()(const AttrList& list) const {
    std::string text = "[";
    Append(list.s, text);
    Append(list.i, text);
    Append(list.f, text);
    Append(list.b, text);
    Append(list.type, text);
    Append(list.shape, text);
    Append(list.tensor, text);
    Append(list.func, text);
    return text + "]";
  }

 private:
  template <typename T>
  void Append(const std::vector<T>& list, std::string& text) const {
    for (const auto& element : list) {
      if (text.size() > 1) text += ',';
      text += (*this)(static_cast<const T&>(element));
    }
  }

  const bool all_values_;
};

struct Hasher {
  uint64_t h;

  void operator()(std::monostate) { Number(0); }
  void operator()(const std::string& s) { h = Fingerprint(s, h); }
  void operator()(int64_t i) { Number(static_cast<uint64_t>(i)); }
  void operator()(float f) { Number(Bits(f)); }
  void operator()(bool b) { Number(b); }
  void operator()(DType t) { Number(static_cast<uint64_t>(t)); }
  void operator()(const PartialShape& s) {
    Number(s.has_rank() ? static_cast<uint64_t>(s.rank()) : ~uint64_t{0});
    if (!s.has_rank()) return;
    for (int64_t dim : s.dims()) Number(static_cast<uint64_t>(dim));
  }
  void operator()(const Literal& l) { Number(l.Fingerprint()); }
  void operator()(const AttrPlaceholder& p) { h = Fingerprint(p.name, h); }
  void operator()(const FunctionRef& f) {
    h = Fingerprint(f.name, h);
    for (const auto& [name, value] : f.attrs) {
      h = Fingerprint(name, h);
      Number(value.Fingerprint());
    }
  }
  void operator()(const AttrList& list) {
    All(list.s);
    All(list.i);
    All(list.f);
    All(list.b);
    All(list.type);
    All(list.shape);
    All(list.tensor);
    All(list.func);
  }

  void Number(uint64_t n) { h = Fingerprint(n, h); }
  template <typename T>
  void All(const std::vector<T>& list) {
    Number(list.size());
    for (const auto& element : list) (*this)(static_cast<const T&>(element));
  }
};

}  // namespace

bool operator==(const FunctionRef& a, const FunctionRef& b) { return a.name == b.name && a.attrs == b.attrs; }

size_t AttrList::size() const {
  return s.size() + i.size() + f.size() + b.size() + type.size() + shape.size() + tensor.size() + func.size();
}

bool operator==(const AttrList& a, const AttrList& b) {
  return a.s == b.s && a.i == b.i && SameBits(a.f, b.f) && a.b == b.b && a.type == b.type && a.shape == b.shape &&
         a.tensor == b.tensor && a.func == b.func;
}

bool operator==(const AttrValue& a, const AttrValue& b) {
  const float* x = a.get<float>();
  const float* y = b.get<float>();
  if (x != nullptr && y != nullptr) return Bits(*x) == Bits(*y);
  return a.kind_ == b.kind_;
}

std::string AttrValue::ToString(bool all_values) const { return std::visit(Printer(all_values), kind_); }

uint64_t AttrValue::Fingerprint() const {
  Hasher hasher{berth::Fingerprint(kind_.index(), 0)};
  std::visit(hasher, kind_);
  return hasher.h;
}

}  // namespace berth
