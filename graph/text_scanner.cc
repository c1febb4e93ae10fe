#include "graph/text_scanner.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace berth {
namespace {

// Of a long line, this much is shown on each side of the fault.
constexpr size_t kShown = 60;

std::string Visible(absl::string_view text) {
  std::string visible(text);
  for (char& c : visible) {
    if (!absl::ascii_isprint(c)) c = c == '\t' ? ' ' : '?';
  }
  return visible;
}

}  // namespace

void TextScanner::SkipSpace() {
  while (!AtEnd() && absl::ascii_isspace(line_[at_])) ++at_;
}

bool TextScanner::Take(absl::string_view text) {
  SkipSpace();
  if (!absl::StartsWith(line_.substr(at_), text)) return false;
  at_ += text.size();
  return true;
}

absl::string_view TextScanner::TakeWhile(absl::FunctionRef<bool(char)> wanted) {
  const size_t begin = at_;
  while (!AtEnd() && wanted(line_[at_])) ++at_;
  return line_.substr(begin, at_ - begin);
}

absl::StatusOr<std::string> TextScanner::TakeQuoted() {
  const size_t begin = at_;
  if (Peek() != '"') return Expected("a string in quotes");
  for (++at_; !AtEnd() && line_[at_] != '"'; ++at_) {
    if (line_[at_] == '\\' && at_ + 1 < line_.size()) ++at_;
  }
  if (AtEnd()) return ErrorAt(begin, "expected the end of a string in quotes, got the end of the line");
  const absl::string_view quoted = line_.substr(begin + 1, at_ - begin - 1);
  ++at_;
  std::string text, error;
  if (!absl::CUnescape(quoted, &text, &error)) {
    return ErrorAt(begin, "expected a string with C's escapes, got another escape");
  }
  return text;
}

absl::Status TextScanner::ExpectedAt(size_t at, absl::string_view what) const {
  const absl::string_view rest = line_.substr(std::min(at, line_.size()));
  const std::string got = rest.empty() ? "the end of the line" : absl::StrCat("'", Visible(rest.substr(0, 16)), "'");
  return ErrorAt(at, absl::StrCat("expected ", what, ", got ", got));
}

absl::Status TextScanner::ErrorAt(size_t at, absl::string_view message) const {
  const size_t begin = at > kShown ? at - kShown : 0;
  const std::string before = Visible(line_.substr(begin, at - begin));
  const std::string after = Visible(line_.substr(std::min(at, line_.size()), kShown));
  return absl::InvalidArgumentError(absl::StrCat(file_, ":", line_number_, ":", at + 1, ": ", message, "\n", before,
                                                 after, "\n", std::string(before.size(), ' '), "^"));
}

}  // namespace berth
