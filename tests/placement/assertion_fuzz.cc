// Assertions: any text is read or refused, and a verdict names a failed comparison exactly when it does not hold.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "placement/assertion.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  const absl::StatusOr<berth::Assertion> assertion = berth::Assertion::Parse(text, "fuzz");
  if (!assertion.ok()) return 0;
  const absl::StatusOr<berth::Machine> machine = berth::ParseMachine("cpu:1,gpu:2");
  berth::PlacementEstimate estimate;
  estimate.devices.resize(3);
  estimate.devices[1].nodes = 5;
  estimate.devices[1].peak_bytes = 4096;
  estimate.links.push_back({.from = 0, .to = 1, .transfers = 2, .bytes = 64});
  const auto verdict = assertion->Check(*machine, estimate);
  if (verdict.ok() && verdict->holds != verdict->failed.empty()) std::abort();
  return 0;
}
