// The language of `berth check --assert`: tables of text and verdict.
#include "placement/assertion.h"

#include <string>

#include "tests/placement/place_text.h"
#include "tests/testing.h"

namespace berth {
namespace {

// cpu:0, gpu:0, gpu:1.
PlacementEstimate Sample() {
  PlacementEstimate estimate;
  estimate.devices.resize(3);
  estimate.devices[0] = {.nodes = 4, .variable_bytes = 1000, .constant_bytes = 24, .peak_bytes = 4096};
  estimate.devices[1] = {.nodes = 2, .peak_bytes = 1 << 20};
  estimate.devices[2] = {.nodes = 3, .peak_bytes = 1 << 20};
  estimate.links.push_back({.from = 0, .to = 1, .transfers = 2, .bytes = 64});
  estimate.links.push_back({.from = 0, .to = 2, .transfers = 1, .bytes = 2048});
  estimate.links.push_back({.from = 1, .to = 0, .hops = 9, .hop_bytes = 900});
  estimate.total_seconds = 1.5e-3;
  return estimate;
}

// "holds", "COMPARISON: got X; ..." or the error.
std::string Checked(const std::string& text) {
  const auto assertion = Assertion::Parse(text, "a");
  if (!assertion.ok()) return std::string(assertion.status().message());
  const auto verdict = assertion->Check(MachineOf("cpu:1,gpu:2"), Sample());
  if (!verdict.ok()) return std::string(verdict.status().message());
  std::string out;
  for (const Assertion::Failure& f : verdict->failed) out += f.comparison + ": got " + f.got + "; ";
  CHECK(verdict->holds == out.empty());
  return verdict->holds ? "holds" : out;
}

TEST_CASE("assertions hold or say what they found") {
  const struct {
    const char *text, *expected;
  } rows[] = {
      {"nodes(cpu:0) == 4", "holds"},
      {"nodes(gpu:*) == 5", "holds"},
      {"nodes(*) == 9", "holds"},
      {"nodes(/device:TPU:*) == 0", "holds"},
      {"nodes(gpu:0) > 2", "nodes(gpu:0) > 2: got 2; "},
      {"nodes(gpu:0) >= 2 & nodes(gpu:0) <= 2 & nodes(gpu:0) != 3 & nodes(gpu:0) < 3", "holds"},
      {"bytes(cpu:0) == 1KiB", "holds"},
      {"bytes(cpu:0)==1.024 KB", "holds"},
      {"bytes(gpu:*) == 0", "holds"},
      {"bytes(cpu:0) < 1KiB", "bytes(cpu:0) < 1KiB: got 1 KiB (1024 B); "},
      {"bytes(cpu:0) < 5 B", "bytes(cpu:0) < 5 B: got 1024 B; "},
      {"peak(gpu:*) == 2MiB", "holds"},
      {"transfers(cpu:0,gpu:*) == 3", "holds"},
      {"transfers(cpu:0, gpu:1) == 1", "holds"},
      {"transfers(gpu:0, cpu:0) == 0", "holds"},  // what only passes is no transfer
      {"transfer-bytes(*, *) <= 2 KB", "transfer-bytes(*, *) <= 2 KB: got 2.112 KB (2112 B); "},
      {"time() < 2 ms", "holds"},
      {"time() <= 1500us", "holds"},
      {"time() < 1ms", "time() < 1ms: got 1.5 ms; "},
      {"time() < 1ms | nodes(*) > 8", "holds"},
      {"time() < 1ms | nodes(*) > 9", "time() < 1ms: got 1.5 ms; nodes(*) > 9: got 9; "},
      {"nodes(*) == 9 | time() < 1ms & time() > 1s", "holds"},  // & binds tighter
      {"(nodes(*) == 9 | time() < 1ms) & time() > 1s", "time() > 1s: got 1.5 ms; "},
      {"nodes(*) == 8 & (nodes(*) == 9 | nodes(*) == 1)", "nodes(*) == 8: got 9; "},
  };
  for (const auto& row : rows) {
    INFO(row.text);
    CHECK(Checked(row.text) == row.expected);
  }
}

TEST_CASE("an assertion that is no assertion is refused with its column") {
  const struct {
    const char* text;
    int column;
    const char* message;
  } rows[] = {
      {"", 1, "expected bytes(, nodes(, peak(, time(, transfer-bytes(, transfers( or \"(\", got nothing"},
      {"node(gpu:0) > 1", 1,
       "expected bytes(, nodes(, peak(, time(, transfer-bytes(, transfers( or \"(\", got \"node\"; did you mean "
       "'nodes'?"},
      {"nodes gpu:0", 7, "expected \"(\", got \"g\""},
      {"nodes() > 1", 7, "expected a device or *, got \")\""},
      {"nodes(gpu:0 > 1", 7, "expected a device or *: device 'gpu:0 > 1'"},
      {"transfers(cpu:0) > 1", 16, "expected \",\", got \")\""},
      {"nodes(cpu:0, gpu:0) > 1", 12, "expected \")\", got \",\""},
      {"time(cpu:0) > 1 s", 6, "expected \")\", got \"c\""},
      {"nodes(gpu:0) = 1", 14, "expected ==, !=, <, <=, > or >=, got \"=\""},
      {"nodes(gpu:0) > x", 16, "expected a number, got \"x\""},
      {"nodes(gpu:0) > 1.2.3", 16, "expected a number, got \"1.2.3\""},
      {"nodes(gpu:0) > 1 MB", 18, "expected a number without unit, got \"MB\""},
      {"bytes(gpu:0) > 1", 17, "expected a unit of B, KB, MB, GB, TB, KiB, MiB, GiB, TiB, got nothing"},
      {"bytes(gpu:0) > 1 mb", 18, "expected a unit of B, KB, MB, GB, TB, KiB, MiB, GiB, TiB, got \"mb\""},
      {"time() > 1 h", 12, "expected a unit of ns, us, ms, s, got \"h\""},
      {"time() > 1 s time() > 2 s", 14, "expected \"&\", \"|\" or the end, got \"t\""},
      {"(time() > 1 s", 14, "expected \")\", got nothing"},
      {"time() > 1 s &", 15, ""},
      {"nodes(gpu:7) > 1", 7, "expected one of cpu:0, gpu:0, gpu:1, got 'gpu:7'"},
  };
  for (const auto& row : rows) {
    INFO(row.text);
    const std::string got = Checked(row.text);
    const std::string head = "a:1:" + std::to_string(row.column) + ": " + row.message;
    CHECK(got.substr(0, head.size()) == head);
    CHECK(got.find("\n  " + std::string(row.text) + "\n  " + std::string(row.column - 1, ' ') + "^") !=
          std::string::npos);
  }
  CHECK(Checked(std::string(100, '(') + "time() > 1 s").find("at most 64 levels") != std::string::npos);
}

}  // namespace
}  // namespace berth
