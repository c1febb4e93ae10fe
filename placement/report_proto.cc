// PlacementDef and its JSON.
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/status_macros.h"
#include "placement/dump.h"
#include "placement/estimate_proto.h"
#include "placement/groups.h"
#include "placement/host_memory.h"
#include "placement/report.h"
#include "placement/report_parts.h"
#include "proto/placement.pb.h"

namespace berth {
namespace {

// Gathers the texts of a placement that is read back.
class Texts {
 public:
  explicit Texts(std::vector<std::string>* texts) : texts_(texts) {}
  int32_t Of(const std::string& text) {
    const auto [it, is_new] = ids_.emplace(text, static_cast<int32_t>(texts_->size()));
    if (is_new) texts_->push_back(text);
    return it->second;
  }

 private:
  std::vector<std::string>* texts_;
  absl::flat_hash_map<std::string, int32_t> ids_;
};

absl::StatusOr<DeviceId> FindDevice(const std::string& name, const std::string& node, const Machine& machine) {
  const absl::StatusOr<DeviceName> parsed = ParseDeviceName(name);
  const std::optional<DeviceId> d = parsed.ok() ? machine.Find(*parsed) : std::nullopt;
  if (d) return *d;
  return absl::InvalidArgumentError(absl::StrCat("placement of node '", node, "': expected a device of ",
                                                 machine.DeviceList(), ", got '", name, "'"));
}

absl::Status ReadNodes(const pb::PlacementDef& def, const Graph& graph, const Machine& machine, Placement* placement) {
  placement->device_of.assign(graph.num_nodes(), kNoDevice);
  placement->reasons.resize(graph.num_nodes());
  Texts texts(&placement->texts);
  for (const pb::NodePlacement& node : def.node()) {
    const std::optional<Node> found = graph.Find(node.name());
    if (!found) {
      return absl::InvalidArgumentError(
          absl::StrCat("placement of node '", node.name(), "': expected a node of the graph, got another"));
    }
    if (placement->device_of[found->id()] != kNoDevice) {
      return absl::InvalidArgumentError(absl::StrCat("placement of node '", node.name(), "': occurs twice"));
    }
    BERTH_ASSIGN_OR_RETURN(placement->device_of[found->id()], FindDevice(node.device(), node.name(), machine));
    placement->reasons[found->id()] = {texts.Of(node.author()), texts.Of(node.reason())};
    if (node.host_memory_size() > 0) {
      placement->host_args.push_back({found->id(), texts.Of(absl::StrJoin(node.host_memory(), ","))});
    }
  }
  std::sort(placement->host_args.begin(), placement->host_args.end(),
            [](const HostArgs& a, const HostArgs& b) { return a.node < b.node; });
  for (NodeId n = 0; n < graph.num_nodes(); ++n) {
    if (placement->device_of[n] != kNoDevice) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("placement of node '", graph.node(n).name(), "': expected a device, got none"));
  }
  return absl::OkStatus();
}

FallbackCause CauseOf(const std::string& name) {
  for (const auto cause :
       {FallbackCause::kNoSuchDevice, FallbackCause::kKernel, FallbackCause::kColocation, FallbackCause::kMemory}) {
    if (CauseName(cause) == name) return cause;
  }
  return FallbackCause::kPart;
}

// A Relaxation or a pb::Fallback.
template <typename Def>
absl::Status ReadFallback(const Def& def, const Graph& graph, Placement* placement) {
  const std::optional<Node> node = graph.Find(def.node());
  if (!node) {
    return absl::InvalidArgumentError(
        absl::StrCat("fallback of node '", def.node(), "': expected a node of the graph, got another"));
  }
  Fallback& fallback = placement->fallbacks.emplace_back();
  fallback.node = node->id();
  fallback.asked = def.asked();
  fallback.got = def.device();
  fallback.author = def.author();
  fallback.why = def.reason();
  fallback.cause = CauseOf(def.cause());
  return absl::OkStatus();
}

absl::Status ReadFallbacks(const pb::PlacementDef& def, const Graph& graph, const Machine& machine,
                           Placement* placement) {
  for (const pb::Relaxation& relaxation : def.relaxation()) {
    BERTH_RETURN_IF_ERROR(ReadFallback(relaxation, graph, placement));
    Fallback& fallback = placement->fallbacks.back();
    fallback.dropped = relaxation.field();
    if (!relaxation.wanted().empty()) {
      BERTH_ASSIGN_OR_RETURN(fallback.wanted, FindDevice(relaxation.wanted(), relaxation.node(), machine));
    }
    if (relaxation.has_cost_bytes()) fallback.cost_bytes = relaxation.cost_bytes();
    if (relaxation.has_cost_seconds()) fallback.cost_seconds = relaxation.cost_seconds();
  }
  for (const pb::Fallback& fallback : def.fallback()) {
    BERTH_RETURN_IF_ERROR(ReadFallback(fallback, graph, placement));
  }
  std::stable_sort(placement->fallbacks.begin(), placement->fallbacks.end(),
                   [](const Fallback& a, const Fallback& b) { return a.node < b.node; });
  return absl::OkStatus();
}

}  // namespace

