// Machines as text: the shorthand of flags, and MachineDef files.
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "graph/fingerprint.h"
#include "graph/read_file.h"
#include "graph/status_macros.h"
#include "placement/caret.h"
#include "placement/machine.h"
#include "proto/machine.pb.h"

namespace berth {
namespace {

constexpr int64_t kMaxDevices = 65536;
constexpr size_t kMaxMachineBytes = size_t{1} << 28;
constexpr absl::string_view kGrammar =
    "a machine is KIND:COUNT,... such as cpu:1,gpu:2, or JOB*TASKS(KIND:COUNT,...),... such as "
    "ps*2(cpu:1),worker*2(cpu:1,gpu:2)";

// cpu and gpu in any case are CPU and GPU; other kinds keep theirs.
std::string KindOf(absl::string_view word) {
  const std::string upper = absl::AsciiStrToUpper(word);
  return upper == "CPU" || upper == "GPU" ? upper : std::string(word);
}

class ShorthandReader {
 public:
  ShorthandReader(absl::string_view text, absl::string_view origin) : text_(text), origin_(origin) {}

  absl::StatusOr<Machine> Read() {
    SkipSpaces();
    if (at_ == text_.size()) return Error(at_, "expected a machine, got nothing");
    const size_t begin = at_;
    BERTH_RETURN_IF_ERROR(ReadWord().status());
    const bool jobs = Peek() == '*' || Peek() == '(';
    at_ = begin;
    if (jobs) {
      do {
        BERTH_RETURN_IF_ERROR(ReadJob());
      } while (Take(','));
    } else {
      BERTH_RETURN_IF_ERROR(ReadTasks("localhost", 1));
    }
    if (at_ < text_.size()) return Expected("\",\" or the end");
    if (devices_.empty()) return Error(0, "expected at least one device, got none");
    return Machine::Create(std::move(devices_), {});
  }

 private:
  // JOB*TASKS(KIND:COUNT,...); a job that is named again gets more tasks.
  absl::Status ReadJob() {
    BERTH_ASSIGN_OR_RETURN(const std::string job, ReadWord());
    int64_t tasks = 1;
    if (Take('*')) {
      BERTH_ASSIGN_OR_RETURN(tasks, ReadCount());
    }
    if (!Take('(')) return Expected("\"(\"");
    BERTH_RETURN_IF_ERROR(ReadTasks(job, tasks));
    if (!Take(')')) return Expected("\",\" or \")\"");
    return absl::OkStatus();
  }

