// The machine a graph is placed for: devices and the links between them. Data, not hardware: placing for a machine one does
// not own is the normal case.
//
//   cpu:1,gpu:2                        one task: /job:localhost/replica:0/task:0/device:{CPU:0,GPU:0,GPU:1}
//   ps*2(cpu:1),worker*2(cpu:1,gpu:2)  jobs and tasks, in the order written
//   FILE.pbtxt                         a MachineDef (proto/machine.proto)
#ifndef BERTH_PLACEMENT_MACHINE_H_
#define BERTH_PLACEMENT_MACHINE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "graph/device_name.h"

namespace berth {

using DeviceId = int32_t;  // index into Machine::devices(), in machine order
constexpr DeviceId kNoDevice = -1;

// Rates are those a cost model uses; the defaults are stated in machine.proto.
struct MachineDevice {
  DeviceName name;  // full
  std::string kind() const { return *name.type; }  // "CPU", "GPU", ...
  int64_t memory_bytes = 0;          // capacity; 0: unlimited
  double flops_per_second = 0;
  double bytes_per_second = 0;       // memory bandwidth
};

struct MachineLink {
  DeviceId from = kNoDevice;
  DeviceId to = kNoDevice;
  double bytes_per_second = 0;
  double latency_seconds = 0;
  bool direct = true;  // false: data goes through a host
};

class Machine {
 public:
  Machine() = default;
  // Error: InvalidArgument for an empty list, a name that is not full, a name that occurs twice, or a link to no device.
  static absl::StatusOr<Machine> Create(std::vector<MachineDevice> devices, std::vector<MachineLink> links);

  // Machine order: as written, the cpus of a task first where shorthand made it, ids ascending ("gpu:2" before "gpu:10").
  const std::vector<MachineDevice>& devices() const { return devices_; }
  int num_devices() const { return static_cast<int>(devices_.size()); }
  const MachineDevice& device(DeviceId d) const { return devices_[d]; }
  std::optional<DeviceId> Find(const DeviceName& full) const;
  // Devices that match the pattern, in machine order.
  std::vector<DeviceId> Matching(const DeviceName& pattern) const;
  // The first CPU of the task that `d` belongs to; kNoDevice when it has none.
  DeviceId HostOf(DeviceId d) const;
  // Where feeds come from and fetches go to: CPU:0 of `session task` (default: that of the first device).
  DeviceId Client() const;
  bool SameTask(DeviceId a, DeviceId b) const;
  // The link's data, defaulted where the machine gives none.
  MachineLink Link(DeviceId from, DeviceId to) const;

  // Sets the task whose CPU:0 is Client(). Error: NotFound listing the tasks.
  absl::Status SetSessionTask(const DeviceName& task);

  // Shorthand that ParseMachine reads back where rates are defaults; else protobuf text on one line.
  std::string ToString() const;
  // "cpu:0, gpu:0, gpu:1" for messages; at most `limit` names, then "... and N more".
  std::string DeviceList(int limit = 16) const;
  uint64_t Fingerprint() const;

 private:
  std::vector<MachineDevice> devices_;
  std::vector<MachineLink> links_;
  DeviceName session_task_;
};

// Reads shorthand (grammar above). Errors: InvalidArgument with column, caret and grammar; at most 65536 devices.
absl::StatusOr<Machine> ParseMachine(absl::string_view text);
// Reads MachineDef in protobuf text. `file` is for messages.
absl::StatusOr<Machine> ParseMachineDef(absl::string_view text, absl::string_view file);
// A flag's value: names a file when it has a '/' or ends in .pbtxt, else shorthand.
absl::StatusOr<Machine> LoadMachine(absl::string_view flag);

}  // namespace berth

#endif  // BERTH_PLACEMENT_MACHINE_H_
