// What rules look at, read from the nodes of a graph.
//
//   NodeFactsReader reader(graph, rule.needs());
//   const Opinion opinion = rule.Decide(reader.Read(n));
#ifndef BERTH_PLACEMENT_NODE_FACTS_H_
#define BERTH_PLACEMENT_NODE_FACTS_H_

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
  const Graph& graph_;
  const unsigned needs_;
  NodeFacts facts_;
  std::vector<DType> dtypes_;
  std::vector<absl::string_view> inputs_;
};

}  // namespace berth

#endif  // BERTH_PLACEMENT_NODE_FACTS_H_