  absl::Status ReadTasks(const std::string& job, int64_t tasks) {
    std::vector<std::pair<std::string, int64_t>> kinds;
    const size_t begin = at_;
    int64_t devices = 0;
    do {
      SkipSpaces();
      const size_t word_at = at_;
      BERTH_ASSIGN_OR_RETURN(const std::string word, ReadWord());
      std::string kind = KindOf(word);
      for (const auto& [known, count] : kinds) {
        if (known == kind) return Error(word_at, absl::StrCat("expected each kind once, got ", Quoted(word), " twice"));
      }
      if (!Take(':')) return Expected("\":\" and how many");
      BERTH_ASSIGN_OR_RETURN(const int64_t count, ReadCount());
      devices += count;
      kinds.emplace_back(std::move(kind), count);
    } while (Take(','));
    int& next_task = next_task_[job];
    if (devices * tasks + static_cast<int64_t>(devices_.size()) > kMaxDevices || tasks + next_task > kMaxDevices) {
      return Error(begin, absl::StrCat("expected at most ", kMaxDevices, " devices, got more"));
    }
    for (int64_t t = 0; t < tasks; ++t, ++next_task) {
      for (const auto& [kind, count] : kinds) {
        for (int i = 0; i < count; ++i) {
          devices_.push_back(DefaultDevice({job, 0, next_task, kind, i}));
        }
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> ReadWord() {
    SkipSpaces();
    const size_t begin = at_;
    while (at_ < text_.size() && (absl::ascii_isalnum(text_[at_]) || text_[at_] == '_')) ++at_;
    if (at_ == begin || !absl::ascii_isalpha(text_[begin])) {
      return Error(begin, absl::StrCat("expected a kind or a job, got ",
                                       begin == text_.size() ? "nothing" : Quoted(text_.substr(begin, 1))));
    }
    std::string word(text_.substr(begin, at_ - begin));
    SkipSpaces();
    return word;
  }

  absl::StatusOr<int64_t> ReadCount() {
    SkipSpaces();
    const size_t begin = at_;
    while (at_ < text_.size() && absl::ascii_isdigit(text_[at_])) ++at_;
    const absl::string_view digits = text_.substr(begin, at_ - begin);
    if (digits.empty()) return Expected("a count");
    int64_t count = 0;
    if (!absl::SimpleAtoi(digits, &count) || count > kMaxDevices) {
      return Error(begin, absl::StrCat("expected a count of at most ", kMaxDevices, ", got ", Quoted(digits)));
    }
    SkipSpaces();
    return count;
  }

  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool Take(char c) {
    SkipSpaces();
    if (Peek() != c || at_ == text_.size()) return false;
    ++at_;
    SkipSpaces();
    return true;
  }
  void SkipSpaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  absl::Status Expected(absl::string_view what) const {
    const std::string got = at_ < text_.size() ? Quoted(text_.substr(at_, 1)) : "the end";
    return Error(at_, absl::StrCat("expected ", what, ", got ", got));
  }
  absl::Status Error(size_t at, absl::string_view message) const {
    return ErrorAt(origin_, text_, at, absl::StrCat(message, "; ", kGrammar));
  }

  absl::string_view text_, origin_;
  size_t at_ = 0;
  std::vector<MachineDevice> devices_;
  std::map<std::string, int> next_task_;
};

// Protobuf's message in the form of ours.
std::string LowerMessage(absl::string_view message) {
  std::string lower(message.substr(0, 256));
  if (!lower.empty()) lower[0] = absl::ascii_tolower(lower[0]);
  while (absl::EndsWith(lower, ".")) lower.pop_back();
  if (absl::EndsWith(lower, "got: ")) lower += "the end of the file";
  return lower;
}

// Keeps the first error of a protobuf text.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column, const std::string& message) override {
    if (!message_.empty()) return;
    line_ = line;
    column_ = column;
    message_ = message;
  }
  absl::Status ToStatus(absl::string_view file, absl::string_view text) const {
    size_t at = 0;
    for (int line = 0; line < line_ && at < text.size(); ++line) {
      at = std::min(text.find('\n', at), text.size() - 1) + 1;
    }
    // Protobuf counts a tab as up to 8 columns.
    for (int column = 0; column < column_ && at < text.size() && text[at] != '\n'; ++at) {
      column += text[at] == '\t' ? 8 - column % 8 : 1;
    }
    return ErrorAt(file, text, at,
                   absl::StrCat("machine: expected a MachineDef, got an error: ", LowerMessage(message_)));
  }

 private:
  int line_ = 0;
  int column_ = 0;
  std::string message_;
};

// KIND:NUMBER, of any kind; false for another form.
bool ReadKindAndNumber(absl::string_view text, DeviceName& name) {
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(text, absl::MaxSplits(':', 1));
  const auto is_word = [](char c) { return absl::ascii_isalnum(c) || c == '_'; };
  int id = 0;
  if (parts.first.empty() || !absl::ascii_isalpha(parts.first[0]) || parts.second.empty() ||
      !std::all_of(parts.first.begin(), parts.first.end(), is_word) ||
      !std::all_of(parts.second.begin(), parts.second.end(), absl::ascii_isdigit) ||
      !absl::SimpleAtoi(parts.second, &id)) {
    return false;
  }
  name.type = KindOf(parts.first);
  name.id = id;
  return true;
}

// The full name that a DeviceDef gives by its parts.
absl::StatusOr<DeviceName> NameOf(const pb::DeviceDef& def, absl::string_view file) {
  const auto error = [&](absl::string_view message) {
    return absl::InvalidArgumentError(absl::StrCat(file, ": machine device ", Quoted(def.name()), ": ", message));
  };
  DeviceName name;
  if (!ReadKindAndNumber(def.name(), name)) {
    absl::StatusOr<DeviceName> parsed = ParseDeviceName(def.name());
    if (!parsed.ok()) return error(parsed.status().message());
    name = *std::move(parsed);
  }
  if (!name.type && !def.kind().empty()) name.type = KindOf(def.kind());
  if (!name.type) return error("expected a kind such as \"gpu:0\", got none");
  if (!def.kind().empty() && *name.type != KindOf(def.kind())) {
    return error(absl::StrCat("expected the name's kind, got kind ", Quoted(def.kind())));
  }
  if (!name.id) return error("expected a number such as \"gpu:0\", got none");
  if (!name.job) name.job = def.job().empty() ? "localhost" : def.job();
  if (!name.replica) name.replica = def.replica();
  if (!name.task) name.task = def.task();
  if (*name.replica < 0 || *name.task < 0) return error("expected replica and task of at least 0");
  const absl::StatusOr<DeviceName> again = ParseDeviceName(name.ToString());
  if (!again.ok() || !(*again == name)) {
    return error(absl::StrCat("expected letters, digits and \"_\" as job and kind, got ", Quoted(name.ToString())));
  }
  return name;
}

bool IsRate(double rate) { return std::isfinite(rate) && rate > 0; }

absl::StatusOr<MachineDevice> ReadDevice(const pb::DeviceDef& def, absl::string_view file) {
  BERTH_ASSIGN_OR_RETURN(DeviceName name, NameOf(def, file));
  MachineDevice device = DefaultDevice(std::move(name));
  if (def.has_memory_bytes()) device.memory_bytes = def.memory_bytes();
  if (def.has_flops()) device.flops_per_second = def.flops();
  if (def.has_memory_bandwidth()) device.bytes_per_second = def.memory_bandwidth();
  if (def.has_launch_seconds()) device.launch_seconds = def.launch_seconds();
  if (device.memory_bytes < 0 || !IsRate(device.flops_per_second) || !IsRate(device.bytes_per_second) ||
      !std::isfinite(device.launch_seconds) || device.launch_seconds < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(file, ": machine device '", device.name.ShortName(),
                     "': expected sizes of at least 0 and rates above 0, got memory_bytes ", device.memory_bytes,
                     ", flops ", device.flops_per_second, ", memory_bandwidth ", device.bytes_per_second,
                     ", launch_seconds ", device.launch_seconds));
  }
  return device;
}

absl::StatusOr<DeviceId> FindEnd(const Machine& machine, const std::string& end, absl::string_view file) {
  DeviceName pattern;
  std::vector<DeviceId> matching;
  if (ReadKindAndNumber(end, pattern)) {
    matching = machine.Matching(pattern);
  } else if (const absl::StatusOr<DeviceName> name = ParseDeviceName(end); name.ok()) {
    pattern = *name;
    matching = machine.Matching(pattern);
  }
  if (matching.size() == 1) return matching[0];
  DeviceName here;  // where a DeviceDef without job, replica and task is
  here.job = "localhost";
  here.replica = here.task = 0;
  if (const std::optional<DeviceId> d = machine.Find(Overlay(here, pattern)); d && matching.size() > 1) return *d;
  return absl::InvalidArgumentError(absl::StrCat(file, ": machine link: expected one device of ", machine.DeviceList(),
                                                 ", got ", Quoted(end), matching.empty() ? "" : ", which are several"));
}

// Adds a listed link, and its way back unless it has none.
absl::Status ReadLink(const pb::LinkDef& def, const Machine& machine, absl::string_view file,
                      std::map<std::pair<DeviceId, DeviceId>, MachineLink>& links) {
  BERTH_ASSIGN_OR_RETURN(const DeviceId from, FindEnd(machine, def.from(), file));
  BERTH_ASSIGN_OR_RETURN(const DeviceId to, FindEnd(machine, def.to(), file));
  MachineLink link = machine.Link(from, to);
  if (def.has_bandwidth()) link.bytes_per_second = def.bandwidth();
  if (def.has_latency()) link.latency_seconds = def.latency();
  link.direct = def.has_direct() ? def.direct() : true;
  if (!IsRate(link.bytes_per_second) || !std::isfinite(link.latency_seconds) || link.latency_seconds < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(file, ": machine link '", def.from(), "' to '", def.to(),
                     "': expected a bandwidth above 0 and a latency of at least 0, got bandwidth ",
                     link.bytes_per_second, ", latency ", link.latency_seconds));
  }
  links[{from, to}] = link;
  if (!def.one_way()) {
    std::swap(link.from, link.to);
    links.emplace(std::pair(to, from), link);
  }
  return absl::OkStatus();
}

absl::StatusOr<LinkDefaults> ReadDefaults(const pb::LinkDef& def, absl::string_view field, absl::string_view file) {
  LinkDefaults defaults;
  if (def.has_bandwidth()) defaults.bytes_per_second = def.bandwidth();
  if (def.has_latency()) defaults.latency_seconds = def.latency();
  if (def.has_direct()) defaults.direct = def.direct();
  if (!IsRate(defaults.bytes_per_second.value_or(1)) || !std::isfinite(defaults.latency_seconds.value_or(0)) ||
      defaults.latency_seconds.value_or(0) < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(file, ": machine ", field, ": expected a bandwidth above 0 and a latency of at least 0"));
  }
  return defaults;
}

