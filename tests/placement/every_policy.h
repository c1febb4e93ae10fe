// Every policy there is, for tests of what holds of all of them: a new word of policy text is in the list without a line
// of test code.
#ifndef BERTH_TESTS_PLACEMENT_EVERY_POLICY_H_
#define BERTH_TESTS_PLACEMENT_EVERY_POLICY_H_

#include <string>
#include <vector>

namespace berth {

struct PolicyExample {
  std::string text;
  std::string kind;  // of the word: "rule", "solver", "policy"
};

// Each word of PolicyWords() with arguments made from its documentation: devices are gpu:0, the seed 7, the file
// `replayed`, which is written with one node that no graph has.
std::vector<PolicyExample> EveryPolicy(const std::string& replayed);
// The same as texts, and random:1 to random:<seeds>.
std::vector<std::string> EveryPolicyAndSeeds(const std::string& replayed, int seeds = 20);

// `name` in the test's own folder for files.
std::string TestFile(const std::string& name);

}  // namespace berth

#endif  // BERTH_TESTS_PLACEMENT_EVERY_POLICY_H_
