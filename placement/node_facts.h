// What rules look at, read from the nodes of a graph.
//
//   NodeFactsReader reader(graph, rule.needs());
//   const Opinion opinion = rule.Decide(reader.Read(n));
#ifndef BERTH_PLACEMENT_NODE_FACTS_H_
#define BERTH_PLACEMENT_NODE_FACTS_H_

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "graph/graph.h"
#include "graph/rule.h"

namespace berth {

class NodeFactsReader {
 public:
  // `needs`: bits of Rule::Need. The graph must outlive the reader.
  NodeFactsReader(const Graph& graph, unsigned needs) : graph_(graph), needs_(needs) {}
  // Holds until the next call.
  const NodeFacts& Read(NodeId n);

 private:
  // Nodes share their sets of tags, of which there are few: what a set says of the tower is remembered.
  struct TowerOf {
    const Tag* tags = nullptr;
    std::optional<int> tower;
  };
  static constexpr size_t kTowers = 64;
  const std::optional<int>& Tower(const Node& node);

  const Graph& graph_;
  const unsigned needs_;
  NodeFacts facts_;
  std::vector<DType> dtypes_;
  std::vector<absl::string_view> inputs_;
  std::array<TowerOf, kTowers> towers_;
};

}  // namespace berth

#endif  // BERTH_PLACEMENT_NODE_FACTS_H_
