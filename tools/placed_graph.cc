#include "tools/placed_graph.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/function_bodies.h"
#include "graph/prune.h"
#include "graph/read_file.h"
#include "graph/status_macros.h"
#include "graph/verify.h"
#include "kernels/kernels.h"
#include "kernels/op_support.h"
#include "placement/place.h"
#include "placement/refusal.h"
#include "tools/values.h"

namespace berth {
namespace {

constexpr size_t kShownReasons = 16;

// What is known of the shapes of feeds before anything runs: that of a value given on the command line.
absl::StatusOr<InferOptions> FeedShapes(const Graph& graph, const std::vector<std::string>& feeds, Io& io) {
  InferOptions options;
  for (const std::string& feed : feeds) {
    if (feed.find('=') == std::string::npos) continue;
    BERTH_ASSIGN_OR_RETURN(const NamedValue named, SplitNamedValue("--feed", feed));
    const absl::StatusOr<TensorName> tensor = FindTensor(graph, named.name);
    if (!tensor.ok()) return WithExit(tensor.status(), kExitUsage);
    if (tensor->slot < 0) {
      return WithExit(absl::InvalidArgumentError(
                          absl::StrCat("flag --feed '", named.name, "': expected a tensor, got an op without outputs")),
                      kExitUsage);
    }
    const DType dtype = graph.node(tensor->node).output_dtype(tensor->slot);
    BERTH_ASSIGN_OR_RETURN(const Tensor value, ReadValue("--feed", named, dtype, io));
    options.feeds.emplace(absl::StrCat(graph.node(tensor->node).name(), ":", tensor->slot),
                          PartialShape(absl::MakeConstSpan(value.dims().data(), value.dims().size())));
  }
  return options;
}

// Notes that differ only in the node they are about are one line, with the first of the nodes.
void PrintNotes(const std::vector<std::string>& notes, Io& io) {
  std::map<std::string, int64_t> more;
  std::vector<const std::string*> first;
  const auto subject = [](const std::string& note) { return note.substr(0, note.find(": node '")); };
  for (const std::string& note : notes) {
    const auto [it, is_new] = more.emplace(subject(note), 0);
    if (is_new) {
      first.push_back(&note);
    } else {
      ++it->second;
    }
  }
  for (const std::string* note : first) {
    const int64_t count = more[subject(*note)];
    io.err << "note: " << *note << (count == 0 ? "" : absl::StrCat(", and ", count, " more")) << "\n";
  }
}

PruneOptions WantedBy(const PlaceFlags& flags) {
  return {.fetches = flags.fetches, .targets = flags.targets, .feeds = FeedNames(flags.feeds)};
}

// What prunes nothing under a whole policy is still no typing mistake.
absl::Status CheckNames(const Graph& graph, const PlaceFlags& flags) {
  return WithExit(PruneGraph(graph, WantedBy(flags)).status(), kExitUsage);
}

// Says as data why the graph cannot be placed.
absl::Status TellRefusal(const PlacedGraph& placed, const absl::Status& error, const PlaceFlags& flags, Io& io) {
  const PlacementMode mode = flags.soft ? PlacementMode::kSoft : PlacementMode::kStrict;
  const auto conflicts =
      FindConflicts(*placed.graph, placed.machine, placed.policy, SupportFrom(*CpuKernels()), {.mode = mode});
  const std::vector<Conflict> none;
  return WriteOutput(
      *flags.refusal_to,
      RefusalToJson(*placed.graph, placed.machine, placed.policy, mode, error, conflicts.ok() ? *conflicts : none), io);
}

// Keeps the kernels it answers from.
class OwningExplainer : public Explainer {
 public:
  OwningExplainer(std::unique_ptr<const OpSupport> support, std::unique_ptr<Explainer> explainer)
      : support_(std::move(support)), explainer_(std::move(explainer)) {}
  Choice Explain(NodeId n) override { return explainer_->Explain(n); }

