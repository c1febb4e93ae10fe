// Dumps that are replayed, of every form.
#include <cstdint>
#include <string>

#include "placement/dump.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  static_cast<void>(berth::ReadDump(text, "fuzz"));
  return 0;
}
