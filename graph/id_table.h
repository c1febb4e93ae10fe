// Two small containers that interning is made of: an arena of strings with stable addresses, and a hash table that maps
// a key to a dense id while the keys themselves lie elsewhere.
#ifndef BERTH_GRAPH_ID_TABLE_H_
#define BERTH_GRAPH_ID_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"

namespace berth {

// Copies of strings; their addresses do not change until the arena dies. Each is stored behind its length, so that one
// pointer is a whole string.
class StringArena {
 public:
  // Points at the bytes; Length() of it gives their number.
  const char* Add(absl::string_view text);
  static absl::string_view View(const char* text) {
    uint32_t size;
    std::memcpy(&size, text - sizeof size, sizeof size);
    return absl::string_view(text, size);
  }
  size_t MemoryBytes() const { return bytes_; }

 private:
  std::vector<std::unique_ptr<char[]>> chunks_;
  char* next_ = nullptr;
  size_t left_ = 0;
  size_t bytes_ = 0;
};

// Open addressing over (hash, id) pairs; ids are what the caller makes them, dense from 0.
class IdTable {
 public:
  // The id whose key has this hash and for which `same(id)` holds, or -1.
  template <typename Same>
  int64_t Find(size_t hash, Same same) const {
    if (slots_.empty()) return -1;
    const uint32_t tag = Tag(hash);
    for (size_t at = tag & mask_;; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (slot.id_plus_1 == 0) return -1;
      if (slot.tag == tag && same(slot.id_plus_1 - 1)) return slot.id_plus_1 - 1;
    }
  }
  // REQUIRES: no key equal to this one is in the table.
  void Insert(size_t hash, uint32_t id) {
    if ((size_ + 1) * 4 > slots_.size() * 3) Grow();
    ++size_;
    Place({Tag(hash), id + 1});
  }
  size_t MemoryBytes() const { return slots_.capacity() * sizeof(Slot); }

 private:
  struct Slot {
    uint32_t tag = 0;
    uint32_t id_plus_1 = 0;
  };
  static uint32_t Tag(size_t hash) { return static_cast<uint32_t>(hash ^ (hash >> 32)); }
  void Place(Slot slot);
  void Grow();

  std::vector<Slot> slots_;
  size_t mask_ = 0;
  size_t size_ = 0;
};

}  // namespace berth

#endif  // BERTH_GRAPH_ID_TABLE_H_
