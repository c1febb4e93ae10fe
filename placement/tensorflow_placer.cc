#include "placement/tensorflow_placer.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "graph/device_name.h"
#include "graph/status_macros.h"
#include "placement/part.h"
#include "placement/policy.h"
#include "placement/tensorflow_groups.h"
#include "placement/tensorflow_order.h"

namespace berth {
namespace {

// Ops that take a resource without being tied to it: calls, and dataset ops that carry a function.
bool IsExemptFromTies(absl::string_view op) {
  static const auto& exempt = *new absl::flat_hash_set<absl::string_view>{"DeleteMultiDeviceIterator",
                                                                          "FilterDataset",
                                                                          "FlatMapDataset",
                                                                          "GeneratorDataset",
                                                                          "GroupByReducerDataset",
                                                                          "GroupByWindowDataset",
                                                                          "IdentityN",
                                                                          "InterleaveDataset",
                                                                          "LegacyParallelInterleaveDatasetV2",
                                                                          "MapAndBatchDataset",
                                                                          "MapDataset",
                                                                          "ParallelFilterDataset",
                                                                          "ParallelInterleaveDataset",
                                                                          "ParallelInterleaveDatasetV2",
                                                                          "ParallelInterleaveDatasetV3",
                                                                          "ParallelInterleaveDatasetV4",
                                                                          "ParallelMapDataset",
                                                                          "ParallelMapDatasetV2",
                                                                          "PartitionedCall",
                                                                          "ReduceDataset",
                                                                          "ScanDataset",
                                                                          "StatefulPartitionedCall",
                                                                          "TakeWhileDataset"};
  if (exempt.contains(op)) return true;
  return absl::ConsumePrefix(&op, "Experimental") && exempt.contains(op);
}

// Exactly one output, a variant, and a name that ends in Dataset or DatasetV<digits>.
bool IsDatasetOp(const Node& node) {
  absl::string_view op = node.op();
  if (op == "DatasetFromGraph") return true;
  if (node.num_outputs() != 1 || node.output_dtype(0) != DType::kVariant) return false;
  size_t end = op.size();
  while (end > 0 && op[end - 1] >= '0' && op[end - 1] <= '9') --end;
  if (end < op.size() && end > 0 && op[end - 1] == 'V') op = op.substr(0, end - 1);
  return absl::EndsWith(op, "Dataset");
}

// No data inputs, one output, and that is no reference: placed after its consumers.
bool IsGenerator(const Node& node) {
  return node.data_inputs().empty() && node.num_outputs() == 1 && !IsRef(node.output_dtype(0));
}

// No data inputs, one output, and that is a reference or a handle: what it asks for is a promise.
bool Promises(const Node& node) {
  if (!node.data_inputs().empty() || node.num_outputs() != 1) return false;
  return IsRef(node.output_dtype(0)) || node.output_dtype(0) == DType::kResource;
}

// The edge ties its two ends to one device.
bool Ties(const Graph& graph, const TensorFlowEdge& e) {
  if (e.slot == kControlSlot) return false;
  const Node from = graph.node(e.from), to = graph.node(e.to);
  DType taken = to.input_dtype(e.input);
  // An opaque op does not say what it takes; a handle it takes as such.
  if (taken == DType::kInvalid) taken = BaseOf(from.output_dtype(e.slot));
  if (IsRef(taken) || taken == DType::kResource) return !IsExemptFromTies(to.op());
  return taken == DType::kVariant && IsDatasetOp(from) && IsDatasetOp(to);
}

// Adds texts to a placement, each once.
class Texts {
 public:
  explicit Texts(std::vector<std::string>& texts) : texts_(texts) {}
  int32_t Add(const std::string& text) {
    const auto [it, is_new] = ids_.emplace(text, static_cast<int32_t>(texts_.size()));
    if (is_new) texts_.push_back(text);
    return it->second;
  }

