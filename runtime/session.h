// A session: a graph made ready to run on a machine, with variables that live across runs.
//
//   BERTH_ASSIGN_OR_RETURN(auto session, Session::Create(graph, options));
//   BERTH_ASSIGN_OR_RETURN(auto values, session->Run({.fetches = {"AddN:0"}}));
#ifndef BERTH_RUNTIME_SESSION_H_
#define BERTH_RUNTIME_SESSION_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/graph.h"
#include "placement/machine.h"
#include "placement/place.h"
#include "runtime/cancellation.h"
#include "runtime/device.h"
#include "runtime/devices.h"
#include "runtime/kernel.h"
#include "runtime/tensor.h"
#include "runtime/trace.h"

namespace berth {

struct SessionOptions {
  Machine machine;
  Policy policy = DefaultPolicy();
  PlacementMode mode = PlacementMode::kStrict;
  std::shared_ptr<const KernelTable> kernels;
  OpSupport support;  // kernels/op_support.h makes it from the table
  bool replicate_constants = true;
  DeviceMaker make_device;  // null: only devices that the runtime knows
  int threads = 1;          // that share the work of each large kernel on a cpu; results do not depend on it
  // Placement covers the graph pruned to the union of these (empty: the whole graph). A later Run may use any subset.
  std::vector<std::string> fetches, targets, feeds;
  std::optional<Placement> placement;  // given: used as it is, no placing
};

struct RunOptions {
  std::vector<std::pair<std::string, Tensor>> feeds;  // "x:0" or "x"; host tensors; one that nothing needs is not used
  std::vector<std::string> fetches;  // tensors ("y:1", "y"), in the order wanted; or ops without outputs
  std::vector<std::string> targets;  // nodes to run without a value
  std::optional<std::chrono::milliseconds> deadline;  // DeadlineExceeded, with the pending transfers
  const Cancellation* cancellation = nullptr;
  Trace* trace = nullptr;
};

class Session {
 public:
  static absl::StatusOr<std::unique_ptr<Session>> Create(std::shared_ptr<const Graph> graph, SessionOptions options);
  virtual ~Session() = default;

  // Host tensors, one a fetch (an op without outputs gives Tensor()). The first error of any device is returned, with
  // node, op, device and source line; everything else is cancelled and drained before it returns. Thread-safe;
  // concurrent runs are apart but for variables.
  virtual absl::StatusOr<std::vector<Tensor>> Run(const RunOptions& options) = 0;

  // The hash of the plan of such a run, feeds' shapes included: equal for equal sessions, in every process and for every
  // number of threads. Errors: of the stages before running.
  virtual absl::StatusOr<uint64_t> PlanFingerprint(const RunOptions& options) = 0;

  // Variables by name ("linear/w"). Errors: NotFound listing the variables; FailedPrecondition when not initialised.
  virtual absl::StatusOr<Tensor> GetVariable(absl::string_view name) = 0;
  virtual absl::Status SetVariable(absl::string_view name, const Tensor& host_value) = 0;
  virtual std::vector<std::string> Variables() const = 0;

  virtual const Placement& placement() const = 0;
  // By device id; for lists and for tests. They live as long as the session.
  virtual const std::vector<Device*>& devices() const = 0;
  // The graph that was placed (pruned); node ids of placement() are its ids.
  virtual const Graph& graph() const = 0;
};

}  // namespace berth

#endif  // BERTH_RUNTIME_SESSION_H_
