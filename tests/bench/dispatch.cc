// Dispatch: what a node costs whose kernel does nearly nothing.
//
// chain: each node adds one to the node before. fan-in: each node adds up the node before and two of eight others. `1`
// runs on one device and thread; `2` is two such graphs on two cpu devices, whose results are added at the end.
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/status_macros.h"
#include "tests/bench/families.h"
#include "tests/bench/runnable.h"

namespace berth {
namespace {

// The floor: the same additions as a list of function calls on addresses.
struct Call {
  void (*run)(const Call&);
  const float* in[3];
  float* out;
};
void AddTwo(const Call& c) { *c.out = *c.in[0] + *c.in[1]; }
void AddThree(const Call& c) { *c.out = *c.in[0] + *c.in[1] + *c.in[2]; }

constexpr int kOthers = 8;

class BareLoop {
 public:
  BareLoop(int nodes, bool fan_in) : values_(nodes + kOthers, 0.0f) {
    for (int i = 0; i < kOthers; ++i) values_[i] = static_cast<float>(i + 1);
    const float* v = values_.data();
    for (int i = 0; i < nodes; ++i) {
      const float* last = i == 0 ? v : v + kOthers + i - 1;
      float* out = &values_[kOthers + i];
      if (fan_in) {
        calls_.push_back({AddThree, {last, v + i % kOthers, v + (i + 3) % kOthers}, out});
      } else {
        calls_.push_back({AddTwo, {last, v, nullptr}, out});
      }
    }
  }
  float Run() {
    for (const Call& call : calls_) call.run(call);
    return values_.back();
  }

 private:
  std::vector<float> values_;
  std::vector<Call> calls_;
};

// The same additions as nodes.
Output AddNodes(const Scope& scope, int nodes, bool fan_in) {
  std::vector<Output> others;
  for (int i = 0; i < kOthers; ++i) others.push_back(Const(scope, static_cast<float>(i + 1)));
  Output last = others[0];
  for (int i = 0; i < nodes; ++i) {
    if (fan_in) {
      last = Output(scope.Op("AddN", {last, others[i % kOthers], others[(i + 3) % kOthers]}), 0);
    } else {
      last = Output(scope.Op("AddV2", {last, others[0]}), 0);
    }
  }
  return last;
}

absl::StatusOr<std::vector<Row>> Dispatch(const std::string& name, bool fan_in, int devices, const Effort& effort) {
  const int nodes = effort.small ? 10 : 1000;
  const Scope root = Scope::Root();
  std::vector<Operand> ends;
  for (int d = 0; d < devices; ++d) {
    ends.push_back(AddNodes(root.SubScope("part").WithDevice(absl::StrCat("/cpu:", d)), nodes, fan_in));
  }
  root.WithDevice("/cpu:0").WithName("sum").Op("AddN", ends);
  BERTH_ASSIGN_OR_RETURN(Graph graph, root.Finish());
  BERTH_ASSIGN_OR_RETURN(auto session, MakeSession(std::move(graph), absl::StrCat("cpu:", devices), {"sum:0"}));
  BareLoop bare(nodes, fan_in);
  const float expected = bare.Run() * static_cast<float>(devices);

  const RunOptions run{.fetches = {"sum:0"}};
  const int repeats = effort.small ? 1 : 100;
  const Sample ours = [&](Stopwatch& watch) -> absl::Status {
    for (int i = 0; i < repeats; ++i) {
      watch.Start();
      const absl::StatusOr<std::vector<Tensor>> values = session->Run(run);
      watch.Stop();
      BERTH_RETURN_IF_ERROR(values.status());
      BERTH_RETURN_IF_ERROR(ExpectEqual("sum", expected, ScalarOf((*values)[0])));
    }
    return absl::OkStatus();
  };
  const Sample floor = [&](Stopwatch& watch) -> absl::Status {
    float value = 0;
    watch.Start();
    for (int i = 0; i < repeats; ++i) value = bare.Run();
    watch.Stop();
    return ExpectEqual("bare sum", expected, value * static_cast<float>(devices));
  };
  const Clock clock = devices == 1 ? Clock::kProcessor : Clock::kWall;
  BERTH_ASSIGN_OR_RETURN(const std::vector<Times> times, TakeTimes(effort, clock, {ours, floor}));
  const Row row = TimeRow(name, "ns a node", times[0], static_cast<double>(nodes) * repeats * devices, 1e9);
  return std::vector<Row>{
      Beside(row, "bare loop", TimeRow("", "", times[1], static_cast<double>(nodes) * repeats, 1e9))};
}

}  // namespace

void AddDispatchBenchmarks(std::vector<Benchmark>& list) {
  for (const bool fan_in : {false, true}) {
    for (const int devices : {1, 2}) {
      const std::string name = absl::StrCat("dispatch/", fan_in ? "fan-in-3" : "chain", "/", devices);
      list.push_back({name, [=](const Effort& effort) { return Dispatch(name, fan_in, devices, effort); }});
    }
  }
}

}  // namespace berth