absl::StatusOr<Machine> FromDef(const pb::MachineDef& def, absl::string_view file) {
  if (def.device_size() > kMaxDevices) {
    return absl::InvalidArgumentError(
        absl::StrCat(file, ": machine: expected at most ", kMaxDevices, " devices, got ", def.device_size()));
  }
  std::vector<MachineDevice> devices;
  for (const pb::DeviceDef& device : def.device()) {
    BERTH_ASSIGN_OR_RETURN(MachineDevice read, ReadDevice(device, file));
    devices.push_back(std::move(read));
  }
  BERTH_ASSIGN_OR_RETURN(const LinkDefaults near, ReadDefaults(def.default_link(), "default_link", file));
  BERTH_ASSIGN_OR_RETURN(const LinkDefaults far, ReadDefaults(def.default_network(), "default_network", file));
  const auto create = [&](std::vector<MachineLink> links) -> absl::StatusOr<Machine> {
    absl::StatusOr<Machine> machine = Machine::Create(devices, std::move(links), near, far);
    if (machine.ok()) return machine;
    return absl::Status(machine.status().code(), absl::StrCat(file, ": ", machine.status().message()));
  };
  BERTH_ASSIGN_OR_RETURN(const Machine unlinked, create({}));
  std::map<std::pair<DeviceId, DeviceId>, MachineLink> by_ends;
  for (const pb::LinkDef& link : def.link()) {
    BERTH_RETURN_IF_ERROR(ReadLink(link, unlinked, file, by_ends));
  }
  std::vector<MachineLink> links;
  for (const auto& [ends, link] : by_ends) links.push_back(link);
  BERTH_ASSIGN_OR_RETURN(Machine machine, create(std::move(links)));
  if (!def.session().empty()) {
    absl::StatusOr<DeviceName> session = ParseDeviceName(def.session());
    absl::Status status = session.status();
    if (status.ok()) status = machine.SetSessionTask(*session);
    if (!status.ok()) return absl::InvalidArgumentError(absl::StrCat(file, ": ", status.message()));
  }
  return machine;
}

