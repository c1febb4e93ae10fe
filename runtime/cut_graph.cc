#include "runtime/cut_graph.h"

#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/prune.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

// Orders of made nodes around the node of id `n`, which itself has OrderOf(n).
int64_t OrderOf(NodeId n) { return int64_t{4} * n + 1; }

// A tensor's dtype, from its producer or else from a consumer that declares one.
DType KnownDType(const Graph& graph, Input value) {
  const Node producer = graph.node(value.node);
  const DType produced = producer.output_dtype(value.slot);
  if (produced != DType::kInvalid) return BaseOf(produced);
  for (const OutEdge& e : producer.out_edges()) {
    if (e.slot != value.slot || e.input < 0) continue;
    const DType taken = graph.node(e.node).input_dtype(e.input);
    if (taken != DType::kInvalid) return BaseOf(taken);
  }
  return DType::kInvalid;
}

// Adds the _Arg of feed `index` and moves the consumers of `fed` to it.
absl::Status AddFeed(CutGraph& cut, Input fed, int index) {
  const Graph& graph = *cut.graph;
  const Node producer = graph.node(fed.node);
  for (const OutEdge& e : producer.out_edges()) {
    if (e.slot != fed.slot || e.input < 0) continue;
    const Node consumer = graph.node(e.node);
    if (IsRef(consumer.input_dtype(e.input))) {
      return absl::InvalidArgumentError(absl::StrCat(
          "feed '", producer.name(), ":", fed.slot, "': expected a tensor that is only read, got one that node '",
          consumer.name(), "' (", consumer.op(), ") changes in place; feed the value it assigns instead"));
    }
  }
  const DType dtype = KnownDType(graph, fed);
  auto made = std::make_unique<MadeNode>();
  made->name = absl::StrCat("_arg_", producer.name(), "_", fed.slot, "_", index);
  made->op = "_Arg";
  made->attrs = {{"T", AttrValue(dtype)}, {"index", AttrValue(int64_t{index})}};
  made->dtypes = {dtype};
  made->shape = producer.output_shape(fed.slot);
  const int32_t id = cut.Add(std::move(made), fed.node, cut.machine->Client(), OrderOf(fed.node) - 1);

  // Control edges stay with the fed node, unless it is a placeholder that cannot run by itself.
  const bool with_control = producer.op() == "Placeholder" || producer.op() == "PlaceholderV2";
  for (const OutEdge& e : producer.out_edges()) {
    if (e.input >= 0) {
      if (e.slot == fed.slot) cut.nodes[e.node].inputs[e.input] = {id, 0};
      continue;
    }
    for (CutInput& in : cut.nodes[e.node].inputs) {
      if (with_control && in.node == fed.node && in.is_control()) in = {id, kControlSlot};
    }
  }
  return absl::OkStatus();
}

// Adds the _Retval of fetch `index`.
int32_t AddFetch(CutGraph& cut, Input fetched, CutInput value, int index) {
  const Node producer = cut.graph->node(fetched.node);
  const DType dtype = KnownDType(*cut.graph, fetched);
  auto made = std::make_unique<MadeNode>();
  made->name = absl::StrCat("_retval_", producer.name(), "_", fetched.slot, "_", index);
  made->op = "_Retval";
  made->attrs = {{"T", AttrValue(dtype)}, {"index", AttrValue(int64_t{index})}};
  const int32_t id = cut.Add(std::move(made), fetched.node, cut.machine->Client(), OrderOf(fetched.node) + 2);
  cut.nodes[id].inputs.push_back(value);
  return id;
}

// Keeps what `roots` depend on.
void Prune(CutGraph& cut, std::vector<int32_t> roots) {
  for (CutNode& n : cut.nodes) n.kept = false;
  for (int32_t r : roots) cut.nodes[r].kept = true;
  while (!roots.empty()) {
    const int32_t n = roots.back();
    roots.pop_back();
    for (CutInput in : cut.nodes[n].inputs) {
      if (cut.nodes[in.node].kept) continue;
      cut.nodes[in.node].kept = true;
      roots.push_back(in.node);
    }
  }
}

// A free name: `name`, else `name` with a suffix.
void MakeUnique(const CutGraph& cut, std::string& name) {
  const std::string wanted = name;
  for (int k = 1; cut.graph->Find(name).has_value(); ++k) name = absl::StrCat(wanted, "_", k);
}

}  // namespace

absl::string_view CutGraph::name(int32_t n) const {
  return is_made(n) ? absl::string_view(nodes[n].made->name) : origin(n).name();
}

absl::string_view CutGraph::op(int32_t n) const {
  return is_made(n) && !nodes[n].made->op.empty() ? absl::string_view(nodes[n].made->op) : origin(n).op();
}

