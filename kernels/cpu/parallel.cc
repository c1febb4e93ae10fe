#include "kernels/cpu/parallel.h"

#include <atomic>
#include <cfenv>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>

namespace berth::cpu {
namespace {

// One ParallelFor at work; lives on its caller's stack.
struct Loop {
  RangeFn fn;
  int64_t items, grain;
  std::fenv_t mode;                // the caller's
  std::atomic<int64_t> next = 0;   // first item that nobody took
  int wanted = 0;                  // helpers that may still join; guarded by the pool's mutex
  int helping = 0;                 // likewise
  std::condition_variable finish;  // helping became 0

  void Work() {
    for (int64_t begin; (begin = next.fetch_add(grain, std::memory_order_relaxed)) < items;) {
      fn(begin, begin + std::min(grain, items - begin));
    }
  }
};

// Threads that help whichever loop came first. They are made when first asked for and live as long as the process.
class Pool {
 public:
  void Run(Loop& loop, int helpers) {
    {
      std::lock_guard<std::mutex> lock(mu_);
      while (size_ < helpers && Grow()) {
      }
      loop.wanted = std::min(helpers, size_);
      if (loop.wanted > 0) loops_.push_back(&loop);
    }
    for (int i = 0; i < helpers; ++i) work_.notify_one();
    loop.Work();
    // No item is left to take: nobody need join any more, and those who did are waited for.
    std::unique_lock<std::mutex> lock(mu_);
    if (loop.wanted > 0) loops_.erase(std::find(loops_.begin(), loops_.end(), &loop));
    loop.finish.wait(lock, [&] { return loop.helping == 0; });
  }

 private:
  // REQUIRES: mu_ is held. False where the system gives no more threads: then fewer help.
  bool Grow() {
    try {
      std::thread([this] { Help(); }).detach();
    } catch (const std::system_error&) {
      return false;
    }
    ++size_;
    return true;
  }

  void Help() {
    std::unique_lock<std::mutex> lock(mu_);
    for (;;) {
      work_.wait(lock, [this] { return !loops_.empty(); });
      Loop& loop = *loops_.front();
      if (--loop.wanted == 0) loops_.pop_front();
      ++loop.helping;
      lock.unlock();
      std::fesetenv(&loop.mode);
      loop.Work();
      lock.lock();
      if (--loop.helping == 0) loop.finish.notify_all();
    }
  }

  std::mutex mu_;
  std::condition_variable work_;
  std::deque<Loop*> loops_;  // those that want helpers, oldest first; guarded by mu_
  int size_ = 0;             // threads made; guarded by mu_
};

}  // namespace

void ParallelFor(int threads, int64_t items, int64_t grain, RangeFn fn) {
  if (items <= 0) return;
  const int64_t ranges = (items - 1) / grain + 1;
  const int64_t helpers = std::min<int64_t>(threads, ranges) - 1;
  if (helpers <= 0) return fn(0, items);
  static auto* const pool = new Pool;
  Loop loop{.fn = fn, .items = items, .grain = grain};
  std::fegetenv(&loop.mode);
  pool->Run(loop, static_cast<int>(helpers));
}

}  // namespace berth::cpu
