#include "graph/ties.h"

#include <algorithm>
#include <utility>

#include "absl/strings/strip.h"
#include "graph/graph_builder.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

// What is left of the node's `_class` without names that the graph lacks.
AttrList Kept(const Node& node) {
  AttrList list = *node.attr("_class")->get<AttrList>();
  const auto is_dangling = [&](const std::string& entry) {
    absl::string_view name(entry);
    return absl::ConsumePrefix(&name, "loc:@") && !node.graph().Find(name);
  };
  list.s.erase(std::remove_if(list.s.begin(), list.s.end(), is_dangling), list.s.end());
  return list;
}

}  // namespace

std::vector<DanglingTie> FindDanglingTies(const Graph& graph) {
  std::vector<DanglingTie> ties;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    for (const absl::string_view name : graph.node(id).colocation()) {
      if (!graph.Find(name)) ties.push_back({id, std::string(name)});
    }
  }
  return ties;
}

absl::StatusOr<Graph> DropDanglingTies(Graph graph, int64_t* dropped) {
  const std::vector<DanglingTie> ties = FindDanglingTies(graph);
  if (dropped != nullptr) *dropped = static_cast<int64_t>(ties.size());
  if (ties.empty()) return graph;
  GraphBuilder builder(graph.ops());
  size_t next = 0;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    const Node node = graph.node(id);
    const bool is_dangling = next < ties.size() && ties[next].node == id;
    while (next < ties.size() && ties[next].node == id) ++next;
    AttrList kept;
    if (is_dangling) kept = Kept(node);
    BERTH_RETURN_IF_ERROR(builder.AddCopy(node, node.inputs(), std::nullopt, is_dangling ? &kept : nullptr).status());
  }
  builder.CopyExtras(graph);
  return std::move(builder).Build();
}

}  // namespace berth
