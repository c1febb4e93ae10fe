#include "tools/devices.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "graph/read_file.h"
#include "graph/status_macros.h"
#include "placement/estimate.h"
#include "placement/machine.h"

namespace berth {
namespace {

std::string Behind(const MachineDevice& device) {
  return device.kind() == "CPU" ? "host memory" : "virtual: own memory and stream in this process";
}

std::string Memory(const MachineDevice& device) {
  return device.memory_bytes == 0 ? "unlimited" : BytesText(device.memory_bytes);
}

}  // namespace

absl::Status Devices(const DevicesFlags& flags, Io& io) {
  absl::StatusOr<Machine> machine = LoadMachine(flags.machine.empty() ? "cpu:1" : flags.machine);
  if (!machine.ok()) return WithExit(machine.status(), NamesFile(flags.machine) ? kExitUnreadable : kExitUsage);
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  size_t width = 10;
  for (const MachineDevice& device : machine->devices()) width = std::max(width, Memory(device).size());
  for (const MachineDevice& device : machine->devices()) {
    if (flags.json) {
      json.push_back({{"name", device.name.ToString()},
                      {"kind", device.kind()},
                      {"memory_bytes", device.memory_bytes},
                      {"flops", device.flops_per_second},
                      {"memory_bandwidth", device.bytes_per_second},
                      {"behind", Behind(device)}});
    } else {
      io.out << absl::StrFormat("%-8s %-48s %-*s %s\n", device.name.ShortName(), device.name.ToString(),
                                static_cast<int>(width), Memory(device), Behind(device));
    }
  }
  if (flags.json) io.out << json.dump(2) << "\n";
  return absl::OkStatus();
}

}  // namespace berth
