#include "tests/bench/runnable.h"

#include <algorithm>
#include <utility>

#include "graph/status_macros.h"
#include "kernels/kernels.h"
#include "kernels/op_support.h"

namespace berth {

absl::StatusOr<std::unique_ptr<Session>> MakeSession(Graph graph, const std::string& machine,
                                                     std::vector<std::string> fetches, std::vector<std::string> feeds) {
  SessionOptions options;
  BERTH_ASSIGN_OR_RETURN(options.machine, ParseMachine(machine));
  options.kernels = CpuKernels();
  options.support = SupportFrom(*options.kernels);
  options.fetches = std::move(fetches);
  options.feeds = std::move(feeds);
  return Session::Create(std::make_shared<const Graph>(std::move(graph)), std::move(options));
}

absl::StatusOr<Tensor> FilledTensor(const Dims& dims, float value) {
  BERTH_ASSIGN_OR_RETURN(Tensor tensor, AllocateHostTensor(DType::kFloat32, dims));
  std::fill_n(tensor.kernel<float>(), tensor.num_elements(), value);
  return tensor;
}

float ScalarOf(const Tensor& value) { return *value.kernel<float>(); }

}  // namespace berth
