// The rows of a run as text or JSON, under a header that says what machine and build they are of.
#ifndef BERTH_TESTS_BENCH_TABLE_H_
#define BERTH_TESTS_BENCH_TABLE_H_

#include <string>
#include <vector>

#include "tests/bench/bench.h"

namespace berth {

// "AMD EPYC, 2 cores, g++ 12.2.0, -O2 -DNDEBUG (opt); load 0.3".
struct BenchMachine {
  std::string processor, compiler, build;
  int cores = 0;
  double load = 0;  // of the last minute
};
BenchMachine ThisMachine();

std::string PrintTable(const BenchMachine& machine, const std::vector<Row>& rows);
std::string PrintJson(const BenchMachine& machine, const std::vector<Row>& rows);

}  // namespace berth

#endif  // BERTH_TESTS_BENCH_TABLE_H_
