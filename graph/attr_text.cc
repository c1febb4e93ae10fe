#include "graph/attr_text.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

// Functions inside functions' attributes.
constexpr int kMaxDepth = 50;

bool IsWordChar(char c) {
  return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '+' || c == '-' || c == '&' || c == '?' || c == ':';
}

bool IsInteger(absl::string_view word) {
  absl::ConsumePrefix(&word, "-");
  if (word.empty()) return false;
  for (char c : word) {
    if (!absl::ascii_isdigit(c)) return false;
  }
  return true;
}

absl::StatusOr<AttrValue> TakeValue(TextScanner& scanner, int depth);

absl::StatusOr<FunctionRef> TakeFunction(TextScanner& scanner, int depth) {
  FunctionRef function;
  if (depth >= kMaxDepth) return scanner.Expected(absl::StrCat("functions at most ", kMaxDepth, " deep"));
  scanner.SkipSpace();
  BERTH_ASSIGN_OR_RETURN(function.name, scanner.TakeQuoted());
  if (!scanner.Take("{")) return scanner.Expected("'{'");
  if (scanner.Take("}")) return function;
  do {
    BERTH_ASSIGN_OR_RETURN(const std::string name, TakeAttrName(scanner));
    BERTH_ASSIGN_OR_RETURN(function.attrs[name], TakeValue(scanner, depth + 1));
  } while (scanner.Take(","));
  if (!scanner.Take("}")) return scanner.Expected("',' or '}'");
  return function;
}

// Puts an element into the list of its kind; false for what lists do not hold.
bool AddElement(AttrValue value, AttrList& list) {
  if (const auto* s = value.get<std::string>()) return list.s.push_back(*s), true;
  if (const auto* i = value.get<int64_t>()) return list.i.push_back(*i), true;
  if (const auto* f = value.get<float>()) return list.f.push_back(*f), true;
  if (const auto* b = value.get<bool>()) return list.b.push_back(*b), true;
  if (const auto* t = value.get<DType>()) return list.type.push_back(*t), true;
  if (const auto* shape = value.get<PartialShape>()) return list.shape.push_back(*shape), true;
  if (const auto* tensor = value.get<Literal>()) return list.tensor.push_back(*tensor), true;
  if (const auto* function = value.get<FunctionRef>()) return list.func.push_back(*function), true;
  return false;
}

absl::StatusOr<AttrValue> TakeList(TextScanner& scanner, int depth) {
  AttrList list;
  if (scanner.Take("]")) return AttrValue(AttrValue::Kind(std::move(list)));
  do {
    scanner.SkipSpace();
    const size_t at = scanner.at();
    if (scanner.Peek() == '[') return scanner.Expected("an element that is no list");
    BERTH_ASSIGN_OR_RETURN(AttrValue element, TakeValue(scanner, depth));
    if (!AddElement(std::move(element), list)) return scanner.ExpectedAt(at, "a value that a list can hold");
  } while (scanner.Take(","));
  if (!scanner.Take("]")) return scanner.Expected("',' or ']'");
  return AttrValue(AttrValue::Kind(std::move(list)));
}

absl::StatusOr<AttrValue> TakeWord(TextScanner& scanner) {
  const auto value = [](auto v) { return AttrValue(AttrValue::Kind(std::move(v))); };
  const size_t at = scanner.at();
  const absl::string_view word = scanner.TakeWhile(IsWordChar);
  if (word == "true") return value(true);
  if (word == "false") return value(false);
  if (word == "none") return AttrValue();
  if (IsInteger(word)) {
    int64_t i;
    if (absl::SimpleAtoi(word, &i)) return value(i);
    return scanner.ExpectedAt(at, "an integer of 64 bits");
  }
  if (const std::optional<float> f = ParseFloatText(word)) return value(*f);
  if (const std::optional<DType> type = ParseDType(word)) return value(*type);
  return scanner.ExpectedAt(at, "the value of an attribute");
}

absl::StatusOr<AttrValue> TakeValue(TextScanner& scanner, int depth) {
  const auto value = [](auto v) { return AttrValue(AttrValue::Kind(std::move(v))); };
  scanner.SkipSpace();
  if (scanner.Peek() == '"') {
    BERTH_ASSIGN_OR_RETURN(std::string text, scanner.TakeQuoted());
    return value(std::move(text));
  }
  if (scanner.Take("[")) return TakeList(scanner, depth);
  if (scanner.Take("$")) {
    BERTH_ASSIGN_OR_RETURN(std::string name, scanner.TakeQuoted());
    return value(AttrPlaceholder{std::move(name)});
  }
  if (scanner.Take("tensor<")) {
    BERTH_ASSIGN_OR_RETURN(Literal literal, TakeLiteral(scanner));
    return value(std::move(literal));
  }
  if (scanner.Take("shape ")) {
    BERTH_ASSIGN_OR_RETURN(PartialShape shape, TakeShape(scanner));
    return value(std::move(shape));
  }
  if (scanner.Take("func ")) {
    BERTH_ASSIGN_OR_RETURN(FunctionRef function, TakeFunction(scanner, depth));
    return value(std::move(function));
  }
  return TakeWord(scanner);
}

}  // namespace

absl::StatusOr<AttrValue> TakeAttrValue(TextScanner& scanner) { return TakeValue(scanner, 0); }

absl::StatusOr<std::string> TakeAttrName(TextScanner& scanner) {
  std::string name;
  scanner.SkipSpace();
  if (scanner.Peek() == '"') {
    BERTH_ASSIGN_OR_RETURN(name, scanner.TakeQuoted());
  } else {
    name = std::string(scanner.TakeWhile([](char c) { return absl::ascii_isalnum(c) || c == '_' || c == '.'; }));
    if (name.empty()) return scanner.Expected("the name of an attribute");
  }
  if (!scanner.Take("=")) return scanner.Expected("'='");
  return name;
}

absl::StatusOr<DType> TakeDType(TextScanner& scanner) {
  scanner.SkipSpace();
  if (scanner.Take("?")) return DType::kInvalid;
  const size_t at = scanner.at();
  const absl::string_view word =
      scanner.TakeWhile([](char c) { return absl::ascii_isalnum(c) || c == '_' || c == '&'; });
  if (const std::optional<DType> type = ParseDType(word)) return *type;
  return scanner.ExpectedAt(at, "a dtype such as f32");
}

absl::StatusOr<PartialShape> TakeShape(TextScanner& scanner) {
  scanner.SkipSpace();
  if (scanner.Take("?")) return PartialShape::Unknown();
  const size_t at = scanner.at();
  if (scanner.Peek() != '[') return scanner.Expected("a shape such as [1,?,3]");
  std::string text(scanner.TakeWhile([](char c) { return c != ']'; }));
  if (!scanner.Take("]")) return scanner.Expected("']'");
  absl::StatusOr<PartialShape> shape = ParseShape(absl::StrCat(text, "]"));
  if (!shape.ok()) return scanner.ErrorAt(at, shape.status().message());
  return shape;
}

absl::StatusOr<AttrValue> ParseAttrValue(absl::string_view text) {
  TextScanner scanner(text, "value", 1);
  BERTH_ASSIGN_OR_RETURN(AttrValue value, TakeAttrValue(scanner));
  scanner.SkipSpace();
  if (!scanner.AtEnd()) return scanner.Expected("the end");
  return value;
}

}  // namespace berth
