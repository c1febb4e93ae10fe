// At least 2,000 faults, injected one by one into runs of random graphs over cpu:1,gpu:2: errors of kernels, cancellations and
// deadlines at every node, every allocation of every device failing in turn, and concurrent runs of which some fail.
//
// Of each fault: what comes back is the first error, naming node, op and device; no run hangs (a watchdog ends the test);
// no device keeps memory that it did not have before; and the session then runs as if nothing had been.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/runtime/run_testing.h"
#include "tests/testing.h"

namespace berth {
namespace {

constexpr int kGraphs = 40;
constexpr int kWanted = 2000;

// Ends the process with a message when nobody feeds it for a minute.
class Watchdog {
 public:
  Watchdog() : thread_([this] { Watch(); }) {}
  ~Watchdog() {
    done_ = true;
    thread_.join();
  }
  void Feed() { ++fed_; }

 private:
  void Watch() {
    int64_t seen = -1;
    for (int quiet = 0; !done_ && quiet < 1200; ++quiet) {
      if (const int64_t now = fed_; now != seen) quiet = 0, seen = now;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    if (done_) return;
    std::fprintf(stderr, "a run hangs after %lld faults\n", static_cast<long long>(seen));
    std::abort();
  }

  std::atomic<bool> done_{false};
  std::atomic<int64_t> fed_{0};
  std::thread thread_;
};

// One random graph: node i is a Trip n<i> over some op of earlier nodes, each on a device by chance.
struct Faulty {
  std::string text;
  std::vector<std::string> device;  // of node n<i>
  std::vector<std::string> fetches;
};

Faulty MakeFaulty(uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](size_t n) { return random() % n; };
  const char* devices[] = {"cpu:0", "gpu:0", "gpu:1"};
  const char* ops[] = {"Add", "Mul", "Sub", "Maximum"};
  Faulty f;
  f.text =
      "x = Placeholder() {dtype=f32, shape=shape [4]}\nfault = Placeholder() {dtype=i32, shape=shape []}\n"
      "c = Const() {dtype=f32, value=tensor<f32[4] 0.5,-1.25,1.0,...>}\n"
      "v = VariableV2() {dtype=f32, shape=shape [4]} @gpu:1\nr = Identity(v) @gpu:1\n";
  std::vector<std::string> values = {"x", "c", "r"};
  const size_t nodes = 10 + below(8);
  for (size_t i = 0; i < nodes; ++i) {
    f.device.push_back(devices[below(3)]);
    const std::string a = values[values.size() - 1 - below(std::min<size_t>(values.size(), 3))],
                      b = values[below(values.size())];
    absl::StrAppend(&f.text, "m", i, " = ", ops[below(4)], "(", a, ", ", b, ") @", devices[below(3)], "\n");
    absl::StrAppend(&f.text, "n", i, " = Trip(m", i, ", fault) {id=", i, "} @", f.device[i], "\n");
    values.push_back(absl::StrCat("n", i));
    f.fetches.push_back(values.back());
  }
  return f;
}

class FaultRun {
 public:
  FaultRun(uint32_t seed, Watchdog& watchdog) : graph_(MakeFaulty(seed)), watchdog_(watchdog) {
    session_ = Made();
    expected_ = Run(*session_, -1);
    REQUIRE(absl::StartsWith(expected_, "f32[4] "));
    level_ = Levels(*session_);
  }

  // Faults injected.
  int64_t AtEveryNode() {
    int64_t faults = 0;
    for (size_t i = 0; i < graph_.device.size(); ++i) {
      INFO("node " << i << " of\n" << graph_.text);
      const int id = static_cast<int>(i);
      CHECK(Run(*session_, id) == absl::StrCat("INVALID_ARGUMENT: node 'n", i, "' (Trip on ", graph_.device[i],
                                               "): expected luck, got none"));
      CheckUsable(*session_);

      Cancellation cancellation;
      TripCancels() = &cancellation;
      const std::string cancelled = Run(*session_, id + kTripCancels, &cancellation);
      // Who is cancelled by the last of its nodes has the whole result.
      const bool too_late = cancelled == expected_;
      if (!too_late) {
        CHECK(absl::StartsWith(cancelled, "CANCELLED: run: cancelled by its caller; pending transfers: "));
      }
      CheckUsable(*session_);

      const std::string limited = Run(*session_, id + kTripWaits, nullptr, std::chrono::milliseconds(1));
      CHECK(absl::StartsWith(limited,
                             "DEADLINE_EXCEEDED: run: expected to end within 1 ms, got no end; pending transfers: "));
      CheckUsable(*session_);
      faults += too_late ? 2 : 3;
    }
    return faults;
  }