ReportNames NamesFor(const Graph& graph, const Machine& machine, const Placement& placement) {
  ReportNames names;
  for (const MachineDevice& device : machine.devices()) names.devices.push_back(device.name.ToString());
  const Groups groups = FindGroups(graph, placement.ties);
  names.groups.resize(graph.num_nodes());
  for (NodeId n = 0; n < graph.num_nodes(); ++n) {
    if (groups.is_root(n)) {
      names.groups[n] = static_cast<int32_t>(names.roots.size());
      names.roots.push_back(n);
    } else {
      names.groups[n] = names.groups[groups.root[n]];
    }
  }
  return names;
}

void HeadToProto(const Placement& placement, pb::PlacementDef* def) {
  def->set_version(kPlacementDefVersion);
  def->set_graph_hash(placement.graph_hash);
  def->set_machine_hash(placement.machine_hash);
  def->set_policy_hash(placement.policy_hash);
  def->set_policy(placement.policy);
  def->set_machine(placement.machine);
  def->set_mode(placement.mode == PlacementMode::kStrict ? "strict" : "soft");
  def->set_seed(placement.seed);
}

void NodeToProto(const Graph& graph, const Machine& machine, const Placement& placement, const ReportNames& names,
                 NodeId n, pb::NodePlacement* out) {
  const Node node = graph.node(n);
  out->set_name(std::string(node.name()));
  out->set_op(std::string(node.op()));
  out->set_device(names.devices[placement.device(n)]);
  out->set_requested(std::string(node.device()));
  out->set_author(placement.author(n));
  out->set_reason(placement.reason(n));
  out->set_group(names.groups[n]);
  out->set_source(node.source().ToString());
  for (const Tag& tag : node.tags()) (*out->mutable_tag())[tag.key] = tag.value;
  for (std::string& name : HostMemoryOf(graph, machine, placement, n)) out->add_host_memory(std::move(name));
}

void RelaxationToProto(const Graph& graph, const ReportNames& names, const Fallback& fallback, pb::Relaxation* out) {
  out->set_node(std::string(graph.node(fallback.node).name()));
  out->set_demand(absl::StrCat(fallback.author, ": ", fallback.asked));
  out->set_field(fallback.dropped);
  out->set_device(fallback.got);
  out->set_reason(fallback.why);
  out->set_author(fallback.author);
  out->set_asked(fallback.asked);
  out->set_cause(std::string(CauseName(fallback.cause)));
  if (fallback.wanted != kNoDevice) out->set_wanted(names.devices[fallback.wanted]);
  if (fallback.cost_bytes) out->set_cost_bytes(*fallback.cost_bytes);
  if (fallback.cost_seconds) out->set_cost_seconds(*fallback.cost_seconds);
}

void FallbackToProto(const Graph& graph, const Fallback& fallback, pb::Fallback* out) {
  out->set_node(std::string(graph.node(fallback.node).name()));
  out->set_asked(fallback.asked);
  out->set_author(fallback.author);
  out->set_reason(fallback.why);
  out->set_device(fallback.got);
  out->set_cause(std::string(CauseName(fallback.cause)));
}

void ChoiceToProto(const Graph& graph, const ReportNames& names, NodeId n, const Choice& choice, pb::GroupChoice* out) {
  out->set_group(names.groups[n]);
  out->set_node(std::string(graph.node(n).name()));
  out->set_members(choice.members);
  for (const DeviceId d : choice.candidates) out->add_candidate(names.devices[d]);
  for (const Veto& veto : choice.vetoes) {
    pb::Veto* row = out->add_veto();
    for (const DeviceId d : veto.devices) row->add_device(names.devices[d]);
    row->set_author(veto.author);
    row->set_origin(veto.origin);
    row->set_reason(veto.reason);
    if (veto.node != kNoNode) row->set_node(std::string(graph.node(veto.node).name()));
    row->set_tie(veto.tie);
  }
  for (const Score& score : choice.scores) {
    pb::Score* row = out->add_score();
    row->set_device(names.devices[score.device]);
    row->set_preference(score.preference);
    if (score.value) row->set_value(*score.value);
  }
  out->set_winner(names.devices[choice.winner]);
  if (choice.runner_up != kNoDevice) out->set_runner_up(names.devices[choice.runner_up]);
  out->set_margin(choice.margin);
  out->set_tie(choice.tie);
}

