// The machine a graph is placed for: devices and the links between them. Data, not hardware:
// placing for a machine one does not own is the normal case.
//
//   cpu:1,gpu:2                        one task:
//   /job:localhost/replica:0/task:0/device:{CPU:0,GPU:0,GPU:1} ps*2(cpu:1),worker*2(cpu:1,gpu:2)
//   jobs and tasks, in the order written FILE.pbtxt                         a MachineDef
//   (proto/machine.proto)
//
// A task without a cpu is legal to place for; host-only ops are an error there, and so is running.
#ifndef BERTH_PLACEMENT_MACHINE_H_
#define BERTH_PLACEMENT_MACHINE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "graph/device_name.h"

namespace berth {

using DeviceId = int32_t;  // index into Machine::devices(), in machine order
constexpr DeviceId kNoDevice = -1;

// Rates are those a cost model uses; the defaults are stated in machine.proto.
struct MachineDevice {
  DeviceName name;                                 // full
  std::string kind() const { return *name.type; }  // "CPU", "GPU", ...
  int64_t memory_bytes = 0;                        // capacity; 0: unlimited
  double flops_per_second = 0;
  double bytes_per_second = 0;  // memory bandwidth
  double launch_seconds = 0;    // before each node
};

struct MachineLink {
  DeviceId from = kNoDevice;
  DeviceId to = kNoDevice;
  double bytes_per_second = 0;
  double latency_seconds = 0;
  bool direct = true;  // false: data goes through a host
};

// What links that a machine does not list have; fields that are not set have the defaults of
// machine.proto.
struct LinkDefaults {
  std::optional<double> bytes_per_second;
  std::optional<double> latency_seconds;
  std::optional<bool> direct;
  friend bool operator==(const LinkDefaults&, const LinkDefaults&) = default;
};

// A device with the default rates of its kind.
MachineDevice DefaultDevice(DeviceName full);

class Machine {
 public:
  Machine() = default;
  // Error: InvalidArgument for an empty list, a name that is not full, a name that occurs twice, or
  // a link to no device.
  static absl::StatusOr<Machine> Create(std::vector<MachineDevice> devices, std::vector<MachineLink> links,
                                        LinkDefaults in_task = {}, LinkDefaults between_tasks = {});

  // Machine order: as written, ids of a kind ascending where shorthand made them ("gpu:2" before
  // "gpu:10").
  const std::vector<MachineDevice>& devices() const { return devices_; }
  int num_devices() const { return static_cast<int>(devices_.size()); }
  const MachineDevice& device(DeviceId d) const { return devices_[d]; }
  const std::vector<MachineLink>& links() const { return links_; }  // those listed, by (from, to)
  const LinkDefaults& task_links() const { return task_links_; }
  const LinkDefaults& network_links() const { return network_links_; }
  std::optional<DeviceId> Find(const DeviceName& full) const;
  // Devices that match the pattern, in machine order.
  std::vector<DeviceId> Matching(const DeviceName& pattern) const;
  // The first CPU of the task that `d` belongs to; kNoDevice when it has none.
  DeviceId HostOf(DeviceId d) const { return tasks_[task_of_[d]].host; }
  // Where feeds come from and fetches go to: the first CPU of `session task` (default: that of the
  // first device); kNoDevice when that task has none.
  DeviceId Client() const { return tasks_[session_].host; }
  bool SameTask(DeviceId a, DeviceId b) const { return task_of_[a] == task_of_[b]; }
  // The link's data, defaulted where the machine gives none.
  MachineLink Link(DeviceId from, DeviceId to) const;

  // The tasks, as /job:ps/replica:0/task:1, in order of their first device; the session's is one of
  // them.
  std::vector<DeviceName> tasks() const;
  const DeviceName& session_task() const { return tasks_[session_].name; }
  // Sets the task whose cpu is Client(). Error: NotFound listing the tasks.
  absl::Status SetSessionTask(const DeviceName& task);

  // Shorthand that ParseMachine reads back where rates are defaults; else protobuf text on one
  // line. Without the session's task.
  std::string ToString() const;
  // For reports: the name that a MachineDef gives, else ToString().
  std::string Label() const { return label_.empty() ? ToString() : label_; }
  void set_label(std::string label) { label_ = std::move(label); }
  // "cpu:0, gpu:0, gpu:1" for messages; at most `limit` names, then "... and N more".
  std::string DeviceList(int limit = 16) const;
  // Of everything above but the label, the session's task included.
  uint64_t Fingerprint() const;

 private:
  struct Task {
    DeviceName name;  // job, replica, task
    DeviceId host = kNoDevice;
  };

  std::string label_;
  std::vector<MachineDevice> devices_;
  std::vector<MachineLink> links_;
  LinkDefaults task_links_, network_links_;
  std::vector<Task> tasks_;        // in order of their first device
  std::vector<int32_t> task_of_;   // by device
  std::vector<DeviceId> by_name_;  // sorted by name
  int32_t session_ = 0;            // index into tasks_
};

// Reads shorthand: KIND:COUNT,... for one task, or JOB*TASKS(KIND:COUNT,...),... Errors:
// InvalidArgument with column, caret and grammar; at most 65536 devices. `origin` is how messages call the text.
absl::StatusOr<Machine> ParseMachine(absl::string_view text, absl::string_view origin = "machine");
// Reads MachineDef in protobuf text. `file` is for messages.
absl::StatusOr<Machine> ParseMachineDef(absl::string_view text, absl::string_view file);
// A flag's value: names a file when it has a '/' or ends in .pbtxt, else shorthand of this origin.
absl::StatusOr<Machine> LoadMachine(absl::string_view flag, absl::string_view origin = "machine");

}  // namespace berth

#endif  // BERTH_PLACEMENT_MACHINE_H_
