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
  bool is_first;     // of the word's examples
};

// The examples of each word of PolicyWords(), cut to the part that shows it. FILE is `replayed`, which is written with one
// node that no graph has, or beside it a file to include; FILE.so is the plug-in of tools/examples.
std::vector<PolicyExample> EveryPolicy(const std::string& replayed);
// The first of each word as texts, and random:1 to random:<seeds>.
std::vector<std::string> EveryPolicyAndSeeds(const std::string& replayed, int seeds = 20);

// `name` in the test's own folder for files.
std::string TestFile(const std::string& name);

}  // namespace berth

#endif  // BERTH_TESTS_PLACEMENT_EVERY_POLICY_H_
