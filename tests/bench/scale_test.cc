// How time grows with the graph: building, placing, partitioning and exporting stay linear. Sizes are small, so that it
// runs with every test; tests/bench/place.cc has the figures up to a million nodes.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/graph_builder.h"
#include "graph/graphdef.h"
#include "placement/estimate.h"
#include "placement/place.h"
#include "placement/report.h"
#include "runtime/partition.h"
#include "tests/bench/bench.h"
#include "tests/testing.h"

namespace berth {
namespace {

constexpr char kMachine[] = "cpu:1,gpu:8";

// A chain, or one node that all others read.
Graph Shape(bool wide, int nodes) {
  GraphBuilder builder(StandardOps());
  const std::pair<absl::string_view, AttrValue> source[] = {{"dtype", AttrValue(DType::kFloat32)},
                                                            {"shape", AttrValue(PartialShape({16, 16}))}};
  const std::pair<absl::string_view, AttrValue> type[] = {{"T", AttrValue(DType::kFloat32)}};
  for (int i = 0; i < nodes; ++i) {
    const std::string name = absl::StrCat("block_", i / 100, "/node_", i);
    const Tag tags[] = {{"tower", absl::StrCat(i / 100 % 8)}};
    const Input inputs[] = {{wide ? 0 : std::max(0, i - 1), 0}};
    NodeSpec spec{.name = name, .op = "Neg", .inputs = inputs, .attrs = type, .tags = tags};
    if (i == 0) spec = {.name = name, .op = "Placeholder", .attrs = source};
    const auto id = builder.AddNode(spec);
    REQUIRE(id.ok());
    builder.set_output_shape(*id, 0, PartialShape({16, 16}));
  }
  auto graph = std::move(builder).Build();
  if (!graph.ok()) FAIL(graph.status().ToString());
  return *std::move(graph);
}

Placement Placed(const Graph& graph, const Machine& machine) {
  const Policy policy = Pins() | VariablesOn("/cpu:0") | TowersOn("/gpu:*") | FirstFit();
  auto placed = PlaceGraph(graph, machine, policy, OpSupport());
  if (!placed.ok()) FAIL(placed.status().ToString());
  return *std::move(placed);
}

double Best(const std::function<void()>& work) {
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const double start = SecondsOf(Clock::kProcessor);
    work();
    best = std::min(best, SecondsOf(Clock::kProcessor) - start);
  }
  return best;
}

// Exponent of the growth between the smallest and the largest size, by least squares over all.
double Slope(const std::vector<int>& sizes, const std::vector<double>& seconds) {
  double x = 0, y = 0, xx = 0, xy = 0;
  const double n = static_cast<double>(sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i) {
    const double u = std::log(sizes[i]), v = std::log(seconds[i]);
    x += u;
    y += v;
    xx += u * u;
    xy += u * v;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

struct Stage {
  const char* name;
  std::function<void(bool wide, int nodes, std::vector<double>&)> time;
};

TEST_CASE("R176 chains and wide graphs: log-log slope under 1.2 for build, place, partition, export, report") {
  const Machine machine = *ParseMachine(kMachine);
  const std::vector<Stage> stages = {
      {"build", [](bool wide, int nodes, auto& out) { out.push_back(Best([&] { Shape(wide, nodes); })); }},
      {"place",
       [&](bool wide, int nodes, auto& out) {
         const Graph graph = Shape(wide, nodes);
         out.push_back(Best([&] { Placed(graph, machine); }));
       }},
      {"partition",
       [&](bool wide, int nodes, auto& out) {
         const Graph graph = Shape(wide, nodes);
         const Placement placed = Placed(graph, machine);
         out.push_back(Best([&] { REQUIRE(PartitionGraph(graph, placed, machine, {}).ok()); }));
       }},
      {"export",
       [](bool wide, int nodes, auto& out) {
         const Graph graph = Shape(wide, nodes);
         out.push_back(Best([&] { REQUIRE(!ExportGraphDef(graph).empty()); }));
       }},
      {"estimate and report",
       [&](bool wide, int nodes, auto& out) {
         const Graph graph = Shape(wide, nodes);
         const Placement placed = Placed(graph, machine);
         out.push_back(Best([&] { REQUIRE(!PrintPlacement(graph, machine, placed).empty()); }));
       }},
  };
  const std::vector<int> sizes = {2000, 8000, 32000, 128000};
  for (const Stage& stage : stages) {
    for (const bool wide : {false, true}) {
      double slope = 2;
      // Another program may take the machine's caches for a while.
      for (int attempt = 0; attempt < 4 && slope >= 1.2; ++attempt) {
        std::vector<double> seconds;
        for (const int nodes : sizes) stage.time(wide, nodes, seconds);
        slope = std::min(slope, Slope(sizes, seconds));
      }
      INFO(stage.name << (wide ? ", wide" : ", chain") << ": slope " << slope);
      CHECK(slope < 1.2);
    }
  }
}

TEST_CASE("the slope of made-up times") {
  CHECK(std::abs(Slope({10, 100, 1000}, {1, 10, 100}) - 1) < 1e-9);
  CHECK(std::abs(Slope({10, 100, 1000}, {1, 100, 10000}) - 2) < 1e-9);
}

}  // namespace
}  // namespace berth
