// Cancels runs from another thread.
#ifndef BERTH_RUNTIME_CANCELLATION_H_
#define BERTH_RUNTIME_CANCELLATION_H_

#include <atomic>

namespace berth {

// May be shared by several runs, which notice it before their next node, or within a millisecond where they wait.
// Thread-safe.
class Cancellation {
 public:
  void Cancel() { cancelled_.store(true, std::memory_order_release); }
  bool cancelled() const { return cancelled_.load(std::memory_order_acquire); }

 private:
  std::atomic<bool> cancelled_{false};
};

}  // namespace berth

#endif  // BERTH_RUNTIME_CANCELLATION_H_
