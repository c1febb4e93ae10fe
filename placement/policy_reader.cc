// From a policy's text to the policy: parts, `where`, `else`, `include`.
#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/read_file.h"
#include "graph/spelling.h"
#include "graph/status_macros.h"
#include "placement/caret.h"
#include "placement/device_text.h"
#include "placement/part.h"
#include "placement/policy_text.h"

namespace berth {
namespace {

constexpr size_t kMaxParts = 1000;  // of a text and all that it includes
constexpr size_t kMaxFiles = 1000;
constexpr size_t kMaxDepth = 16;
constexpr size_t kMaxPolicyBytes = size_t{1} << 24;

std::vector<std::string> KnownWords() {
  std::vector<std::string> words;
  for (const PolicyWordEntry& entry : PolicyWordList()) words.push_back(entry.documentation.word);
  return words;
}

// What a text and all that it includes share.
struct Reading {
  std::vector<std::string> files;  // being read, the outermost first, as messages call them
  std::vector<std::string> paths;  // the same, canonical
  size_t num_files = 0;
  size_t num_parts = 0;
};

absl::StatusOr<Policy> ReadFile(const std::string& file, Reading* reading);

// Cuts the text into parts of arguments; what they mean is PolicyWordList's.
class Reader {
 public:
  Reader(absl::string_view text, absl::string_view origin, Reading* reading)
      : text_(text), origin_(origin), reading_(reading), has_lines_(absl::StrContains(text, '\n')) {}

