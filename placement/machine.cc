#include "placement/machine.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace berth {
namespace {

constexpr int64_t kDefaultMemory = int64_t{16} << 30;

// Rates of machine.proto for links that a machine does not list.
constexpr double kTaskBandwidth = 12e9;
constexpr double kTaskLatency = 10e-6;
constexpr double kNetworkBandwidth = 1.25e9;
constexpr double kNetworkLatency = 50e-6;

DeviceName TaskOf(const DeviceName& full) {
  DeviceName task;
  task.job = full.job;
  task.replica = full.replica;
  task.task = full.task;
  return task;
}

bool OfOneTask(const DeviceName& a, const DeviceName& b) {
  return a.task == b.task && a.replica == b.replica && a.job == b.job;
}

std::pair<DeviceId, DeviceId> Ends(const MachineLink& link) { return {link.from, link.to}; }

}  // namespace

MachineDevice DefaultDevice(DeviceName full) {
  const bool cpu = full.type == "CPU";
  MachineDevice device;
  device.name = std::move(full);
  device.memory_bytes = kDefaultMemory;
  device.flops_per_second = cpu ? 100e9 : 10e12;
  device.bytes_per_second = cpu ? 20e9 : 500e9;
  device.launch_seconds = cpu ? 1e-6 : 5e-6;
  return device;
}

absl::StatusOr<Machine> Machine::Create(std::vector<MachineDevice> devices, std::vector<MachineLink> links,
                                        LinkDefaults in_task, LinkDefaults between_tasks) {
  if (devices.empty()) return absl::InvalidArgumentError("machine: expected a device, got none");
  Machine machine;
  std::map<DeviceName, int32_t> tasks;
  for (DeviceId d = 0; d < static_cast<DeviceId>(devices.size()); ++d) {
    const DeviceName& name = devices[d].name;
    if (!name.full()) {
      return absl::InvalidArgumentError(absl::StrCat("machine device '", name.ToString(), "': expected a full name"));
    }
    int32_t task = d == 0 ? -1 : machine.task_of_.back();
    if (d == 0 || !OfOneTask(name, devices[d - 1].name)) {
      const auto [it, is_new] = tasks.emplace(TaskOf(name), machine.tasks_.size());
      if (is_new) machine.tasks_.push_back({it->first, kNoDevice});
      task = it->second;
    }
    DeviceId& host = machine.tasks_[task].host;
    if (host == kNoDevice && name.type == "CPU") host = d;
    machine.task_of_.push_back(task);
    machine.by_name_.push_back(d);
  }
  // In the order of names, most of which is that of the tasks.
  std::vector<int32_t> rank(tasks.size());
  int32_t next = 0;
  for (const auto& [name, task] : tasks) rank[task] = next++;
  std::sort(machine.by_name_.begin(), machine.by_name_.end(), [&](DeviceId a, DeviceId b) {
    const int32_t rank_a = rank[machine.task_of_[a]];
    const int32_t rank_b = rank[machine.task_of_[b]];
    return std::tie(rank_a, devices[a].name.type, devices[a].name.id, a) <
           std::tie(rank_b, devices[b].name.type, devices[b].name.id, b);
  });
  for (size_t i = 1; i < machine.by_name_.size(); ++i) {
    const DeviceName& name = devices[machine.by_name_[i]].name;
    if (name == devices[machine.by_name_[i - 1]].name) {
      return absl::InvalidArgumentError(
          absl::StrCat("machine device '", name.ShortName(), "': expected one of a name, got two"));
    }
  }
  const auto known = [&](DeviceId d) { return d >= 0 && d < static_cast<DeviceId>(devices.size()); };
  for (const MachineLink& link : links) {
    if (!known(link.from) || !known(link.to)) {
      return absl::InvalidArgumentError(
          absl::StrCat("machine link ", link.from, " to ", link.to, ": expected devices 0 to ", devices.size() - 1));
    }
  }
  std::stable_sort(links.begin(), links.end(),
                   [](const MachineLink& a, const MachineLink& b) { return Ends(a) < Ends(b); });
  machine.devices_ = std::move(devices);
  machine.links_ = std::move(links);
  machine.task_links_ = in_task;
  machine.network_links_ = between_tasks;
  return machine;
}

std::optional<DeviceId> Machine::Find(const DeviceName& full) const {
  const auto it = std::lower_bound(by_name_.begin(), by_name_.end(), full,
                                   [&](DeviceId d, const DeviceName& name) { return devices_[d].name < name; });
  if (it == by_name_.end() || !(devices_[*it].name == full)) return std::nullopt;
  return *it;
}

std::vector<DeviceId> Machine::Matching(const DeviceName& pattern) const {
  std::vector<DeviceId> matching;
  if (pattern.full()) {
    if (const auto d = Find(pattern)) matching.push_back(*d);
    return matching;
  }
  for (DeviceId d = 0; d < num_devices(); ++d) {
    if (Matches(pattern, devices_[d].name)) matching.push_back(d);
  }
  return matching;
}

MachineLink Machine::Link(DeviceId from, DeviceId to) const {
  const std::pair<DeviceId, DeviceId> ends(from, to);
  const auto it = std::lower_bound(links_.begin(), links_.end(), ends,
                                   [](const MachineLink& link, const auto& wanted) { return Ends(link) < wanted; });
  if (it != links_.end() && Ends(*it) == ends) return *it;
  const bool near = SameTask(from, to);
  const bool host = devices_[from].name.type == "CPU" || devices_[to].name.type == "CPU";
  const LinkDefaults& defaults = near ? task_links_ : network_links_;
  MachineLink link;
  link.from = from;
  link.to = to;
  link.bytes_per_second = defaults.bytes_per_second.value_or(near ? kTaskBandwidth : kNetworkBandwidth);
  link.latency_seconds = defaults.latency_seconds.value_or(near ? kTaskLatency : kNetworkLatency);
  link.direct = defaults.direct.value_or(host);
  return link;
}

std::vector<DeviceName> Machine::tasks() const {
  std::vector<DeviceName> names;
  for (const Task& task : tasks_) names.push_back(task.name);
  return names;
}

absl::Status Machine::SetSessionTask(const DeviceName& task) {
  std::vector<std::string> names;
  for (size_t t = 0; t < tasks_.size(); ++t) {
    if (Matches(TaskOf(task), tasks_[t].name)) {
      session_ = static_cast<int32_t>(t);
      return absl::OkStatus();
    }
    names.push_back(tasks_[t].name.ToString());
  }
  return absl::NotFoundError(absl::StrCat("session task '", task.ToString(),
                                          "': expected a task of the machine, got no such task; there are ",
                                          absl::StrJoin(names, ", ")));
}

std::string Machine::DeviceList(int limit) const {
  std::string list;
  for (DeviceId d = 0; d < num_devices(); ++d) {
    if (d == limit) return absl::StrCat(list, ", ... and ", num_devices() - d, " more");
    absl::StrAppend(&list, d == 0 ? "" : ", ", devices_[d].name.ShortName());
  }
  return list;
}

}  // namespace berth
