// What holds of the table of kernels as a whole.
#include <set>
#include <string>

#include "graph/op_table.h"
#include "kernels/kernels.h"
#include "tests/testing.h"

namespace berth {
namespace {

TEST_CASE("every kernel is of an op with a signature") {
  std::set<std::string> unknown;
  for (const auto& kernel : CpuKernels()->all()) {
    if (StandardOps()->Find(kernel->op) == nullptr) unknown.insert(kernel->op);
  }
  CHECK(unknown == std::set<std::string>());
}

}  // namespace
}  // namespace berth