 private:
  std::vector<std::string>& texts_;
  absl::flat_hash_map<std::string, int32_t> ids_;
};

class Placer {
 public:
  Placer(const Graph& graph, const Machine& machine, const OpSupport& support, const TensorFlowPlacerOptions& options)
      : graph_(graph),
        machine_(machine),
        support_(support),
        options_(options),
        order_(OrderAsTensorFlow(graph)),
        groups_(graph, machine, options.soft, options.order_by_name),
        texts_(placement_.texts) {
    for (const MachineDevice& d : machine.devices()) {
      if (std::find(kinds_.begin(), kinds_.end(), d.kind()) == kinds_.end()) {
        kinds_.push_back(d.kind());
      }
    }
  }

  absl::StatusOr<Placement> Run() {
    if (machine_.num_devices() == 0) {
      return absl::FailedPreconditionError("machine: expected at least one device, got none");
    }
    placement_.mode = options_.soft ? PlacementMode::kSoft : PlacementMode::kStrict;
    placement_.device_of.assign(graph_.num_nodes(), kNoDevice);
    placement_.reasons.resize(graph_.num_nodes());
    requests_.resize(graph_.num_nodes());
    starts_.assign(graph_.num_nodes(), kNoDevice);
    for (NodeId n : order_.nodes) BERTH_RETURN_IF_ERROR(InitNode(graph_.node(n)));
    for (const TensorFlowEdge& e : order_.edges) {
      if (Ties(graph_, e)) BERTH_RETURN_IF_ERROR(groups_.Tie(e.from, e.to));
    }
    for (NodeId n : order_.nodes) BERTH_RETURN_IF_ERROR(JoinByClass(graph_.node(n)));
    CountEdges();
    std::vector<NodeId> generators;
    for (NodeId n : order_.nodes) {
      if (starts_[n] == kNoDevice && IsGenerator(graph_.node(n))) {
        generators.push_back(n);
      } else {
        BERTH_RETURN_IF_ERROR(PlaceNode(graph_.node(n)));
      }
    }
    for (NodeId n : generators) BERTH_RETURN_IF_ERROR(PlaceGenerator(graph_.node(n)));
    for (NodeId n = 0; n < graph_.num_nodes(); ++n) NoteFallback(graph_.node(n));
    return std::move(placement_);
  }

 private:
  // --- Groups of one.

  absl::Status InitNode(const Node& node) {
    const NodeId n = node.id();
    const bool is_assigned = n < static_cast<NodeId>(options_.assigned.size()) && !options_.assigned[n].empty();
    if (!is_assigned && !node.device().empty()) {
      absl::StatusOr<DeviceName> request = ParseTensorFlowName(node.device());
      if (!request.ok()) {
        return absl::InvalidArgumentError(absl::StrCat(Describe(node), ": expected a device name, got '", node.device(),
                                                       "'; ", request.status().message()));
      }
      requests_[n] = *std::move(request);
    }
    TypeList types = SupportedTypes(node);
    if (is_assigned) return InitAssigned(node, options_.assigned[n], std::move(types));
    if (types.empty()) return NoKernelError(node);
    groups_.Init(n, requests_[n], !node.device().empty() && Promises(node), std::move(types));
    return absl::OkStatus();
  }

  absl::Status InitAssigned(const Node& node, const std::string& assigned, TypeList types) {
    absl::StatusOr<DeviceName> name = ParseTensorFlowName(assigned);
    if (!name.ok()) {
      return absl::InternalError(absl::StrCat(Describe(node), ": expected an assigned device, got '", assigned, "'; ",
                                              name.status().message()));
    }
    const std::optional<DeviceId> device = machine_.Find(*name);
    if (!device.has_value()) {
      return absl::InternalError(absl::StrCat(Describe(node), ": expected an assigned device of the machine, got '",
                                              assigned, "'; the devices are ", machine_.DeviceList()));
    }
    const auto is_there = [&](const auto& type) { return type.first == *name->type; };
    if (std::none_of(types.begin(), types.end(), is_there)) {
      return absl::InternalError(absl::StrCat(Describe(node), ": expected a kernel on its assigned device ",
                                              machine_.device(*device).name.ShortName(), ", got none"));
    }
    starts_[node.id()] = *device;
    groups_.InitAssigned(node.id(), *device, std::move(types));
    return absl::OkStatus();
  }

