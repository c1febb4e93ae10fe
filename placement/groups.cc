#include "placement/groups.h"

#include <deque>
#include <numeric>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "graph/function_bodies.h"

namespace berth {
namespace {

// One reason for two nodes to be together.
struct Tie {
  NodeId a = kNoNode;
  NodeId b = kNoNode;
  absl::string_view kind;  // "resource edge", "reference edge", "_class"
};

bool HasRefOrResource(const Node& node) {
  for (int k = 0, end = node.num_outputs(); k < end; ++k) {
    const DType type = node.output_dtype(k);
    if (IsRef(type) || type == DType::kResource) return true;
  }
  return false;
}

// Calls visit(Tie) for every tie, in node order.
template <typename Visit>
void ForEachTie(const Graph& graph, Visit visit) {
  absl::flat_hash_map<absl::string_view, NodeId> first_of_class;
  for (NodeId n = 0, end = graph.num_nodes(); n < end; ++n) {
    const Node node = graph.node(n);
    if (node.attr("_class") != nullptr) {
      for (const absl::string_view name : node.colocation()) {
        const std::optional<Node> named = graph.Find(name);
        const auto [it, is_new] = first_of_class.emplace(name, named ? named->id() : n);
        if (it->second != n) visit(Tie{it->second, n, "_class"});
      }
    }
    if (!HasRefOrResource(node) || CallsFunction(node)) continue;
    for (const OutEdge& edge : node.out_edges()) {
      if (edge.slot == kControlSlot) continue;
      const DType type = node.output_dtype(edge.slot);
      if (type == DType::kResource) {
        // Of a call only the body touches the handle.
        if (!CallsFunction(graph.node(edge.node))) visit(Tie{n, edge.node, "resource edge"});
      } else if (IsRef(type) && IsRef(graph.node(edge.node).input_dtype(edge.input))) {
        visit(Tie{n, edge.node, "reference edge"});
      }
    }
  }
}

NodeId Root(std::vector<NodeId>& parent, NodeId n) {
  while (parent[n] != n) {
    parent[n] = parent[parent[n]];
    n = parent[n];
  }
  return n;
}

std::string Describe(const Graph& graph, const Tie& tie) {
  if (tie.kind == "_class") {
    for (const absl::string_view name : graph.node(tie.b).colocation()) {
      if (name == graph.node(tie.a).name()) return absl::StrCat("_class loc:@", name);
    }
    return absl::StrCat("the same _class as '", graph.node(tie.a).name(), "'");
  }
  return absl::StrCat(tie.kind, " '", graph.node(tie.a).name(), "' -> '", graph.node(tie.b).name(), "'");
}

}  // namespace

Groups FindGroups(const Graph& graph) {
  Groups groups;
  std::vector<NodeId>& root = groups.root;
  root.resize(graph.num_nodes());
  std::iota(root.begin(), root.end(), 0);
  ForEachTie(graph, [&](const Tie& tie) {
    const NodeId a = Root(root, tie.a);
    const NodeId b = Root(root, tie.b);
    root[std::max(a, b)] = std::min(a, b);
  });
  groups.next.resize(graph.num_nodes());
  std::vector<NodeId> last(graph.num_nodes());
  for (NodeId n = 0, end = graph.num_nodes(); n < end; ++n) {
    root[n] = Root(root, n);
    const NodeId r = root[n];
    groups.next[n] = r;
    if (r != n) groups.next[last[r]] = n;
    last[r] = n;
  }
  return groups;
}

std::string WhyTogether(const Graph& graph, NodeId a, NodeId b) {
  absl::flat_hash_map<NodeId, std::vector<Tie>> ties;
  ForEachTie(graph, [&](const Tie& tie) {
    ties[tie.a].push_back(tie);
    ties[tie.b].push_back(tie);
  });
  // Breadth first from b; what leads away from a is the tie that a was found by.
  absl::flat_hash_map<NodeId, Tie> found_by = {{b, Tie{}}};
  std::deque<NodeId> open = {b};
  while (!open.empty()) {
    const NodeId n = open.front();
    open.pop_front();
    if (n == a) return a == b ? "" : Describe(graph, found_by[n]);
    for (const Tie& tie : ties[n]) {
      const NodeId other = tie.a == n ? tie.b : tie.a;
      if (found_by.emplace(other, tie).second) open.push_back(other);
    }
  }
  return "";
}

}  // namespace berth
