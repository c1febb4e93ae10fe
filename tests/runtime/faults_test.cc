// Errors, deadlines, cancellations and failing allocations at every place of a run over two devices: the first error comes
// back, in bounded time, and the session works afterwards.

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/runtime/run_testing.h"
#include "tests/testing.h"

namespace berth {
namespace {

using Clock = std::chrono::steady_clock;

// Twelve nodes that cross between cpu:0, gpu:0 and gpu:1; `odd` at place `at` (-1: nowhere).
std::string Chain(int at, const std::string& odd) {
  const char* devices[] = {"cpu:0", "gpu:0", "gpu:1", "cpu:0", "gpu:1", "gpu:1"};
  std::string text = "x = Placeholder() {dtype=f32, shape=shape [4]}\n";
  for (int i = 0; i < 12; ++i) {
    const std::string in = i == 0 ? "x" : absl::StrCat("n", i - 1);
    const std::string other = i < 2 ? "x" : absl::StrCat("n", i - 2);
    absl::StrAppend(&text, "n", i, " = ", i == at ? absl::StrCat(odd, "") : absl::StrCat("Add(", in, ", ", other, ")"));
    if (i == at) text.replace(text.find("IN"), 2, in);
    absl::StrAppend(&text, " @", devices[i % 6], "\n");
  }
  return text;
}

std::unique_ptr<Session> Made(const std::string& text, const std::string& machine = "cpu:1,gpu:2") {
  auto session = TestSession(text, machine);
  INFO(session.status().ToString());
  REQUIRE(session.ok());
  return *std::move(session);
}

const RunOptions& PlainRun() {
  static const auto& run = *new RunOptions{.feeds = {{"x", Floats({4}, {1, 2, 3, 4})}}, .fetches = {"n11", "n6"}};
  return run;
}

TEST_CASE("an error at every node: named with node, op and device, first and only") {
  const char* devices[] = {"cpu:0", "gpu:0", "gpu:1", "cpu:0", "gpu:1", "gpu:1"};
  for (int at = 0; at < 12; ++at) {
    auto session = Made(Chain(at, "Fail(IN)"));
    for (int time = 0; time < 5; ++time) {
      const auto start = Clock::now();
      CHECK(Show(session->Run(PlainRun())) == absl::StrCat("INVALID_ARGUMENT: node 'n", at, "' (Fail on ",
                                                           devices[at % 6], "): expected luck, got none"));
      CHECK(Clock::now() - start < std::chrono::seconds(5));
    }
    // What does not need the node still runs.
    if (at > 6) {
      RunOptions run = PlainRun();
      run.fetches = {"n6"};
      CHECK(Show(session->Run(run)) == "f32[4] 34.0,68.0,102.0,136.0");
    }
  }
}

TEST_CASE("a deadline at every node: pending transfers are listed, and the run ends") {
  for (int at = 0; at < 12; ++at) {
    auto session = Made(Chain(at, "Wait(IN) {ms=60}"));
    RunOptions run = PlainRun();
    run.deadline = std::chrono::milliseconds(15);
    const auto start = Clock::now();
    const auto result = session->Run(run);
    INFO(at << " " << Show(result));
    CHECK(result.status().code() == absl::StatusCode::kDeadlineExceeded);
    CHECK(std::string(result.status().message())
              .find("run: expected to end within 15 ms, got no end; pending transfers: ") == 0);
    CHECK(Clock::now() - start < std::chrono::seconds(5));
    run.deadline = std::chrono::seconds(60);
    CHECK(session->Run(run).ok());
  }
  auto session = Made(R"(
x = Placeholder() {dtype=f32, shape=shape [4]}
a = Wait(x) {ms=80} @gpu:0
b = Add(a, x) @gpu:1
)");
  RunOptions run = PlainRun();
  run.fetches = {"b"};
  run.deadline = std::chrono::milliseconds(20);
  CHECK(
      Show(session->Run(run)) ==
      "DEADLINE_EXCEEDED: run: expected to end within 20 ms, got no end; pending transfers: 'a:0' gpu:0 -> gpu:1 (not "
      "sent), 'b:0' gpu:1 -> cpu:0 (not sent)");
}

TEST_CASE("a deadline on one cpu, where nothing waits for anything") {
  auto session = Made("x = Placeholder() {dtype=f32, shape=shape [4]}\na = Wait(x) {ms=20}\n", "cpu:1");
  RunOptions run = PlainRun();
  run.fetches = {"a"};
  run.deadline = std::chrono::milliseconds(5);
  CHECK(Show(session->Run(run)) ==
        "DEADLINE_EXCEEDED: run: expected to end within 5 ms, got no end; pending transfers: none");
  run.deadline = std::chrono::seconds(10);
  CHECK(Show(session->Run(run)) == "f32[4] 1.0,2.0,3.0,4.0");
}

TEST_CASE("a cancellation at every node, and before the run") {
  for (int at = 0; at < 12; ++at) {
    auto session = Made(Chain(at, "Wait(IN) {ms=40}"));
    Cancellation cancellation;
    RunOptions run = PlainRun();
    run.cancellation = &cancellation;
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      cancellation.Cancel();
    });
    const auto result = session->Run(run);
    other.join();
    INFO(at << " " << Show(result));
    CHECK(result.status().code() == absl::StatusCode::kCancelled);
    CHECK(session->Run(run).status().code() == absl::StatusCode::kCancelled);
    CHECK(session->Run(PlainRun()).ok());
  }
}