  // The machine's device types that have a kernel for the node; all of them where nothing is known of it.
  TypeList SupportedTypes(const Node& node) {
    TypeList types;
    const bool is_known = support_.AnyKind(node);
    const bool is_listed = support_.ListedWithoutKernel(node);
    const bool host_only = node.op_def() != nullptr && node.op_def()->host_only;
    for (const std::string& kind : kinds_) {
      if (host_only && kind != "CPU") continue;
      if (!is_known) {
        if (!is_listed) types.push_back({kind, 0});
      } else if (const KernelSupport* kernel = support_.Find(node, kind)) {
        types.push_back({kind, kernel->priority});
      }
    }
    if (types.empty() && IsForAnotherProcess(node.id())) {
      for (const std::string& kind : kinds_) types.push_back({kind, 0});
    }
    if (!is_known && !is_listed && !support_.entries().empty()) {
      placement_.notes.push_back(absl::StrCat("no kernel: ", Describe(node)));
    }
    SortTypes(types);
    return types;
  }

  // What kernels another process has is not known here.
  bool IsForAnotherProcess(NodeId n) const {
    const DeviceId client = machine_.Client();
    if (client == kNoDevice) return false;
    const DeviceName& here = machine_.device(client).name;
    const DeviceName& there = requests_[n];
    return (there.job && there.job != here.job) || (there.replica && there.replica != here.replica) ||
           (there.task && there.task != here.task);
  }

  absl::Status NoKernelError(const Node& node) const {
    std::string kinds;
    for (const std::string& kind : support_.kinds()) {
      if (support_.Find(node, kind) != nullptr) absl::StrAppend(&kinds, kinds.empty() ? "" : ", ", kind);
    }
    return absl::FailedPreconditionError(absl::StrCat(
        Describe(node), ": expected a kernel on a device of the machine, got none; ",
        kinds.empty() ? std::string("there is none on any kind of device") : absl::StrCat("kernels exist on ", kinds),
        ", the devices are ", machine_.DeviceList()));
  }

  // --- Groups by name.

  absl::Status JoinByClass(const Node& node) {
    for (absl::string_view name : node.colocation()) {
      BERTH_RETURN_IF_ERROR(JoinNamed(node, name));
    }
    return JoinNamed(node, node.name());
  }

  // Joins the node that mentioned this name first, or becomes that node.
  absl::Status JoinNamed(const Node& node, absl::string_view name) {
    const auto [it, is_new] = named_.emplace(name, node.id());
    if (is_new) return absl::OkStatus();
    absl::Status joined = groups_.Join(node.id(), it->second);
    if (!joined.ok() && options_.soft) return absl::OkStatus();
    return joined;
  }

  // --- Choosing.

  void CountEdges() {
    in_edges_.resize(graph_.num_nodes());
    consumers_.resize(graph_.num_nodes());
    for (const TensorFlowEdge& e : order_.edges) {
      ++in_edges_[e.to];
      consumers_[e.from].push_back(e.to);
    }
  }

  absl::Status PlaceNode(const Node& node) {
    const NodeId n = node.id();
    if (starts_[n] != kNoDevice) return Assign(node, starts_[n], "was placed before");
    BERTH_ASSIGN_OR_RETURN(absl::Span<const DeviceId> candidates, Candidates(node));
    if (FollowsInput(node)) {
      const Node input = node.input(0);
      const DeviceId there = placement_.device_of[input.id()];
      if (std::find(candidates.begin(), candidates.end(), there) != candidates.end()) {
        return Assign(node, there, absl::StrCat("follows its input '", input.name(), "'"));
      }
    }
    return Assign(node, candidates[0], FirstReason(node, candidates));
  }