void SetDefaults(const LinkDefaults& defaults, pb::LinkDef* def) {
  if (defaults.bytes_per_second) def->set_bandwidth(*defaults.bytes_per_second);
  if (defaults.latency_seconds) def->set_latency(*defaults.latency_seconds);
  if (defaults.direct) def->set_direct(*defaults.direct);
}

// Everything that is not a default.
pb::MachineDef ToDef(const Machine& machine) {
  pb::MachineDef def;
  for (const MachineDevice& device : machine.devices()) {
    const MachineDevice plain = DefaultDevice(device.name);
    pb::DeviceDef* out = def.add_device();
    out->set_name(device.name.ToString());
    if (device.memory_bytes != plain.memory_bytes) out->set_memory_bytes(device.memory_bytes);
    if (device.flops_per_second != plain.flops_per_second) out->set_flops(device.flops_per_second);
    if (device.bytes_per_second != plain.bytes_per_second) {
      out->set_memory_bandwidth(device.bytes_per_second);
    }
    if (device.launch_seconds != plain.launch_seconds) {
      out->set_launch_seconds(device.launch_seconds);
    }
  }
  for (const MachineLink& link : machine.links()) {
    pb::LinkDef* out = def.add_link();
    out->set_from(machine.device(link.from).name.ToString());
    out->set_to(machine.device(link.to).name.ToString());
    out->set_bandwidth(link.bytes_per_second);
    out->set_latency(link.latency_seconds);
    out->set_direct(link.direct);
    out->set_one_way(true);
  }
  if (!(machine.task_links() == LinkDefaults())) {
    SetDefaults(machine.task_links(), def.mutable_default_link());
  }
  if (!(machine.network_links() == LinkDefaults())) {
    SetDefaults(machine.network_links(), def.mutable_default_network());
  }
  return def;
}

