#include "graph/fingerprint.h"

#include <cstring>

namespace berth {
namespace {

constexpr uint64_t kA = 0x9e3779b97f4a7c15;  // odd bits of the golden ratio
constexpr uint64_t kB = 0xd6e8feb86659fd93;

// The two halves of a 128-bit product, folded: every input bit reaches every output bit.
uint64_t Fold(uint64_t a, uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t Load(const char* p, size_t n) {
  uint64_t word = 0;
  std::memcpy(&word, p, n);
  return word;
}

}  // namespace

uint64_t Fingerprint(absl::string_view bytes, uint64_t seed) {
  const char* p = bytes.data();
  size_t left = bytes.size();
  uint64_t h = Fold(seed ^ kA, left ^ kB);
  for (; left >= 16; p += 16, left -= 16) h = Fold(Load(p, 8) ^ kA ^ h, Load(p + 8, 8) ^ kB);
  if (left > 0) {
    const size_t low = left < 8 ? left : 8;
    h = Fold(Load(p, low) ^ kA ^ h, Load(p + low, left - low) ^ kB);
  }
  return Fold(h ^ kB, kA);
}

uint64_t Fingerprint(uint64_t number, uint64_t seed) { return Fold(Fold(number ^ kA, seed ^ kB) ^ kB, kA); }

}  // namespace berth
