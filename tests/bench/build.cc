// Nodes into a graph, with the checks that building makes, beside protobuf's bare messages.
#include "absl/strings/str_cat.h"
#include "graph/scope.h"
#include "graph/status_macros.h"
#include "placement/policy.h"
#include "tests/bench/families.h"
#include "tests/bench/mix_graph.h"

namespace berth {
namespace {

absl::StatusOr<std::vector<Row>> Build(const Effort& effort) {
  const int nodes = effort.small ? 1000 : 1000000;
  const std::vector<std::string> names = MixNames(nodes);
  const std::shared_ptr<const OpTable> ops = MixOps();
  const Sample ours = [&](Stopwatch& watch) -> absl::Status {
    watch.Start();
    const absl::StatusOr<Graph> graph = BuildMix(names, ops);
    watch.Stop();
    BERTH_RETURN_IF_ERROR(graph.status());
    BERTH_RETURN_IF_ERROR(ExpectEqual("edges", 2.0 * (nodes - 1), static_cast<double>(graph->num_edges())));
    return ExpectEqual("nodes", nodes, graph->num_nodes());
  };
  const Sample peer = [&](Stopwatch& watch) {
    pb::GraphDef graph;
    watch.Start();
    BuildMixProto(names, graph);
    watch.Stop();
    return ExpectEqual("messages", nodes, graph.node_size());
  };
  BERTH_ASSIGN_OR_RETURN(const std::vector<Times> times, TakeTimes(effort, Clock::kProcessor, {ours, peer}));
  return std::vector<Row>{Beside(RateRow("build/builder", "M nodes/s", times[0], nodes * 1e-6), "protobuf add_node",
                                 RateRow("", "", times[1], nodes * 1e-6))};
}

// The same through scopes, which name nodes, ask rules and infer shapes on the way, under more and more policies.
absl::StatusOr<std::vector<Row>> Scopes(const std::string& name, int policies, const Effort& effort) {
  const int nodes = effort.small ? 100 : 200000;
  size_t bytes = 0;
  const Sample ours = [&](Stopwatch& watch) -> absl::Status {
    watch.Start();
    Scope scope = Scope::Root();
    for (int i = 0; i < policies; ++i) scope = scope.WithRules(VariablesOn("/cpu:0") | TowersOn("/gpu:*"));
    scope = scope.Tower(1).SubScope("tower");
    const Output one = Const(scope, 1.0f);
    Output last = one;
    for (int i = 1; i < nodes; ++i) last = last + one;
    const absl::StatusOr<Graph> graph = scope.Finish();
    watch.Stop();
    BERTH_RETURN_IF_ERROR(graph.status());
    bytes = graph->MemoryBytes();
    if (graph->node(nodes - 1).device() != (policies > 0 ? "/device:GPU:1" : "")) {
      return absl::InternalError("a node asks for another device than the rule says");
    }
    return ExpectEqual("nodes", nodes, graph->num_nodes());
  };
  BERTH_ASSIGN_OR_RETURN(const std::vector<Times> times, TakeTimes(effort, Clock::kProcessor, {ours}));
  const double per_node = static_cast<double>(bytes) / nodes;
  return std::vector<Row>{
      RateRow(name, "M nodes/s", times[0], nodes * 1e-6),
      {.name = absl::StrCat(name, "/memory"), .unit = "bytes a node", .min = per_node, .median = per_node}};
}

}  // namespace

void AddBuildBenchmarks(std::vector<Benchmark>& list) {
  list.push_back({"build/builder", Build});
  for (const int policies : {0, 1, 20}) {
    const std::string name = absl::StrCat("build/scope/", policies, "-policies");
    list.push_back({name, [=](const Effort& effort) { return Scopes(name, policies, effort); }});
  }
}

}  // namespace berth
