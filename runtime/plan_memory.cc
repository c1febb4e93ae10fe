#include "runtime/plan_memory.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace berth {
namespace {

constexpr int64_t kAlignment = 64;
constexpr size_t kLargestFirstLimit = 4096;

int64_t Aligned(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

bool Overlap(const MemoryBlock& a, const MemoryBlock& b) { return a.first <= b.last && b.first <= a.last; }

int64_t LowerBound(absl::Span<const MemoryBlock> blocks) {
  std::map<int32_t, int64_t> change;  // by step
  for (const MemoryBlock& b : blocks) {
    change[b.first] += Aligned(b.bytes);
    change[b.last + 1] -= Aligned(b.bytes);
  }
  int64_t live = 0, most = 0;
  for (const auto& [step, bytes] : change) most = std::max(most, live += bytes);
  return most;
}

// Greedy by size (Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference", 2020): near the bound
// on real models. O(n^2).
MemoryPlan LargestFirst(absl::Span<const MemoryBlock> blocks) {
  std::vector<int32_t> order(blocks.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return std::make_tuple(-blocks[a].bytes, blocks[a].first, a) <
           std::make_tuple(-blocks[b].bytes, blocks[b].first, b);
  });
  MemoryPlan plan;
  plan.offsets.assign(blocks.size(), 0);
  std::vector<int32_t> placed;  // by offset
  for (int32_t id : order) {
    const int64_t bytes = Aligned(blocks[id].bytes);
    int64_t best = -1, best_gap = std::numeric_limits<int64_t>::max(), end = 0;
    for (int32_t other : placed) {
      if (!Overlap(blocks[id], blocks[other])) continue;
      const int64_t gap = plan.offsets[other] - end;
      if (gap >= bytes && gap < best_gap) {
        best = end;
        best_gap = gap;
      }
      end = std::max(end, plan.offsets[other] + Aligned(blocks[other].bytes));
    }
    plan.offsets[id] = best >= 0 ? best : end;
    plan.bytes = std::max(plan.bytes, plan.offsets[id] + bytes);
    const auto at = std::upper_bound(placed.begin(), placed.end(), id,
                                     [&](int32_t a, int32_t b) { return plan.offsets[a] < plan.offsets[b]; });
    placed.insert(at, id);
  }
  return plan;
}

// What an allocator would do while the steps run: best fit, neighbours joined, growing at the end.
class BestFit {
 public:
  int64_t Take(int64_t bytes) {
    const auto fit = by_size_.lower_bound({bytes, 0});
    if (fit != by_size_.end()) {
      const auto [size, offset] = *fit;
      Remove(offset, size);
      if (size > bytes) Insert(offset + bytes, size - bytes);
      return offset;
    }
    int64_t start = end_;
    if (!free_.empty() && free_.rbegin()->first + free_.rbegin()->second == end_) {
      start = free_.rbegin()->first;  // the hole at the end grows
      Remove(start, end_ - start);
    }
    end_ = start + bytes;
    return start;
  }
  void Give(int64_t offset, int64_t bytes) {
    if (bytes == 0) return;
    auto next = free_.lower_bound(offset);
    if (next != free_.end() && offset + bytes == next->first) {
      const int64_t size = next->second;
      Remove(next->first, size);
      bytes += size;
    }
    next = free_.lower_bound(offset);
    if (next != free_.begin()) {
      const auto [before, size] = *std::prev(next);
      if (before + size == offset) {
        Remove(before, size);
        offset = before;
        bytes += size;
      }
    }
    Insert(offset, bytes);
  }
  int64_t end() const { return end_; }

 private:
  void Insert(int64_t offset, int64_t size) {
    free_[offset] = size;
    by_size_.insert({size, offset});
  }
  void Remove(int64_t offset, int64_t size) {
    free_.erase(offset);
    by_size_.erase({size, offset});
  }
  std::map<int64_t, int64_t> free_;                // offset -> size
  std::set<std::pair<int64_t, int64_t>> by_size_;  // (size, offset)
  int64_t end_ = 0;
};

MemoryPlan ByFirstStep(absl::Span<const MemoryBlock> blocks) {
  std::vector<int32_t> by_first(blocks.size()), by_last(blocks.size());
  std::iota(by_first.begin(), by_first.end(), 0);
  by_last = by_first;
  std::stable_sort(by_first.begin(), by_first.end(),
                   [&](int32_t a, int32_t b) { return blocks[a].first < blocks[b].first; });
  std::stable_sort(by_last.begin(), by_last.end(),
                   [&](int32_t a, int32_t b) { return blocks[a].last < blocks[b].last; });
  MemoryPlan plan;
  plan.offsets.assign(blocks.size(), 0);
  BestFit memory;
  size_t next_free = 0;
  for (int32_t id : by_first) {
    for (; next_free < by_last.size() && blocks[by_last[next_free]].last < blocks[id].first; ++next_free) {
      const int32_t dead = by_last[next_free];
      memory.Give(plan.offsets[dead], Aligned(blocks[dead].bytes));
    }
    if (blocks[id].bytes > 0) plan.offsets[id] = memory.Take(Aligned(blocks[id].bytes));
  }
  plan.bytes = memory.end();
  return plan;
}

}  // namespace

MemoryPlan PlanMemory(absl::Span<const MemoryBlock> blocks) {
  MemoryPlan plan = ByFirstStep(blocks);
  const int64_t lower_bound = LowerBound(blocks);
  if (plan.bytes > lower_bound && blocks.size() <= kLargestFirstLimit) {
    MemoryPlan other = LargestFirst(blocks);
    if (other.bytes < plan.bytes) plan = std::move(other);
  }
  plan.lower_bound = lower_bound;
  return plan;
}

}  // namespace berth
