#include "tests/placement/every_policy.h"

#include <cstdlib>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "placement/policy.h"

namespace berth {
namespace {

// Tests run where the workspace's files are.
constexpr char kPlugin[] = "tools/examples/scope_hash.so";

// Of an example the part that shows the word; all of it where it is a policy by itself, or does not parse.
std::string PartOf(const PolicyWord& word, const std::string& example) {
  const absl::StatusOr<Policy> policy = ParsePolicy(example);
  if (word.kind == "policy" || !policy.ok()) return example;
  for (const PolicyPart& part : policy->parts()) {
    if (absl::StartsWith(part.text(), word.word)) return part.text();
  }
  return policy->parts()[0].text();
}

}  // namespace

std::vector<PolicyExample> EveryPolicy(const std::string& replayed) {
  std::ofstream(replayed) << "node\tdevice\nnone\tcpu:0\n";
  const std::string included = absl::StrCat(replayed, ".policy");
  std::ofstream(included) << "variables-on cpu:0  # a comment\n";
  std::vector<PolicyExample> policies;
  for (const PolicyWord& word : PolicyWords()) {
    const std::string file = word.word == "include" ? included : replayed;
    bool is_first = true;
    for (const std::string& example : word.examples) {
      const std::string text = absl::StrReplaceAll(example, {{"FILE.so", kPlugin}, {"FILE", file}});
      policies.push_back({PartOf(word, text), word.kind, is_first});
      is_first = false;
    }
  }
  return policies;
}

std::vector<std::string> EveryPolicyAndSeeds(const std::string& replayed, int seeds) {
  std::vector<std::string> texts;
  for (const PolicyExample& policy : EveryPolicy(replayed)) {
    if (policy.is_first) texts.push_back(policy.text);
  }
  for (int seed = 1; seed <= seeds; ++seed) texts.push_back(absl::StrCat("random:", seed));
  return texts;
}

std::string TestFile(const std::string& name) {
  const char* folder = std::getenv("TEST_TMPDIR");
  return absl::StrCat(folder == nullptr ? "/tmp" : folder, "/", name);
}

}  // namespace berth