  absl::StatusOr<Policy> Read() {
    Policy policy;
    size_t bar = absl::string_view::npos;  // that still waits for the part after it
    SkipBlanksAndLines();
    while (at_ < text_.size()) {
      if (text_[at_] == '|') return Error(at_, "expected a policy part, got \"|\"");
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
  // One side of `else`.
  struct Side {
    Policy policy;
    size_t at = 0;
    size_t else_at = 0;  // of the `else` before it
  };

  // RULE where "SELECTOR" else RULE ...
  absl::StatusOr<Policy> ReadPart() {
    std::vector<Side> sides;
    size_t else_at = 0;
    do {
      BERTH_ASSIGN_OR_RETURN(Side side, ReadSide(!sides.empty()));
      side.else_at = else_at;
      sides.push_back(std::move(side));
    } while (ReadKeyword("else", &else_at));
    if (!AtPartEnd()) return Error(at_, absl::StrCat("expected \"|\", where, else or the end, got ", Quoted(Here())));
    Policy policy = std::move(sides.back().policy);
    if (sides.size() > 1) {
      BERTH_ASSIGN_OR_RETURN(policy, Joined(std::move(policy), sides));
    }
    Policy with_origin;
    for (PolicyPart part : policy.parts()) {
      if (part.origin.empty()) {
        part.origin = has_lines_ ? absl::StrCat(origin_, ":", LineOf(sides[0].at)) : std::string(origin_);
      }
      with_origin = std::move(with_origin) | Policy(std::move(part));
    }
    return with_origin;
  }

  // `last` is the last of the sides.
  absl::StatusOr<Policy> Joined(Policy last, const std::vector<Side>& sides) const {
    const auto check = [&](const Policy& policy, size_t at) {
      if (policy.parts().size() == 1 && (policy.parts()[0].rule != nullptr || policy.parts()[0].graph_rule != nullptr))
        return absl::OkStatus();
      return Error(at, absl::StrCat("expected one rule on either side of 'else', got '", policy.text(), "'"));
    };
    BERTH_RETURN_IF_ERROR(check(last, sides.back().at));
    for (size_t i = sides.size() - 1; i-- > 0;) {
      BERTH_RETURN_IF_ERROR(check(sides[i].policy, sides[i].at));
      last = sides[i].policy.Else(last);
      const PolicyPart& joined = last.parts()[0];
      const absl::Status status = joined.rule != nullptr ? joined.rule->status() : joined.graph_rule->status();
      if (!status.ok()) return Error(sides[i + 1].else_at, status.message());
    }
    return last;
  }

  absl::StatusOr<Side> ReadSide(bool after_else) {
    if (++reading_->num_parts > kMaxParts)
      return Error(at_, absl::StrCat("expected at most ", kMaxParts, " parts, got more"));
    PartText part(origin_, text_, Folder());
    SkipBlanks();
    if (AtPartEnd()) return Error(at_, "expected a rule after 'else', got none");
    BERTH_ASSIGN_OR_RETURN(const PolicyArgument word, ReadToken(&part));
    part.word_at = word.at;
    if (after_else && DevicePattern(text_.substr(word.at, at_ - word.at)).status().ok()) {
      const std::string device(text_.substr(word.at, at_ - word.at));
      return Error(word.at, absl::StrCat("expected a rule after 'else', got the device ", Quoted(device),
                                         "; write | else ", device, " for what is still open"));
    }
    size_t keyword_at = 0;
    while (SkipBlanks(), !AtPartEnd() && !AtKeyword("where") && !AtKeyword("else")) {
      BERTH_ASSIGN_OR_RETURN(PolicyArgument argument, ReadToken(nullptr));
      part.arguments.push_back(std::move(argument));
    }
    part.end = at_;
    while (part.end > 0 && text_[part.end - 1] == ' ') --part.end;
    BERTH_ASSIGN_OR_RETURN(const PolicyWordEntry* entry, FindWord(part));
    Side side;
    side.at = word.at;
    BERTH_ASSIGN_OR_RETURN(side.policy, entry->make == nullptr ? Include(part) : entry->make(part));
    while (ReadKeyword("where", &keyword_at)) {
      BERTH_ASSIGN_OR_RETURN(side.policy, ReadWhere(side.policy, part, keyword_at));
    }
    return side;
  }

  absl::StatusOr<Policy> ReadWhere(const Policy& policy, const PartText& part, size_t where_at) {
    SkipBlanks();
    if (AtPartEnd()) return Error(at_, "expected a selector in double quotes after 'where', got none");
    BERTH_ASSIGN_OR_RETURN(const PolicyArgument selector, ReadToken(nullptr));
    BERTH_RETURN_IF_ERROR(part.CheckSelector(selector));
    for (const PolicyPart& made : policy.parts()) {
      if (made.rule != nullptr || made.graph_rule != nullptr) continue;
      return Error(where_at, absl::StrCat("expected a rule before 'where', got the ",
                                          made.solver != nullptr ? "solver" : "policy", " '", made.text(), "'"));
    }
    return policy.Where(selector.text);
  }

  // Of the file being read.
  absl::string_view Folder() const {
    if (reading_->files.empty()) return "";
    const absl::string_view file = reading_->files.back();
    return file.substr(0, file.rfind('/') + 1);
  }

  absl::StatusOr<Policy> Include(const PartText& part) {
    BERTH_RETURN_IF_ERROR(part.CheckCount(1, 1, "a file"));
    const PolicyArgument& argument = part.arguments[0];
    const std::string file = part.FileNamed(argument.text);
    std::error_code no_error;
    const std::string path = std::filesystem::weakly_canonical(file, no_error).string();
    const auto again = std::find(reading_->paths.begin(), reading_->paths.end(), path);
    if (again != reading_->paths.end()) {
      const auto first = reading_->files.begin() + (again - reading_->paths.begin());
      return Error(argument.at, absl::StrCat("expected a file that is not being read, got a cycle: ",
                                             absl::StrJoin(first, reading_->files.end(), " -> "), " -> ", file));
    }
    if (reading_->files.size() >= kMaxDepth)
      return Error(argument.at, absl::StrCat("expected at most ", kMaxDepth, " files inside each other, got more"));
    if (++reading_->num_files > kMaxFiles)
      return Error(argument.at, absl::StrCat("expected at most ", kMaxFiles, " included files, got more"));
    const size_t here = argument.at;
    absl::StatusOr<Policy> policy = ReadFile(file, reading_);
    if (policy.ok()) return policy;
    if (absl::IsInvalidArgument(policy.status())) {
      const size_t line_begin = text_.substr(0, here).rfind('\n') + 1;
      const auto line = std::count(text_.begin(), text_.begin() + here, '\n') + 1;
      return absl::InvalidArgumentError(
          absl::StrCat(policy.status().message(), "\n  included at ", origin_, ":", line, ":", here - line_begin + 1));
    }
    return Error(here, policy.status().message());
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

  // Whether the word `keyword` stands here, bare.
  bool AtKeyword(absl::string_view keyword) const {
    if (!absl::StartsWith(text_.substr(at_), keyword)) return false;
    const size_t end = at_ + keyword.size();
    return end == text_.size() || IsBlank(text_[end]) || text_[end] == '|' || text_[end] == '\n';
  }
  bool ReadKeyword(absl::string_view keyword, size_t* at) {
    SkipBlanks();
    if (!AtKeyword(keyword)) return false;
    *at = at_;
    at_ += keyword.size();
    return true;
  }
  // The rest of the word that stands here.
  absl::string_view Here() const {
    return text_.substr(at_, std::min(text_.find_first_of(" \t\r\n|", at_), text_.size()) - at_);
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
  Reading* const reading_;
  const bool has_lines_;
  size_t at_ = 0;
  size_t counted_ = 0, line_ = 1;  // LineOf is asked in order
};

// Errors: NotFound and Unavailable for a file that cannot be read, InvalidArgument for what is in it.
absl::StatusOr<Policy> ReadFile(const std::string& file, Reading* reading) {
  BERTH_ASSIGN_OR_RETURN(const std::string text, ReadWholeFile(file, kMaxPolicyBytes));
  std::error_code no_error;
  reading->files.push_back(file);
  reading->paths.push_back(std::filesystem::weakly_canonical(file, no_error).string());
  absl::StatusOr<Policy> policy = Reader(text, file, reading).Read();
  reading->files.pop_back();
  reading->paths.pop_back();
  return policy;
}

}  // namespace

absl::StatusOr<Policy> ParsePolicy(absl::string_view text, absl::string_view origin) {
  Reading reading;
  return Reader(text, origin, &reading).Read();
}

absl::StatusOr<Policy> LoadPolicy(absl::string_view flag, absl::string_view origin) {
  if (!NamesFile(flag)) return ParsePolicy(flag, origin);
  if (absl::EndsWith(flag, ".so")) return LoadPlugin(std::string(flag));
  Reading reading;
  return ReadFile(std::string(flag), &reading);
}

}  // namespace berth
