#include "placement/selector.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/graph.h"
#include "graph/spelling.h"
#include "graph/status_macros.h"
#include "placement/caret.h"

namespace berth {
namespace {

constexpr int kMaxDepth = 64;
constexpr size_t kMaxTerms = 10000;

// The words, alphabetical, and what they are compared with.
struct Word {
  absl::string_view text;
  bool is_number;
};
constexpr Word kWords[] = {{"bytes", true}, {"device", false}, {"dtype", false}, {"in-degree", true},
                           {"name", false}, {"op", false},     {"scope", false}, {"tag", false}};

std::vector<std::string> WordTexts() {
  std::vector<std::string> texts;
  for (const Word& word : kWords) texts.emplace_back(word.text);
  return texts;
}

bool IsWordEnd(char c) { return c == ' ' || c == '\t' || c == '&' || c == '|' || c == '!' || c == '(' || c == ')'; }
bool IsOrder(char c) { return c == '=' || c == '<' || c == '>'; }

bool ScopeMatches(absl::string_view pattern, absl::string_view name) {
  const size_t end = name.rfind('/');
  if (end == absl::string_view::npos) return GlobMatches(pattern, "");
  const absl::string_view scope = name.substr(0, end);
  for (size_t slash = scope.find('/'); slash != absl::string_view::npos; slash = scope.find('/', slash + 1)) {
    if (GlobMatches(pattern, scope.substr(0, slash))) return true;
  }
  return GlobMatches(pattern, scope);
}

}  // namespace

bool GlobMatches(absl::string_view pattern, absl::string_view text) {
  size_t p = 0, t = 0;
  size_t star = absl::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != absl::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::optional<int64_t> ParseByteSize(absl::string_view text) {
  struct Unit {
    absl::string_view name;
    int64_t bytes;
  };
  constexpr int64_t kKilo = 1000, kKibi = 1024;
  constexpr Unit kUnits[] = {{"KiB", kKibi},
                             {"MiB", kKibi * kKibi},
                             {"GiB", kKibi * kKibi * kKibi},
                             {"TiB", kKibi * kKibi * kKibi * kKibi},
                             {"KB", kKilo},
                             {"MB", kKilo * kKilo},
                             {"GB", kKilo * kKilo * kKilo},
                             {"TB", kKilo * kKilo * kKilo * kKilo},
                             {"B", 1},
                             {"", 1}};
  const auto is_digit = [](char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); };
  const size_t digits = std::find_if_not(text.begin(), text.end(), is_digit) - text.begin();
  int64_t number = 0;
  if (digits == 0 || !absl::SimpleAtoi(text.substr(0, digits), &number)) return std::nullopt;
  for (const Unit& unit : kUnits) {
    if (text.substr(digits) != unit.name) continue;
    if (number > std::numeric_limits<int64_t>::max() / unit.bytes) return std::nullopt;
    return number * unit.bytes;
  }
  return std::nullopt;
}

class Selector::Reader {
 public:
  explicit Reader(absl::string_view text) : text_(text) {}

  SelectorFault fault;  // of the error that Read gave

  absl::StatusOr<Selector> Read() {
    BERTH_RETURN_IF_ERROR(ReadOr(0));
    if (Peek() != '\0' || at_ < text_.size())
      return Error(absl::StrCat("expected \"&\", \"|\" or the end, got ", Here()));
    return std::move(selector_);
  }

 private:
  absl::Status ReadOr(int depth) {
    BERTH_RETURN_IF_ERROR(ReadAnd(depth));
    while (Peek() == '|') {
      ++at_;
      BERTH_RETURN_IF_ERROR(ReadAnd(depth));
      selector_.terms_.push_back({Term::Kind::kOr, "", ""});
    }
    return absl::OkStatus();
  }

  absl::Status ReadAnd(int depth) {
    BERTH_RETURN_IF_ERROR(ReadNot(depth));
    while (Peek() == '&') {
      ++at_;
      BERTH_RETURN_IF_ERROR(ReadNot(depth));
      selector_.terms_.push_back({Term::Kind::kAnd, "", ""});
    }
    return absl::OkStatus();
  }

