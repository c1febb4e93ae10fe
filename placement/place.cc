#include "placement/place.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/fingerprint.h"
#include "graph/function_bodies.h"
#include "graph/status_macros.h"
#include "placement/apply_rule.h"
#include "placement/explain.h"
#include "placement/host_memory.h"
#include "placement/move_cost.h"
#include "placement/part.h"
#include "placement/placement_state.h"

namespace berth {
namespace {

constexpr size_t kMaxConflicts = 64;

std::string Named(const PolicyPart& part) {
  return absl::StrCat("policy part '", part.text(), "'",
                      part.origin.empty() ? "" : absl::StrCat(" (", part.origin, ")"));
}

absl::Status ApplyPart(const PolicyPart& part, PlacementState& state) {
  state.BeginPart(part.text(), part.origin);
  if (part.rule != nullptr) {
    ApplyRule(*part.rule, state);
  } else if (part.graph_rule != nullptr) {
    BERTH_RETURN_IF_ERROR(part.graph_rule->Apply(state));
  } else if (part.solver != nullptr) {
    BERTH_RETURN_IF_ERROR(part.solver->Solve(state));
  }
  return state.PartStatus();
}

bool ExpandsBodies(const Graph& graph, const Policy& policy) {
  return !PlacesWholeGraph(policy) && LacksFunctionBodies(graph);
}

absl::Status CanPlace(const Machine& machine, const Policy& policy) {
  if (machine.num_devices() == 0) return absl::InvalidArgumentError("machine: expected a device, got none");
  return CheckPolicy(policy);
}

const Whole* WholeOf(const Policy& policy) { return policy.parts().empty() ? nullptr : policy.parts()[0].whole.get(); }

absl::Status ApplyParts(const Policy& policy, PlacementState& state) {
  BERTH_RETURN_IF_ERROR(state.ApplyFacts());
  for (const PolicyPart& part : policy.parts()) BERTH_RETURN_IF_ERROR(ApplyPart(part, state));
  return state.FitMemory();
}

// What a placement says of where it comes from and what it costs.
void Complete(const Graph& graph, const Machine& machine, const Policy& policy, PlacementMode mode,
              Placement& placement) {
  placement.mode = mode;
  placement.policy = policy.text();
  placement.machine = machine.Label();
  placement.graph_hash = graph.Fingerprint();
  placement.machine_hash = machine.Fingerprint();
  placement.policy_hash = Fingerprint(placement.policy);
  for (const PolicyPart& part : policy.parts()) {
    if (part.solver != nullptr) placement.seed = part.solver->seed();
  }
  CostFallbacks(graph, machine, placement);
}

absl::StatusOr<Placement> PlaceAsItIs(const Graph& graph, const Machine& machine, const Policy& policy,
                                      const OpSupport& support, const PlaceOptions& options) {
  BERTH_RETURN_IF_ERROR(CanPlace(machine, policy));
  Placement placement;
  if (const Whole* whole = WholeOf(policy)) {
    BERTH_ASSIGN_OR_RETURN(placement, whole->Place(graph, machine, support, options));
    std::vector<NodeId> nodes(graph.num_nodes());
    std::iota(nodes.begin(), nodes.end(), 0);
    FindHostArgs(graph, machine, support, nodes, placement);
  } else {
    const auto state = std::make_unique<PlacementState>(graph, machine, support, options.mode);
    BERTH_RETURN_IF_ERROR(ApplyParts(policy, *state));
    placement = state->Finish();
  }
  Complete(graph, machine, policy, options.mode, placement);
  return placement;
}

// Keeps the graph with the bodies of functions, where it was made for placing.
class StateExplainer : public Explainer {
 public:
  StateExplainer(std::unique_ptr<const Graph> whole, int num_nodes, std::unique_ptr<PlacementState> state)
      : num_nodes_(num_nodes), whole_(std::move(whole)), state_(std::move(state)) {}
  Choice Explain(NodeId n) override {
    Choice choice = state_->Explain(n);
    if (choice.with >= num_nodes_) {
      absl::StrAppend(&choice.tie, ", which is in a body");
      choice.with = kNoNode;
    }
    for (Veto& veto : choice.vetoes) {
      if (veto.node < num_nodes_) continue;
      absl::StrAppend(&veto.reason, ", of '", state_->graph().node(veto.node).name(), "' in a body");
      veto.node = kNoNode;
    }
    return choice;
  }

