// The devices behind a machine: one Device for each MachineDevice, in machine order.
//
//   DevicesFor(machine "cpu:1,gpu:2")  ->  cpu:0 host memory; gpu:0 virtual; gpu:1 virtual
//
// A value made by who runs, never a global: two sets with different maps live in one process side by side. Making or
// listing one has no side effect: no thread, no memory, no hardware is touched before first use.
#ifndef BERTH_RUNTIME_DEVICES_H_
#define BERTH_RUNTIME_DEVICES_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "placement/machine.h"
#include "runtime/device.h"

namespace berth {

// Makes a device that the runtime does not know, such as a plug-in's; null leaves it to the runtime.
using DeviceMaker = std::function<std::unique_ptr<Device>(const MachineDevice& device)>;

class Devices {
 public:
  Devices(Devices&&) = default;
  Devices& operator=(Devices&&) = default;

  int size() const { return static_cast<int>(devices_.size()); }
  Device* device(DeviceId d) const { return devices_[d].get(); }
  // One line a device: full name, tab, what stands behind it.
  std::string ToString() const;

 private:
  friend absl::StatusOr<Devices> DevicesFor(const Machine& machine, const DeviceMaker& maker);
  Devices() = default;
  std::vector<std::unique_ptr<Device>> devices_;
};

// Memory sizes are the machine's. Every device that `maker`, if given, does not make and that is no cpu is virtual; this
// process stands for the devices of all tasks. Error: FailedPrecondition for a machine without a cpu.
absl::StatusOr<Devices> DevicesFor(const Machine& machine, const DeviceMaker& maker = nullptr);

}  // namespace berth

#endif  // BERTH_RUNTIME_DEVICES_H_