  // Ops that look at a tensor's shape only, and an Identity alone between two nodes that ask for the same.
  bool FollowsInput(const Node& node) const {
    if (node.data_inputs().empty()) return false;
    const absl::string_view op = node.op();
    if (op == "Shape" || op == "Size" || op == "Rank") return true;
    if (op != "Identity" || !node.device().empty() || in_edges_[node.id()] != 1) return false;
    const std::vector<NodeId>& consumers = consumers_[node.id()];
    if (consumers.size() > 1) return false;
    // An unused node has its one edge to the sink, which asks for nothing.
    const absl::string_view out = consumers.empty() ? "" : graph_.node(consumers[0]).device();
    return node.input(0).device() == out;
  }

  absl::Status PlaceGenerator(const Node& node) {
    BERTH_ASSIGN_OR_RETURN(absl::Span<const DeviceId> candidates, Candidates(node));
    const std::vector<NodeId>& consumers = consumers_[node.id()];
    if (!consumers.empty()) {
      const DeviceId there = placement_.device_of[consumers[0]];
      const auto is_there = [&](NodeId c) { return placement_.device_of[c] == there; };
      if (std::all_of(consumers.begin(), consumers.end(), is_there) &&
          std::find(candidates.begin(), candidates.end(), there) != candidates.end()) {
        return Assign(node, there, "generator: follows its consumers");
      }
    }
    return Assign(node, candidates[0], FirstReason(node, candidates));
  }

  absl::StatusOr<absl::Span<const DeviceId>> Candidates(const Node& node) {
    const absl::Span<const DeviceId> candidates = groups_.Candidates(node.id());
    if (!candidates.empty()) return candidates;
    const DeviceName& own = requests_[node.id()];
    const TensorFlowGroups::Group& group = groups_.group(node.id());
    const std::string exist = absl::StrCat("; the devices are ", machine_.DeviceList());
    if (own == group.request) {
      if (machine_.Matching(own).empty()) {
        return absl::FailedPreconditionError(
            absl::StrCat(Describe(node), ": expected a device '", node.device(), "', got none", exist));
      }
      return absl::FailedPreconditionError(
          absl::StrCat(Describe(node), ": expected a kernel on '", node.device(), "', got none", exist));
    }
    return absl::FailedPreconditionError(absl::StrCat(Describe(node), ": expected a device '", node.device(),
                                                      "', got a group of colocated nodes that asks for '",
                                                      group.request.ToString(), "'", exist));
  }

  std::string FirstReason(const Node& node, absl::Span<const DeviceId> candidates) {
    const NodeId root = groups_.Root(node.id());
    if (const auto leader = leaders_.find(root); leader != leaders_.end()) {
      return absl::StrCat("colocated with '", graph_.node(leader->second).name(), "'");
    }
    const DeviceName& request = groups_.group(node.id()).request;
    const std::string found = candidates.size() == 1 ? std::string("only candidate")
                                                     : absl::StrCat("first of ", candidates.size(), " candidates");
    if (request.empty()) return found;
    if (!Matches(request, machine_.device(candidates[0]).name)) {
      return absl::StrCat(found, " in place of '", request.ToString(), "'");
    }
    return absl::StrCat(found, " for '", request.ToString(), "'");
  }

  absl::Status Assign(const Node& node, DeviceId device, const std::string& reason) {
    leaders_.emplace(groups_.Root(node.id()), node.id());
    placement_.device_of[node.id()] = device;
    placement_.reasons[node.id()] = {texts_.Add("tensorflow"), texts_.Add(reason)};
    absl::Status assigned = groups_.Assign(node.id(), device);
    if (assigned.ok()) return assigned;
    return absl::FailedPreconditionError(absl::StrCat(Describe(node), ": ", assigned.message()));
  }

