#include "runtime/devices.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace berth {

absl::StatusOr<Devices> DevicesFor(const Machine& machine, const DeviceMaker& maker) {
  if (machine.Client() == kNoDevice) {
    return absl::FailedPreconditionError(absl::StrCat(
        "machine '", machine.ToString(), "': expected a cpu, where feeds come from and fetches go to, got none"));
  }
  Devices devices;
  for (DeviceId d = 0; d < machine.num_devices(); ++d) {
    const MachineDevice& device = machine.device(d);
    std::unique_ptr<Device> made = maker ? maker(device) : nullptr;
    if (made != nullptr) {
      devices.devices_.push_back(std::move(made));
    } else if (device.kind() == "CPU") {
      devices.devices_.push_back(MakeCpuDevice(device.name));
    } else {
      devices.devices_.push_back(MakeVirtualDevice(device.name, {.memory_bytes = device.memory_bytes}));
    }
  }
  return devices;
}

std::string Devices::ToString() const {
  std::string text;
  for (const auto& device : devices_) {
    absl::StrAppend(&text, device->name().ToString(), "\t", device->description(), "\n");
  }
  return text;
}

}  // namespace berth
