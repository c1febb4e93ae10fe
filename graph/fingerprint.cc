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

uint64_t Load8(const char* p) {
  uint64_t word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

// `n` bytes, fewer than 8, as the low ones of a word: from overlapping pieces of fixed size, which is faster than a call.
uint64_t LoadFew(const char* p, size_t n) {
  if (n >= 4) {
    uint32_t low, high;
    std::memcpy(&low, p, sizeof low);
    std::memcpy(&high, p + n - sizeof high, sizeof high);
    return low | static_cast<uint64_t>(high) << (n - sizeof high) * 8;
  }
  uint64_t word = 0;
  for (size_t i = 0; i < n; ++i) word |= static_cast<uint64_t>(static_cast<unsigned char>(p[i])) << i * 8;
  return word;
}

uint64_t Load(const char* p, size_t n) { return n == 8 ? Load8(p) : LoadFew(p, n); }

}  // namespace

uint64_t Fingerprint(absl::string_view bytes, uint64_t seed) {
  const char* p = bytes.data();
  size_t left = bytes.size();
  uint64_t h = Fold(seed ^ kA, left ^ kB);
  for (; left >= 16; p += 16, left -= 16) h = Fold(Load8(p) ^ kA ^ h, Load8(p + 8) ^ kB);
  if (left > 0) {
    const size_t low = left < 8 ? left : 8;
    h = Fold(Load(p, low) ^ kA ^ h, Load(p + low, left - low) ^ kB);
  }
  return Fold(h ^ kB, kA);
}

uint64_t Fingerprint(uint64_t number, uint64_t seed) { return Fold(Fold(number ^ kA, seed ^ kB) ^ kB, kA); }

}  // namespace berth
