#include "graph/verify.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/graph_rep.h"
#include "graph/status_macros.h"
#include "graph/ties.h"

namespace berth {
namespace {

// Of a long cycle, so many nodes are named.
constexpr size_t kMaxNamed = 8;

std::string Join(const std::vector<DType>& types) {
  std::string text;
  for (DType type : types) absl::StrAppend(&text, text.empty() ? "" : ",", ShortDTypeName(type));
  return text;
}

std::string Join(const std::vector<std::string>& strings) {
  std::string text;
  for (const std::string& s : strings) absl::StrAppend(&text, text.empty() ? "" : ",", s);
  return text;
}

template <typename T>
bool Contains(const std::vector<T>& all, const T& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// "" or what is wrong with a value of this attribute. `open`: a dtype may be unknown.
std::string Fault(const AttrDef& def, const AttrValue& value, bool open) {
  const AttrList* list = value.get<AttrList>();
  std::vector<DType> types = list == nullptr ? std::vector<DType>() : list->type;
  if (const DType* type = value.get<DType>()) types.push_back(*type);
  for (DType type : types) {
    if (open && type == DType::kInvalid) continue;
    if (!IsKnown(type)) return absl::StrCat("a dtype, got ", DTypeName(type));
    if (!def.allowed_types.empty() && !Contains(def.allowed_types, type)) {
      return absl::StrCat("a dtype of {", Join(def.allowed_types), "}, got ", ShortDTypeName(type));
    }
  }
  std::vector<std::string> strings = list == nullptr ? std::vector<std::string>() : list->s;
  if (const std::string* s = value.get<std::string>()) strings.push_back(*s);
  for (const std::string& s : strings) {
    if (!def.allowed_strings.empty() && !Contains(def.allowed_strings, s)) {
      return absl::StrCat("one of {", Join(def.allowed_strings), "}, got ", value.ToString().substr(0, 256));
    }
  }
  if (!def.minimum) return "";
  const int64_t* i = value.get<int64_t>();
  if (i != nullptr && *i < *def.minimum) return absl::StrCat("at least ", *def.minimum, ", got ", *i);
  if (list != nullptr && static_cast<int64_t>(list->size()) < *def.minimum) {
    return absl::StrCat("a list of at least ", *def.minimum, ", got one of ", list->size());
  }
  return "";
}

absl::Status CheckAttrs(const Node& node) {
  const OpDef* op = node.op_def();
  if (op == nullptr) return absl::OkStatus();
  // The ends of transfers carry what opaque ops make, of whatever dtype.
  const bool open = absl::StartsWith(op->name, "_");
  for (const AttrDef& def : op->attrs) {
    const AttrValue* value = node.attr(def.name);
    if (value == nullptr) {
      if (def.default_value) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(node.Label(), ": expected attribute '", def.name, "' of type ", def.type, ", got none"));
    }
    const std::string fault = Fault(def, *value, open);
    if (fault.empty()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(node.Label(), ": expected attribute '", def.name, "' to be ", fault));
  }
  return absl::OkStatus();
}

// Names every tie, up to kMaxNamed.
absl::Status CheckColocation(const Graph& graph) {
  const std::vector<DanglingTie> ties = FindDanglingTies(graph);
  if (ties.empty()) return absl::OkStatus();
  const auto name = [](const DanglingTie& tie) { return absl::StrCat("'loc:@", tie.to.substr(0, 256), "'"); };
  std::string more;
  for (size_t i = 1; i < std::min(ties.size(), kMaxNamed); ++i) {
    absl::StrAppend(&more, ", ", name(ties[i]), " of '", graph.node(ties[i].node).name().substr(0, 256), "'");
  }
  if (ties.size() > kMaxNamed) absl::StrAppend(&more, ", ... and ", ties.size() - kMaxNamed, " more");
  return absl::InvalidArgumentError(
      absl::StrCat(graph.node(ties[0].node).Label(), ": expected attribute '_class' to name nodes of the graph, got ",
                   name(ties[0]), more, "; bring these nodes, or drop the ties (--ties drop)"));
}

// REQUIRES: the graph has an illegal cycle. Walks from input to input among the nodes that no order reaches, until one
// comes again.
absl::Status CycleError(const Graph& graph, const std::vector<NodeId>& order) {
  std::vector<bool> ordered(graph.num_nodes());
  for (NodeId id : order) ordered[id] = true;
  const NodeId first = static_cast<NodeId>(std::find(ordered.begin(), ordered.end(), false) - ordered.begin());
  std::vector<NodeId> path;
  std::vector<int32_t> place(graph.num_nodes(), -1);
  NodeId id = first;
  while (place[id] < 0) {
    place[id] = static_cast<int32_t>(path.size());
    path.push_back(id);
    for (const Input& input : graph.node(id).inputs()) {
      if (ordered[input.node] || (!input.is_control() && graph.rep().IsBackEdge(input.node, id))) continue;
      id = input.node;
      break;
    }
  }
  // Against the edges until now; begins with the smallest id.
  std::vector<NodeId> cycle(path.begin() + place[id], path.end());
  std::reverse(cycle.begin(), cycle.end());
  std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
  std::string names;
  for (size_t i = 0; i < std::min(cycle.size(), kMaxNamed); ++i) {
    absl::StrAppend(&names, graph.node(cycle[i]).name().substr(0, 256), " -> ");
  }
  if (cycle.size() > kMaxNamed) absl::StrAppend(&names, "... ", cycle.size() - kMaxNamed, " more ... -> ");
  return absl::InvalidArgumentError(absl::StrCat(graph.node(cycle[0]).Label(),
                                                 ": expected cycles only from NextIteration to Merge, got ", names,
                                                 graph.node(cycle[0]).name().substr(0, 256)));
}

}  // namespace

absl::Status VerifyGraph(const Graph& graph, const VerifyOptions& options) {
  // Nodes of one kind have the same attributes.
  std::vector<bool> seen(graph.rep().kinds.size());
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    const uint32_t kind = graph.rep().kind[id];
    if (seen[kind]) continue;
    seen[kind] = true;
    BERTH_RETURN_IF_ERROR(CheckAttrs(graph.node(id)));
  }
  if (!options.allow_dangling_ties) BERTH_RETURN_IF_ERROR(CheckColocation(graph));
  const std::vector<NodeId> order = graph.TopologicalOrder();
  if (static_cast<int>(order.size()) < graph.num_nodes()) return CycleError(graph, order);
  return absl::OkStatus();
}

}  // namespace berth
