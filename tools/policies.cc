#include "tools/policies.h"

#include <nlohmann/json.hpp>
#include <ostream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "graph/spelling.h"
#include "placement/policy.h"

namespace berth {
namespace {

void PrintLine(const PolicyWord& word, std::ostream& out) {
  const absl::string_view between = word.arguments.empty() || word.arguments[0] == ':' ? "" : " ";
  out << absl::StrFormat("%-8s %-42s %s\n", word.kind, absl::StrCat(word.word, between, word.arguments), word.summary);
}

void PrintPage(const PolicyWord& word, std::ostream& out) {
  PrintLine(word, out);
  for (const absl::string_view line : absl::StrSplit(word.details, '\n', absl::SkipEmpty()))
    out << "  " << line << "\n";
  out << "  cost: " << word.complexity << "\n  bad for: " << word.bad << "\n";
  for (const std::string& example : word.examples) out << "  example: " << example << "\n";
}

nlohmann::ordered_json ToJson(const PolicyWord& word) {
  return {{"word", word.word},       {"arguments", word.arguments},   {"kind", word.kind}, {"summary", word.summary},
          {"details", word.details}, {"complexity", word.complexity}, {"bad", word.bad},   {"examples", word.examples}};
}

}  // namespace

absl::Status Policies(const PoliciesFlags& flags, Io& io) {
  const std::vector<PolicyWord> words = PolicyWords();
  std::vector<std::string> names;
  bool found = flags.name.empty();
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const PolicyWord& word : words) {
    names.push_back(word.word);
    if (!flags.name.empty() && flags.name != word.word) continue;
    found = true;
    if (flags.json) {
      json.push_back(ToJson(word));
    } else if (flags.name.empty()) {
      PrintLine(word, io.out);
    } else {
      PrintPage(word, io.out);
    }
  }
  if (!flags.json && flags.name.empty()) {
    io.out << "any rule: RULE where \"SELECTOR\" restricts it to what the selector picks (berth policies match);\n"
              "          RULE else RULE asks the second about nodes that the first says nothing of\n";
  }
  if (!found) {
    return WithExit(absl::NotFoundError(absl::StrCat("policy word '", flags.name,
                                                     "': expected a known word, got no match; nearest: '",
                                                     NearestWord(flags.name, names), "'")),
                    kExitUsage);
  }
  if (flags.json) io.out << json.dump(2) << "\n";
  return absl::OkStatus();
}

}  // namespace berth
