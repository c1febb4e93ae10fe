// Runs the plans of one signature (feeds, fetches, targets), over and over.
//
// The client's part runs on the caller's thread, every other part on its device's stream; with one part on the client,
// no other thread has a hand in it. Values cross by channels: a pointer inside one memory, otherwise one copy, made by
// the sender when it is small and on a stream of its own when it is not. Parts of concurrent runs stand in the same
// order on every stream, so that no run waits for one that waits for it.
#ifndef BERTH_RUNTIME_EXECUTOR_H_
#define BERTH_RUNTIME_EXECUTOR_H_

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/cancellation.h"
#include "runtime/device.h"
#include "runtime/plan.h"
#include "runtime/tensor.h"
#include "runtime/trace.h"

namespace berth {

struct ExecutorOptions {
  DeviceId client = 0;           // whose part runs on the caller's thread
  int threads = 1;               // that kernels on cpus may use inside themselves
  std::mutex* launch = nullptr;  // one for all executors that use the same devices
};

struct RunLimits {
  std::optional<std::chrono::milliseconds> deadline;
  const Cancellation* cancellation = nullptr;
  Trace* trace = nullptr;
};

class Executor {
 public:
  virtual ~Executor() = default;

  // Sets `fetches` (by number, as the partition's _Retval). `feeds` by number, checked by the caller. Errors: the first
  // of any device, with node, op, device and source line; DeadlineExceeded or Cancelled with the pending transfers.
  // Returns when nothing of this run is under way any more. Thread-safe.
  virtual absl::Status Run(absl::Span<const Tensor> feeds, absl::Span<Tensor> fetches, const RunLimits& limits) = 0;
  virtual const RunPlan& plan() const = 0;
};

// Takes no memory before the first run. `devices` outlive the executor.
std::unique_ptr<Executor> MakeExecutor(RunPlan plan, std::vector<Device*> devices, const ExecutorOptions& options);

}  // namespace berth

#endif  // BERTH_RUNTIME_EXECUTOR_H_
