#include "runtime/partition.h"

#include <algorithm>
#include <map>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "graph/graph_builder.h"
#include "graph/status_macros.h"
#include "graph/verify.h"
#include "runtime/cut_graph.h"
#include "runtime/insert_transfers.h"
#include "runtime/loop_frames.h"
#include "runtime/replicate_constants.h"

namespace berth {
namespace {

// The kept nodes in one order for all parts: a node after its inputs (the back edges of loops excepted), a _Recv after
// its _Send. So a device that takes its nodes one by one in this order never waits for a device that waits for it.
absl::StatusOr<std::vector<int32_t>> OrderNodes(const CutGraph& cut, const std::vector<CutPair>& pairs) {
  const int32_t size = static_cast<int32_t>(cut.nodes.size());
  std::vector<int32_t> waits(size);
  std::vector<std::vector<int32_t>> users(size);
  const auto add = [&](int32_t from, int32_t to) {
    users[from].push_back(to);
    ++waits[to];
  };
  for (int32_t n = 0; n < size; ++n) {
    if (!cut.nodes[n].kept) continue;
    const absl::string_view op = cut.op(n);
    const bool is_merge = op == "Merge" || op == "RefMerge";
    for (CutInput in : cut.nodes[n].inputs) {
      if (is_merge && (cut.op(in.node) == "NextIteration" || cut.op(in.node) == "RefNextIteration")) {
        continue;
      }
      add(in.node, n);
    }
  }
  for (const CutPair& pair : pairs) add(pair.send, pair.recv);

  using Ready = std::pair<int64_t, int32_t>;
  std::priority_queue<Ready, std::vector<Ready>, std::greater<Ready>> ready;
  int32_t kept = 0;
  for (int32_t n = 0; n < size; ++n) {
    if (!cut.nodes[n].kept) continue;
    ++kept;
    if (waits[n] == 0) ready.push({cut.nodes[n].order, n});
  }
  std::vector<int32_t> order;
  order.reserve(kept);
  while (!ready.empty()) {
    const int32_t n = ready.top().second;
    ready.pop();
    order.push_back(n);
    for (int32_t user : users[n]) {
      if (--waits[user] == 0) ready.push({cut.nodes[user].order, user});
    }
  }
  if (static_cast<int32_t>(order.size()) == kept) return order;
  for (int32_t n = 0; n < size; ++n) {
    if (!cut.nodes[n].kept || waits[n] == 0) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(DescribeCutNode(cut, n),
                     ": expected a graph without cycles but those of loops whose "
                     "NextIteration is on its Merge's device, got a cycle through this node"));
  }
  return order;
}

// Whether `_class` names a node that another part has; `local` is then what is left of it.
bool HasRemoteColocation(const Node& node, const absl::flat_hash_set<absl::string_view>& names, AttrList& local) {
  const AttrValue* value = node.attr("_class");
  if (value == nullptr || value->get<AttrList>() == nullptr) return false;
  local = *value->get<AttrList>();
  const auto is_elsewhere = [&](const std::string& s) {
    absl::string_view name(s);
    return absl::ConsumePrefix(&name, "loc:@") && !names.contains(name);
  };
  const size_t size = local.s.size();
  local.s.erase(std::remove_if(local.s.begin(), local.s.end(), is_elsewhere), local.s.end());
  return local.s.size() < size;
}

// Builds the part of one device.
class PartBuilder {
 public:
  PartBuilder(const CutGraph& cut, const std::vector<int32_t>& nodes, std::vector<NodeId>& local_ids)
      : cut_(cut),
        nodes_(nodes),
        local_ids_(local_ids),
        device_(cut.machine->device(cut.nodes[nodes[0]].device).name.ToString()),
        builder_(cut.graph->ops()) {
    for (size_t i = 0; i < nodes.size(); ++i) {
      local_ids_[nodes[i]] = static_cast<NodeId>(i);
      names_.insert(cut.name(nodes[i]));
    }
  }

  absl::StatusOr<Graph> Build() && {
    for (int32_t n : nodes_) BERTH_RETURN_IF_ERROR(AddNode(n));
    builder_.CopyExtras(*cut_.graph);
    BERTH_ASSIGN_OR_RETURN(Graph graph, std::move(builder_).Build());
    BERTH_RETURN_IF_ERROR(VerifyGraph(graph));
    return graph;
  }

 private:
  absl::Status AddNode(int32_t n) {
    const CutNode& node = cut_.nodes[n];
    inputs_.clear();
    for (CutInput in : node.inputs) inputs_.push_back({local_ids_[in.node], in.slot});
    if (node.made != nullptr) return AddMade(n);
    AttrList local;
    const bool changed = HasRemoteColocation(cut_.origin(n), names_, local);
    return builder_.AddCopy(cut_.origin(n), inputs_, absl::string_view(device_), changed ? &local : nullptr).status();
  }