  absl::Status ReadNot(int depth) {
    if (depth > kMaxDepth)
      return Error(absl::StrCat("expected at most ", kMaxDepth, " levels of \"!\" and \"(\", got more"));
    if (Peek() == '!') {
      ++at_;
      BERTH_RETURN_IF_ERROR(ReadNot(depth + 1));
      selector_.terms_.push_back({Term::Kind::kNot, "", ""});
      return absl::OkStatus();
    }
    if (Peek() == '(') {
      ++at_;
      BERTH_RETURN_IF_ERROR(ReadOr(depth + 1));
      if (Peek() != ')') return Error(absl::StrCat("expected \")\", got ", Here()));
      ++at_;
      return absl::OkStatus();
    }
    return ReadTest();
  }

  // WORD=PATTERN, or WORD, one of = > >= < <=, and a number.
  absl::Status ReadTest() {
    Peek();
    const size_t begin = at_;
    while (at_ < text_.size() && !IsWordEnd(text_[at_]) && !IsOrder(text_[at_])) ++at_;
    const absl::string_view text = text_.substr(begin, at_ - begin);
    const auto word = std::find_if(std::begin(kWords), std::end(kWords), [&](const Word& w) { return w.text == text; });
    if (word == std::end(kWords)) {
      at_ = begin;
      return UnknownWord(text);
    }
    if (selector_.terms_.size() >= kMaxTerms)
      return Error(absl::StrCat("expected at most ", kMaxTerms, " tests, got more"));
    return word->is_number ? ReadNumberTest(text) : ReadPatternTest(text);
  }

  absl::Status UnknownWord(absl::string_view word) {
    std::vector<std::string> known;
    for (const Word& w : kWords) known.push_back(absl::StrCat(w.text, w.is_number ? ">" : "="));
    const std::string nearest = NearestWord(word, WordTexts());
    return Error(absl::StrCat("expected ", absl::StrJoin(known, ", "), ", \"!\" or \"(\", got ",
                              word.empty() ? Here() : Quoted(word),
                              nearest.empty() ? "" : absl::StrCat("; did you mean '", nearest, "'?")));
  }

  absl::Status ReadPatternTest(absl::string_view word) {
    if (at_ == text_.size() || text_[at_] != '=') {
      return Error(absl::StrCat("expected \"=\" after '", word, "', got ", Here()));
    }
    const size_t pattern_at = ++at_;
    std::string pattern;
    const bool quoted = at_ < text_.size() && text_[at_] == '"';
    if (quoted) {
      const size_t end = text_.find('"', at_ + 1);
      if (end == absl::string_view::npos) return Error("expected a closing quote, got the end");
      pattern = std::string(text_.substr(at_ + 1, end - at_ - 1));
      at_ = end + 1;
    } else {
      while (at_ < text_.size() && !IsWordEnd(text_[at_])) ++at_;
      pattern = std::string(text_.substr(pattern_at, at_ - pattern_at));
    }
    const bool may_be_empty = quoted && (word == "device" || word == "scope");
    if (pattern.empty() && !may_be_empty)
      return Error(absl::StrCat("expected a pattern after '", word, "=', got none"));
    return AddTest(word, std::move(pattern), pattern_at);
  }

  absl::Status AddTest(absl::string_view word, std::string pattern, size_t at) {
    Term term{Term::Kind::kName, std::move(pattern), ""};
    if (word == "op") term.kind = Term::Kind::kOp;
    if (word == "scope") term.kind = Term::Kind::kScope;
    if (word == "device") term.kind = Term::Kind::kDevice;
    if (word == "tag") {
      const size_t colon = term.pattern.find(':');
      term.kind = Term::Kind::kTag;
      term.key = term.pattern.substr(0, colon);
      term.pattern = colon == std::string::npos ? "*" : term.pattern.substr(colon + 1);
    }
    if (word == "dtype") {
      const std::optional<DType> dtype = ParseDType(term.pattern);
      if (!dtype) {
        at_ = at;
        return Error(absl::StrCat("expected an element type such as f32 or int64, got ", Quoted(term.pattern)));
      }
      term.kind = Term::Kind::kDType;
      term.dtype = BaseOf(*dtype);
    }
    selector_.terms_.push_back(std::move(term));
    return absl::OkStatus();
  }