TEST_CASE("the n-th allocation of each device fails, for every n") {
  const std::string text = R"(
x = Placeholder() {dtype=f32, shape=shape [?]}
c = Const() {dtype=f32, value=tensor<f32[1] 2.0>}
a = Mul(x, c) @gpu:0
b = Add(a, a) @gpu:1
d = Sub(b, a) @gpu:0
v = VariableV2() {dtype=f32, shape=shape [4]} @gpu:1
s = Assign(v, b) @gpu:1
e = Add(s, d)
)";
  RunOptions run{.feeds = {{"x", Floats({4}, {1, 2, 3, 4})}}, .fetches = {"e"}};
  int failures = 0;
  for (int device = 0; device < 3; ++device) {
    bool ok = false;
    for (int n = 1; !ok && n < 200; ++n) {
      auto session = Made(text);
      session->devices()[device]->FailAllocation(n);
      const auto result = session->Run(run);
      ok = result.ok();
      failures += !ok;
      INFO("device " << device << " allocation " << n << ": " << Show(result));
      if (!ok) {
        CHECK(result.status().code() == absl::StatusCode::kResourceExhausted);
        CHECK(std::string(result.status().message()).find("got an injected failure of allocation") !=
              std::string::npos);
      }
      session->devices()[device]->FailAllocation(0);
      CHECK(Show(session->Run(run)) == "f32[4] 6.0,12.0,18.0,24.0");
    }
    CHECK(ok);
  }
  CHECK(failures >= 6);
}

TEST_CASE("concurrent runs of one session are apart") {
  auto session = Made(Chain(-1, ""));
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const float base = static_cast<float>(100 * t + i);
        RunOptions run = PlainRun();
        run.feeds[0].second = Floats({4}, {base, 1, 2, 3});
        const auto result = session->Run(run);
        // n11 is x times a Fibonacci number: 2, 3, 5, ...
        wrong +=
            !result.ok() || (*result)[0].kernel<float>()[0] != 377 * base || (*result)[1].kernel<float>()[3] != 3 * 34;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  CHECK(wrong.load() == 0);
}

TEST_CASE("concurrent runs: some fail, some pass a deadline, the others do not notice") {
  auto session = Made(absl::StrCat(Chain(-1, ""), R"(
bad = Fail(n7) @gpu:0
late = Wait(n3) {ms=30} @gpu:1
)"));
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        RunOptions run = PlainRun();
        if (t == 1) run.fetches = {"bad"};
        if (t == 2) {
          run.fetches = {"late"};
          run.deadline = std::chrono::milliseconds(3);
        }
        const absl::StatusCode expected[] = {absl::StatusCode::kOk, absl::StatusCode::kInvalidArgument,
                                             absl::StatusCode::kDeadlineExceeded, absl::StatusCode::kOk};
        wrong += session->Run(run).status().code() != expected[t];
      }
    });
  }
  for (std::thread& t : threads) t.join();
  CHECK(wrong.load() == 0);
}

TEST_CASE("ticks of concurrent runs are all different") {
  auto session = Made("t = Tick() @gpu:0\nu = Tick()\n");
  std::vector<std::thread> threads;
  std::mutex mu;
  std::vector<int> seen(201);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const auto result = session->Run({.fetches = {"t", "u"}});
        std::lock_guard<std::mutex> lock(mu);
        if (result.ok()) ++seen[*(*result)[1].kernel<int64_t>()];
      }
    });
  }
  for (std::thread& t : threads) t.join();
  CHECK(std::count(seen.begin() + 1, seen.end(), 1) == 200);
}

TEST_CASE("large values cross on streams of their own") {
  auto session = Made(R"(
x = Placeholder() {dtype=f32, shape=shape [?]}
a = Neg(x) @gpu:0
b = Neg(a) @gpu:1
c = Add(a, b) @gpu:1
d = Sub(b, c)
)");
  std::vector<float> values(300000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  for (int time = 0; time < 3; ++time) {
    const auto result = session->Run({.feeds = {{"x", Floats({300000}, values)}}, .fetches = {"d", "c"}});
    REQUIRE(result.ok());
    CHECK((*result)[0].kernel<float>()[299999] == 299999.0f);
    CHECK((*result)[1].kernel<float>()[299999] == 0.0f);
  }
}

}  // namespace
}  // namespace berth
