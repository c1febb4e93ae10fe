// An ordered queue of work, done by one thread that starts with the first piece of work.
//
//   Stream s("gpu:0 compute");
//   s.Enqueue([] { ... });      // returns at once
//   Event e = s.Record();       // set when everything before it is done
//   other.WaitFor(e);           // what is enqueued on `other` later runs after that
//   e.Wait();                   // so does the caller
//
// Work runs in the order of Enqueue, one piece at a time; it must not throw.
#ifndef BERTH_RUNTIME_STREAM_H_
#define BERTH_RUNTIME_STREAM_H_

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace berth {

// A point in a stream. Copies mean the same point. Thread-safe.
class Event {
 public:
  Event();
  void Set();
  bool done() const;
  void Wait() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Thread-safe. The destructor finishes what was enqueued.
class Stream {
 public:
  explicit Stream(std::string name) : name_(std::move(name)) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream();

  const std::string& name() const { return name_; }
  void Enqueue(std::function<void()> work);
  Event Record();
  void WaitFor(Event event);
  // Waits until everything enqueued so far is done. REQUIRES: not called from the stream itself.
  void Synchronize() { Record().Wait(); }

 private:
  void Loop();

  const std::string name_;
  std::mutex mu_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> queue_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace berth

#endif  // BERTH_RUNTIME_STREAM_H_
