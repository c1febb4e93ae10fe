#include "tests/bench/families.h"

namespace berth {

std::vector<Benchmark> AllBenchmarks() {
  std::vector<Benchmark> list;
  AddDispatchBenchmarks(list);
  AddRunBenchmarks(list);
  AddTransferBenchmarks(list);
  AddBuildBenchmarks(list);
  AddGraphDefBenchmarks(list);
  AddPlaceBenchmarks(list);
  AddFirstResultBenchmarks(list);
  AddFmaPeakBenchmarks(list);
  AddModelBenchmarks(list);
  return list;
}

}  // namespace berth
