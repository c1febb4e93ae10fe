// What outlives a run: the values of variables, and the state of kernels whose ops are stateful (random generators).
//
// Variables are known by the name that their nodes share: `shared_name` where it is set, else the node's. A value is
// replaced as a whole: who read it before keeps what it read.
#ifndef BERTH_RUNTIME_VARIABLES_H_
#define BERTH_RUNTIME_VARIABLES_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/graph.h"
#include "placement/placement.h"
#include "runtime/kernel.h"
#include "runtime/tensor.h"

namespace berth {

// Thread-safe.
class Variable {
 public:
  Variable(std::string name, DType dtype, PartialShape shape, DeviceId device)
      : name_(std::move(name)), dtype_(dtype), shape_(std::move(shape)), device_(device) {}

  const std::string& name() const { return name_; }
  DType dtype() const { return dtype_; }
  const PartialShape& shape() const { return shape_; }  // unknown rank: any
  DeviceId device() const { return device_; }           // in whose memory the value is

  bool initialized() const;
  // Error: FailedPrecondition naming the variable and what makes it so.
  absl::StatusOr<Tensor> Read() const;
  // REQUIRES: a value in the device's memory that nobody writes to.
  void Assign(Tensor value);
  // Error: InvalidArgument naming the variable when the value does not fit it.
  absl::Status CheckFits(const Tensor& value) const;

 private:
  const std::string name_;
  const DType dtype_;
  const PartialShape shape_;
  const DeviceId device_;
  mutable std::mutex mu_;
  Tensor value_;
};

// A kernel's state that all runs share, and whose turn it is.
struct SharedState {
  std::mutex mu;
  std::unique_ptr<KernelState> state;
};

class SessionState {
 public:
  // One variable a name and device. Error: InvalidArgument when two nodes of one shared name differ in type, shape or
  // device.
  static absl::StatusOr<std::unique_ptr<SessionState>> For(const Graph& graph, const Placement& placement);

  // By the node's name, as it is in the graph. Null when it is no variable.
  Variable* Find(absl::string_view node) const;
  // Names of the nodes, alphabetical.
  std::vector<std::string> Names() const;
  // Made at first use; lives as long as this. Thread-safe.
  SharedState* StateOf(absl::string_view node);

 private:
  std::map<std::string, std::unique_ptr<Variable>> by_shared_name_;
  std::map<std::string, Variable*, std::less<>> by_node_;
  std::mutex mu_;
  std::map<std::string, std::unique_ptr<SharedState>> states_;
};

}  // namespace berth

#endif  // BERTH_RUNTIME_VARIABLES_H_
