// TensorFlow's random generator: Philox 4x32 with 10 rounds (Salmon et al., "Parallel random numbers: as easy as 1, 2,
// 3"). Blocks of four words are a function of key and counter, so that any part of a sequence can be made by itself.
#ifndef BERTH_KERNELS_CPU_PHILOX_H_
#define BERTH_KERNELS_CPU_PHILOX_H_

#include <array>
#include <cstdint>

namespace berth::cpu {

class Philox {
 public:
  using Block = std::array<uint32_t, 4>;

  Philox(uint64_t seed, uint64_t seed2)
      : key_{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)}, high_(seed2) {}

  // Moves `blocks` ahead.
  void Skip(uint64_t blocks) {
    low_ += blocks;
    if (low_ < blocks) ++high_;
  }
  // The block at the counter; then moves one ahead.
  Block Next();

 private:
  std::array<uint32_t, 2> key_;
  uint64_t low_ = 0, high_;  // the 128-bit counter
};

// The words of consecutive blocks one by one.
class PhiloxWords {
 public:
  explicit PhiloxWords(Philox generator) : generator_(generator) {}
  uint32_t Next() {
    if (used_ == 4) {
      block_ = generator_.Next();
      used_ = 0;
    }
    return block_[used_++];
  }

 private:
  Philox generator_;
  Philox::Block block_ = {};
  int used_ = 4;
};

}  // namespace berth::cpu

#endif  // BERTH_KERNELS_CPU_PHILOX_H_
