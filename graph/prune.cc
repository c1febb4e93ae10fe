#include "graph/prune.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "graph/graph_builder.h"
#include "graph/spelling.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

// Names that a suggestion is looked for among, so that a wrong name in a large graph is still refused at once.
constexpr size_t kMaxSuggestions = 20000;

absl::Status UnknownNode(const Graph& graph, absl::string_view name) {
  std::vector<std::string> known;
  for (NodeId id = 0; id < graph.num_nodes() && known.size() < kMaxSuggestions; ++id) {
    const absl::string_view candidate = graph.node(id).name();
    const size_t longer = std::max(candidate.size(), name.size());
    const size_t shorter = std::min(candidate.size(), name.size());
    if (longer - shorter <= longer / 3) known.emplace_back(candidate);
  }
  const std::string nearest = NearestWord(name, known);
  return absl::NotFoundError(absl::StrCat("tensor '", absl::CHexEscape(name.substr(0, 256)),
                                          "': expected a node of the graph, got no such name",
                                          nearest.empty() ? absl::StrCat("; it has ", graph.num_nodes(), " nodes")
                                                          : absl::StrCat("; the nearest is '", nearest, "'")));
}

// Which nodes are needed, and which only for a value that is fed.
class Marker {
 public:
  Marker(const Graph& graph, const std::vector<TensorName>& feeds)
      : graph_(graph), needed_(graph.num_nodes()), fed_(graph.num_nodes()) {
    for (const TensorName& feed : feeds) feeds_.insert({feed.node, feed.slot});
  }

  void NeedTensor(NodeId node, int slot) {
    if (feeds_.contains({node, slot}) && CanStandIn(node, slot)) {
      fed_[node] = true;
    } else {
      NeedNode(node);
    }
  }

  void NeedNode(NodeId first) {
    if (needed_[first]) return;
    needed_[first] = true;
    std::vector<NodeId> open{first};
    while (!open.empty()) {
      const Node node = graph_.node(open.back());
      open.pop_back();
      for (const Input& input : node.inputs()) {
        if (!input.is_control() && feeds_.contains({input.node, input.slot}) && CanStandIn(input.node, input.slot)) {
          fed_[input.node] = true;
        } else if (!needed_[input.node]) {
          needed_[input.node] = true;
          open.push_back(input.node);
        }
      }
    }
  }

  bool needed(NodeId id) const { return needed_[id]; }
  bool only_fed(NodeId id) const { return fed_[id] && !needed_[id]; }

 private:
  // A Placeholder has one output of a known dtype; any other fed node stays what it is.
  bool CanStandIn(NodeId node, int slot) const {
    const Node fed = graph_.node(node);
    return slot == 0 && !fed.inputs().empty() && fed.output_dtype(0) != DType::kInvalid;
  }

  const Graph& graph_;
  absl::flat_hash_set<std::pair<NodeId, int>> feeds_;
  std::vector<bool> needed_;
  std::vector<bool> fed_;
};

absl::Status AddPlaceholder(const Node& node, GraphBuilder& builder) {
  std::vector<std::pair<absl::string_view, AttrValue>> attrs;
  attrs.emplace_back("dtype", AttrValue(AttrValue::Kind(BaseOf(node.output_dtype(0)))));
  if (node.output_shape(0).has_rank()) attrs.emplace_back("shape", AttrValue(AttrValue::Kind(node.output_shape(0))));
  const DType type = BaseOf(node.output_dtype(0));
  NodeSpec spec;
  spec.name = node.name();
  spec.op = "Placeholder";
  spec.device = node.device();
  spec.attrs = attrs;
  spec.tags = node.tags();
  spec.source = node.source();
  spec.note = &node.note();
  spec.opaque_outputs = 1;
  spec.opaque_dtypes = absl::MakeConstSpan(&type, 1);
  BERTH_ASSIGN_OR_RETURN(const NodeId id, builder.AddNode(spec));
  builder.set_output_shape(id, 0, node.output_shape(0));
  return absl::OkStatus();
}

// Groups outlive the nodes that gave them their name: where `x` goes, the first kept node with `loc:@x` stands for it.
class Colocation {
 public:
  explicit Colocation(const std::vector<NodeId>& new_ids) : new_ids_(new_ids) {}

