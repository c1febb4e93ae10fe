// The interface that kernels implement: one function for one op on one kind of device.
//
//   absl::Status Relu(KernelArgs& args) {
//     BERTH_ASSIGN_OR_RETURN(Tensor * y, args.ForwardOrAllocate(0, 0));  // may take over its memory
//     ... args.input(0).kernel<float>() ... y->kernel<float>() ...
//   }
//   void AddReluKernels(KernelTable& table) {
//     table.Add({.op = "Relu", .types = {{"T", {DType::kFloat32}}}, .run = Relu, .in_place = {0}});
//   }
//
// A kernel runs on its device's stream, one at a time there; all memory it touches is reached
// through kernel_data(). Concurrent runs of one session call it for the same node at the same time,
// each with a state() of its own; only nodes of ops that the op table calls stateful share one
// state over all runs, and their calls are made one at a time.
#ifndef BERTH_RUNTIME_KERNEL_H_
#define BERTH_RUNTIME_KERNEL_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graph/graph.h"
#include "runtime/tensor.h"

namespace berth {

// What a kernel keeps between runs for one node (a oneDNN primitive and its scratch, a random
// generator's counter).
class KernelState {
 public:
  virtual ~KernelState() = default;
};

// One execution of one node. Made by the executor.
class KernelArgs {
 public:
  virtual ~KernelArgs() = default;

  const Node& node() const { return node_; }
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  // Data input i. A reference input (variable) holds the variable's current value; assign through
  // AssignVariable.
  const Tensor& input(int i) const { return *inputs_[i]; }

  // Output i in this device's memory (host memory for arguments the kernel lists as host),
  // uninitialised. Errors: as AllocateHostTensor, with node, op and device in front. The pointer is
  // good until the kernel returns.
  virtual absl::StatusOr<Tensor*> Allocate(int output, const Dims& dims) = 0;
  // The memory of input `in` if nobody else reads it, its dtype and byte size equal output's, else
  // a new block.
  virtual absl::StatusOr<Tensor*> ForwardOrAllocate(int output, int in) = 0;
  // Scratch memory that lives for this execution.
  virtual absl::StatusOr<void*> Scratch(size_t bytes) = 0;
  // A new tensor that is no output: what the update of a variable is computed into, for AssignVariable. (optional)
  // default: in host memory.
  virtual absl::StatusOr<Tensor> AllocateValue(DType dtype, const Dims& dims) {
    return AllocateHostTensor(dtype, dims);
  }
  // Makes output i an existing tensor without a copy (Identity, Reshape): an input, or what the
  // kernel allocated itself.
  virtual absl::Status SetOutput(int output, Tensor t) = 0;

  // Variables. The name is the node's that holds the state (VariableV2, VarHandleOp), found by the
  // executor through the reference or resource input. Reading an uninitialised variable is
  // FailedPrecondition naming it. `value` may be an input or an output: the executor copies where
  // the variable could not keep its memory. An output of reference type need not be set: it is the
  // variable itself.
  virtual absl::Status AssignVariable(int input, Tensor value) = 0;
  virtual absl::StatusOr<Tensor> ReadVariable(int input) = 0;
  virtual bool VariableInitialized(int input) = 0;

  // Kept by the plan, one a node. A kernel fills it on first use.
  std::unique_ptr<KernelState>& state() { return *state_; }
  // Threads a kernel may use inside itself, its caller's among them (kernels/cpu/parallel.h); 1 unless the session says
  // otherwise, and on devices other than cpus. Results must not depend on it, not in one bit.
  int threads() const { return threads_; }

 protected:
  // Inputs and outputs are slots of a run: fixed addresses, so that nothing is copied to call a
  // kernel.
  KernelArgs(const Node& node, absl::Span<Tensor* const> inputs, absl::Span<Tensor* const> outputs,
             std::unique_ptr<KernelState>* state, int threads)
      : node_(node), inputs_(inputs), outputs_(outputs), state_(state), threads_(threads) {}

  Node node_;
  absl::Span<Tensor* const> inputs_;
  absl::Span<Tensor* const> outputs_;
  std::unique_ptr<KernelState>* state_;
  int threads_;
};

// Errors say what was expected and got; the executor puts node, op, device and source line in front.
using KernelFn = absl::Status (*)(KernelArgs& args);

struct TypeConstraint {
  std::string attr;
  std::vector<DType> types;
};

struct KernelDef {
  std::string op;
  std::string kind = "CPU";  // also serves virtual devices of every kind, see KernelTable::Find
  std::vector<TypeConstraint> types;
  std::vector<std::string> host_args;  // formal inputs or outputs in host memory, on non-CPU devices
  int priority = 0;
  // (optional) default: supported. Rejects attribute values the kernel does not cover, with the
  // reason; asked at placement.
  absl::Status (*supports)(const Node& node) = nullptr;
  KernelFn run = nullptr;
  bool cheap = false;  // shape arithmetic and the like: never worth another thread
  // What the memory planner may count on. A missing hint costs a block or a copy, never a wrong result.
  // Inputs whose memory output 0 may have: the kernel is right when both are the same bytes, and asks by
  // ForwardOrAllocate(0, in) where it can.
  std::vector<int> in_place;
  // Output 0 is input 0's bytes, through SetOutput (Identity, Reshape), and there is no other output. Such a node is
  // not called at all where shapes are known.
  bool shares_input = false;
};

// Ops that the executor does itself: Const NoOp Placeholder PlaceholderV2 Variable VariableV2 VarHandleOp _Arg _Recv
// _Retval _Send. They need no kernel on any kind of device.
bool IsExecutorOp(absl::string_view op);

class KernelTable {
 public:
  void Add(KernelDef def);
  // The entry of highest priority, then the first added. Null when no kernel fits the node on that
  // kind. With `virtual_device`, a CPU kernel serves (and its host_args hold).
  const KernelDef* Find(const Node& node, absl::string_view kind, bool virtual_device) const;
  const std::vector<std::unique_ptr<KernelDef>>& all() const { return defs_; }

 private:
  std::vector<std::unique_ptr<KernelDef>> defs_;
  absl::flat_hash_map<std::string, std::vector<KernelDef*>> by_op_;
};

}  // namespace berth

#endif  // BERTH_RUNTIME_KERNEL_H_
