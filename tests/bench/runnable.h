// Graphs of benchmarks made ready to run.
#ifndef BERTH_TESTS_BENCH_RUNNABLE_H_
#define BERTH_TESTS_BENCH_RUNNABLE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/graph.h"
#include "graph/scope.h"
#include "runtime/session.h"

namespace berth {

// Under the default policy, with every kernel; devices as the nodes ask. `feeds` and `fetches` as SessionOptions.
absl::StatusOr<std::unique_ptr<Session>> MakeSession(Graph graph, const std::string& machine,
                                                     std::vector<std::string> fetches,
                                                     std::vector<std::string> feeds = {});

// Float32, every element `value`. Error: as AllocateHostTensor.
absl::StatusOr<Tensor> FilledTensor(const Dims& dims, float value);
// Value of a scalar float tensor in host memory.
float ScalarOf(const Tensor& value);

}  // namespace berth

#endif  // BERTH_TESTS_BENCH_RUNNABLE_H_
