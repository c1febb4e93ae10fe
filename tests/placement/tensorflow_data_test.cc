// TensorFlow's placer against what TensorFlow itself made of 399 random graphs and of eight programs.

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "placement/machine.h"
#include "placement/op_support.h"
#include "placement/tensorflow_placer.h"
#include "tests/shared_data.h"
#include "tests/testing.h"

namespace berth {
namespace {

// "n0=2 n1=0 ...": the number of every node's device, in the graph's order; or "refused".
std::string Outcome(const Graph& graph, const absl::StatusOr<Placement>& placement) {
  if (!placement.ok()) return "refused";
  std::string text;
  for (NodeId n = 0; n < graph.num_nodes(); ++n) {
    absl::StrAppend(&text, n == 0 ? "" : " ", graph.node(n).name(), "=", placement->device(n));
  }
  return text;
}

TEST_CASE("random graphs go where TensorFlow puts them, or are refused where it refuses them") {
  if (!HasShared()) BERTH_SKIP("no shared data");
  const Machine machine = *ParseMachine("cpu:4");
  int rows = 0;
  for (const std::vector<std::string>& row : SharedTable("data/placed-random/expected.tsv")) {
    REQUIRE(row.size() == 5);
    const absl::StatusOr<Graph> graph = SharedGraph(absl::StrCat("data/placed-random/graphs/", row[0]));
    INFO(row[0] << " " << row[1] << " " << graph.status());
    REQUIRE(graph.ok());
    TensorFlowPlacerOptions options;
    options.soft = row[1] == "soft";
    const absl::StatusOr<Placement> placement = PlaceAsTensorFlow(*graph, machine, OpSupport(), options);
    INFO(placement.status());
    CHECK(Outcome(*graph, placement) == (row[2] == "placed" ? row[4] : "refused"));
    ++rows;
  }
  CHECK(rows >= 798);
}

TEST_CASE("programs go where TensorFlow puts them") {
  if (!HasShared()) BERTH_SKIP("no shared data");
  for (const char* name : {"cond-while", "inception-like", "lstm", "parameter-servers", "rcnn", "resnet50-towers",
                           "resources", "towers"}) {
    INFO(name);
    const std::string folder = absl::StrCat("data/placed/", name, "/");
    const absl::StatusOr<Graph> graph = SharedGraph(folder + "graph.pb");
    INFO(graph.status());
    REQUIRE(graph.ok());
    absl::StatusOr<Machine> machine = ParseMachine(SharedLines(folder + "machine.txt")[0]);
    REQUIRE(machine.ok());
    TensorFlowPlacerOptions options;
    options.soft = true;
    if (std::string(name) == "parameter-servers") {
      REQUIRE(machine->SetSessionTask(*ParseTensorFlowName("/job:worker/task:0")).ok());
      options.order_by_name = true;
    }
    const absl::StatusOr<Placement> placement = PlaceAsTensorFlow(*graph, *machine, OpSupport(), options);
    INFO(placement.status());
    REQUIRE(placement.ok());
    std::vector<std::string> wrong;
    int nodes = 0;
    for (const std::vector<std::string>& row : SharedTable(folder + "placed.tsv")) {
      const std::optional<Node> node = graph->Find(row[0]);
      REQUIRE(node.has_value());
      const std::string got = machine->device(placement->device(node->id())).name.ToString();
      if (got != row[1]) wrong.push_back(absl::StrCat(row[0], ": expected ", row[1], ", got ", got));
      ++nodes;
    }
    CHECK(wrong == std::vector<std::string>());
    CHECK(nodes == graph->num_nodes());
  }
}

// In a cluster, 2.21 keeps free nodes on the session's own task; 1.15 took the first device by name.
TEST_CASE("free nodes of a cluster go to the session's task, or by name") {
  if (!HasShared()) BERTH_SKIP("no shared data");
  const absl::StatusOr<Graph> graph = SharedGraph("data/placed/parameter-servers/graph.pb");
  REQUIRE(graph.ok());
  Machine machine = *ParseMachine("ps*2(cpu:1),worker*2(cpu:1)");
  REQUIRE(machine.SetSessionTask(*ParseTensorFlowName("/job:worker/task:0")).ok());
  std::map<bool, std::map<std::string, int>> nodes;
  for (const bool by_name : {false, true}) {
    TensorFlowPlacerOptions options;
    options.soft = true;
    options.order_by_name = by_name;
    const absl::StatusOr<Placement> placement = PlaceAsTensorFlow(*graph, machine, OpSupport(), options);
    INFO(placement.status());
    REQUIRE(placement.ok());
    for (NodeId n = 0; n < graph->num_nodes(); ++n) {
      if (!graph->node(n).device().empty() || !graph->node(n).colocation().empty()) continue;
      if (!graph->node(n).inputs().empty()) continue;
      ++nodes[by_name][machine.device(placement->device(n)).name.ToString()];
    }
  }
  CHECK(nodes[true]["/job:worker/replica:0/task:0/device:CPU:0"] == 0);
  CHECK(nodes[false]["/job:worker/replica:0/task:0/device:CPU:0"] > 0);
}

}  // namespace
}  // namespace berth
