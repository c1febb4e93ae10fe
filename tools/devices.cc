#include "tools/devices.h"

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "graph/read_file.h"
#include "graph/status_macros.h"
#include "placement/machine.h"

namespace berth {
namespace {

std::string Behind(const MachineDevice& device) {
  return device.kind() == "CPU" ? "host memory" : "virtual: own memory and stream in this process";
}

}  // namespace

absl::Status Devices(const DevicesFlags& flags, Io& io) {
  absl::StatusOr<Machine> machine = LoadMachine(flags.machine.empty() ? "cpu:1" : flags.machine);
  if (!machine.ok()) return WithExit(machine.status(), NamesFile(flags.machine) ? kExitUnreadable : kExitUsage);
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const MachineDevice& device : machine->devices()) {
    const std::string memory =
        device.memory_bytes == 0 ? "unlimited" : absl::StrFormat("%.1f GiB", device.memory_bytes / 1073741824.0);
    if (flags.json) {
      json.push_back({{"name", device.name.ToString()},
                      {"kind", device.kind()},
                      {"memory_bytes", device.memory_bytes},
                      {"flops", device.flops_per_second},
                      {"memory_bandwidth", device.bytes_per_second},
                      {"behind", Behind(device)}});
    } else {
      io.out << absl::StrFormat("%-8s %-48s %-10s %s\n", device.name.ShortName(), device.name.ToString(), memory,
                                Behind(device));
    }
  }
  if (flags.json) io.out << json.dump(2) << "\n";
  return absl::OkStatus();
}

}  // namespace berth