  int64_t AtEveryAllocation() {
    int64_t faults = 0;
    for (int device = 0; device < 3; ++device) {
      for (int n = 1; n < 500; ++n) {
        INFO("allocation " << n << " of device " << device << " of\n" << graph_.text);
        const auto session = Made();
        Device& failing = *session->devices()[device];
        failing.FailAllocation(n);
        const std::string result = Run(*session, -1);
        failing.FailAllocation(0);
        if (result == expected_) break;
        CHECK(absl::StartsWith(result, "RESOURCE_EXHAUSTED: "));
        CHECK(absl::StrContains(result, failing.short_name()));
        CHECK(absl::StrContains(result, "got an injected failure of allocation"));
        CheckUsable(*session);
        ++faults;
      }
    }
    return faults;
  }

  // Four threads on one session; all but the first have some of their runs fail.
  int64_t Concurrently(uint32_t seed) {
    std::atomic<int64_t> faults{0}, wrong{0};
    std::vector<std::thread> threads;
    for (uint32_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        std::mt19937 random(seed * 4 + t);
        for (int time = 0; time < 6; ++time) {
          const int id = t == 0 || time % 3 == 0 ? -1 : static_cast<int>(random() % graph_.device.size());
          const std::string result = Run(*session_, id);
          wrong += result != (id < 0 ? expected_
                                     : absl::StrCat("INVALID_ARGUMENT: node 'n", id, "' (Trip on ", graph_.device[id],
                                                    "): expected luck, got none"));
          faults += id >= 0;
        }
      });
    }
    for (std::thread& t : threads) t.join();
    CHECK(wrong == 0);
    CHECK(Run(*session_, -1) == expected_);
    // Each run that is under way at once may keep memory of its own.
    const std::vector<int64_t> now = Levels(*session_);
    for (size_t d = 0; d < now.size(); ++d) CHECK(now[d] <= 4 * level_[d]);
    return faults;
  }

 private:
  std::unique_ptr<Session> Made() {
    auto session = TestSession(graph_.text);
    INFO(session.status().ToString() << "\n" << graph_.text);
    REQUIRE(session.ok());
    REQUIRE((*session)->SetVariable("v", Floats({4}, {1, -1, 2, 0.25f})).ok());
    return *std::move(session);
  }

  std::string Run(Session& session, int fault, const Cancellation* cancellation = nullptr,
                  std::optional<std::chrono::milliseconds> deadline = std::nullopt) {
    watchdog_.Feed();
    absl::StatusOr<Tensor> code = AllocateHostTensor(DType::kInt32, {});
    if (!code.ok()) return Show(code.status());  // no check: several threads run
    *code->kernel<int32_t>() = fault;
    RunOptions run;
    run.feeds.emplace_back("x", Floats({4}, {1, 2, 3, 4}));
    run.feeds.emplace_back("fault", *code);
    run.fetches = graph_.fetches;
    run.deadline = deadline;
    run.cancellation = cancellation;
    return Show(session.Run(run));
  }

  static std::vector<int64_t> Levels(const Session& session) {
    std::vector<int64_t> bytes;
    for (const Device* device : session.devices()) bytes.push_back(device->bytes_in_use());
    return bytes;
  }

  void CheckUsable(Session& session) {
    CHECK(Run(session, -1) == expected_);
    CHECK(Levels(session) == level_);
  }

  const Faulty graph_;
  Watchdog& watchdog_;
  std::unique_ptr<Session> session_;
  std::string expected_;
  std::vector<int64_t> level_;
};

TEST_CASE("2,000 injected faults: the first error comes back, nothing hangs, nothing is kept") {
  Watchdog watchdog;
  int64_t nodes = 0, allocations = 0, concurrent = 0;
  for (uint32_t seed = 0; seed < kGraphs; ++seed) {
    INFO("seed " << seed);
    FaultRun run(seed, watchdog);
    nodes += run.AtEveryNode();
    allocations += run.AtEveryAllocation();
    concurrent += run.Concurrently(seed);
  }
  INFO("at nodes " << nodes << ", at allocations " << allocations << ", in concurrent runs " << concurrent);
  CHECK(nodes + allocations + concurrent >= kWanted);
  CHECK(allocations >= 100);
  CHECK(concurrent >= 100);
}

TEST_CASE("of two faults on one path, the earlier comes back") {
  auto session = TestSession(R"(
x = Placeholder() {dtype=f32, shape=shape [4]}
a = Fail(x) @gpu:0
b = Neg(a) @gpu:1
c = Fail(b)
d = Neg(x)
e = Add(c, d) @gpu:0
)");
  REQUIRE(session.ok());
  for (int time = 0; time < 50; ++time) {
    CHECK(Show((*session)->Run({.feeds = {{"x", Floats({4}, {1, 2, 3, 4})}}, .fetches = {"e"}})) ==
          "INVALID_ARGUMENT: node 'a' (Fail on gpu:0): expected luck, got none");
  }
}

}  // namespace
}  // namespace berth