std::string OneLine(const pb::MachineDef& def) {
  google::protobuf::TextFormat::Printer printer;
  printer.SetSingleLineMode(true);
  std::string text;
  printer.PrintToString(def, &text);
  return std::string(absl::StripAsciiWhitespace(text));
}

// Shorthand for the names alone, right only where ids count from 0 and replicas are 0.
std::string Shorthand(const Machine& machine) {
  std::vector<std::pair<std::string, std::string>> tasks;  // job, kinds
  for (DeviceId d = 0; d < machine.num_devices();) {
    const DeviceId first = d;
    std::string kinds;
    while (d < machine.num_devices() && machine.SameTask(first, d)) {
      const std::string kind = machine.device(d).kind();
      int count = 0;
      for (; d < machine.num_devices() && machine.SameTask(first, d) && machine.device(d).kind() == kind; ++d) ++count;
      absl::StrAppend(&kinds, kinds.empty() ? "" : ",",
                      kind == "CPU" || kind == "GPU" ? absl::AsciiStrToLower(kind) : kind, ":", count);
    }
    tasks.emplace_back(*machine.device(first).name.job, std::move(kinds));
  }
  if (tasks.size() == 1 && tasks[0].first == "localhost") return tasks[0].second;
  std::string text;
  for (size_t i = 0; i < tasks.size();) {
    const size_t first = i;
    while (i < tasks.size() && tasks[i] == tasks[first]) ++i;
    absl::StrAppend(&text, first == 0 ? "" : ",", tasks[first].first,
                    i - first == 1 ? "" : absl::StrCat("*", i - first), "(", tasks[first].second, ")");
  }
  return text;
}

}  // namespace

std::string Machine::ToString() const {
  const std::string exact = OneLine(ToDef(*this));
  const std::string shorthand = Shorthand(*this);
  const absl::StatusOr<Machine> again = ParseMachine(shorthand);
  return again.ok() && OneLine(ToDef(*again)) == exact ? shorthand : exact;
}

uint64_t Machine::Fingerprint() const {
  pb::MachineDef def = ToDef(*this);
  def.set_session(session_task().ToString());
  return berth::Fingerprint(OneLine(def));
}

absl::StatusOr<Machine> ParseMachine(absl::string_view text, absl::string_view origin) {
  return ShorthandReader(text, origin).Read();
}

absl::StatusOr<Machine> ParseMachineDef(absl::string_view text, absl::string_view file) {
  pb::MachineDef def;
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  if (!parser.ParseFromString(std::string(text), &def)) return error.ToStatus(file, text);
  absl::StatusOr<Machine> machine = FromDef(def, file);
  if (machine.ok()) machine->set_label(def.name());
  return machine;
}

absl::StatusOr<Machine> LoadMachine(absl::string_view flag, absl::string_view origin) {
  if (!NamesFile(flag)) return ParseMachine(flag, origin);
  BERTH_ASSIGN_OR_RETURN(const std::string text, ReadWholeFile(std::string(flag), kMaxMachineBytes));
  return ParseMachineDef(text, flag);
}

}  // namespace berth
