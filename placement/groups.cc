#include "placement/groups.h"

#include <deque>
#include <numeric>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "graph/function_bodies.h"

namespace berth {
namespace {

// Kinds of ties that are no part's.
constexpr int32_t kClass = -1;
constexpr int32_t kResource = -2;
constexpr int32_t kReference = -3;

constexpr size_t kKeptWays = 8;

bool HasRefOrResource(const Node& node) {
  for (int k = 0, end = node.num_outputs(); k < end; ++k) {
    const DType type = node.output_dtype(k);
    if (IsRef(type) || type == DType::kResource) return true;
  }
  return false;
}

// Calls visit(a, b, kind) for every tie of the graph, in node order.
template <typename Visit>
void ForEachTie(const Graph& graph, Visit visit) {
  absl::flat_hash_map<absl::string_view, NodeId> first_of_class;
  for (NodeId n = 0, end = graph.num_nodes(); n < end; ++n) {
    const Node node = graph.node(n);
    if (node.attr("_class") != nullptr) {
      for (const absl::string_view name : node.colocation()) {
        const std::optional<Node> named = graph.Find(name);
        const auto [it, is_new] = first_of_class.emplace(name, named ? named->id() : n);
        if (it->second != n) visit(it->second, n, kClass);
      }
    }
    if (!HasRefOrResource(node) || CallsFunction(node)) continue;
    for (const OutEdge& edge : node.out_edges()) {
      if (edge.slot == kControlSlot) continue;
      const DType type = node.output_dtype(edge.slot);
      if (type == DType::kResource) {
        // Of a call only the body touches the handle.
        if (!CallsFunction(graph.node(edge.node))) visit(n, edge.node, kResource);
      } else if (IsRef(type) && IsRef(graph.node(edge.node).input_dtype(edge.input))) {
        visit(n, edge.node, kReference);
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

}  // namespace

Groups FindGroups(const Graph& graph, absl::Span<const RuleTie> ties) {
  Groups groups;
  std::vector<NodeId>& root = groups.root;
  root.resize(graph.num_nodes());
  std::iota(root.begin(), root.end(), 0);
  const auto join = [&root](NodeId one, NodeId other) {
    const NodeId a = Root(root, one);
    const NodeId b = Root(root, other);
    root[std::max(a, b)] = std::min(a, b);
  };
  ForEachTie(graph, [&](NodeId a, NodeId b, int32_t) { join(a, b); });
  for (const RuleTie& tie : ties) join(tie.node, tie.with);
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

Ties::Ties(const Graph& graph, absl::Span<const RuleTie> ties, std::vector<std::string> parts)
    : graph_(graph), parts_(std::move(parts)) {
  const auto add = [this](NodeId a, NodeId b, int32_t kind) {
    ties_[a].push_back({a, b, kind});
    ties_[b].push_back({a, b, kind});
  };
  ForEachTie(graph, add);
  for (const RuleTie& tie : ties) add(tie.node, tie.with, tie.part);
}

std::string Ties::Describe(const Tie& tie) const {
  const auto quoted = [this](NodeId n) { return absl::StrCat("'", graph_.node(n).name(), "'"); };
  if (tie.kind >= 0) return parts_[tie.kind];
  if (tie.kind == kClass) {
    // Where a body is written out, its arguments are tied to what more than one call gives.
    const std::string* function = graph_.node(tie.b).AttrOrDefault<std::string>(kBodyAttr);
    if (function != nullptr && graph_.node(tie.a).attr(kBodyAttr) == nullptr) {
      return absl::StrCat("the handle ", quoted(tie.a), " given to function '", *function, "'");
    }
    for (const absl::string_view name : graph_.node(tie.b).colocation()) {
      if (name == graph_.node(tie.a).name()) return absl::StrCat("_class loc:@", name);
    }
    return absl::StrCat("the same _class as ", quoted(tie.a));
  }
  return absl::StrCat(tie.kind == kResource ? "resource" : "reference", " edge ", quoted(tie.a), " -> ", quoted(tie.b));
}

// Breadth first from b; what leads away from a node is the tie that it was found by.
const Ties::Ways& Ties::WaysTo(NodeId b) {
  const auto known = ways_.find(b);
  if (known != ways_.end()) return known->second;
  if (ways_.size() >= kKeptWays) ways_.clear();
  Ways& found_by = ways_[b];
  found_by.emplace(b, Tie());
  std::deque<NodeId> open = {b};
  while (!open.empty()) {
    const NodeId n = open.front();
    open.pop_front();
    const auto ties = ties_.find(n);
    if (ties == ties_.end()) continue;
    for (const Tie& tie : ties->second) {
      const NodeId other = tie.a == n ? tie.b : tie.a;
      if (found_by.emplace(other, tie).second) open.push_back(other);
    }
  }
  return found_by;
}

std::string Ties::Why(NodeId a, NodeId b) {
  if (a == b) return "";
  const Ways& ways = WaysTo(b);
  const auto found = ways.find(a);
  return found == ways.end() ? "" : Describe(found->second);
}

}  // namespace berth
