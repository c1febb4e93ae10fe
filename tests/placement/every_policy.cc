#include "tests/placement/every_policy.h"

#include <cstdlib>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "placement/policy.h"

namespace berth {

std::vector<PolicyExample> EveryPolicy(const std::string& replayed) {
  std::ofstream(replayed) << "node\tdevice\nnone\tcpu:0\n";
  std::vector<PolicyExample> policies;
  for (const PolicyWord& word : PolicyWords()) {
    std::string text = word.word;
    if (absl::StartsWith(word.arguments, ":SEED")) text += ":7";
    if (absl::StartsWith(word.arguments, ":FILE")) text += ":" + replayed;
    if (absl::StrContains(word.arguments, "SELECTOR")) text += " \"name=*1* | op=Const\" on gpu:0";
    if (absl::StartsWith(word.arguments, "D")) text += " gpu:0";
    policies.push_back({text, word.kind});
  }
  return policies;
}

std::vector<std::string> EveryPolicyAndSeeds(const std::string& replayed, int seeds) {
  std::vector<std::string> texts;
  for (const PolicyExample& policy : EveryPolicy(replayed)) texts.push_back(policy.text);
  for (int seed = 1; seed <= seeds; ++seed) texts.push_back(absl::StrCat("random:", seed));
  return texts;
}

std::string TestFile(const std::string& name) {
  const char* folder = std::getenv("TEST_TMPDIR");
  return absl::StrCat(folder == nullptr ? "/tmp" : folder, "/", name);
}

}  // namespace berth
