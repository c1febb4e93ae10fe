#include "runtime/trace.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace berth {
namespace {

std::string Quoted(const std::string& text) {
  std::string out = "\"";
  for (unsigned char c : text) {
    if (c == '"' || c == '\\') {
      out += {'\\', static_cast<char>(c)};
    } else if (c < 0x20) {
      absl::StrAppendFormat(&out, "\\u%04x", c);
    } else {
      out += static_cast<char>(c);
    }
  }
  return out + "\"";
}

std::string Microseconds(int64_t ns) { return absl::StrFormat("%d.%03d", ns / 1000, ns % 1000); }

}  // namespace

int64_t TraceNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void Trace::Add(TraceEvent event) {
  std::lock_guard<std::mutex> lock(mu_);
  events_.push_back(std::move(event));
}

std::vector<TraceEvent> Trace::Events() const {
  std::vector<TraceEvent> events;
  {
    std::lock_guard<std::mutex> lock(mu_);
    events = events_;
  }
  std::stable_sort(events.begin(), events.end(), [](const TraceEvent& a, const TraceEvent& b) {
    return std::tie(a.start_ns, a.device, a.name) < std::tie(b.start_ns, b.device, b.name);
  });
  return events;
}

std::string Trace::ToChromeJson() const {
  const std::vector<TraceEvent> events = Events();
  std::map<std::string, int> process;  // by device name
  for (const TraceEvent& e : events) process[e.device] = 0;
  std::string json = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  int next = 0;
  for (auto& [device, pid] : process) {
    pid = next++;
    absl::StrAppend(&json, "{\"ph\":\"M\",\"pid\":", pid,
                    ",\"name\":\"process_name\",\"args\":{\"name\":", Quoted(device), "}},\n");
    for (const char* row : {"kernels", "transfers"}) {
      absl::StrAppend(&json, "{\"ph\":\"M\",\"pid\":", pid, ",\"tid\":", row[0] == 't' ? 1 : 0,
                      ",\"name\":\"thread_name\",\"args\":{\"name\":\"", row, "\"}},\n");
    }
  }
  const int64_t origin = events.empty() ? 0 : events[0].start_ns;
  for (const TraceEvent& e : events) {
    absl::StrAppend(&json, "{\"ph\":\"X\",\"pid\":", process[e.device], ",\"tid\":", e.transfer ? 1 : 0,
                    ",\"ts\":", Microseconds(e.start_ns - origin), ",\"dur\":", Microseconds(e.duration_ns),
                    ",\"name\":", Quoted(e.name), ",\"cat\":", e.transfer ? "\"transfer\"" : "\"kernel\"",
                    ",\"args\":{", e.transfer ? "\"link\":" : "\"op\":", Quoted(e.op));
    if (e.transfer) absl::StrAppend(&json, ",\"bytes\":", e.bytes);
    absl::StrAppend(&json, "}},\n");
  }
  if (absl::string_view(json).substr(json.size() - 2) == ",\n") json.erase(json.size() - 2, 1);
  return json + "]}\n";
}

}  // namespace berth
