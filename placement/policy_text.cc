#include "placement/policy_text.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/read_file.h"
#include "graph/spelling.h"
#include "graph/status_macros.h"
#include "placement/caret.h"
#include "placement/device_text.h"

namespace berth {
namespace {

constexpr size_t kMaxParts = 1000;
constexpr size_t kMaxPolicyBytes = size_t{1} << 24;

std::vector<std::string> KnownWords() {
  std::vector<std::string> words;
  for (const PolicyWordEntry& entry : PolicyWordList()) words.push_back(entry.documentation.word);
  return words;
}

// Cuts the text into parts of arguments; what they mean is PolicyWordList's.
class Reader {
 public:
  Reader(absl::string_view text, absl::string_view origin)
      : text_(text), origin_(origin), has_lines_(absl::StrContains(text, '\n')) {}

  absl::StatusOr<Policy> Read() {
    Policy policy;
    size_t bar = absl::string_view::npos;  // that still waits for the part after it
    SkipBlanksAndLines();
    while (at_ < text_.size()) {
      if (text_[at_] == '|') return Error(at_, "expected a policy part, got \"|\"");
      if (policy.parts().size() >= kMaxParts)
        return Error(at_, absl::StrCat("expected at most ", kMaxParts, " parts, got more"));
      BERTH_ASSIGN_OR_RETURN(Policy part, ReadPart());
      policy = std::move(policy) | part;
      bar = absl::string_view::npos;
      SkipBlanksAndLines();
      if (at_ < text_.size() && text_[at_] == '|') {
        bar = at_++;
        SkipBlanksAndLines();
      }
    }
    if (bar != absl::string_view::npos) return Error(bar, "expected a policy part after \"|\", got the end");
    if (policy.parts().empty()) {
      return Error(text_.size(),
                   absl::StrCat("expected a policy, got nothing; the words are ", absl::StrJoin(KnownWords(), ", ")));
    }
    return policy;
  }

 private:
  absl::StatusOr<Policy> ReadPart() {
    PartText part(origin_, text_);
    BERTH_ASSIGN_OR_RETURN(const PolicyArgument word, ReadToken(&part));
    part.word_at = word.at;
    while (SkipBlanks(), !AtPartEnd()) {
      BERTH_ASSIGN_OR_RETURN(PolicyArgument argument, ReadToken(nullptr));
      part.arguments.push_back(std::move(argument));
    }
    part.end = at_;
    while (part.end > 0 && text_[part.end - 1] == ' ') --part.end;
    BERTH_ASSIGN_OR_RETURN(const PolicyWordEntry* entry, FindWord(part));
    BERTH_ASSIGN_OR_RETURN(const Policy made, entry->make(part));
    Policy with_origin;
    for (PolicyPart made_part : made.parts()) {
      made_part.origin = has_lines_ ? absl::StrCat(origin_, ":", LineOf(word.at)) : std::string(origin_);
      with_origin = std::move(with_origin) | Policy(std::move(made_part));
    }
    return with_origin;
  }

  absl::StatusOr<const PolicyWordEntry*> FindWord(const PartText& part) const {
    for (const PolicyWordEntry& entry : PolicyWordList()) {
      if (entry.documentation.word != part.word) continue;
      const bool wants_colon = absl::StartsWith(entry.documentation.arguments, ":");
      if (wants_colon != part.has_colon) {
        return Error(
            part.word_at + part.word.size(),
            absl::StrCat("expected ", part.word, entry.documentation.arguments.empty() || wants_colon ? "" : " ",
                         entry.documentation.arguments, ", got ",
                         Quoted(part.has_colon ? absl::StrCat(part.word, ":") : part.word)));
      }
      return &entry;
    }
    const std::string nearest = NearestWord(part.word, KnownWords());
    return Error(part.word_at, absl::StrCat("expected a policy word, got ", Quoted(part.word),
                                            nearest.empty() ? "" : absl::StrCat("; did you mean '", nearest, "'?"),
                                            "; the words are ", absl::StrJoin(KnownWords(), ", ")));
  }