  absl::Status AddMade(int32_t n) {
    const MadeNode& made = *cut_.nodes[n].made;
    std::vector<std::pair<absl::string_view, AttrValue>> attrs;
    for (const auto& [name, value] : made.attrs) attrs.emplace_back(name, value);
    if (made.op.empty()) {  // the copy of a constant
      for (const NamedAttr& a : cut_.origin(n).attrs()) {
        if (a.name != "_class") attrs.emplace_back(a.name, *a.value);
      }
    }
    NodeSpec spec;
    spec.name = made.name;
    spec.op = cut_.op(n);
    spec.device = device_;
    spec.inputs = inputs_;
    spec.attrs = attrs;
    spec.source = cut_.origin(n).source();
    BERTH_ASSIGN_OR_RETURN(NodeId id, builder_.AddNode(spec));
    for (int k = 0; k < builder_.num_outputs(id); ++k) builder_.set_output_shape(id, k, cut_.output_shape(n, k));
    return absl::OkStatus();
  }

  const CutGraph& cut_;
  const std::vector<int32_t>& nodes_;
  std::vector<NodeId>& local_ids_;
  const std::string device_;  // full name
  absl::flat_hash_set<absl::string_view> names_;
  GraphBuilder builder_;
  std::vector<Input> inputs_;  // of the node at hand
};

// The run, ready to be cut: constants replicated, loops made to cross.
absl::Status PrepareCut(CutGraph& cut, LoopFrames& frames, const PartitionOptions& options) {
  // TensorFlow looks at constants before it moves the loops' nodes.
  if (options.tensorflow_rule) {
    if (options.replicate_constants) ReplicateConstantsAsTensorFlow(cut);
    MoveControlFlowAsTensorFlow(cut);
  } else {
    MoveLoopNodes(cut);
    if (options.replicate_constants) ReplicateConstants(cut);
  }
  BERTH_ASSIGN_OR_RETURN(frames, FindFrames(cut));
  return AddControlLoops(cut, frames);
}

std::vector<Transfer> TableOf(const CutGraph& cut, const std::vector<CutPair>& pairs) {
  std::vector<Transfer> transfers;
  transfers.reserve(pairs.size());
  for (const CutPair& pair : pairs) transfers.push_back(TransferOf(cut, pair));
  return transfers;
}

}  // namespace

absl::StatusOr<Partition> PartitionGraph(const Graph& graph, const Placement& placement, const Machine& machine,
                                         const PartitionOptions& options) {
  BERTH_ASSIGN_OR_RETURN(CutGraph cut, MakeCutGraph(graph, placement, machine, options));
  LoopFrames frames;
  BERTH_RETURN_IF_ERROR(PrepareCut(cut, frames, options));
  const PairRule rule = options.tensorflow_rule ? PairRule::kTensorFlow : PairRule::kBerth;
  BERTH_ASSIGN_OR_RETURN(std::vector<CutPair> pairs, CollectPairs(cut, rule));
  Partition partition;
  partition.transfers = TableOf(cut, pairs);
  AddPairs(cut, frames, pairs);

  BERTH_ASSIGN_OR_RETURN(std::vector<int32_t> order, OrderNodes(cut, pairs));
  std::map<DeviceId, std::vector<int32_t>> nodes_of;
  for (int32_t n : order) nodes_of[cut.nodes[n].device].push_back(n);
  std::vector<NodeId> local_ids(cut.nodes.size(), kNoNode);
  for (const auto& [device, nodes] : nodes_of) {
    absl::StatusOr<Graph> part = PartBuilder(cut, nodes, local_ids).Build();
    if (!part.ok()) {
      return absl::Status(part.status().code(), absl::StrCat("part of ", machine.device(device).name.ShortName(), ": ",
                                                             part.status().message()));
    }
    partition.parts.push_back({device, *std::move(part)});
  }
  return partition;
}

absl::StatusOr<std::vector<Transfer>> ListTransfers(const Graph& graph, const Placement& placement,
                                                    const Machine& machine, const PartitionOptions& options) {
  BERTH_ASSIGN_OR_RETURN(CutGraph cut, MakeCutGraph(graph, placement, machine, options, options.tensorflow_rule));
  LoopFrames frames;
  BERTH_RETURN_IF_ERROR(PrepareCut(cut, frames, options));
  const PairRule rule = options.tensorflow_rule ? PairRule::kTensorFlowTable : PairRule::kBerth;
  BERTH_ASSIGN_OR_RETURN(std::vector<CutPair> pairs, CollectPairs(cut, rule));
  return TableOf(cut, pairs);
}

absl::StatusOr<std::vector<Transfer>> TensorFlowTransfers(const Graph& graph, const Placement& placement,
                                                          const Machine& machine, const PartitionOptions& options) {
  PartitionOptions as_tensorflow = options;
  as_tensorflow.tensorflow_rule = true;
  return ListTransfers(graph, placement, machine, as_tensorflow);
}

}  // namespace berth
