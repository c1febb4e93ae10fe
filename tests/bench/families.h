// The benchmarks, one family a file, and the list of all.
#ifndef BERTH_TESTS_BENCH_FAMILIES_H_
#define BERTH_TESTS_BENCH_FAMILIES_H_

#include <vector>

#include "tests/bench/bench.h"

namespace berth {

void AddBuildBenchmarks(std::vector<Benchmark>& list);        // nodes into a graph
void AddDispatchBenchmarks(std::vector<Benchmark>& list);     // what a node costs whose kernel does nearly nothing
void AddFirstResultBenchmarks(std::vector<Benchmark>& list);  // from bytes to the first value
void AddFmaPeakBenchmarks(std::vector<Benchmark>& list);      // what the machine can compute: the floor of models
void AddGraphDefBenchmarks(std::vector<Benchmark>& list);     // reading and writing
void AddModelBenchmarks(std::vector<Benchmark>& list);        // real models
void AddPlaceBenchmarks(std::vector<Benchmark>& list);        // placing
void AddRunBenchmarks(std::vector<Benchmark>& list);          // what a run costs
void AddTransferBenchmarks(std::vector<Benchmark>& list);     // what a send and its receive cost

// In the order of the table.
std::vector<Benchmark> AllBenchmarks();

}  // namespace berth

#endif  // BERTH_TESTS_BENCH_FAMILIES_H_