 private:
  const std::unique_ptr<const OpSupport> support_;
  const std::unique_ptr<Explainer> explainer_;
};

}  // namespace

std::vector<std::string> FeedNames(const std::vector<std::string>& feeds) {
  std::vector<std::string> names;
  names.reserve(feeds.size());
  for (const std::string& feed : feeds) names.push_back(feed.substr(0, feed.find('=')));
  return names;
}

absl::StatusOr<Machine> MachineFrom(const PlaceFlags& flags) {
  absl::StatusOr<Machine> machine = LoadMachine(flags.machine, flags.machine_origin);
  if (!machine.ok()) return WithExit(machine.status(), NamesFile(flags.machine) ? kExitUnreadable : kExitUsage);
  if (!flags.session.empty()) {
    const absl::StatusOr<DeviceName> task = ParseDeviceName(flags.session);
    const absl::Status set = task.ok() ? machine->SetSessionTask(*task) : task.status();
    if (!set.ok())
      return WithExit(absl::Status(set.code(), absl::StrCat("flag --session: ", set.message())), kExitUsage);
  }
  return machine;
}

absl::StatusOr<Policy> PolicyFrom(const PlaceFlags& flags) {
  absl::StatusOr<Policy> policy = LoadPolicy(flags.policy, flags.policy_origin);
  if (!policy.ok()) return WithExit(policy.status(), NamesFile(flags.policy) ? kExitUnreadable : kExitUsage);
  if (const absl::Status status = CheckPolicy(*policy); !status.ok()) return WithExit(status, kExitUsage);
  return policy;
}

absl::Status WithPlaceExit(absl::Status status) {
  const bool unreadable = absl::IsInvalidArgument(status) || absl::IsNotFound(status) || absl::IsUnavailable(status);
  return WithExit(std::move(status), unreadable ? kExitUnreadable : kExitUnplaceable);
}

absl::StatusOr<LoadedGraph> LoadForPlacing(const PlaceFlags& flags, Io& io) {
  BERTH_ASSIGN_OR_RETURN(Graph graph, LoadGraph(flags.source, io));
  if (const absl::Status verified = VerifyGraph(graph); !verified.ok()) return WithExit(verified, kExitUnreadable);
  BERTH_ASSIGN_OR_RETURN(InferOptions shapes, FeedShapes(graph, flags.feeds, io));
  return LoadedGraph{std::move(graph), std::move(shapes)};
}

absl::StatusOr<std::shared_ptr<const Graph>> PrunedGraph(const LoadedGraph& loaded, const PlaceFlags& flags) {
  absl::StatusOr<Graph> pruned = PruneGraph(loaded.graph, WantedBy(flags));
  if (!pruned.ok()) return WithExit(pruned.status(), kExitUsage);
  return WholeGraph({*std::move(pruned), loaded.shapes});
}

absl::StatusOr<std::shared_ptr<const Graph>> GraphWithBodies(std::shared_ptr<const Graph> graph,
                                                             const LoadedGraph& loaded, Io& io) {
  if (!LacksFunctionBodies(*graph)) return graph;
  std::vector<std::string> left_out;
  absl::StatusOr<Graph> whole = WithFunctionBodies(*graph, loaded.shapes, &left_out);
  if (!whole.ok()) return WithExit(whole.status(), kExitUnreadable);
  PrintNotes(left_out, io);
  return std::make_shared<const Graph>(*std::move(whole));
}

absl::StatusOr<std::shared_ptr<const Graph>> WholeGraph(LoadedGraph loaded) {
  absl::StatusOr<Graph> inferred = InferShapes(std::move(loaded.graph), loaded.shapes);
  if (!inferred.ok()) return WithExit(inferred.status(), kExitUnreadable);
  return std::make_shared<const Graph>(*std::move(inferred));
}

absl::StatusOr<Placement> PlaceLoaded(const Graph& graph, const Machine& machine, const Policy& policy, bool soft) {
  const OpSupport support = SupportFrom(*CpuKernels());
  absl::StatusOr<Placement> placement =
      PlaceGraph(graph, machine, policy, support, {.mode = soft ? PlacementMode::kSoft : PlacementMode::kStrict});
  if (!placement.ok()) return WithPlaceExit(placement.status());
  return placement;
}

absl::StatusOr<PlacedGraph> LoadAndPlace(const PlaceFlags& flags, Io& io) {
  PlacedGraph placed;
  BERTH_ASSIGN_OR_RETURN(placed.machine, MachineFrom(flags));
  BERTH_ASSIGN_OR_RETURN(placed.policy, PolicyFrom(flags));
  BERTH_ASSIGN_OR_RETURN(LoadedGraph loaded, LoadForPlacing(flags, io));
  if (PlacesWholeGraph(placed.policy)) {
    BERTH_RETURN_IF_ERROR(CheckNames(loaded.graph, flags));
    BERTH_ASSIGN_OR_RETURN(placed.graph, WholeGraph(std::move(loaded)));
    placed.own = placed.graph;
  } else {
    BERTH_ASSIGN_OR_RETURN(placed.own, PrunedGraph(loaded, flags));
    BERTH_ASSIGN_OR_RETURN(placed.graph, GraphWithBodies(placed.own, loaded, io));
  }
  absl::StatusOr<Placement> placement = PlaceLoaded(*placed.graph, placed.machine, placed.policy, flags.soft);
  if (!placement.ok()) {
    if (flags.refusal_to && ExitOf(placement.status()) == kExitUnplaceable) {
      BERTH_RETURN_IF_ERROR(TellRefusal(placed, placement.status(), flags, io));
    }
    return placement.status();
  }
  placed.placement = *std::move(placement);
  return placed;
}

absl::StatusOr<std::unique_ptr<Explainer>> ExplainPlaced(const PlacedGraph& placed) {
  auto support = std::make_unique<const OpSupport>(SupportFrom(*CpuKernels()));
  absl::StatusOr<ExplainedPlacement> explained =
      ExplainPlacement(*placed.graph, placed.machine, placed.policy, *support, {.mode = placed.placement.mode});
  if (!explained.ok()) return WithPlaceExit(explained.status());
  return std::make_unique<OwningExplainer>(std::move(support), std::move(explained->explainer));
}

absl::Status CheckFallbacks(const PlaceFlags& flags, const Graph& graph, const Placement& placement) {
  if (!flags.forbid_fallback) return absl::OkStatus();
  return WithExit(ForbidFallbacks(graph, placement), kExitNegative);
}

void ReportPlacement(const Graph& graph, const Machine& machine, const Placement& placement, Io& io) {
  std::vector<int64_t> nodes(machine.num_devices(), 0);
  for (const DeviceId d : placement.device_of) ++nodes[d];
  io.err << "placed " << graph.num_nodes() << (graph.num_nodes() == 1 ? " node:" : " nodes:");
  for (DeviceId d = 0; d < machine.num_devices(); ++d) {
    if (nodes[d] > 0) io.err << " " << machine.device(d).name.ShortName() << " " << nodes[d];
  }
  io.err << "; " << FallbackSummary(placement) << "\n";
  std::map<std::string, int64_t> by_reason;
  for (const Fallback& f : placement.fallbacks) ++by_reason[absl::StrCat(f.author, ": ", f.why)];
  size_t shown = 0;
  for (const auto& [reason, count] : by_reason) {
    if (shown++ == kShownReasons) {
      io.err << "  ... and " << by_reason.size() - kShownReasons << " more reasons; the report lists all\n";
      break;
    }
    io.err << "  " << count << (count == 1 ? " node: " : " nodes: ") << reason << "\n";
  }
  PrintNotes(placement.notes, io);
}

}  // namespace berth
