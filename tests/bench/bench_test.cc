// Every benchmark, run small: it compiles, computes what it should, and gives rows that make sense.
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "tests/bench/families.h"
#include "tests/bench/table.h"
#include "tests/testing.h"

namespace berth {
namespace {

TEST_CASE("every benchmark computes what it should") {
  Effort effort{.small = true};
  std::set<std::string> names;
  for (const Benchmark& benchmark : AllBenchmarks()) {
    INFO(benchmark.name);
    CHECK(names.insert(benchmark.name).second);
    if (absl::StartsWith(benchmark.name, "model/")) continue;
    const absl::StatusOr<std::vector<Row>> rows = benchmark.run(effort);
    INFO(rows.status().ToString());
    REQUIRE(rows.ok());
    REQUIRE(!rows->empty());
    for (const Row& row : *rows) {
      INFO(row.name);
      CHECK(absl::StartsWith(row.name, benchmark.name));
      CHECK(!row.unit.empty());
      CHECK(std::isfinite(row.min));
      CHECK(row.min >= 0);
      CHECK((row.is_rate ? row.median <= row.min : row.median >= row.min));
      CHECK(row.floor.empty() == (row.floor_min == 0));
    }
  }
  CHECK(names.size() > 20);
}

TEST_CASE("models are timed beside their peers") {
  if (!HasShared()) BERTH_SKIP("no shared data");
  const Effort effort{.small = true, .shared = SharedPath("")};
  for (const Benchmark& benchmark : AllBenchmarks()) {
    if (!absl::StartsWith(benchmark.name, "model/")) continue;
    INFO(benchmark.name);
    const absl::StatusOr<std::vector<Row>> rows = benchmark.run(effort);
    INFO(rows.status().ToString());
    REQUIRE(rows.ok());
    REQUIRE(rows->size() == 3);
    for (const Row& row : *rows) CHECK(row.ratio() > 0);
  }
}

TEST_CASE("what a sample finds wrong is the benchmark's error") {
  const Effort effort{.small = true};
  const auto times = TakeTimes(effort, Clock::kWall, {[](Stopwatch&) { return ExpectEqual("sum", 3, 4); }});
  CHECK(times.status().message() == "sum: expected 3, got 4");
}

TEST_CASE("the table of rows") {
  const Times times = {0.001, 0.002, 0.004};
  const Row slow = TimeRow("dispatch/chain/1", "ns a node", times, 1e5, 1e9);
  const Row floor = TimeRow("", "", {0.0005}, 1e5, 1e9);
  const Row rate = RateRow("parse", "MB/s", times, 1);
  const std::vector<Row> rows = {Beside(slow, "bare loop", floor),
                                 Beside(rate, "protobuf", RateRow("", "", {0.002}, 1)), rate};
  const BenchMachine machine{
      .processor = "a processor", .compiler = "g++ 12", .build = "optimised", .cores = 2, .load = 0.25};
  CHECK(PrintTable(machine, rows) == R"(a processor, 2 cores, load 0.2; g++ 12, optimised
min: of the fastest sample; ratio: our time over the floor's

name              unit        min  median  floor      floor min  ratio
dispatch/chain/1  ns a node  10.0    20.0  bare loop       5.00   2.00
parse             MB/s       1000     500  protobuf         500   0.50
parse             MB/s       1000     500  -                  -      -
)");
  CHECK(absl::StrContains(PrintJson(machine, rows), R"("floor_min": 5.0)"));
}

}  // namespace
}  // namespace berth