  // `_class` of the copy of `node`; nullopt where it stays as it is. To be asked in the order of ids.
  std::optional<AttrList> Renamed(const Node& node) {
    const AttrValue* value = node.attr("_class");
    if (value == nullptr || value->get<AttrList>() == nullptr) return std::nullopt;
    AttrList list = *value->get<AttrList>();
    bool changed = false;
    for (std::string& entry : list.s) {
      absl::string_view name(entry);
      if (!absl::ConsumePrefix(&name, "loc:@") || !Goes(node.graph(), name)) continue;
      const auto [it, is_new] = stand_ins_.emplace(name, node.name());
      entry = is_new ? "" : absl::StrCat("loc:@", it->second);
      changed = true;
    }
    if (!changed) return std::nullopt;
    list.s.erase(std::remove(list.s.begin(), list.s.end(), ""), list.s.end());
    return list;
  }

 private:
  bool Goes(const Graph& graph, absl::string_view name) const {
    const std::optional<Node> node = graph.Find(name);
    return node && new_ids_[node->id()] == kNoNode;
  }

  const std::vector<NodeId>& new_ids_;
  absl::flat_hash_map<std::string, std::string> stand_ins_;  // by the name that went
};

absl::StatusOr<Graph> CopyMarked(const Graph& graph, const Marker& marker) {
  std::vector<NodeId> ids(graph.num_nodes(), kNoNode);
  NodeId next = 0;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    if (marker.needed(id) || marker.only_fed(id)) ids[id] = next++;
  }
  GraphBuilder builder(graph.ops());
  Colocation colocation(ids);
  std::vector<Input> inputs;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    if (ids[id] == kNoNode) continue;
    const Node node = graph.node(id);
    if (marker.only_fed(id)) {
      BERTH_RETURN_IF_ERROR(AddPlaceholder(node, builder));
      continue;
    }
    inputs.assign(node.inputs().begin(), node.inputs().end());
    for (Input& input : inputs) input.node = ids[input.node];
    const std::optional<AttrList> renamed = colocation.Renamed(node);
    BERTH_RETURN_IF_ERROR(builder.AddCopy(node, inputs, std::nullopt, renamed ? &*renamed : nullptr).status());
  }
  builder.CopyExtras(graph);
  return std::move(builder).Build();
}

}  // namespace

absl::StatusOr<TensorName> FindTensor(const Graph& graph, absl::string_view name) {
  if (!name.empty() && name[0] == '^') {
    return absl::InvalidArgumentError(
        absl::StrCat("tensor '", absl::CHexEscape(name.substr(0, 256)),
                     "': expected a tensor or an op, got a control input; leave out the ^"));
  }
  absl::string_view base = name;
  int slot = -1;
  if (const size_t colon = name.rfind(':'); colon != absl::string_view::npos) {
    if (colon + 1 == name.size() || name[colon + 1] < '0' || name[colon + 1] > '9' ||
        !absl::SimpleAtoi(name.substr(colon + 1), &slot)) {
      return absl::InvalidArgumentError(absl::StrCat("tensor '", absl::CHexEscape(name.substr(0, 256)),
                                                     "': expected NODE or NODE:OUTPUT, got '",
                                                     absl::CHexEscape(name.substr(colon, 64)), "' after the node"));
    }
    base = name.substr(0, colon);
  }
  const std::optional<Node> node = graph.Find(base);
  if (!node) return UnknownNode(graph, base);
  if (slot < 0) return TensorName{node->id(), node->num_outputs() > 0 ? 0 : -1};
  if (slot >= node->num_outputs()) {
    return absl::InvalidArgumentError(
        absl::StrCat(node->Label(), ": expected one of its ", node->num_outputs(), " outputs, got output ", slot));
  }
  return TensorName{node->id(), slot};
}

absl::StatusOr<Graph> PruneGraph(const Graph& graph, const PruneOptions& options) {
  std::vector<TensorName> feeds;
  for (const std::string& feed : options.feeds) {
    BERTH_ASSIGN_OR_RETURN(const TensorName name, FindTensor(graph, feed));
    feeds.push_back(name);
  }
  Marker marker(graph, feeds);
  for (const std::string& fetch : options.fetches) {
    BERTH_ASSIGN_OR_RETURN(const TensorName name, FindTensor(graph, fetch));
    if (name.slot < 0) {
      marker.NeedNode(name.node);
    } else {
      marker.NeedTensor(name.node, name.slot);
    }
  }
  for (const std::string& target : options.targets) {
    BERTH_ASSIGN_OR_RETURN(const TensorName name, FindTensor(graph, target));
    marker.NeedNode(name.node);
  }
  if (options.fetches.empty() && options.targets.empty()) {
    for (NodeId id = 0; id < graph.num_nodes(); ++id) marker.NeedNode(id);
  }
  return CopyMarked(graph, marker);
}

}  // namespace berth
