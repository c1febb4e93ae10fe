// Reads literals and floats as literal_text.cc writes them.

#include <charconv>
#include <cstring>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "graph/attr_text.h"
#include "graph/half.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

template <typename Bits, typename T>
std::optional<T> ParseFloating(absl::string_view text) {
  uint64_t bits;
  if (text == "nan") return std::numeric_limits<T>::quiet_NaN();
  if (text == "inf") return std::numeric_limits<T>::infinity();
  if (text == "-inf") return -std::numeric_limits<T>::infinity();
  if (absl::ConsumePrefix(&text, "nan:0x")) {
    if (!absl::SimpleHexAtoi(text, &bits) || bits > std::numeric_limits<Bits>::max()) return std::nullopt;
    const Bits exact = static_cast<Bits>(bits);
    T value;
    std::memcpy(&value, &exact, sizeof value);
    return value;
  }
  if (text.empty() || !(absl::ascii_isdigit(text.back()) || text.back() == '.')) return std::nullopt;
  T value;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

template <typename T>
bool Append(std::optional<T> value, std::string& bytes) {
  if (!value) return false;
  bytes.append(reinterpret_cast<const char*>(&*value), sizeof(T));
  return true;
}

template <typename T>
std::optional<T> ParseInt(absl::string_view text) {
  T value;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<uint16_t> Parse16(absl::string_view text, uint16_t (*convert)(float)) {
  uint32_t bits;
  if (absl::ConsumePrefix(&text, "nan:0x")) {
    if (!absl::SimpleHexAtoi(text, &bits) || bits > 0xffff) return std::nullopt;
    return static_cast<uint16_t>(bits);
  }
  const std::optional<float> value = ParseFloatText(text);
  if (!value) return std::nullopt;
  return convert(*value);
}

template <typename T>
bool AppendComplex(absl::string_view text, std::optional<T> (*parse)(absl::string_view), std::string& bytes) {
  const size_t bar = text.find('|');
  if (bar == absl::string_view::npos) return false;
  return Append(parse(text.substr(0, bar)), bytes) && Append(parse(text.substr(bar + 1)), bytes);
}

// Appends one element; false when the text is none of that type.
bool AppendElement(DType type, absl::string_view text, std::string& bytes) {
  switch (type) {
    case DType::kFloat32:
      return Append(ParseFloatText(text), bytes);
    case DType::kFloat64:
      return Append(ParseDoubleText(text), bytes);
    case DType::kFloat16:
      return Append(Parse16(text, FloatToHalf), bytes);
    case DType::kBfloat16:
      return Append(Parse16(text, FloatToBfloat16), bytes);
    case DType::kInt8:
    case DType::kQint8:
      return Append(ParseInt<int8_t>(text), bytes);
    case DType::kInt16:
    case DType::kQint16:
      return Append(ParseInt<int16_t>(text), bytes);
    case DType::kInt32:
    case DType::kQint32:
      return Append(ParseInt<int32_t>(text), bytes);
    case DType::kInt64:
      return Append(ParseInt<int64_t>(text), bytes);
    case DType::kUint16:
    case DType::kQuint16:
      return Append(ParseInt<uint16_t>(text), bytes);
    case DType::kUint32:
      return Append(ParseInt<uint32_t>(text), bytes);
    case DType::kUint64:
      return Append(ParseInt<uint64_t>(text), bytes);
    case DType::kComplex64:
      return AppendComplex(text, ParseFloatText, bytes);
    case DType::kComplex128:
      return AppendComplex(text, ParseDoubleText, bytes);
    default:  // one byte
      return Append(ParseInt<uint8_t>(text), bytes);
  }
}

// After "#": fingerprint and size.
absl::StatusOr<Literal> TakeElided(TextScanner& scanner, DType type, const PartialShape& shape) {
  const size_t at = scanner.at();
  const auto is_hex = [](char c) { return absl::ascii_isxdigit(c); };
  const absl::string_view hex = scanner.TakeWhile(is_hex);
  scanner.SkipSpace();
  const absl::string_view digits = scanner.TakeWhile([](char c) { return absl::ascii_isdigit(c); });
  uint64_t fingerprint;
  int64_t bytes;
  if (hex.size() > 16 || !absl::SimpleHexAtoi(hex, &fingerprint) || !absl::SimpleAtoi(digits, &bytes) ||
      !scanner.Take("B")) {
    return scanner.ExpectedAt(at, "the fingerprint and size of an elided tensor, such as 00c0ffee00c0ffee 4000B");
  }
  return Literal::Elided(type, shape, bytes, fingerprint);
}

// Elements up to the ">", separated by commas, the last one perhaps "...".
absl::StatusOr<Literal> TakeElements(TextScanner& scanner, DType type, const PartialShape& shape, int64_t elements) {
  std::vector<std::string> strings;
  std::string bytes;
  int64_t stored = 0;
  bool open = true;
  bool dots = false;
  scanner.SkipSpace();
  if (scanner.Peek() == '>') open = false;
  for (; open; open = scanner.Take(",")) {
    scanner.SkipSpace();
    const size_t at = scanner.at();
    dots = stored > 0 && scanner.Take("...");
    if (dots) break;
    if (stored == elements) return scanner.ExpectedAt(at, absl::StrCat("at most ", elements, " elements"));
    ++stored;
    if (type == DType::kString) {
      BERTH_ASSIGN_OR_RETURN(std::string text, scanner.TakeQuoted());
      strings.push_back(std::move(text));
      continue;
    }
    const absl::string_view word = scanner.TakeWhile([](char c) { return c != ',' && c != '>' && c != ' '; });
    if (!AppendElement(type, word, bytes)) {
      return scanner.ExpectedAt(at, absl::StrCat("an element of ", ShortDTypeName(type)));
    }
  }
  scanner.SkipSpace();
  if (scanner.Peek() != '>') return scanner.Expected("',' or '>'");
  if (stored > 0 && dots != (stored < elements)) {
    return scanner.Expected(absl::StrCat(elements, " elements, or fewer with ... at the end"));
  }
  return type == DType::kString ? Literal::FromStrings(shape.dims(), std::move(strings))
                                : Literal::FromBytes(type, shape.dims(), std::move(bytes));
}

absl::StatusOr<Literal> TakeInside(TextScanner& scanner) {
  BERTH_ASSIGN_OR_RETURN(const DType type, TakeDType(scanner));
  const size_t at = scanner.at();
  BERTH_ASSIGN_OR_RETURN(const PartialShape shape, TakeShape(scanner));
  if (scanner.Take("#")) return TakeElided(scanner, type, shape);
  if (scanner.Take("proto")) {
    scanner.SkipSpace();
    BERTH_ASSIGN_OR_RETURN(std::string bytes, scanner.TakeQuoted());
    return Literal::Opaque(type, shape, std::move(bytes));
  }
  if (type == DType::kInvalid && shape.has_rank() && shape.rank() == 0 && scanner.Peek() == '>') return Literal();
  const std::optional<int64_t> elements = shape.num_elements();
  if (!elements) return scanner.ExpectedAt(at, "a known shape whose elements can be counted");
  if (type != DType::kString && (IsRef(type) || DTypeSize(type) == 0)) {
    return scanner.ExpectedAt(at, absl::StrCat("proto and bytes for a tensor of ", ShortDTypeName(type)));
  }
  return TakeElements(scanner, type, shape, *elements);
}

}  // namespace

std::optional<float> ParseFloatText(absl::string_view text) { return ParseFloating<uint32_t, float>(text); }
std::optional<double> ParseDoubleText(absl::string_view text) { return ParseFloating<uint64_t, double>(text); }

absl::StatusOr<Literal> TakeLiteral(TextScanner& scanner) {
  BERTH_ASSIGN_OR_RETURN(Literal literal, TakeInside(scanner));
  if (!scanner.Take(">")) return scanner.Expected("'>'");
  return literal;
}

}  // namespace berth
