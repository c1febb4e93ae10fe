// What a fuzz target expects of every input.
#ifndef BERTH_TESTS_FUZZ_REQUIRE_H_
#define BERTH_TESTS_FUZZ_REQUIRE_H_

#include <cstdio>
#include <cstdlib>

namespace berth {

// Ends the process, which is a finding, unless `condition`.
inline void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

}  // namespace berth

#endif  // BERTH_TESTS_FUZZ_REQUIRE_H_
