#include "placement/caret.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace berth {
namespace {

constexpr size_t kShownBefore = 60;
constexpr size_t kShownAfter = 40;
constexpr size_t kQuotedBytes = 64;

}  // namespace

absl::Status ErrorAt(absl::string_view origin, absl::string_view text, size_t offset, absl::string_view message) {
  offset = std::min(offset, text.size());
  const absl::string_view before = text.substr(0, offset);
  const size_t newline = before.rfind('\n');
  const size_t begin = newline == absl::string_view::npos ? 0 : newline + 1;
  const size_t end = std::min(text.find('\n', offset), text.size());
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const size_t column = offset - begin;

  const size_t from = column > kShownBefore ? column - kShownBefore : 0;
  const size_t size = std::min(end - begin - from, column - from + kShownAfter);
  std::string shown(text.substr(begin + from, size));
  for (char& c : shown) {
    if (c == '\t') c = ' ';
    if (!absl::ascii_isprint(static_cast<unsigned char>(c))) c = '?';
  }
  return absl::InvalidArgumentError(absl::StrCat(origin, ":", line, ":", column + 1, ": ", message, "\n  ", shown,
                                                 "\n  ", std::string(column - from, ' '), "^"));
}

std::string Quoted(absl::string_view bytes) {
  if (bytes.size() <= kQuotedBytes) return absl::StrCat("\"", absl::CHexEscape(bytes), "\"");
  return absl::StrCat("\"", absl::CHexEscape(bytes.substr(0, kQuotedBytes)), "\"... (", bytes.size(), " bytes)");
}

}  // namespace berth
