#include "runtime/plan_memory.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/testing.h"

namespace berth {
namespace {

// "bytes of bound: offset offset ..."
std::string Show(const MemoryPlan& plan) {
  std::string text = absl::StrCat(plan.bytes, " of ", plan.lower_bound, ":");
  for (int64_t offset : plan.offsets) absl::StrAppend(&text, " ", offset);
  return text;
}

// Two blocks that live at the same time and share a byte, or "".
std::string FirstOverlap(const std::vector<MemoryBlock>& blocks, const MemoryPlan& plan) {
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (plan.offsets[i] % 64 != 0) return absl::StrCat("block ", i, " not aligned");
    if (plan.offsets[i] + blocks[i].bytes > plan.bytes) return absl::StrCat("block ", i, " beyond the end");
    for (size_t j = 0; j < i; ++j) {
      const bool in_time = blocks[i].first <= blocks[j].last && blocks[j].first <= blocks[i].last;
      const bool in_space =
          plan.offsets[i] < plan.offsets[j] + blocks[j].bytes && plan.offsets[j] < plan.offsets[i] + blocks[i].bytes;
      if (in_time && in_space) return absl::StrCat("blocks ", j, " and ", i);
    }
  }
  return "";
}

TEST_CASE("memory plans: small cases") {
  const struct {
    std::vector<MemoryBlock> blocks;
    std::string expected;
  } cases[] = {
      {{}, "0 of 0:"},
      {{{100, 0, 0}}, "128 of 128: 0"},
      {{{64, 0, 1}, {64, 1, 3}, {64, 2, 3}}, "128 of 128: 0 64 0"},
      {{{0, 0, 5}, {64, 0, 1}}, "64 of 64: 0 0"},
      // A chain needs two blocks, however long it is.
      {{{64, 0, 1}, {64, 1, 2}, {64, 2, 3}, {64, 3, 4}}, "128 of 128: 0 64 0 64"},
      // Best fit takes the smaller hole.
      {{{256, 0, 0}, {64, 0, 2}, {128, 0, 0}, {64, 0, 2}, {128, 1, 2}}, "512 of 512: 0 256 320 448 320"},
  };
  for (const auto& c : cases) CHECK(Show(PlanMemory(c.blocks)) == c.expected);
}

TEST_CASE("memory plans: blocks that live together never overlap, near the bound") {
  double worst = 1.0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const int size = 1 + static_cast<int>(random() % 120);
    std::vector<MemoryBlock> blocks;
    for (int i = 0; i < size; ++i) {
      const int32_t first = static_cast<int32_t>(random() % 100);
      blocks.push_back({static_cast<int64_t>(random() % 5000), first, first + static_cast<int32_t>(random() % 8)});
    }
    const MemoryPlan plan = PlanMemory(blocks);
    INFO("seed " << seed);
    CHECK(FirstOverlap(blocks, plan) == "");
    CHECK(plan.bytes >= plan.lower_bound);
    if (plan.lower_bound > 0) worst = std::max(worst, static_cast<double>(plan.bytes) / plan.lower_bound);
  }
  CHECK(worst < 1.35);
}

TEST_CASE("memory plans: many blocks") {
  std::mt19937 random(7);
  std::vector<MemoryBlock> blocks;
  for (int32_t i = 0; i < 200000; ++i) {
    blocks.push_back({static_cast<int64_t>(64 + random() % 4096), i, i + static_cast<int32_t>(random() % 20)});
  }
  const MemoryPlan plan = PlanMemory(blocks);
  CHECK(plan.bytes >= plan.lower_bound);
  CHECK(plan.bytes < 2 * plan.lower_bound);
}

}  // namespace
}  // namespace berth
