// A 64-bit hash of bytes that is the same on every run and machine, for content hashes in reports and dumps. Not for
// adversaries: whoever wants two inputs with one fingerprint can make them.
#ifndef BERTH_GRAPH_FINGERPRINT_H_
#define BERTH_GRAPH_FINGERPRINT_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace berth {

// O(bytes), several GB/s. `seed` chains: Fingerprint(b, Fingerprint(a)).
uint64_t Fingerprint(absl::string_view bytes, uint64_t seed = 0);

// Mixes a number into a hash.
uint64_t Fingerprint(uint64_t number, uint64_t seed);

}  // namespace berth

#endif  // BERTH_GRAPH_FINGERPRINT_H_
