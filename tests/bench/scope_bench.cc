// What it costs to build a graph through a scope: time and bytes a node, with more and more policies around it.
//
//   bazel run --config=opt //tests/bench:scope_bench [NODES]
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "graph/scope.h"
#include "placement/policy.h"

namespace berth {
namespace {

struct Figures {
  double build_ns;
  double finish_ns;
  double bytes;
};

// A chain of additions, each with two inputs, named by the scope.
Figures Measure(int nodes, int policies) {
  Scope scope = Scope::Root();
  for (int i = 0; i < policies; ++i) scope = scope.WithRules(VariablesOn("/cpu:0") | TowersOn("/gpu:*"));
  scope = scope.Tower(1).SubScope("tower");
  const Output one = Const(scope, 1.0f);
  Output x = one;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < nodes; ++i) x = x + one;
  const auto built = std::chrono::steady_clock::now();
  const absl::StatusOr<Graph> graph = scope.Finish();
  const auto finished = std::chrono::steady_clock::now();
  if (!graph.ok()) {
    std::fprintf(stderr, "%s\n", graph.status().ToString().c_str());
    std::exit(1);
  }
  const auto per_node = [&](auto a, auto b) { return std::chrono::duration<double, std::nano>(b - a).count() / nodes; };
  return {per_node(start, built), per_node(built, finished), static_cast<double>(graph->MemoryBytes()) / nodes};
}

}  // namespace
}  // namespace berth

int main(int argc, char** argv) {
  const int nodes = argc > 1 ? std::atoi(argv[1]) : 1000000;
  std::printf("%d nodes\npolicies  build ns/node  finish ns/node  bytes/node\n", nodes);
  for (int policies : {0, 1, 5, 20}) {
    const berth::Figures f = berth::Measure(nodes, policies);
    std::printf("%8d %14.0f %15.0f %11.0f\n", policies, f.build_ns, f.finish_ns, f.bytes);
  }
  return 0;
}
