#include "tests/bench/bench.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/status_macros.h"

namespace berth {

double SecondsOf(Clock clock) {
  timespec now;
  clock_gettime(clock == Clock::kWall ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

absl::StatusOr<std::vector<Times>> TakeTimes(const Effort& effort, Clock clock, const std::vector<Sample>& samples) {
  std::vector<Times> times(samples.size());
  const double begin = SecondsOf(Clock::kWall);
  const size_t least = effort.small ? 1 : 4;  // the first of these warms up
  while (times[0].size() < least || (!effort.small && SecondsOf(Clock::kWall) - begin < effort.seconds)) {
    for (size_t i = 0; i < samples.size(); ++i) {
      Stopwatch watch(clock);
      BERTH_RETURN_IF_ERROR(samples[i](watch));
      times[i].push_back(watch.seconds());
    }
  }
  for (Times& t : times) {
    if (!effort.small) t.erase(t.begin());
    std::sort(t.begin(), t.end());
  }
  return times;
}

double Row::ratio() const {
  if (floor.empty() || min <= 0 || floor_min <= 0) return 0;
  return is_rate ? floor_min / min : min / floor_min;
}

namespace {

double Median(const Times& times) { return (times[(times.size() - 1) / 2] + times[times.size() / 2]) / 2; }

}  // namespace

Row TimeRow(std::string name, std::string unit, const Times& times, double count, double unit_per_second) {
  const double scale = unit_per_second / count;
  return {.name = std::move(name), .unit = std::move(unit), .min = times[0] * scale, .median = Median(times) * scale};
}

Row RateRow(std::string name, std::string unit, const Times& times, double amount) {
  return {.name = std::move(name),
          .unit = std::move(unit),
          .min = amount / std::max(times[0], 1e-12),
          .median = amount / std::max(Median(times), 1e-12),
          .is_rate = true};
}

Row Beside(Row row, std::string floor, const Row& floor_row) {
  row.floor = std::move(floor);
  row.floor_min = floor_row.min;
  return row;
}

absl::Status ExpectEqual(absl::string_view what, double expected, double found) {
  if (expected == found) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, ": expected ", expected, ", got ", found));
}

}  // namespace berth
