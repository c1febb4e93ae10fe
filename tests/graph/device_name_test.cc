// Device names: TensorFlow's grammar as its C++ parser has it, Berth's own, and the relations between names.
//
// Test cases named D... are rows of TensorFlow's own tests of device names. D18 to D22, merges that only the policy
// `tensorflow` needs, are in tests/placement/tensorflow_names_test.cc; what Berth decided otherwise is in
// tests/catalog/decisions.txt.

#include "graph/device_name.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/testing.h"

namespace berth {
namespace {

struct Row {
  std::string text;
  std::string want;  // the canonical spelling, or "error"
};

std::string TensorFlowSpelling(absl::string_view text) {
  const absl::StatusOr<DeviceName> name = ParseTensorFlowName(text);
  return name.ok() ? name->ToString() : "error";
}

std::string Spelling(absl::string_view text) {
  const absl::StatusOr<DeviceName> name = ParseDeviceName(text);
  return name.ok() ? name->ToString() : "error";
}

void CheckTensorFlow(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    INFO(row.text);
    CHECK(TensorFlowSpelling(row.text) == row.want);
  }
}

DeviceName Name(absl::string_view text) {
  const absl::StatusOr<DeviceName> name = ParseTensorFlowName(text);
  REQUIRE(name.ok());
  return *name;
}

TEST_CASE("D1 a full name from its parts") {
  DeviceName name;
  name.job = "hello";
  name.replica = 1;
  name.task = 2;
  name.type = "CPU";
  name.id = 3;
  CHECK(name.ToString() == "/job:hello/replica:1/task:2/device:CPU:3");
  CHECK(name.full());
  CHECK(DeviceName().ToString().empty());
}

TEST_CASE("D2 no name, a number as job, kinds without what they need") {
  CheckTensorFlow({
      {"foobar", "error"},
      {"/job:123", "error"},
      {"/job:123/replica:1/task:1/device:GPU:", "error"},
      {"/job:foo/replica:1/task:1/gpu:", "error"},
      {"/job:foo/replica:1/task:1/gpu", "error"},
      {"/job:foo/replica:1/task:1/device:gpu:", "error"},
  });
}

TEST_CASE("D3 negative numbers, unknown keys, more text at the end") {
  CheckTensorFlow({
      {"/job:foo/replica:-1/task:1/device:GPU:3", "error"},
      {"/job:foo/replica:1/task:-1/device:GPU:3", "error"},
      {"/job:foo/replica:1/task:1/bar:3", "error"},
      {"/job:foo/replica:1/task:1/device:GPU:3/extra", "error"},
      {"/replica:/task:1", "error"},
      {"/replica/", "error"},
      {"/job:", "error"},
      {"//", "error"},
      {"/job:foo/", "error"},
      {"/tpu:0", "error"},
  });
}

TEST_CASE("D5 underscores in jobs, and nothing else but letters and digits") {
  CheckTensorFlow({
      {"/job:foo_bar/replica:1/task:2/device:GPU:3", "/job:foo_bar/replica:1/task:2/device:GPU:3"},
      {"/job:_foo", "error"},
      {"/job:a-b", "error"},
      {"/job:a.b", "error"},
      {"/job:a1_", "/job:a1_"},
  });
}

TEST_CASE("D6 wildcards are the same as nothing") {
  CheckTensorFlow({
      {"/job:*/replica:4/gpu:*", "/replica:4/device:GPU:*"},
      {"/job:*/replica:4/device:GPU:*", "/replica:4/device:GPU:*"},
      {"/job:*/device:GPU/replica:4", "/replica:4/device:GPU:*"},
      {"/job:*/replica:*/task:*/device:*", ""},
      {"/device:*:*", ""},
      {"/", ""},
      {"", ""},
      // The last one of a kind wins, also a wildcard.
      {"/job:a/job:b", "/job:b"},
      {"/job:a/job:*", ""},
      {"/cpu:1/device:CPU:*", "/device:CPU:*"},
      {"/device:GPU", "/device:GPU:*"},
      {"/device:*:3", "/device:*:3"},
  });
}

TEST_CASE("D7 a kind of one's own stays as written; only the short forms are upper-cased") {
  CheckTensorFlow({
      {"/job:foo/replica:1/task:2/device:CustomDevice:3", "/job:foo/replica:1/task:2/device:CustomDevice:3"},
      {"/device:gpu:0", "/device:gpu:0"},
      {"/gpu:0", "/device:GPU:0"},
      {"/cpu:7", "/device:CPU:7"},
      {"/CPU:7", "/device:CPU:7"},
      {"/Gpu:7", "error"},
  });
}

TEST_CASE("D9 fields in another order") {
  CheckTensorFlow({
      {"/task:2/device:CPU:3/job:hello/replica:1", "/job:hello/replica:1/task:2/device:CPU:3"},
      {"/device:CPU:3/task:2/replica:1/job:hello", "/job:hello/replica:1/task:2/device:CPU:3"},
      {"/gpu:3/job:foo", "/job:foo/device:GPU:3"},
  });
}

TEST_CASE("D10 same task or not") {
  const DeviceName cpu = Name("/job:foo/replica:0/task:1/device:CPU:0");
  const auto task = [](DeviceName name) {
    name.type.reset();
    name.id.reset();
    return name;
  };
  CHECK(task(cpu) == task(Name("/job:foo/replica:0/task:1/device:GPU:2")));
  CHECK_FALSE(task(cpu) == task(Name("/job:foo/replica:0/task:2/device:CPU:0")));
  CHECK_FALSE(task(cpu) == task(Name("/job:foo/replica:1/task:1/device:CPU:0")));
  CHECK_FALSE(task(cpu) == task(Name("/job:bar/replica:0/task:1/device:CPU:0")));
}

TEST_CASE("D11 the name within a task") {
  const auto local = [](absl::string_view text) {
    DeviceName name = Name(text);
    name.job.reset();
    name.replica.reset();
    name.task.reset();
    return name.ToString();
  };
  DeviceName parts;
  parts.type = "CPU";
  parts.id = 3;
  CHECK(parts.ToString() == "/device:CPU:3");
  CHECK(local("/job:hello/replica:1/task:2/device:CPU:3") == "/device:CPU:3");
  CHECK(local("/job:hello/replica:1/task:2/cpu:3") == "/device:CPU:3");
}

TEST_CASE("D13 every subset of fields, in every spelling of the device, prints and parses back") {
  struct Device {
    std::string text, want;
  };
  const std::vector<Device> devices = {
      {"", ""},
      {"/device:GPU", "/device:GPU:*"},
      {"/device:GPU:*", "/device:GPU:*"},
      {"/device:GPU:1", "/device:GPU:1"},
      {"/gpu:*", "/device:GPU:*"},
      {"/gpu:1", "/device:GPU:1"},
      {"/cpu:3", "/device:CPU:3"},
      {"/device:FPGA:12", "/device:FPGA:12"},
  };
  for (int mask = 0; mask < 16; ++mask) {
    std::string task;
    if (mask & 1) task += "/job:foo";
    if (mask & 2) task += "/replica:3";
    if (mask & 4) task += "/task:2";
    for (const Device& device : devices) {
      const std::string text = mask & 8 ? task + device.text : device.text + task;
      const std::string want = task + device.want;
      INFO(text);
      CHECK(TensorFlowSpelling(text) == want);
      CHECK(TensorFlowSpelling(want) == want);
      CHECK(Spelling(text) == want);
    }
  }
}

TEST_CASE("D14 compatible names") {
  CHECK_FALSE(Compatible(Name("/job:work/device:GPU:*"), Name("/device:CPU:*")));
  CHECK(Compatible(Name("/job:work/task:0"), Name("/device:CPU:*")));
  CHECK(Compatible(Name("/device:GPU:1"), Name("/device:GPU:*")));
  CHECK_FALSE(Compatible(Name("/device:GPU:1"), Name("/device:GPU:2")));
  CHECK(Compatible(Name("/device:*:1"), Name("/device:GPU:1")));
  CHECK_FALSE(Compatible(Name("/device:*:1"), Name("/device:GPU:2")));
  CHECK_FALSE(Compatible(Name("/device:cpu:0"), Name("/device:CPU:0")));
}

TEST_CASE("D15 patterns that match a full name") {
  const DeviceName full = Name("/job:worker/replica:1/task:2/device:GPU:3");
  const std::vector<std::pair<std::string, bool>> rows = {
      {"/job:worker/replica:1/task:2/device:GPU:3", true},
      {"/job:*/replica:1/task:2/device:GPU:3", true},
      {"/job:worker/replica:*/task:2/device:GPU:3", true},
      {"/job:worker/replica:1/task:*/device:GPU:3", true},
      {"/job:worker/replica:1/task:2/device:GPU:*", true},
      {"/device:*:3", true},
      {"", true},
      {"/job:worker/replica:1/task:2/device:CPU:3", false},
      {"/job:worker/replica:1/task:2/device:GPU:4", false},
      {"/job:ps", false},
  };
  for (const auto& [pattern, want] : rows) {
    INFO(pattern);
    CHECK(Matches(Name(pattern), full) == want);
  }
  // What a pattern asks for, a partial name does not have.
  CHECK_FALSE(Matches(full, Name("/job:worker")));
}

TEST_CASE("D25 order: unset before set, then job, replica, task, kind, number") {
  std::vector<std::string> sorted = {
      "",
      "/device:CPU:*",
      "/device:CPU:0",
      "/device:GPU:2",
      "/device:GPU:10",
      "/task:0",
      "/task:1",
      "/replica:0",
      "/job:a",
      "/job:a/device:CPU:0",
      "/job:a/replica:0/task:0/device:CPU:0",
      "/job:b",
  };
  std::vector<DeviceName> names;
  for (const std::string& text : sorted) names.push_back(Name(text));
  std::reverse(names.begin(), names.end());
  std::sort(names.begin(), names.end());
  for (size_t i = 0; i < names.size(); ++i) CHECK(names[i].ToString() == sorted[i]);
}

// Rows D26 to D33 and D90c are about the names of TensorFlow's Python; Berth's own stand in for them.
TEST_CASE("D26 nothing prints as nothing") { CHECK(DeviceName().ToString().empty()); }

TEST_CASE("D27 a name from all its parts, and from kind and number") {
  CHECK(DeviceName{.job = "j", .replica = 0, .task = 1, .type = "CPU", .id = 2}.ToString() ==
        "/job:j/replica:0/task:1/device:CPU:2");
  CHECK(DeviceName{.type = "GPU", .id = 2}.ToString() == "/device:GPU:2");
}

TEST_CASE("D29 names that print back, whatever they were written like") {
  const std::vector<Row> rows = {
      {"/job:foo/replica:0", "/job:foo/replica:0"},
      {"/replica:0/task:0/cpu:0", "/replica:0/task:0/device:CPU:0"},
      {"/replica:0/task:0/device:CPU:0", "/replica:0/task:0/device:CPU:0"},
      {"/job:muu/device:GPU:2", "/job:muu/device:GPU:2"},
  };
  for (const Row& row : rows) {
    INFO(row.text);
    CHECK(Spelling(row.text) == row.want);
    CHECK(Spelling(row.want) == row.want);
  }
}

// Decided: Berth's grammar is a superset of TensorFlow's C++ one, where the last device of a name wins; Python refuses.
TEST_CASE("D30 of two devices in a name the last one holds") {
  CHECK(Spelling("/job:muu/device:GPU:2/device:CPU:0") == "/job:muu/device:CPU:0");
  CHECK(TensorFlowSpelling("/job:muu/device:GPU:2/device:CPU:0") == "/job:muu/device:CPU:0");
}

// Decided: a kind that changes drops the number, which was of the other kind (DESIGN section 5); TensorFlow's Python keeps it.
TEST_CASE("D31 D33 a row of merges: the later wins, field by field") {
  DeviceName name;
  const auto merge = [&](absl::string_view inner) {
    name = MergeScopes(name, *ParseDeviceName(inner));
    return name.ToString();
  };
  CHECK(merge("/task:1/device:CPU:0") == "/task:1/device:CPU:0");
  CHECK(merge("/device:GPU:0") == "/task:1/device:GPU:0");
  CHECK(merge("/job:worker") == "/job:worker/task:1/device:GPU:0");
  CHECK(merge("/replica:5") == "/job:worker/replica:5/task:1/device:GPU:0");
  CHECK(merge("/device:CPU") == "/job:worker/replica:5/task:1/device:CPU:*");
  CHECK(merge("/device:FPGA:3") == "/job:worker/replica:5/task:1/device:FPGA:3");
}

TEST_CASE("D90c numbers that are none, unknown fields, and fields in another order") {
  CHECK(Spelling("/replica:a") == "error");
  CHECK(Spelling("/task:x") == "error");
  CHECK(Spelling("/machine:0") == "error");
  CHECK(Spelling("/job:muu/gpu:0/replica:0/task:1") == "/job:muu/replica:0/task:1/device:GPU:0");
}

TEST_CASE("TensorFlow's parser reads 64 bits and keeps the low ones as they come") {
  CHECK(TensorFlowSpelling("/task:4294967296") == "/task:0");
  CHECK(TensorFlowSpelling("/task:18446744073709551616") == "error");
  CHECK(TensorFlowSpelling("/gpu:007") == "/device:GPU:7");
}

TEST_CASE("Berth's names: shorthand, any case of cpu and gpu, no overflow") {
  const std::vector<Row> rows = {
      {"gpu:1", "/device:GPU:1"},
      {"GPU:1", "/device:GPU:1"},
      {"/gpu:1", "/device:GPU:1"},
      {"gpu", "/device:GPU:*"},
      {"/gpu", "/device:GPU:*"},
      {"gpu:*", "/device:GPU:*"},
      {"cpu/job:ps", "/job:ps/device:CPU:*"},
      {"/device:gpu:2", "/device:GPU:2"},
      {"/device:cpu", "/device:CPU:*"},
      {"device:Cpu:0", "/device:CPU:0"},
      {"/device:Fpga:2", "/device:Fpga:2"},
      {"job:ps/task:1/cpu:0", "/job:ps/task:1/device:CPU:0"},
      {"/job:ps/cpu:*", "/job:ps/device:CPU:*"},
      {"gpux", "error"},
      {"gpu1", "error"},
      {"tpu:0", "error"},
      {"gpu:1 ", "error"},
      {" gpu:1", "error"},
      {"gpu:2147483647", "/device:GPU:2147483647"},
      {"gpu:2147483648", "error"},
      {"/task:4294967296", "error"},
      {"gpu:18446744073709551617", "error"},
      {"job:ps task:1", "error"},
  };
  for (const Row& row : rows) {
    INFO(row.text);
    CHECK(Spelling(row.text) == row.want);
  }
}

TEST_CASE("R068 a device of a machine prints as what parses back to it") {
  for (const char* job : {"localhost", "ps", "worker_1"}) {
    for (int task : {0, 1, 12}) {
      for (const char* kind : {"CPU", "GPU", "FPGA"}) {
        for (int id : {0, 1, 15}) {
          DeviceName name;
          name.job = job;
          name.replica = 0;
          name.task = task;
          name.type = kind;
          name.id = id;
          CHECK(Name(name.ToString()) == name);
          CHECK(*ParseDeviceName(name.ToString()) == name);
          // The short name is that of the same place on this task.
          CHECK(Matches(*ParseDeviceName(name.ShortName()), name));
        }
      }
    }
  }
  CHECK(Name("/job:localhost/replica:0/task:0/device:GPU:1").ShortName() == "gpu:1");
  CHECK(Name("/cpu:0").ShortName() == "cpu:0");
  CHECK(Name("/job:ps/cpu:0").ShortName() == "/job:ps/device:CPU:0");
  CHECK(Name("/device:CPU:*").ShortName() == "/device:CPU:*");
}

TEST_CASE("R070 bad names are refused with their place and the grammar") {
  const std::vector<Row> rows = {
      {"0", "device '0': column 1: expected job:, replica:, task:, device:, cpu: or gpu:, got '0'"},
      {"gpu:", "device 'gpu:': column 5: expected a number or *, got the end"},
      {"gpu:-1", "device 'gpu:-1': column 5: expected a number or *, got '-1'"},
      {"gpu:1e3", "device 'gpu:1e3': column 6: expected '/', got 'e3'"},
      {"gpu:0/", "device 'gpu:0/': column 7: expected job:, replica:, task:, device:, cpu: or gpu:, got the end"},
      {"gpu:99999999999",
       "device 'gpu:99999999999': column 5: expected a number of at most 2147483647, got '99999999999'"},
      {"gp\xc3\xbc:0",
       "device 'gp\\xc3\\xbc:0': column 1: expected job:, replica:, task:, device:, cpu: or gpu:, got "
       "'gp\\xc3\\xbc:0'"},
      {absl::StrCat("/job:", std::string(1 << 20, '-')),
       absl::StrCat("device '/job:", std::string(59, '-'),
                    "...': column 6: expected a word that starts with a letter, or *, got '----------------'")},
  };
  const std::string grammar =
      "; a device is written [/job:J][/replica:R][/task:T][/device:KIND[:N]], or short as cpu:N or gpu:N, where * or "
      "nothing means any";
  for (const Row& row : rows) {
    const absl::StatusOr<DeviceName> name = ParseDeviceName(row.text);
    REQUIRE_FALSE(name.ok());
    CHECK(name.status().message() == row.want + grammar);
  }
  // What the grammar says is short for something: nothing asked for, a kind, a number with zeros in front.
  CHECK(Spelling("").empty());
  CHECK(Spelling("gpu") == "/device:GPU:*");
  CHECK(Spelling("GPU:00") == "/device:GPU:0");
}

TEST_CASE("merges of scopes: inner wins, and another kind drops the outer number") {
  const auto merged = [](absl::string_view outer, absl::string_view inner) {
    return MergeScopes(*ParseDeviceName(outer), *ParseDeviceName(inner)).ToString();
  };
  CHECK(merged("gpu:2", "cpu") == "/device:CPU:*");
  CHECK(merged("gpu:2", "gpu") == "/device:GPU:2");
  CHECK(merged("gpu:2", "cpu:1") == "/device:CPU:1");
  CHECK(merged("/job:ps/gpu:2", "/task:1") == "/job:ps/task:1/device:GPU:2");
  CHECK(merged("", "gpu:1") == "/device:GPU:1");
  CHECK(merged("gpu:1", "") == "/device:GPU:1");
  CHECK(merged("/device:*:3", "gpu") == "/device:GPU:3");
  CHECK(Overlay(*ParseDeviceName("gpu:2"), *ParseDeviceName("cpu")).ToString() == "/device:CPU:2");
}

}  // namespace
}  // namespace berth
