// Machines, as shorthand and as MachineDef: what is read prints as text that reads back as the same.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "placement/machine.h"

namespace {

void CheckRoundTrip(const absl::StatusOr<berth::Machine>& machine) {
  if (!machine.ok() || machine->num_devices() > 1000) return;
  const std::string text = machine->ToString();
  const absl::StatusOr<berth::Machine> again =
      text.find('{') == std::string::npos ? berth::ParseMachine(text) : berth::ParseMachineDef(text, "again");
  if (!again.ok() || again->ToString() != text) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  CheckRoundTrip(berth::ParseMachine(text));
  CheckRoundTrip(berth::ParseMachineDef(text, "fuzz"));
  return 0;
}
