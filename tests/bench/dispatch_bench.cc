// What a node and a transfer cost beyond their kernels: chains of scalars, runs of one node, values that cross devices.
// `bazel run --config=opt //tests/bench:dispatch_bench`. Minimum of many runs, in nanoseconds.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "graph/status_macros.h"
#include "tests/runtime/run_testing.h"

namespace berth {
namespace {

// The least that a kernel can do: what is left is dispatch.
absl::Status Bump(KernelArgs& args) {
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.ForwardOrAllocate(0, 0));
  *y->kernel<float>() = *args.input(0).kernel<float>() + 1.0f;
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Session>> MakeSession(const std::string& text, const std::string& machine, bool bare) {
  if (!bare) return TestSession(text, machine);
  BERTH_ASSIGN_OR_RETURN(Graph graph, TestGraph(text));
  SessionOptions options;
  BERTH_ASSIGN_OR_RETURN(options.machine, ParseMachine(machine));
  options.policy = Policy(Else("cpu:0"));
  auto kernels = std::make_shared<KernelTable>();
  kernels->Add({.op = "Neg", .run = Bump, .in_place = {0}});
  options.kernels = std::move(kernels);
  return Session::Create(std::make_shared<const Graph>(std::move(graph)), std::move(options));
}

void Measure(const std::string& what, const std::string& text, const std::string& machine, const std::string& fetch,
             int runs, int parts, bool bare = false) {
  auto session = MakeSession(text, machine, bare);
  if (!session.ok()) {
    std::printf("%s: %s\n", what.c_str(), session.status().ToString().c_str());
    return;
  }
  const RunOptions run{.feeds = {{"x", Floats({}, {1})}}, .fetches = {fetch}};
  double best = 1e18;
  for (int i = 0; i < runs; ++i) {
    const auto start = std::chrono::steady_clock::now();
    if (const auto result = (*session)->Run(run); !result.ok()) {
      std::printf("%s: %s\n", what.c_str(), result.status().ToString().c_str());
      return;
    }
    best = std::min(best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count());
  }
  std::printf("%-44s %9.1f ns\n", what.c_str(), best / parts);
}

// `size` nodes one after the other; every second one on `other`, where that is given.
std::string Chain(const std::string& op, int size, const std::string& other) {
  std::string text = "x = Placeholder() {dtype=f32, shape=shape []}\n";
  for (int i = 1; i <= size; ++i) {
    const std::string in = i == 1 ? "x" : absl::StrCat("n", i - 1);
    absl::StrAppend(&text, "n", i, " = ", op, "(", in, op == "Add" ? absl::StrCat(", ", in) : "", ")",
                    i % 2 == 1 && !other.empty() ? absl::StrCat(" @", other) : "", "\n");
  }
  return text;
}

// `size` values made on cpu:0 and used on `other`.
std::string OneWay(int size, const std::string& other) {
  std::string text = "x = Placeholder() {dtype=f32, shape=shape []}\n", sum = "z = AddN(";
  for (int i = 1; i <= size; ++i) {
    absl::StrAppend(&text, "b", i, " = Neg(x)\nc", i, " = Neg(b", i, ") @", other, "\n");
    absl::StrAppend(&sum, i == 1 ? "" : ", ", "c", i);
  }
  return absl::StrCat(text, sum, ") {N=", size, ", T=f32} @", other, "\n");
}

void MeasureAll() {
  Measure("chain of 10000, bare kernel, a node", Chain("Neg", 10000, ""), "cpu:1", "n10000", 200, 10000, true);
  Measure("chain of 10000 Neg, a node", Chain("Neg", 10000, ""), "cpu:1", "n10000", 200, 10000);
  Measure("chain of 10000 Add, a node", Chain("Add", 10000, ""), "cpu:1", "n10000", 200, 10000);
  Measure("run of one node", Chain("Neg", 1, ""), "cpu:1", "n1", 20000, 1);
  Measure("back and forth, cpu:0 and cpu:1, a transfer", Chain("Neg", 200, "cpu:1"), "cpu:2", "n200", 200, 200);
  Measure("back and forth, cpu:0 and gpu:0, a transfer", Chain("Neg", 200, "gpu:0"), "cpu:1,gpu:1", "n200", 200, 200);
  Measure("one way, cpu:0 to cpu:1, two nodes and one", OneWay(200, "cpu:1"), "cpu:2", "z", 500, 200);
  Measure("one way, cpu:0 to gpu:0, two nodes and one", OneWay(200, "gpu:0"), "cpu:1,gpu:1", "z", 500, 200);
}

}  // namespace
}  // namespace berth

int main() { berth::MeasureAll(); }
