#include "kernels/cpu/philox.h"

namespace berth::cpu {

Philox::Block Philox::Next() {
  Block x = {static_cast<uint32_t>(low_), static_cast<uint32_t>(low_ >> 32), static_cast<uint32_t>(high_),
             static_cast<uint32_t>(high_ >> 32)};
  std::array<uint32_t, 2> key = key_;
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53u} * x[0];
    const uint64_t b = uint64_t{0xCD9E8D57u} * x[2];
    x = {static_cast<uint32_t>(b >> 32) ^ x[1] ^ key[0], static_cast<uint32_t>(b),
         static_cast<uint32_t>(a >> 32) ^ x[3] ^ key[1], static_cast<uint32_t>(a)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  Skip(1);
  return x;
}

}  // namespace berth::cpu
