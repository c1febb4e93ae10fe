#include "placement/selector.h"

#include <algorithm>
#include <utility>

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

const std::vector<std::string>& Words() {
  static const auto& words = *new std::vector<std::string>{"dtype", "name", "op", "tag"};
  return words;
}

bool IsWordEnd(char c) { return c == ' ' || c == '\t' || c == '&' || c == '|' || c == '!' || c == '(' || c == ')'; }

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
      selector_.terms_.push_back({Term::Kind::kOr});
    }
    return absl::OkStatus();
  }

  absl::Status ReadAnd(int depth) {
    BERTH_RETURN_IF_ERROR(ReadNot(depth));
    while (Peek() == '&') {
      ++at_;
      BERTH_RETURN_IF_ERROR(ReadNot(depth));
      selector_.terms_.push_back({Term::Kind::kAnd});
    }
    return absl::OkStatus();
  }

  absl::Status ReadNot(int depth) {
    if (depth > kMaxDepth)
      return Error(absl::StrCat("expected at most ", kMaxDepth, " levels of \"!\" and \"(\", got more"));
    if (Peek() == '!') {
      ++at_;
      BERTH_RETURN_IF_ERROR(ReadNot(depth + 1));
      selector_.terms_.push_back({Term::Kind::kNot});
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

  // WORD=PATTERN
  absl::Status ReadTest() {
    Peek();
    const size_t begin = at_;
    while (at_ < text_.size() && !IsWordEnd(text_[at_]) && text_[at_] != '=') ++at_;
    const absl::string_view word = text_.substr(begin, at_ - begin);
    const auto known = std::find(Words().begin(), Words().end(), word);
    if (known == Words().end()) {
      at_ = begin;
      const std::string nearest = NearestWord(word, Words());
      return Error(absl::StrCat(
          "expected ", absl::StrJoin(Words(), "=, "), "=, \"!\" or \"(\", got ",
          word.empty() ? (begin < text_.size() ? Quoted(text_.substr(begin, 1)) : "nothing") : Quoted(word),
          nearest.empty() ? "" : absl::StrCat("; did you mean '", nearest, "='?")));
    }
    if (at_ == text_.size() || text_[at_] != '=') {
      return Error(absl::StrCat("expected \"=\" after '", word, "', got ", Here()));
    }
    const size_t pattern_at = ++at_;
    while (at_ < text_.size() && !IsWordEnd(text_[at_])) ++at_;
    const absl::string_view pattern = text_.substr(pattern_at, at_ - pattern_at);
    if (pattern.empty()) return Error(absl::StrCat("expected a pattern after '", word, "=', got none"));
    if (selector_.terms_.size() >= kMaxTerms)
      return Error(absl::StrCat("expected at most ", kMaxTerms, " tests, got more"));
    return AddTest(word, pattern, pattern_at);
  }

  absl::Status AddTest(absl::string_view word, absl::string_view pattern, size_t at) {
    Term term{Term::Kind::kName, std::string(pattern), "", DType::kInvalid};
    if (word == "op") term.kind = Term::Kind::kOp;
    if (word == "tag") {
      const size_t colon = pattern.find(':');
      term.kind = Term::Kind::kTag;
      term.key = std::string(pattern.substr(0, colon));
      term.pattern = colon == absl::string_view::npos ? "*" : std::string(pattern.substr(colon + 1));
    }
    if (word == "dtype") {
      const std::optional<DType> dtype = ParseDType(pattern);
      if (!dtype) {
        at_ = at;
        return Error(absl::StrCat("expected an element type such as f32 or int64, got ", Quoted(pattern)));
      }
      term.kind = Term::Kind::kDType;
      term.dtype = BaseOf(*dtype);
    }
    selector_.terms_.push_back(std::move(term));
    return absl::OkStatus();
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
    default:
      return false;
  }
}

bool Selector::Matches(const NodeFacts& node) const {
  std::vector<bool> stack;
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