void TieToProto(const Graph& graph, const RuleTie& tie, pb::RuleTie* out) {
  out->set_node(std::string(graph.node(tie.node).name()));
  out->set_with(std::string(graph.node(tie.with).name()));
  out->set_part(tie.part);
}

void TailToProto(const Graph& graph, const Machine& machine, const Placement& placement, pb::PlacementDef* def) {
  for (const RuleUse& use : placement.rules) {
    pb::RuleCoverage* out = def->add_rule();
    out->set_text(use.text);
    out->set_hits(use.hits);
    out->set_overruled(use.overruled);
    out->set_never_matched(use.hits == 0 && use.overruled == 0);
  }
  for (const std::string& note : placement.notes) def->add_note(note);
  EstimateToProto(machine, EstimatePlacement(graph, machine, placement), def);
}

pb::PlacementDef PlacementToProto(const Graph& graph, const Machine& machine, const Placement& placement,
                                  Explainer* explainer) {
  const ReportNames names = NamesFor(graph, machine, placement);
  pb::PlacementDef def;
  HeadToProto(placement, &def);
  for (NodeId n = 0; n < graph.num_nodes(); ++n) NodeToProto(graph, machine, placement, names, n, def.add_node());
  for (const Fallback& fallback : placement.fallbacks) {
    if (fallback.dropped.empty()) {
      FallbackToProto(graph, fallback, def.add_fallback());
    } else {
      RelaxationToProto(graph, names, fallback, def.add_relaxation());
    }
  }
  TailToProto(graph, machine, placement, &def);
  for (size_t i = 0; explainer != nullptr && i < names.roots.size(); ++i) {
    ChoiceToProto(graph, names, names.roots[i], explainer->Explain(names.roots[i]), def.add_choice());
  }
  for (const RuleTie& tie : placement.ties) TieToProto(graph, tie, def.add_tie());
  return def;
}

absl::StatusOr<Placement> PlacementFromProto(const pb::PlacementDef& def, const Graph& graph, const Machine& machine) {
  if (def.version() != kPlacementDefVersion) {
    return absl::InvalidArgumentError(
        absl::StrCat("placement: expected version ", kPlacementDefVersion, ", got ", def.version()));
  }
  Placement placement;
  placement.graph_hash = def.graph_hash();
  placement.machine_hash = def.machine_hash();
  placement.policy_hash = def.policy_hash();
  placement.policy = def.policy();
  placement.machine = def.machine();
  placement.mode = def.mode() == "soft" ? PlacementMode::kSoft : PlacementMode::kStrict;
  placement.seed = def.seed();
  BERTH_RETURN_IF_ERROR(ReadNodes(def, graph, machine, &placement));
  BERTH_RETURN_IF_ERROR(ReadFallbacks(def, graph, machine, &placement));
  for (const pb::RuleCoverage& rule : def.rule()) {
    placement.rules.push_back({rule.text(), rule.hits(), rule.overruled()});
  }
  placement.notes.assign(def.note().begin(), def.note().end());
  for (const pb::RuleTie& tie : def.tie()) {
    const std::optional<Node> node = graph.Find(tie.node()), with = graph.Find(tie.with());
    if (!node || !with) {
      return absl::InvalidArgumentError(absl::StrCat("tie of node '", tie.node(), "' with '", tie.with(),
                                                     "': expected nodes of the graph, got others"));
    }
    placement.ties.push_back({node->id(), with->id(), tie.part()});
  }
  return placement;
}

absl::StatusOr<Placement> PlacementFromJson(absl::string_view json, const Graph& graph, const Machine& machine) {
  pb::PlacementDef def;
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  const auto status = google::protobuf::util::JsonStringToMessage({json.data(), json.size()}, &def, options);
  if (!status.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("placement: expected a PlacementDef in JSON: ", std::string(status.message())));
  }
  return PlacementFromProto(def, graph, machine);
}

}  // namespace berth