  // Up to a blank, `|` or the line's end, quoted stretches included. With `first`, the token is a part's word and is
  // cut at its colon.
  absl::StatusOr<PolicyArgument> ReadToken(PartText* first) {
    PolicyArgument token;
    token.at = at_;
    while (at_ < text_.size() && !IsBlank(text_[at_]) && text_[at_] != '|' && text_[at_] != '\n') {
      if (text_[at_] == '"') {
        token.quoted = true;
        BERTH_RETURN_IF_ERROR(ReadQuoted(token.text));
      } else if (first != nullptr && text_[at_] == ':' && !token.quoted) {
        first->word = token.text;
        first->has_colon = true;
        ++at_;
        BERTH_ASSIGN_OR_RETURN(first->colon, ReadToken(nullptr));
        return token;
      } else {
        token.text += text_[at_++];
      }
    }
    if (first != nullptr) first->word = token.text;
    return token;
  }

  absl::Status ReadQuoted(std::string& text) {
    const size_t begin = at_++;
    for (; at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size() && (text_[at_ + 1] == '"' || text_[at_ + 1] == '\\')) ++at_;
      text += text_[at_];
    }
    if (at_ == text_.size() || text_[at_] == '\n')
      return Error(begin, "expected a closing quote, got the end of the line");
    ++at_;
    return absl::OkStatus();
  }

  static bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  bool AtPartEnd() const { return at_ == text_.size() || text_[at_] == '|' || text_[at_] == '\n'; }
  // A comment counts as blank.
  void SkipBlanks() {
    while (at_ < text_.size() && IsBlank(text_[at_])) ++at_;
    if (at_ < text_.size() && text_[at_] == '#') at_ = std::min(text_.find('\n', at_), text_.size());
  }
  void SkipBlanksAndLines() {
    for (SkipBlanks(); at_ < text_.size() && text_[at_] == '\n'; SkipBlanks()) ++at_;
  }
  size_t LineOf(size_t at) {
    for (; counted_ < at; ++counted_) line_ += text_[counted_] == '\n' ? 1 : 0;
    return line_;
  }
  absl::Status Error(size_t at, absl::string_view message) const { return ErrorAt(origin_, text_, at, message); }

  absl::string_view text_, origin_;
  const bool has_lines_;
  size_t at_ = 0;
  size_t counted_ = 0, line_ = 1;  // LineOf is asked in order
};

}  // namespace

absl::Status PartText::Error(size_t at, absl::string_view message) const {
  return ErrorAt(origin_, whole_, at, message);
}

absl::Status PartText::CheckCount(size_t least, size_t most, absl::string_view what) const {
  if (arguments.size() < least) return Error(end, absl::StrCat("expected ", what, " after '", word, "', got none"));
  if (arguments.size() > most) {
    return Error(arguments[most].at, absl::StrCat("expected \"|\" or the end, got ", Quoted(arguments[most].text)));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> PartText::Device(size_t i) const {
  const DevicePattern device(arguments[i].text);
  if (!device.status().ok()) {
    return Error(arguments[i].at, absl::StrCat("expected a device: ", device.status().message()));
  }
  return arguments[i].text;
}

absl::Status PartText::CheckOneOf(size_t i, const std::vector<std::string>& known) const {
  const std::string& text = arguments[i].text;
  if (std::find(known.begin(), known.end(), text) != known.end()) return absl::OkStatus();
  const std::string nearest = NearestWord(text, known);
  return Error(arguments[i].at, absl::StrCat("expected ", absl::StrJoin(known, " or "), ", got ", Quoted(text),
                                             nearest.empty() ? "" : absl::StrCat("; did you mean '", nearest, "'?")));
}

std::string QuotePolicyText(absl::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

absl::StatusOr<Policy> ParsePolicy(absl::string_view text, absl::string_view origin) {
  return Reader(text, origin).Read();
}

absl::StatusOr<Policy> LoadPolicy(absl::string_view flag) {
  if (!NamesFile(flag)) return ParsePolicy(flag, "flag --policy");
  BERTH_ASSIGN_OR_RETURN(const std::string text, ReadWholeFile(std::string(flag), kMaxPolicyBytes));
  return ParsePolicy(text, flag);
}

std::vector<PolicyWord> PolicyWords() {
  std::vector<PolicyWord> words;
  for (const PolicyWordEntry& entry : PolicyWordList()) words.push_back(entry.documentation);
  return words;
}

}  // namespace berth
