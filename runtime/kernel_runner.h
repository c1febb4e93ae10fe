// Runs one kernel on host tensors, without a session: what kernel tests are written with.
//
//   BERTH_ASSIGN_OR_RETURN(std::vector<Tensor> y, RunKernel(table, {.op = "MatMul", .inputs = {a,
//   b}}));
//
// Type, number and type-list attributes that are not given follow from the inputs. A reference or
// resource input is a variable that holds the given tensor at first, or is not initialised where
// that is Tensor().
#ifndef BERTH_RUNTIME_KERNEL_RUNNER_H_
#define BERTH_RUNTIME_KERNEL_RUNNER_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/attr_value.h"
#include "graph/op_table.h"
#include "runtime/kernel.h"
#include "runtime/tensor.h"

namespace berth {

struct KernelCall {
  std::string op;
  std::vector<Tensor> inputs;
  std::vector<std::pair<std::string, AttrValue>> attrs;
  std::string kind = "CPU";
  bool virtual_device = false;
  int threads = 1;
  std::string name = "node";
  std::shared_ptr<const OpTable> ops;  // null: StandardOps()
};

struct KernelResult {
  std::vector<Tensor> outputs;    // an output of reference type is the variable's value
  std::vector<Tensor> variables;  // by input: the variable's value afterwards; Tensor() for other inputs
};

// Calls the kernel `times` times with the same state and gives the last result. Errors: those of
// the graph builder, Unimplemented when no kernel fits, the kernel's own.
absl::StatusOr<KernelResult> CallKernel(const KernelTable& table, const KernelCall& call, int times = 1);
// The outputs of one call.
absl::StatusOr<std::vector<Tensor>> RunKernel(const KernelTable& table, const KernelCall& call);

}  // namespace berth

#endif  // BERTH_RUNTIME_KERNEL_RUNNER_H_