DType CutGraph::output_dtype(int32_t n, int slot) const {
  if (!is_made(n)) return origin(n).output_dtype(slot);
  const std::vector<DType>& dtypes = nodes[n].made->dtypes;
  return slot < static_cast<int>(dtypes.size()) ? dtypes[slot] : DType::kInvalid;
}

DType CutGraph::input_dtype(int32_t n, int i) const { return is_made(n) ? DType::kInvalid : origin(n).input_dtype(i); }

PartialShape CutGraph::output_shape(int32_t n, int slot) const {
  if (!is_made(n)) return origin(n).output_shape(slot);
  return slot == 0 ? nodes[n].made->shape : PartialShape::Scalar();
}

std::string CutGraph::ValueName(CutInput value) const {
  if (value.is_control()) return std::string(name(value.node));
  return absl::StrCat(name(value.node), ":", value.slot);
}

std::string CutGraph::NewName(absl::string_view prefix) {
  while (true) {
    std::string name = absl::StrCat(prefix, "/_", names_made++);
    if (!graph->Find(name).has_value()) return name;
  }
}

int32_t CutGraph::Add(std::unique_ptr<MadeNode> made, NodeId origin, DeviceId device, int64_t order) {
  MakeUnique(*this, made->name);
  CutNode& node = nodes.emplace_back();
  node.origin = origin;
  node.device = device;
  node.made = std::move(made);
  node.order = order;
  return static_cast<int32_t>(nodes.size()) - 1;
}

absl::StatusOr<CutGraph> MakeCutGraph(const Graph& graph, const Placement& placement, const Machine& machine,
                                      const PartitionOptions& options, bool bare_names_are_ops) {
  if (static_cast<int>(placement.device_of.size()) != graph.num_nodes()) {
    return absl::InvalidArgumentError(absl::StrCat("placement: expected a device for each of ", graph.num_nodes(),
                                                   " nodes of the graph, got ", placement.device_of.size()));
  }
  CutGraph cut;
  cut.graph = &graph;
  cut.machine = &machine;
  cut.nodes.resize(graph.num_nodes());
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    CutNode& n = cut.nodes[id];
    n.origin = id;
    n.device = placement.device_of[id];
    n.order = OrderOf(id);
    if (n.device < 0 || n.device >= machine.num_devices()) {
      return absl::InvalidArgumentError(absl::StrCat("node '", graph.node(id).name(), "' (", graph.node(id).op(),
                                                     "): expected a device of the machine, got none; the devices are ",
                                                     machine.DeviceList()));
    }
    for (Input in : graph.node(id).inputs()) n.inputs.push_back({in.node, in.slot});
  }

  absl::flat_hash_map<int64_t, int32_t> arg_of;  // by node and slot of the fed tensor
  const auto key = [](Input in) { return int64_t{in.node} << 32 | in.slot; };
  for (size_t i = 0; i < options.feeds.size(); ++i) {
    BERTH_ASSIGN_OR_RETURN(TensorName name, FindTensor(graph, options.feeds[i]));
    if (name.slot < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("feed '", options.feeds[i], "': expected a tensor, got an op without outputs"));
    }
    const Input fed{name.node, name.slot};
    if (!arg_of.emplace(key(fed), static_cast<int32_t>(cut.nodes.size())).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("feed '", options.feeds[i], "': expected each tensor once, got it twice"));
    }
    BERTH_RETURN_IF_ERROR(AddFeed(cut, fed, static_cast<int>(i)));
  }

  std::vector<int32_t> roots;
  for (size_t i = 0; i < options.fetches.size(); ++i) {
    BERTH_ASSIGN_OR_RETURN(TensorName name, FindTensor(graph, options.fetches[i]));
    if (name.slot < 0 || (bare_names_are_ops && !absl::StrContains(options.fetches[i], ':'))) {
      roots.push_back(name.node);
      continue;
    }
    const Input fetched{name.node, name.slot};
    const auto arg = arg_of.find(key(fetched));
    const CutInput value = arg != arg_of.end() ? CutInput{arg->second, 0} : CutInput{name.node, name.slot};
    roots.push_back(AddFetch(cut, fetched, value, static_cast<int>(i)));
  }
  for (const std::string& target : options.targets) {
    BERTH_ASSIGN_OR_RETURN(TensorName name, FindTensor(graph, target));
    roots.push_back(name.node);
  }
  if (!options.fetches.empty() || !options.targets.empty()) Prune(cut, std::move(roots));
  return cut;
}

std::string DescribeCutNode(const CutGraph& cut, int32_t n) {
  return absl::StrCat("node '", cut.name(n), "' (", cut.op(n), " on ",
                      cut.machine->device(cut.nodes[n].device).name.ShortName(), ")");
}

}  // namespace berth
