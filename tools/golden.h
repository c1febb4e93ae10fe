// A folder with golden.tsv: what to feed a graph, what it must give, and how near.
//
// Columns: role (input, output), tensor, file (.npy), dtype, shape, min, max, nan, spread. A result is right when
// |got - want| <= max(1e-4 * max|want|, 4 * spread * max|want|, 1e-6); integers and booleans exactly; NaN where NaN.
#ifndef BERTH_TOOLS_GOLDEN_H_
#define BERTH_TOOLS_GOLDEN_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/tensor.h"
#include "tools/io.h"

namespace berth {

struct Golden {
  struct Output {
    std::string tensor;
    Tensor want;
    double spread = 0;
  };
  std::vector<std::pair<std::string, Tensor>> inputs;
  std::vector<Output> outputs;
};

// Errors carry kExitUnreadable and name file and line.
absl::StatusOr<Golden> LoadGolden(const std::string& folder, Io& io);

struct GoldenVerdict {
  bool right = false;
  double error = 0;  // largest |got - want|
  double allowed = 0;
  std::string fault;  // when shapes, dtypes or NaNs differ
};
GoldenVerdict CompareGolden(const Golden::Output& output, const Tensor& got);

}  // namespace berth

#endif  // BERTH_TOOLS_GOLDEN_H_
