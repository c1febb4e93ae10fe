#define CATCH_CONFIG_MAIN
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "tests/testing.h"

namespace berth {
namespace {

bool skipped = false;  // the running test case

std::string SharedRoot() {
  const char* root = std::getenv("BERTH_SHARED");
  return root == nullptr ? "" : root;
}

// Counts test cases: Catch2 would count assertions, and knows no skipping.
class Counter : public Catch::TestEventListenerBase {
 public:
  using TestEventListenerBase::TestEventListenerBase;

  void testCaseStarting(const Catch::TestCaseInfo& test) override {
    TestEventListenerBase::testCaseStarting(test);
    skipped = false;
  }

  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    if (stats.totals.assertions.failed > 0) {
      ++failed_;
    } else if (skipped) {
      ++skipped_;
    } else {
      ++passed_;
    }
    TestEventListenerBase::testCaseEnded(stats);
  }

  void testRunEnded(const Catch::TestRunStats& stats) override {
    TestEventListenerBase::testRunEnded(stats);
    std::printf("berth-test: %d passed, %d failed, %d skipped\n", passed_, failed_, skipped_);
    std::fflush(stdout);
  }

 private:
  int passed_ = 0;
  int failed_ = 0;
  int skipped_ = 0;
};

CATCH_REGISTER_LISTENER(Counter)

}  // namespace

void MarkSkipped(const std::string& reason) {
  skipped = true;
  const std::string test = Catch::getResultCapture().getCurrentTestName();
  std::printf("SKIPPED %s: %s\n", test.c_str(), reason.c_str());
}

bool HasShared() {
  std::error_code error;
  return !SharedRoot().empty() && std::filesystem::is_directory(SharedRoot(), error);
}

std::string SharedPath(const std::string& relative) { return SharedRoot() + "/" + relative; }

}  // namespace berth
