#include "graph/id_table.h"

#include <algorithm>
#include <utility>

namespace berth {
namespace {

constexpr size_t kFirstChunk = size_t{1} << 10;
constexpr size_t kLargestChunk = size_t{1} << 20;

}  // namespace

const char* StringArena::Add(absl::string_view text) {
  const uint32_t size = static_cast<uint32_t>(text.size());
  const size_t need = sizeof size + text.size();
  if (need > left_) {
    const size_t chunk = std::max(need, std::clamp(bytes_, kFirstChunk, kLargestChunk));
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(chunk));
    next_ = chunks_.back().get();
    left_ = chunk;
    bytes_ += chunk;
  }
  std::memcpy(next_, &size, sizeof size);
  if (!text.empty()) std::memcpy(next_ + sizeof size, text.data(), text.size());
  const char* added = next_ + sizeof size;
  next_ += need;
  left_ -= need;
  return added;
}

void IdTable::Place(Slot slot) {
  size_t at = slot.tag & mask_;
  while (slots_[at].id_plus_1 != 0) at = (at + 1) & mask_;
  slots_[at] = slot;
}

void IdTable::Grow() {
  std::vector<Slot> old(std::max<size_t>(16, slots_.size() * 2));
  old.swap(slots_);
  mask_ = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.id_plus_1 != 0) Place(slot);
  }
}

}  // namespace berth
