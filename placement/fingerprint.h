// A 64-bit hash of bytes that is the same in every run and on every machine. Not for hostile input.
#ifndef BERTH_PLACEMENT_FINGERPRINT_H_
#define BERTH_PLACEMENT_FINGERPRINT_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace berth {

// FNV-1a.
inline uint64_t FingerprintBytes(absl::string_view bytes) {
  uint64_t hash = 14695981039346656037u;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

}  // namespace berth

#endif  // BERTH_PLACEMENT_FINGERPRINT_H_