 private:
  const int num_nodes_;
  const std::unique_ptr<const Graph> whole_;
  const std::unique_ptr<PlacementState> state_;
};

// Ties by way of nodes of bodies become ties of the first of those that are left.
void KeepTies(int num_nodes, std::vector<RuleTie>* ties) {
  absl::flat_hash_map<std::pair<int32_t, NodeId>, NodeId> stand_in;  // by part and node of a body
  std::vector<RuleTie> kept;
  for (RuleTie tie : *ties) {
    if (tie.with < num_nodes && tie.node >= num_nodes) std::swap(tie.node, tie.with);
    if (tie.node >= num_nodes) continue;
    if (tie.with >= num_nodes) {
      const auto [it, is_new] = stand_in.emplace(std::make_pair(tie.part, tie.with), tie.node);
      if (is_new) continue;
      tie.with = it->second;
    }
    kept.push_back(tie);
  }
  *ties = std::move(kept);
}

// Of the first nodes only. What was relaxed for the nodes of bodies becomes notes.
void KeepNodes(const Graph& whole, int num_nodes, Placement* placement) {
  placement->device_of.resize(num_nodes);
  placement->reasons.resize(num_nodes);
  KeepTies(num_nodes, &placement->ties);
  while (!placement->host_args.empty() && placement->host_args.back().node >= num_nodes)
    placement->host_args.pop_back();
  for (const Fallback& f : placement->fallbacks) {
    if (f.node < num_nodes) continue;
    placement->notes.push_back(absl::StrCat("fallback in a body: node '", whole.node(f.node).name(), "' asked for ",
                                            f.asked, ", got ", f.got, ": ", f.why));
  }
  const auto is_in_body = [&](const Fallback& f) { return f.node >= num_nodes; };
  placement->fallbacks.erase(std::remove_if(placement->fallbacks.begin(), placement->fallbacks.end(), is_in_body),
                             placement->fallbacks.end());
}

}  // namespace

absl::Status CheckPolicy(const Policy& policy) {
  const PolicyPart* solver = nullptr;
  for (const PolicyPart& part : policy.parts()) {
    if (part.whole != nullptr && policy.parts().size() > 1) {
      return absl::InvalidArgumentError(
          absl::StrCat(Named(part), ": expected to be the whole policy, got '", policy.text(), "'"));
    }
    if (solver != nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(Named(part), ": expected before the solver '", solver->text(),
                                                     "', which leaves nothing open, got after it"));
    }
    if (part.solver != nullptr) solver = &part;
    if (part.rule == nullptr && part.graph_rule == nullptr) continue;
    const absl::Status status = part.rule != nullptr ? part.rule->status() : part.graph_rule->status();
    if (!status.ok()) return absl::Status(status.code(), absl::StrCat(Named(part), ": ", status.message()));
  }
  return absl::OkStatus();
}

absl::StatusOr<Placement> PlaceGraph(const Graph& graph, const Machine& machine, const Policy& policy,
                                     const OpSupport& support, const PlaceOptions& options) {
  if (!ExpandsBodies(graph, policy)) return PlaceAsItIs(graph, machine, policy, support, options);
  std::vector<std::string> left_out;
  BERTH_ASSIGN_OR_RETURN(const Graph whole, WithFunctionBodies(graph, {}, &left_out));
  BERTH_ASSIGN_OR_RETURN(Placement placement, PlaceAsItIs(whole, machine, policy, support, options));
  KeepNodes(whole, graph.num_nodes(), &placement);
  placement.graph_hash = graph.Fingerprint();
  placement.notes.insert(placement.notes.end(), left_out.begin(), left_out.end());
  return placement;
}

absl::StatusOr<ExplainedPlacement> ExplainPlacement(const Graph& graph, const Machine& machine, const Policy& policy,
                                                    const OpSupport& support, const PlaceOptions& options) {
  ExplainedPlacement explained;
  if (WholeOf(policy) != nullptr) {
    BERTH_ASSIGN_OR_RETURN(explained.placement, PlaceGraph(graph, machine, policy, support, options));
    explained.explainer = ExplainByKernels(graph, machine, support, explained.placement);
    return explained;
  }
  BERTH_RETURN_IF_ERROR(CanPlace(machine, policy));
  std::unique_ptr<const Graph> whole;
  std::vector<std::string> left_out;
  if (ExpandsBodies(graph, policy)) {
    BERTH_ASSIGN_OR_RETURN(Graph with_bodies, WithFunctionBodies(graph, {}, &left_out));
    whole = std::make_unique<const Graph>(std::move(with_bodies));
  }
  const Graph& placed = whole == nullptr ? graph : *whole;
  auto state = std::make_unique<PlacementState>(placed, machine, support, options.mode);
  state->Keep();
  BERTH_RETURN_IF_ERROR(ApplyParts(policy, *state));
  Placement& placement = explained.placement;
  placement = state->Finish();
  Complete(placed, machine, policy, options.mode, placement);
  if (whole != nullptr) {
    KeepNodes(placed, graph.num_nodes(), &placement);
    placement.graph_hash = graph.Fingerprint();
    placement.notes.insert(placement.notes.end(), left_out.begin(), left_out.end());
  }
  explained.explainer = std::make_unique<StateExplainer>(std::move(whole), graph.num_nodes(), std::move(state));
  return explained;
}

absl::StatusOr<std::vector<Conflict>> FindConflicts(const Graph& graph, const Machine& machine, const Policy& policy,
                                                    const OpSupport& support, const PlaceOptions& options) {
  BERTH_RETURN_IF_ERROR(CanPlace(machine, policy));
  if (WholeOf(policy) != nullptr) return std::vector<Conflict>();
  const auto state = std::make_unique<PlacementState>(graph, machine, support, options.mode);
  const absl::Status status = ApplyParts(policy, *state);
  if (status.ok()) return std::vector<Conflict>();
  std::vector<Conflict> conflicts = state->Conflicts(kMaxConflicts);
  if (conflicts.empty()) return status;
  return conflicts;
}

}  // namespace berth
