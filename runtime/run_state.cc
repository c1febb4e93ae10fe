#include "runtime/run_state.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace berth {
namespace {

constexpr int kSpins = 2000;
constexpr std::chrono::milliseconds kLook{1};  // how often a sleeper looks for a cancellation
constexpr int kListed = 16;

inline void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

void RunState::Begin(std::optional<std::chrono::milliseconds> limit, const Cancellation* cancellation, int client) {
  for (size_t c = 0; c < plans_.size(); ++c) {
    channels_[c].delivered.store(false, std::memory_order_relaxed);
    channels_[c].sent.store(false, std::memory_order_relaxed);
  }
  failed_.store(false, std::memory_order_relaxed);
  pending_.store(num_parts_ - (client >= 0 ? 1 : 0), std::memory_order_relaxed);
  for (int p = 0; p < num_parts_; ++p) phases_[p].store(Phase::kWaiting, std::memory_order_relaxed);
  alone_ = client >= 0 && num_parts_ == 1;
  if (client >= 0) phases_[client].store(Phase::kBegun, std::memory_order_relaxed);
  error_ = absl::OkStatus();
  cancellation_ = cancellation;
  deadline_.reset();
  if (limit.has_value()) {
    limit_ = *limit;
    deadline_ = Clock::now() + *limit;
  }
  has_limits_ = limit.has_value() || cancellation != nullptr;
}

void RunState::Deliver(int number) {
  // Sequentially consistent with Await: either it sees the value, or this sees the sleeper.
  channels_[number].delivered.store(true);
  if (sleepers_.load() == 0) return;
  std::lock_guard<std::mutex> lock(mu_);
  wake_.notify_all();
}

bool RunState::Await(int number) {
  const std::atomic<bool>& delivered = channels_[number].delivered;
  for (int i = 0; i < kSpins; ++i) {
    if (delivered.load(std::memory_order_acquire)) return true;
    if (failed()) return false;
    Pause();
  }
  std::unique_lock<std::mutex> lock(mu_);
  while (!delivered.load()) {
    if (failed()) return false;
    if (has_limits_) {
      lock.unlock();
      const bool passed = PassedLimit();
      lock.lock();
      if (passed) return false;
    }
    Sleep(lock, [&] { return delivered.load() || failed(); });
  }
  return true;
}

template <typename Done>
void RunState::Sleep(std::unique_lock<std::mutex>& lock, const Done& done) {
  sleepers_.fetch_add(1);
  if (cancellation_ != nullptr) {
    wake_.wait_for(lock, kLook, done);
  } else if (deadline_.has_value()) {
    wake_.wait_until(lock, *deadline_, done);
  } else {
    wake_.wait(lock, done);
  }
  sleepers_.fetch_sub(1);
}

void RunState::Fail(absl::Status error) {
  std::lock_guard<std::mutex> lock(mu_);
  if (failed_.load(std::memory_order_relaxed)) return;
  error_ = std::move(error);
  failed_.store(true);
  wake_.notify_all();
}

bool RunState::PassedLimit() {
  if (cancellation_ != nullptr && cancellation_->cancelled()) {
    Fail(absl::CancelledError(absl::StrCat("run: cancelled by its caller; pending transfers: ", PendingTransfers())));
    return true;
  }
  if (deadline_.has_value() && Clock::now() >= *deadline_) {
    Fail(absl::DeadlineExceededError(absl::StrCat("run: expected to end within ", limit_.count(),
                                                  " ms, got no end; pending transfers: ", PendingTransfers())));
    return true;
  }
  return false;
}

std::string RunState::PendingTransfers() const {
  std::vector<std::string> pending;
  int more = 0;
  for (size_t c = 0; c < plans_.size(); ++c) {
    if (channels_[c].delivered.load(std::memory_order_acquire)) continue;
    if (static_cast<int>(pending.size()) == kListed) {
      ++more;
      continue;
    }
    const bool sent = channels_[c].sent.load(std::memory_order_acquire);
    pending.push_back(
        absl::StrCat("'", plans_[c].transfer.value, "' ", plans_[c].ends, sent ? " (copying)" : " (not sent)"));
  }
  if (pending.empty()) return "none";
  return absl::StrCat(absl::StrJoin(pending, ", "), more > 0 ? absl::StrCat(", ... and ", more, " more") : "");
}

void RunState::AddPending() { pending_.fetch_add(1); }

// Under the lock, so that Finish cannot return, and this go away, before the notification is done.
void RunState::EndPending() {
  std::lock_guard<std::mutex> lock(mu_);
  if (pending_.fetch_sub(1) == 1) wake_.notify_all();
}

bool RunState::BeginPart(int part) {
  Phase waiting = Phase::kWaiting;
  return phases_[part].compare_exchange_strong(waiting, Phase::kBegun);
}

void RunState::AbandonParts() {
  for (int p = 0; p < num_parts_; ++p) {
    Phase waiting = Phase::kWaiting;
    if (!phases_[p].compare_exchange_strong(waiting, Phase::kAbandoned)) continue;
    has_abandoned_ = true;
    pending_.fetch_sub(1);
  }
}

absl::Status RunState::Finish() {
  // Nobody to wait for.
  if (alone_ && plans_.empty() && !has_limits_ && !failed()) return absl::OkStatus();
  for (int i = 0; i < kSpins && pending_.load(std::memory_order_acquire) > 0; ++i) Pause();
  std::unique_lock<std::mutex> lock(mu_);
  while (pending_.load() > 0) {
    if (!failed() && has_limits_) {
      lock.unlock();
      PassedLimit();
      lock.lock();
    }
    if (!failed()) {
      Sleep(lock, [&] { return pending_.load() == 0 || failed(); });
      continue;
    }
    AbandonParts();
    wake_.wait(lock, [&] { return pending_.load() == 0; });
  }
  lock.unlock();
  if (has_limits_ && !failed()) PassedLimit();  // all is done, but too late
  lock.lock();
  return error_;
}

}  // namespace berth
