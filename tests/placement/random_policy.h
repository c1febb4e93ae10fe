// Policies drawn at random, for property tests: one seed, one policy, the same on every machine.
#ifndef BERTH_TESTS_PLACEMENT_RANDOM_POLICY_H_
#define BERTH_TESTS_PLACEMENT_RANDOM_POLICY_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/placement/every_policy.h"

namespace berth {

// Not a std distribution, whose numbers differ between libraries.
class Draw {
 public:
  explicit Draw(uint64_t seed) : random_(seed) {}
  int Below(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  bool Chance(int percent) { return Below(100) < percent; }
  template <typename T>
  const T& Of(const std::vector<T>& from) {
    return from[Below(static_cast<int>(from.size()))];
  }

 private:
  std::mt19937_64 random_;
};

// Up to three rules of `words` (EveryPolicy) and of a list of selectors, and mostly a solver: policy text. REQUIRES: rules and
// solvers in `words`.
std::string RandomPolicy(const std::vector<PolicyExample>& words, Draw& draw);

}  // namespace berth

#endif  // BERTH_TESTS_PLACEMENT_RANDOM_POLICY_H_
