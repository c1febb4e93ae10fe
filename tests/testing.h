// What every Catch2 test of Berth includes: Catch2 itself, skipping, and the shared data.
//
// A test case that lacks what it needs (a GPU, the shared data) says so and returns:
//
//   TEST_CASE("reads every model") {
//     if (!berth::HasShared()) BERTH_SKIP("no shared data");
//     std::string bytes = Read(berth::SharedPath("data/models/age.pb"));
//
// At its end a test program prints one line that tools/test adds up, a test case counting once:
//
//   berth-test: 12 passed, 0 failed, 1 skipped

#ifndef BERTH_TESTS_TESTING_H_
#define BERTH_TESTS_TESTING_H_

#include <catch2/catch.hpp>
#include <string>

namespace berth {

// Counts the running test case as skipped and prints `SKIPPED <test case>: <reason>`. A check that
// failed before still makes it a failure. Use the macro, which also returns.
void MarkSkipped(const std::string& reason);

// True if the environment names the folder of shared data (BERTH_SHARED) and it is there.
bool HasShared();

// The absolute path of a file of the shared data. REQUIRES: HasShared().
std::string SharedPath(const std::string& relative);

}  // namespace berth

// Leaves the test case (or the void function called by it) and counts it as skipped.
#define BERTH_SKIP(reason)        \
  do {                            \
    ::berth::MarkSkipped(reason); \
    return;                       \
  } while (false)

#endif  // BERTH_TESTS_TESTING_H_
