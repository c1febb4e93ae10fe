#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "runtime/npy.h"

// What is read can be written, and reads back as the same bytes.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  absl::StatusOr<berth::Tensor> t = berth::ReadNpy({reinterpret_cast<const char*>(data), size});
  if (!t.ok()) return 0;
  absl::StatusOr<std::string> bytes = berth::WriteNpy(*t);
  if (!bytes.ok()) return 0;
  absl::StatusOr<berth::Tensor> back = berth::ReadNpy(*bytes);
  if (!back.ok() || back->dtype() != t->dtype() || back->dims() != t->dims()) std::abort();
  if (*berth::WriteNpy(*back) != *bytes) std::abort();
  return 0;
}
