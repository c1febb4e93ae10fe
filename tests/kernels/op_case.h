// One case of the op data: a node, its constant inputs, and what TensorFlow made of it.
//
// A container ops/OP.pb holds cases k = 0, 1, ...: constants k/in0, k/in1, ..., the node k/y, and constants k/want0, ... or,
// where TensorFlow refused, a node k/refused.
#ifndef BERTH_TESTS_KERNELS_OP_CASE_H_
#define BERTH_TESTS_KERNELS_OP_CASE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/op_table.h"
#include "runtime/kernel.h"
#include "runtime/tensor.h"

namespace berth {

struct OpCase {
  std::string name;   // "17"
  std::string graph;  // a serialized GraphDef of the inputs and the node y
  std::string want;   // a serialized GraphDef of the wanted constants
  bool refused = false;
  std::string refusal;  // TensorFlow's message
};

// In the container's order.
absl::StatusOr<std::vector<OpCase>> ReadOpCases(const std::string& bytes);

enum class Verdict {
  kRight,    // the values are right
  kRefused,  // TensorFlow refuses, and so does Berth
  kWrong,
  kNoKernel,  // nothing to judge
};

struct Judgement {
  Verdict verdict = Verdict::kWrong;
  std::string text;  // why it is wrong; Berth's message where it refuses
};

// Imports, verifies and infers the case's graph, runs its node on a device of this kind (a virtual one unless "CPU"), and
// compares.
Judgement JudgeOpCase(const OpCase& c, const std::string& kind, const std::shared_ptr<const OpTable>& ops,
                      const std::shared_ptr<const KernelTable>& kernels);

// Empty when `got` is right for an output of `op`, by the rule of the data's README; else the first difference.
std::string CompareOutput(const std::string& op, const Tensor& got, const Tensor& want);

}  // namespace berth

#endif  // BERTH_TESTS_KERNELS_OP_CASE_H_
