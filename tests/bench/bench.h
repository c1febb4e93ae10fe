// A benchmark: a name, and a function that measures one thing of Berth beside a floor and gives rows of the table.
//
//   name                    unit           min  median  floor      floor min  ratio
//   dispatch/chain/1        ns a node     21.4    22.0  bare loop       1.9    11.3
//
// A floor is the least that anybody could need (a bare loop, memcpy), or what a peer takes. Both are measured in turns,
// in one run, so that what else the machine does meets both. Every benchmark checks what it computed: a wrong result is
// an error, and so the benchmarks are tests too when they are run small.
#ifndef BERTH_TESTS_BENCH_BENCH_H_
#define BERTH_TESTS_BENCH_BENCH_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace berth {

struct Effort {
  double seconds = 1;  // of each row, at least; never fewer than three samples
  bool small = false;  // the smallest sizes that run all of the code, each once: for tests
  std::string shared;  // the folder of shared data; empty: none, and what needs it gives no rows
};

// Wall time, or processor time of the process, which other programs disturb less: for work of one thread.
enum class Clock { kWall, kProcessor };
double SecondsOf(Clock clock);

// Times a part of a sample: what is between Start and Stop, summed.
class Stopwatch {
 public:
  explicit Stopwatch(Clock clock) : clock_(clock) {}
  void Start() { start_ = SecondsOf(clock_); }
  void Stop() { seconds_ += SecondsOf(clock_) - start_; }
  double seconds() const { return seconds_; }

 private:
  const Clock clock_;
  double start_ = 0, seconds_ = 0;
};

// One sample: does the work, with the part that counts between Start and Stop, and checks what came out.
using Sample = std::function<absl::Status(Stopwatch&)>;

// Sorted, in seconds.
using Times = std::vector<double>;

// Takes samples of each in turns until effort.seconds are over, at least three of each (small: one). The first of each
// only warms up, unless small. Error: the first that a sample gives.
absl::StatusOr<std::vector<Times>> TakeTimes(const Effort& effort, Clock clock, const std::vector<Sample>& samples);

struct Row {
  std::string name, unit;
  double min = 0, median = 0;  // of a rate: that of the fastest sample, of the median one
  std::string floor;           // "": none
  double floor_min = 0;
  bool is_rate = false;
  // Our time over the floor's, 0 without floor: under 1 is faster than it.
  double ratio() const;
};

// Times per `count` things, times `unit_per_second` (1e9 for nanoseconds).
Row TimeRow(std::string name, std::string unit, const Times& times, double count, double unit_per_second);
// Amount per second.
Row RateRow(std::string name, std::string unit, const Times& times, double amount);
// The same row, with a floor in the same unit.
Row Beside(Row row, std::string floor, const Row& floor_row);

struct Benchmark {
  std::string name;  // "dispatch/chain/1"; its rows are called so, or begin so
  std::function<absl::StatusOr<std::vector<Row>>(const Effort&)> run;
};

// InvalidArgument unless equal.
absl::Status ExpectEqual(absl::string_view what, double expected, double found);

}  // namespace berth

#endif  // BERTH_TESTS_BENCH_BENCH_H_
