// Properties that hold of every graph: wire formats and text lose nothing, pruning keeps what is needed, order is an order.

#include "tests/graph/random_graph.h"

#include "absl/container/flat_hash_set.h"
#include "graph/dot.h"
#include "graph/graph_builder.h"
#include "graph/graphdef.h"
#include "graph/prune.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "tests/testing.h"

namespace berth {
namespace {

RandomGraphOptions Options(uint64_t seed) {
  RandomGraphOptions options;
  options.nodes = 1 + static_cast<int>(seed % 60);
  options.loops = seed % 2 == 0;
  options.opaque_ops = seed % 3 == 0;
  options.shuffled = seed % 5 < 2;
  options.colocation = seed % 4 == 0;
  if (seed % 7 < 4) options.devices = {"/gpu:1", "/device:GPU:1", "/job:ps/cpu:*", "bad name", "/device:*:3", "gpu:1"};
  return options;
}

constexpr uint64_t kSeeds = 400;

TEST_CASE("random graphs: equal seeds give equal graphs, and all verify") {
  absl::flat_hash_set<uint64_t> fingerprints;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    INFO("seed " << seed);
    const Graph graph = RandomGraph(seed, Options(seed));
    CHECK(VerifyGraph(graph).ToString() == "OK");
    CHECK(RandomGraph(seed, Options(seed)).Fingerprint() == graph.Fingerprint());
    fingerprints.insert(graph.Fingerprint());
    CHECK_FALSE(PrintDot(graph).empty());
  }
  CHECK(fingerprints.size() == kSeeds);
}

TEST_CASE("random graphs: binary, protobuf text and text are the identity") {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    INFO("seed " << seed);
    const Graph graph = RandomGraph(seed, Options(seed));
    const std::string bytes = ExportGraphDef(graph);
    for (const std::string& form : {bytes, ExportGraphDefText(graph)}) {
      const absl::StatusOr<Graph> back = ImportGraphDef(form, graph.ops());
      INFO(back.status().ToString());
      REQUIRE(back.ok());
      CHECK(back->Fingerprint() == graph.Fingerprint());
      CHECK(ExportGraphDef(*back) == bytes);
    }
    const std::string text = PrintGraph(graph);
    const absl::StatusOr<Graph> parsed = ParseGraphText(text, graph.ops());
    INFO(parsed.status().ToString());
    REQUIRE(parsed.ok());
    CHECK(PrintGraph(*parsed) == text);
    CHECK(parsed->Fingerprint() == graph.Fingerprint());
  }
}

TEST_CASE("random graphs: edges agree from both ends") {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    INFO("seed " << seed);
    const Graph graph = RandomGraph(seed, Options(seed));
    int64_t edges = 0;
    for (NodeId id = 0; id < graph.num_nodes(); ++id) {
      NodeId last = 0;
      for (const OutEdge& edge : graph.node(id).out_edges()) {
        ++edges;
        CHECK(last <= edge.node);
        last = edge.node;
        if (edge.input < 0) {
          CHECK(edge.slot == kControlSlot);
        } else {
          CHECK(graph.node(edge.node).data_inputs()[edge.input] == Input{id, edge.slot});
        }
      }
    }
    CHECK(edges == graph.num_edges());
  }
}

TEST_CASE("random graphs: the order has every node after its inputs") {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    INFO("seed " << seed);
    const Graph graph = RandomGraph(seed, Options(seed));
    const std::vector<NodeId> order = graph.TopologicalOrder();
    REQUIRE(static_cast<int>(order.size()) == graph.num_nodes());
    std::vector<int> place(order.size());
    for (size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<int>(i);
    for (NodeId id = 0; id < graph.num_nodes(); ++id) {
      for (const Input& input : graph.node(id).inputs()) {
        if (graph.node(input.node).op() == "NextIteration") continue;
        CHECK(place[input.node] < place[id]);
      }
    }
  }
}

TEST_CASE("random graphs: pruning keeps exactly what the fetch reaches") {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    INFO("seed " << seed);
    const Graph graph = RandomGraph(seed, Options(seed));
    const Node fetched = graph.node(static_cast<NodeId>(seed % graph.num_nodes()));
    std::vector<bool> reached(graph.num_nodes());
    std::vector<NodeId> open{fetched.id()};
    while (!open.empty()) {
      const NodeId id = open.back();
      open.pop_back();
      if (reached[id]) continue;
      reached[id] = true;
      for (const Input& input : graph.node(id).inputs()) open.push_back(input.node);
    }
    const absl::StatusOr<Graph> pruned = PruneGraph(graph, {.fetches = {}, .targets = {std::string(fetched.name())}});
    REQUIRE(pruned.ok());
    std::string want, got;
    for (NodeId id = 0; id < graph.num_nodes(); ++id) {
      if (reached[id]) want += std::string(graph.node(id).name()) + "\n";
    }
    for (NodeId id = 0; id < pruned->num_nodes(); ++id) got += std::string(pruned->node(id).name()) + "\n";
    CHECK(got == want);
    const absl::StatusOr<Graph> all = PruneGraph(graph, {});
    REQUIRE(all.ok());
    CHECK(PrintGraph(*all) == PrintGraph(graph));
  }
}

TEST_CASE("random graphs: a builder goes on from a graph") {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    INFO("seed " << seed);
    Graph graph = RandomGraph(seed, Options(seed));
    const std::string text = PrintGraph(graph);
    GraphBuilder builder(std::move(graph));
    NodeSpec spec;
    spec.name = "one_more";
    spec.op = "NoOp";
    const Input after{0, kControlSlot};
    spec.inputs = absl::MakeConstSpan(&after, 1);
    REQUIRE(builder.AddNode(spec).ok());
    const absl::StatusOr<Graph> more = std::move(builder).Build();
    REQUIRE(more.ok());
    CHECK(PrintGraph(*more) == text + "one_more = NoOp(^" + std::string(more->node(0).name()) + ")\n");
  }
}

}  // namespace
}  // namespace berth
