// Graphviz form of a graph: clusters by name scope, colour by device.
#ifndef BERTH_GRAPH_DOT_H_
#define BERTH_GRAPH_DOT_H_

#include <functional>
#include <string>

#include "graph/graph.h"

namespace berth {

struct DotOptions {
  std::function<std::string(const Node&)> device;  // null: the request
};
std::string PrintDot(const Graph& graph, const DotOptions& options = {});

}  // namespace berth

#endif  // BERTH_GRAPH_DOT_H_