  // A request that the node's device does not have: soft mode gave it up, or its group overrode it.
  void NoteFallback(const Node& node) {
    const DeviceId at = placement_.device_of[node.id()];
    const DeviceName& request = requests_[node.id()];
    if (Matches(request, machine_.device(at).name)) return;
    Fallback fallback;
    fallback.node = node.id();
    fallback.asked = std::string(node.device());
    fallback.got = machine_.device(at).name.ToString();
    fallback.author = node.note().origin.empty() ? "request in the graph" : node.note().origin;
    fallback.why = WhyNot(node, request, fallback.cause);
    fallback.dropped = Dropped(request, machine_.device(at).name);
    const std::vector<DeviceId> asked = machine_.Matching(request);
    if (!asked.empty()) fallback.wanted = asked[0];
    placement_.fallbacks.push_back(std::move(fallback));
  }

  std::string WhyNot(const Node& node, const DeviceName& request, FallbackCause& cause) {
    const std::vector<DeviceId> asked = machine_.Matching(request);
    cause = FallbackCause::kNoSuchDevice;
    if (asked.empty()) return absl::StrCat("no such device on ", machine_.ToString());
    const auto has_kernel = [&](DeviceId d) {
      return !support_.AnyKind(node) || support_.Find(node, machine_.device(d).kind()) != nullptr;
    };
    cause = FallbackCause::kKernel;
    if (std::none_of(asked.begin(), asked.end(), has_kernel)) return absl::StrCat("no kernel of ", node.op(), " there");
    cause = FallbackCause::kColocation;
    const NodeId leader = leaders_.at(groups_.Root(node.id()));
    if (leader == node.id()) return "the nodes colocated with it ask for something else";
    return absl::StrCat("colocated with '", graph_.node(leader).name(), "'");
  }

  // The fields of a request from its lowest-ranked up to the highest that the device does not have.
  static std::string Dropped(DeviceName request, const DeviceName& device) {
    std::string dropped;
    const auto drop = [&](auto& field, absl::string_view name) {
      if (!field || Matches(request, device)) return;
      absl::StrAppend(&dropped, dropped.empty() ? "" : ", ", name);
      field.reset();
    };
    drop(request.id, "id");
    drop(request.type, "kind");
    drop(request.task, "task");
    drop(request.replica, "replica");
    drop(request.job, "job");
    return request.empty() ? "all" : dropped;
  }

  static std::string Describe(const Node& node) { return absl::StrCat("node '", node.name(), "' (", node.op(), ")"); }

  const Graph& graph_;
  const Machine& machine_;
  const OpSupport& support_;
  const TensorFlowPlacerOptions& options_;
  const TensorFlowOrder order_;
  TensorFlowGroups groups_;
  Placement placement_;
  Texts texts_;
  std::vector<std::string> kinds_;    // of the machine, in machine order
  std::vector<DeviceName> requests_;  // parsed, by node
  std::vector<DeviceId> starts_;      // where a node already is
  std::vector<int32_t> in_edges_;
  std::vector<std::vector<NodeId>> consumers_;  // one entry an out-edge
  absl::flat_hash_map<absl::string_view, NodeId> named_;
  absl::flat_hash_map<NodeId, NodeId> leaders_;  // by root: the member that was placed first
};

class TensorFlowPolicy : public Whole {
 public:
  explicit TensorFlowPolicy(bool order_by_name) : order_by_name_(order_by_name) {}

  std::string text() const override { return order_by_name_ ? "tensorflow order=name" : "tensorflow"; }

  absl::StatusOr<Placement> Place(const Graph& graph, const Machine& machine, const OpSupport& support,
                                  const PlaceOptions& options) const override {
    TensorFlowPlacerOptions own;
    own.soft = options.mode == PlacementMode::kSoft;
    own.order_by_name = order_by_name_;
    return PlaceAsTensorFlow(graph, machine, support, own);
  }

 private:
  const bool order_by_name_;
};

}  // namespace

absl::StatusOr<Placement> PlaceAsTensorFlow(const Graph& graph, const Machine& machine, const OpSupport& support,
                                            const TensorFlowPlacerOptions& options) {
  return Placer(graph, machine, support, options).Run();
}

Policy TensorFlowPlacer(bool order_by_name) {
  PolicyPart part;
  part.whole = std::make_shared<TensorFlowPolicy>(order_by_name);
  return Policy(std::move(part));
}

}  // namespace berth
