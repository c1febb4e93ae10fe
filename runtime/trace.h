// What a run did and when, as Chrome's trace format shows it (chrome://tracing, Perfetto): one process a device, one
// row for its kernels and one for its transfers.
//
//   Trace trace;
//   session->Run({.fetches = {"y"}, .trace = &trace});
//   write(trace.ToChromeJson());
#ifndef BERTH_RUNTIME_TRACE_H_
#define BERTH_RUNTIME_TRACE_H_

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace berth {

struct TraceEvent {
  std::string device;  // "gpu:1"
  bool transfer = false;
  std::string name;      // the node's; the value's for a transfer
  std::string op;        // "MatMul"; for a transfer the full names of both ends, "A -> B"
  int64_t start_ns = 0;  // of TraceNow()
  int64_t duration_ns = 0;
  int64_t bytes = 0;  // copied by a transfer; 0 where a pointer was passed
};

// Nanoseconds of a clock that only goes forward.
int64_t TraceNow();

// Collects events of one or more runs. Thread-safe.
class Trace {
 public:
  void Add(TraceEvent event);
  // By start, then device and name.
  std::vector<TraceEvent> Events() const;
  // Times in microseconds from the first event.
  std::string ToChromeJson() const;

 private:
  mutable std::mutex mu_;
  std::vector<TraceEvent> events_;
};

}  // namespace berth

#endif  // BERTH_RUNTIME_TRACE_H_