  absl::Status ReadNumberTest(absl::string_view word) {
    Term term{word == "bytes" ? Term::Kind::kBytes : Term::Kind::kInDegree, "", ""};
    const std::optional<Order> order = ReadOrder();
    if (!order) return Error(absl::StrCat("expected =, >, >=, < or <= after '", word, "', got ", Here()));
    term.order = *order;
    const size_t begin = at_;
    while (at_ < text_.size() && !IsWordEnd(text_[at_])) ++at_;
    const absl::string_view text = text_.substr(begin, at_ - begin);
    const std::optional<int64_t> number = ParseByteSize(text);
    const bool plain = !text.empty() && absl::ascii_isdigit(static_cast<unsigned char>(text.back()));
    if (!number || (word == "in-degree" && !plain)) {
      at_ = begin;
      return Error(absl::StrCat("expected ",
                                word == "bytes"
                                    ? "a size such as 64, 4KiB or 1MB (B, KiB, MiB, GiB, TiB, KB, MB, GB, TB)"
                                    : "a number of inputs",
                                ", got ", text.empty() ? Here() : Quoted(text)));
    }
    term.number = *number;
    selector_.terms_.push_back(std::move(term));
    return absl::OkStatus();
  }

  std::optional<Order> ReadOrder() {
    if (at_ == text_.size() || !IsOrder(text_[at_])) return std::nullopt;
    const char first = text_[at_++];
    if (first == '=') return Order::kEqual;
    const bool or_equal = at_ < text_.size() && text_[at_] == '=';
    if (or_equal) ++at_;
    if (first == '>') return or_equal ? Order::kAtLeast : Order::kMore;
    return or_equal ? Order::kAtMost : Order::kLess;
  }

  char Peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  std::string Here() const { return at_ < text_.size() ? Quoted(text_.substr(at_, 1)) : "nothing"; }
  absl::Status Error(absl::string_view message) {
    fault = {at_, std::string(message)};
    return ErrorAt("selector", text_, at_, message);
  }

  absl::string_view text_;
  size_t at_ = 0;
  Selector selector_;
};

absl::StatusOr<Selector> Selector::Parse(absl::string_view text) { return Reader(text).Read(); }

std::optional<SelectorFault> Selector::FindFault(absl::string_view text) {
  Reader reader(text);
  if (reader.Read().ok()) return std::nullopt;
  return std::move(reader.fault);
}

bool Selector::Holds(const Term& term, const NodeFacts& node) {
  const auto compare = [&](int64_t value) {
    switch (term.order) {
      case Order::kEqual:
        return value == term.number;
      case Order::kMore:
        return value > term.number;
      case Order::kAtLeast:
        return value >= term.number;
      case Order::kLess:
        return value < term.number;
      case Order::kAtMost:
        return value <= term.number;
    }
    return false;
  };
  switch (term.kind) {
    case Term::Kind::kName:
      return GlobMatches(term.pattern, node.name);
    case Term::Kind::kOp:
      return GlobMatches(term.pattern, node.op);
    case Term::Kind::kDType:
      return std::any_of(node.output_dtypes.begin(), node.output_dtypes.end(),
                         [&](DType dtype) { return BaseOf(dtype) == term.dtype; });
    case Term::Kind::kTag:
      return std::any_of(node.tags.begin(), node.tags.end(),
                         [&](const Tag& tag) { return tag.key == term.key && GlobMatches(term.pattern, tag.value); });
    case Term::Kind::kBytes:
      return node.bytes && compare(*node.bytes);
    case Term::Kind::kInDegree:
      return node.in_degree && compare(*node.in_degree);
    case Term::Kind::kScope:
      return ScopeMatches(term.pattern, node.name);
    case Term::Kind::kDevice:
      return GlobMatches(term.pattern, node.request);
    default:
      return false;
  }
}

unsigned Selector::needs() const {
  unsigned needs = 0;
  for (const Term& term : terms_) {
    if (term.kind == Term::Kind::kDType) needs |= Rule::kDTypes;
    if (term.kind == Term::Kind::kBytes) needs |= Rule::kBytes;
    if (term.kind == Term::Kind::kDevice) needs |= Rule::kRequest;
  }
  return needs;
}

bool Selector::Matches(const NodeFacts& node) const {
  absl::InlinedVector<bool, 64> stack;
  for (const Term& term : terms_) {
    if (term.kind == Term::Kind::kNot) {
      stack.back() = !stack.back();
    } else if (term.kind == Term::Kind::kAnd || term.kind == Term::Kind::kOr) {
      const bool right = stack.back();
      stack.pop_back();
      const bool left = stack.back();
      stack.back() = term.kind == Term::Kind::kAnd ? left && right : left || right;
    } else {
      stack.push_back(Holds(term, node));
    }
  }
  return !stack.empty() && stack.back();
}

}  // namespace berth
