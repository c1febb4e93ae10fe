// What a value costs that crosses: a send and its receive.
//
// same-thread: a channel used by one thread. across: a scalar goes back and forth between two cpu devices, each with a
// thread of its own, by pointer. copy: 1 MiB goes to a virtual device and back, each way one copy.
#include <cstring>

#include "absl/strings/str_cat.h"
#include "graph/status_macros.h"
#include "runtime/run_state.h"
#include "tests/bench/families.h"
#include "tests/bench/runnable.h"

namespace berth {
namespace {

absl::StatusOr<std::vector<Row>> SameThread(const Effort& effort) {
  const int repeats = effort.small ? 3 : 10000;
  const std::vector<ChannelPlan> channels(1);
  RunState state(channels, 1);
  BERTH_ASSIGN_OR_RETURN(const Tensor value, FilledTensor(Dims(), 1));
  Tensor copy = value;
  const Sample ours = [&](Stopwatch& watch) {
    bool there = true;
    state.Begin(std::nullopt, nullptr, 0);
    watch.Start();
    for (int i = 0; i < repeats; ++i) {
      state.channel(0).delivered.store(false, std::memory_order_relaxed);
      state.channel(0).value = value;
      state.Deliver(0);
      there &= state.Await(0);
      copy = std::move(state.channel(0).value);
    }
    watch.Stop();
    return ExpectEqual("received", 1, there ? ScalarOf(copy) : -1);
  };
  float from = 1, to = 0;
  const Sample floor = [&](Stopwatch& watch) {
    watch.Start();
    for (int i = 0; i < repeats; ++i) {
      std::memcpy(&to, &from, sizeof from);
      asm volatile("" : : "r"(&to), "r"(&from) : "memory");
    }
    watch.Stop();
    return ExpectEqual("copied", 1, to);
  };
  BERTH_ASSIGN_OR_RETURN(const std::vector<Times> times, TakeTimes(effort, Clock::kProcessor, {ours, floor}));
  return std::vector<Row>{Beside(TimeRow("transfer/same-thread", "ns a pair", times[0], repeats, 1e9), "memcpy 4 B",
                                 TimeRow("", "", times[1], repeats, 1e9))};
}

// A chain of `hops` additions to x that alternate between two devices.
absl::StatusOr<std::unique_ptr<Session>> PingPong(const std::string& machine, const std::string& other, int hops,
                                                  int64_t elements) {
  const Scope root = Scope::Root();
  const Scope sides[] = {root.WithDevice("/cpu:0"), root.WithDevice(other)};
  const Output one[] = {Const(sides[0], 1.0f), Const(sides[1], 1.0f)};
  Output x(
      sides[0].WithName("x").Op(
          "Placeholder", {}, {{"dtype", AttrValue(DType::kFloat32)}, {"shape", AttrValue(PartialShape({elements}))}}),
      0);
  for (int i = 1; i <= hops; ++i) {
    x = Output(sides[i % 2].WithName(absl::StrCat("hop", i)).Op("AddV2", {x, one[i % 2]}), 0);
  }
  BERTH_ASSIGN_OR_RETURN(Graph graph, root.Finish());
  return MakeSession(std::move(graph), machine, {absl::StrCat("hop", hops, ":0")}, {"x:0"});
}

// `hops` is even: the last value is on cpu:0 again.
absl::StatusOr<std::vector<Row>> Across(const std::string& name, const std::string& machine, const std::string& other,
                                        int64_t elements, const Effort& effort) {
  const int hops = effort.small ? 2 : (elements > 1000 ? 20 : 200);
  BERTH_ASSIGN_OR_RETURN(auto session, PingPong(machine, other, hops, elements));
  BERTH_ASSIGN_OR_RETURN(auto alone, PingPong("cpu:1", "/cpu:0", hops, elements));
  BERTH_ASSIGN_OR_RETURN(const Tensor x, FilledTensor(Dims({elements}), 0));
  const RunOptions run{.feeds = {{"x:0", x}}, .fetches = {absl::StrCat("hop", hops, ":0")}};
  const auto sample = [&](Session& s) {
    return [&](Stopwatch& watch) -> absl::Status {
      watch.Start();
      const absl::StatusOr<std::vector<Tensor>> values = s.Run(run);
      watch.Stop();
      BERTH_RETURN_IF_ERROR(values.status());
      return ExpectEqual("last element", hops, (*values)[0].kernel<float>()[elements - 1]);
    };
  };
  std::vector<float> from(elements, 1.0f), to(elements);
  const Sample copy = [&](Stopwatch& watch) {
    watch.Start();
    for (int i = 0; i < hops; ++i) {
      std::memcpy(to.data(), from.data(), elements * sizeof(float));
      asm volatile("" : : "r"(to.data()) : "memory");
    }
    watch.Stop();
    return ExpectEqual("copied", 1, to[elements - 1]);
  };
  BERTH_ASSIGN_OR_RETURN(std::vector<Times> times,
                         TakeTimes(effort, Clock::kWall, {sample(*session), copy, sample(*alone)}));
  // What the transfers add to the same run on one device.
  for (double& t : times[0]) t = std::max(t - times[2][0], 0.0);
  return std::vector<Row>{Beside(TimeRow(name, "ns a pair", times[0], hops, 1e9),
                                 absl::StrCat("memcpy ", elements * sizeof(float), " B"),
                                 TimeRow("", "", times[1], hops, 1e9))};
}

}  // namespace

void AddTransferBenchmarks(std::vector<Benchmark>& list) {
  list.push_back({"transfer/same-thread", SameThread});
  list.push_back({"transfer/across",
                  [](const Effort& effort) { return Across("transfer/across", "cpu:2", "/cpu:1", 1, effort); }});
  list.push_back({"transfer/copy-1-MiB", [](const Effort& effort) {
                    return Across("transfer/copy-1-MiB", "cpu:1,gpu:1", "/gpu:0", 1 << 18, effort);
                  }});
}

}  // namespace berth
