#include "tools/policies.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "graph/spelling.h"
#include "placement/policy.h"

namespace berth {

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
      json.push_back(
          {{"word", word.word}, {"arguments", word.arguments}, {"kind", word.kind}, {"summary", word.summary}});
    } else {
      io.out << absl::StrFormat("%-8s %-42s %s\n", word.kind, absl::StrCat(word.word, " ", word.arguments),
                                word.summary);
    }
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
