// What the devices of one run share: the first error, the limits, and the channels that values cross by.
//
//   thread of cpu:0                            thread of gpu:0
//   run.channel(3).value = x; run.Deliver(3)   run.Await(3, "gpu:0") ... use run.channel(3).value
//
// The first error wins; it wakes every waiter, and what comes later is dropped. So a run ends when its slowest kernel
// that had begun ends. A waiter spins for a few microseconds before it sleeps.
#ifndef BERTH_RUNTIME_RUN_STATE_H_
#define BERTH_RUNTIME_RUN_STATE_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "runtime/cancellation.h"
#include "runtime/plan.h"
#include "runtime/tensor.h"

namespace berth {

// One transfer of one run. The sender writes the value before Deliver, the receiver reads it after Await.
struct Channel {
  std::atomic<bool> delivered{false};
  std::atomic<bool> sent{false};  // being copied
  Tensor value;
};

class RunState {
 public:
  using Clock = std::chrono::steady_clock;

  RunState(const std::vector<ChannelPlan>& channels, size_t parts)
      : plans_(channels),
        channels_(std::make_unique<Channel[]>(channels.size())),
        num_parts_(static_cast<int>(parts)),
        phases_(std::make_unique<std::atomic<Phase>[]>(parts)) {}

  // Before a run. `limit`: the deadline as the user gave it. Every part but `client` is pending.
  void Begin(std::optional<std::chrono::milliseconds> limit, const Cancellation* cancellation, int client);

  Channel& channel(int number) { return channels_[number]; }
  void Deliver(int number);
  // Returns when the value is there, or the run has failed: then false.
  bool Await(int number);

  bool failed() const { return failed_.load(std::memory_order_relaxed); }
  // Keeps the first error.
  void Fail(absl::Status error);
  // True when a device should stop: the run has failed, or has just now passed a limit.
  bool ShouldStop() {
    if (failed()) return true;
    return has_limits_ && PassedLimit();
  }

  // A part's first act on its stream. False: the run has failed and gone without it.
  bool BeginPart(int part);
  // Work that the run has to wait for besides: copies.
  void AddPending();
  // The end of a part or of a copy.
  void EndPending();
  // Returns when all pending work has ended, passing limits on to it. When the run fails, parts that no stream has
  // begun are abandoned. A run that ends after its deadline has failed. Gives the run's status.
  absl::Status Finish();
  // After Finish(): whether a stream still holds a part of this run.
  bool has_abandoned() const { return has_abandoned_; }

 private:
  enum class Phase : uint8_t { kWaiting, kBegun, kAbandoned };

  bool PassedLimit();
  void AbandonParts();
  // Waits on wake_ until `done`, for no longer than the next look at the limits. REQUIRES: lock held.
  template <typename Done>
  void Sleep(std::unique_lock<std::mutex>& lock, const Done& done);
  std::string PendingTransfers() const;

  const std::vector<ChannelPlan>& plans_;
  const std::unique_ptr<Channel[]> channels_;
  const int num_parts_;
  const std::unique_ptr<std::atomic<Phase>[]> phases_;
  bool has_abandoned_ = false;
  bool alone_ = false;  // the caller's thread runs the only part
  std::atomic<bool> failed_{false};
  std::atomic<int> sleepers_{0};
  std::atomic<int> pending_{0};
  bool has_limits_ = false;
  std::chrono::milliseconds limit_{0};
  std::optional<Clock::time_point> deadline_;
  const Cancellation* cancellation_ = nullptr;
  std::mutex mu_;
  std::condition_variable wake_;
  absl::Status error_;  // guarded by mu_
};

}  // namespace berth

#endif  // BERTH_RUNTIME_RUN_STATE_H_
