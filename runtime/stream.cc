#include "runtime/stream.h"

#include <utility>

namespace berth {

struct Event::State {
  std::mutex mu;
  std::condition_variable changed;
  bool done = false;
};

Event::Event() : state_(std::make_shared<State>()) {}

void Event::Set() {
  std::lock_guard<std::mutex> lock(state_->mu);
  state_->done = true;
  state_->changed.notify_all();
}

bool Event::done() const {
  std::lock_guard<std::mutex> lock(state_->mu);
  return state_->done;
}

void Event::Wait() const {
  std::unique_lock<std::mutex> lock(state_->mu);
  state_->changed.wait(lock, [this] { return state_->done; });
}

Stream::~Stream() {
  {
    std::lock_guard<std::mutex> lock(mu_);
    stop_ = true;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void Stream::Enqueue(std::function<void()> work) {
  std::lock_guard<std::mutex> lock(mu_);
  queue_.push_back(std::move(work));
  if (!thread_.joinable()) thread_ = std::thread([this] { Loop(); });
  wake_.notify_one();
}

Event Stream::Record() {
  Event event;
  Enqueue([event]() mutable { event.Set(); });
  return event;
}

void Stream::WaitFor(Event event) {
  Enqueue([event] { event.Wait(); });
}

void Stream::Loop() {
  std::unique_lock<std::mutex> lock(mu_);
  while (true) {
    wake_.wait(lock, [this] { return stop_ || !queue_.empty(); });
    if (queue_.empty()) return;
    std::function<void()> work = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    work();
    work = nullptr;  // what it holds goes before the lock is taken
    lock.lock();
  }
}

}  // namespace berth
