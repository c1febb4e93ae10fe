#include "placement/policy_text.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/spelling.h"
#include "placement/caret.h"
#include "placement/device_text.h"
#include "placement/selector.h"

namespace berth {

std::string PartText::FileNamed(absl::string_view name) const {
  return absl::StrCat(absl::StartsWith(name, "/") ? "" : folder_, name);
}

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

absl::StatusOr<std::string> PartText::Device(size_t i) const { return DeviceAt(arguments[i].text, arguments[i].at); }

absl::StatusOr<std::string> PartText::DeviceAt(absl::string_view text, size_t at) const {
  const DevicePattern device(text);
  if (!device.status().ok()) return Error(at, absl::StrCat("expected a device: ", device.status().message()));
  return std::string(text);
}

absl::Status PartText::CheckOneOf(size_t i, const std::vector<std::string>& known) const {
  const std::string& text = arguments[i].text;
  if (std::find(known.begin(), known.end(), text) != known.end()) return absl::OkStatus();
  const std::string nearest = NearestWord(text, known);
  return Error(arguments[i].at, absl::StrCat("expected ", absl::StrJoin(known, " or "), ", got ", Quoted(text),
                                             nearest.empty() ? "" : absl::StrCat("; did you mean '", nearest, "'?")));
}

absl::Status PartText::CheckSelector(const PolicyArgument& argument) const {
  if (!argument.quoted) {
    return Error(argument.at, absl::StrCat("expected a selector in double quotes, got ", Quoted(argument.text)));
  }
  const auto fault = Selector::FindFault(argument.text);
  if (!fault) return absl::OkStatus();
  // Past the opening quote, and two bytes for what is escaped.
  size_t at = argument.at + 1;
  for (size_t i = 0; i < fault->at; ++i) {
    const bool escaped =
        at + 1 < whole_.size() && whole_[at] == '\\' && (whole_[at + 1] == '"' || whole_[at + 1] == '\\');
    at += escaped ? 2 : 1;
  }
  return Error(at, fault->message);
}

std::string QuotePolicyText(absl::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

std::string PolicyWordText(absl::string_view text) {
  const bool plain =
      !text.empty() && text != "where" && text != "else" && text.find_first_of(" \t\r|\"#") == absl::string_view::npos;
  return plain ? std::string(text) : QuotePolicyText(text);
}

std::vector<PolicyWord> PolicyWords() {
  std::vector<PolicyWord> words;
  for (const PolicyWordEntry& entry : PolicyWordList()) words.push_back(entry.documentation);
  return words;
}

}  // namespace berth
