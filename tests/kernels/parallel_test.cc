// The pool: every item once, from several callers at once and from within itself, in the caller's floating-point mode.
#include "kernels/cpu/parallel.h"

#include <atomic>
#include <cfenv>
#include <thread>
#include <vector>

#include "tests/testing.h"

namespace berth::cpu {
namespace {

std::vector<int> Marks(int threads, int64_t items, int64_t grain) {
  std::vector<int> marks(items, 0);
  ParallelFor(threads, items, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) ++marks[i];
  });
  return marks;
}

TEST_CASE("every item is visited once") {
  for (int threads : {1, 2, 4, 7}) {
    for (int64_t items : {0, 1, 2, 5, 64, 1000}) {
      for (int64_t grain : {1, 3, 64, 5000}) {
        CAPTURE(threads, items, grain);
        CHECK(Marks(threads, items, grain) == std::vector<int>(items, 1));
      }
    }
  }
}

TEST_CASE("ranges start at multiples of the grain, whoever takes them") {
  std::atomic<int> wrong = 0;
  ParallelFor(4, 1000, 7, [&](int64_t begin, int64_t end) { wrong += begin % 7 != 0 || end - begin > 7; });
  CHECK(wrong == 0);
}

TEST_CASE("several callers at once, and loops inside loops, finish") {
  std::vector<std::thread> callers;
  std::atomic<int64_t> sum = 0;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        ParallelFor(3, 20, 2, [&](int64_t begin, int64_t end) {
          ParallelFor(3, end - begin, 1, [&](int64_t from, int64_t to) { sum += to - from; });
        });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  CHECK(sum == 4 * 50 * 20);
}

TEST_CASE("helpers round as the caller does") {
  const int before = std::fegetround();
  std::fesetround(FE_UPWARD);
  std::atomic<int> wrong = 0;
  for (int round = 0; round < 100; ++round) {
    ParallelFor(4, 16, 1, [&](int64_t, int64_t) { wrong += std::fegetround() != FE_UPWARD; });
  }
  std::fesetround(before);
  CHECK(wrong == 0);
}

}  // namespace
}  // namespace berth::cpu
