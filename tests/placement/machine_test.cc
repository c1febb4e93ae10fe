// Machines from text and back, and what is wrong with those that cannot be read.
#include <string>

#include "placement/machine.h"
#include "tests/testing.h"

namespace berth {
namespace {

struct Row {
  std::string text;
  std::string expected;
};

std::string Show(const absl::StatusOr<Machine>& machine) {
  return machine.ok() ? machine->ToString() + " = " + machine->DeviceList() : machine.status().ToString();
}

TEST_CASE("shorthand reads and prints back") {
  const Row rows[] = {
      {"cpu:1", "cpu:1 = cpu:0"},
      {"cpu:1,gpu:2", "cpu:1,gpu:2 = cpu:0, gpu:0, gpu:1"},
      {" CPU : 1 , Gpu:1 ", "cpu:1,gpu:1 = cpu:0, gpu:0"},
      {"cpu:1,gpu:0", "cpu:1 = cpu:0"},
      {"gpu:1,cpu:1", "gpu:1,cpu:1 = gpu:0, cpu:0"},
      {"gpu:2", "gpu:2 = gpu:0, gpu:1"},
      {"cpu:1,NPU:1", "cpu:1,NPU:1 = cpu:0, /job:localhost/replica:0/task:0/device:NPU:0"},
      {"ps*2(cpu:1),worker(cpu:1,gpu:1)",
       "ps*2(cpu:1),worker(cpu:1,gpu:1) = /job:ps/replica:0/task:0/device:CPU:0, "
       "/job:ps/replica:0/task:1/device:CPU:0, /job:worker/replica:0/task:0/device:CPU:0, "
       "/job:worker/replica:0/task:0/device:GPU:0"},
      {"w(cpu:1),w(gpu:1)",
       "w(cpu:1),w(gpu:1) = /job:w/replica:0/task:0/device:CPU:0, /job:w/replica:0/task:1/device:GPU:0"},
  };
  for (const Row& row : rows) CHECK(Show(ParseMachine(row.text)) == row.expected);
  const Machine many = *ParseMachine("cpu:1,gpu:12");
  CHECK(many.DeviceList(3) == "cpu:0, gpu:0, gpu:1, ... and 10 more");
  CHECK(many.device(11).name.ShortName() == "gpu:10");
}

TEST_CASE("bad shorthand") {
  const std::string grammar =
      "; a machine is KIND:COUNT,... such as cpu:1,gpu:2, or JOB*TASKS(KIND:COUNT,...),... such as "
      "ps*2(cpu:1),worker*2(cpu:1,gpu:2)";
  const Row rows[] = {
      {"", "machine:1:1: expected a machine, got nothing" + grammar + "\n  \n  ^"},
      {"cpu", "machine:1:4: expected \":\" and how many, got the end" + grammar + "\n  cpu\n     ^"},
      {"cpu:", "machine:1:5: expected a count, got the end" + grammar + "\n  cpu:\n      ^"},
      {"cpu:1,", "machine:1:7: expected a kind or a job, got nothing" + grammar + "\n  cpu:1,\n        ^"},
      {"cpu:1;gpu:2", "machine:1:6: expected \",\" or the end, got \";\"" + grammar + "\n  cpu:1;gpu:2\n       ^"},
      {"cpu:-1", "machine:1:5: expected a count, got \"-\"" + grammar + "\n  cpu:-1\n      ^"},
      {"cpu:0", "machine:1:1: expected at least one device, got none" + grammar + "\n  cpu:0\n  ^"},
      {"cpu:1,gpu:99999999999999999999",
       "machine:1:11: expected a count of at most 65536, got \"99999999999999999999\"" + grammar +
           "\n  cpu:1,gpu:99999999999999999999\n            ^"},
      {"w*60000(cpu:2)",
       "machine:1:9: expected at most 65536 devices, got more" + grammar + "\n  w*60000(cpu:2)\n          ^"},
      {"cpu:1,cpu:2",
       "machine:1:7: expected each kind once, got \"cpu\" twice" + grammar + "\n  cpu:1,cpu:2\n        ^"},
      {"ps*2(cpu:1", "machine:1:11: expected \",\" or \")\", got the end" + grammar + "\n  ps*2(cpu:1\n            ^"},
      {"ps*2", "machine:1:5: expected \"(\", got the end" + grammar + "\n  ps*2\n      ^"},
      {"\xc3\xa9:1", "machine:1:1: expected a kind or a job, got \"\\xc3\"" + grammar + "\n  ??:1\n  ^"},
  };
  for (const Row& row : rows) {
    INFO(row.text);
    CHECK(Show(ParseMachine(row.text)) == "INVALID_ARGUMENT: " + row.expected);
  }
}

TEST_CASE("a MachineDef reads and prints back") {
  const Row rows[] = {
      {"device { name: \"cpu:0\" } device { name: \"gpu:0\" }", "cpu:1,gpu:1 = cpu:0, gpu:0"},
      {"device { name: \"cpu:0\" } device { name: \"gpu:2\" }",
       "device { name: \"/job:localhost/replica:0/task:0/device:CPU:0\" } device { name: "
       "\"/job:localhost/replica:0/task:0/device:GPU:2\" } = cpu:0, gpu:2"},
      {"device { name: \"NPU:0\" job: \"w\" task: 1 }",
       "device { name: \"/job:w/replica:0/task:1/device:NPU:0\" } = /job:w/replica:0/task:1/device:NPU:0"},
      {"# a comment\ndevice { name: \"gpu:0\" flops: 14e12 } default_link { latency: 1e-6 }",
       "device { name: \"/job:localhost/replica:0/task:0/device:GPU:0\" flops: 14000000000000 } default_link { "
       "latency: "
       "1e-06 } = gpu:0"},
  };
  for (const Row& row : rows) {
    const absl::StatusOr<Machine> machine = ParseMachineDef(row.text, "m.pbtxt");
    CHECK(Show(machine) == row.expected);
    if (!machine.ok()) continue;
    const std::string text = machine->ToString();
    const absl::StatusOr<Machine> again =
        text.find('{') == std::string::npos ? ParseMachine(text) : ParseMachineDef(text, "again");
    REQUIRE(again.ok());
    CHECK(again->Fingerprint() == machine->Fingerprint());
  }
}

TEST_CASE("bad MachineDefs") {
  const Row rows[] = {
      {"", "m: machine: expected a device, got none"},
      {"device { nam: \"cpu:0\" }",
       "m:1:13: machine: expected a MachineDef, got an error: message type \"berth.DeviceDef\" has no field named "
       "\"nam\"\n  device { nam: \"cpu:0\" }\n"
       "              ^"},
      {"device { }", "m: machine device \"\": expected a kind such as \"gpu:0\", got none"},
      {"device { name: \"gpu\" }", "m: machine device \"gpu\": expected a number such as \"gpu:0\", got none"},
      {"device { name: \"cpu:0\" kind: \"gpu\" }",
       "m: machine device \"cpu:0\": expected the name's kind, got kind \"gpu\""},
      {"device { name: \"cpu:0\" } device { name: \"cpu:0\" }",
       "m: machine device 'cpu:0': expected one of a name, got two"},
      {"device { name: \"cpu:0\" job: \"a b\" }",
       "m: machine device \"cpu:0\": expected letters, digits and \"_\" as job and kind, got \"/job:a "
       "b/replica:0/task:0/device:CPU:0\""},
      {"device { name: \"cpu:0\" flops: -1 }",
       "m: machine device 'cpu:0': expected sizes of at least 0 and rates above 0, got memory_bytes 17179869184, flops "
       "-1, memory_bandwidth 2e+10, launch_seconds 1e-06"},
      {"device { name: \"cpu:0\" } link { from: \"cpu:0\" to: \"gpu:0\" }",
       "m: machine link: expected one device of cpu:0, got \"gpu:0\""},
      {"device { name: \"cpu:0\" } session: \"/job:w\"",
       "m: session task '/job:w': expected a task of the machine, got no such task; there are "
       "/job:localhost/replica:0/task:0"},
  };
  for (const Row& row : rows) CHECK(Show(ParseMachineDef(row.text, "m")) == "INVALID_ARGUMENT: " + row.expected);
}

TEST_CASE("a machine is called what its file says, in reports alone") {
  const std::string device = "device { name: \"cpu:0\" memory_bytes: 1000 }";
  const Machine named = *ParseMachineDef("name: \"small\" " + device, "m"), plain = *ParseMachineDef(device, "m");
  CHECK(named.Label() == "small");
  CHECK(plain.Label() == plain.ToString());
  CHECK(named.ToString() == plain.ToString());
  CHECK(named.Fingerprint() == plain.Fingerprint());
}

TEST_CASE("links, hosts and the client") {
  const Machine machine = *ParseMachineDef(
      "device { name: \"gpu:0\" } device { name: \"cpu:0\" } device { name: \"gpu:1\" } "
      "device { name: \"cpu:0\" job: \"b\" } device { name: \"gpu:0\" job: \"c\" } "
      "link { from: \"gpu:0\" to: \"gpu:1\" bandwidth: 50e9 one_way: true } "
      "default_network { bandwidth: 1e9 }",
      "m");
  const auto link = [&](DeviceId a, DeviceId b) {
    const MachineLink found = machine.Link(a, b);
    return std::to_string(static_cast<int64_t>(found.bytes_per_second / 1e6)) + (found.direct ? " direct" : " by host");
  };
  CHECK(link(0, 2) == "50000 direct");
  CHECK(link(2, 0) == "12000 by host");
  CHECK(link(0, 1) == "12000 direct");
  CHECK(link(0, 3) == "1000 direct");
  CHECK(link(0, 4) == "1000 by host");
  CHECK(machine.HostOf(0) == 1);
  CHECK(machine.HostOf(4) == kNoDevice);
  CHECK(machine.Client() == 1);
  Machine moved = machine;
  CHECK(moved.SetSessionTask(*ParseDeviceName("/job:b")).ok());
  CHECK(moved.Client() == 3);
  CHECK(moved.Fingerprint() != machine.Fingerprint());
  CHECK(moved.SetSessionTask(*ParseDeviceName("/job:d/task:1")).ToString() ==
        "NOT_FOUND: session task '/job:d/task:1': expected a task of the machine, got no such task; there are "
        "/job:localhost/replica:0/task:0, /job:b/replica:0/task:0, /job:c/replica:0/task:0");
}

}  // namespace
}  // namespace berth
