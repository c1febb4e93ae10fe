// The stages that place, partition and run share: load, infer, prune, place, as the flags say.
#ifndef BERTH_TOOLS_PLACED_GRAPH_H_
#define BERTH_TOOLS_PLACED_GRAPH_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/graph.h"
#include "graph/infer.h"
#include "placement/choice.h"
#include "placement/machine.h"
#include "placement/placement.h"
#include "placement/policy.h"
#include "tools/graph_source.h"
#include "tools/io.h"

namespace berth {

// The flags that these verbs share, as given.
struct PlaceFlags {
  GraphSource source;
  std::string machine = "cpu:1";
  std::string policy = "default";
  // How messages call these two; sweep has them from lists.
  std::string machine_origin = "machine";
  std::string policy_origin = "flag --policy";
  std::string session;  // "/job:worker/task:0": the task that feeds and fetches
  bool soft = false;
  bool forbid_fallback = false;    // a placement with fallbacks is a negative answer
  std::vector<std::string> feeds;  // NAME, NAME=VALUE or NAME=@FILE.npy
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  // Of verbs whose result is JSON: the file, or "" for standard output, that a refusal goes to as RefusalDef.
  std::optional<std::string> refusal_to;
};

struct PlacedGraph {
  // What was placed: pruned to fetches and targets, and with the bodies of functions after the graph's own nodes; by whole
  // policies neither.
  std::shared_ptr<const Graph> graph;
  std::shared_ptr<const Graph> own;  // the same without bodies: what is cut and run
  Machine machine;
  Policy policy;
  Placement placement;
};

// Errors carry their exit code: kExitUsage for machine, policy, feed and fetch flags, kExitUnreadable for the graph,
// kExitUnplaceable for the placement, which is told as data too where flags.refusal_to says so.
absl::StatusOr<PlacedGraph> LoadAndPlace(const PlaceFlags& flags, Io& io);

// A graph read once, to be placed once or more.
struct LoadedGraph {
  Graph graph;
  InferOptions shapes;  // of feeds
};
absl::StatusOr<LoadedGraph> LoadForPlacing(const PlaceFlags& flags, Io& io);
// What of it is placed, with shapes: what fetches and targets need, or, for whole policies, everything.
absl::StatusOr<std::shared_ptr<const Graph>> PrunedGraph(const LoadedGraph& loaded, const PlaceFlags& flags);
// With the bodies of the functions that it calls; the graph itself where there are none.
absl::StatusOr<std::shared_ptr<const Graph>> GraphWithBodies(std::shared_ptr<const Graph> graph,
                                                             const LoadedGraph& loaded, Io& io);
absl::StatusOr<std::shared_ptr<const Graph>> WholeGraph(LoadedGraph loaded);
// Places with the kernels there are; the error has its exit code.
absl::StatusOr<Placement> PlaceLoaded(const Graph& graph, const Machine& machine, const Policy& policy, bool soft);

// The parts of it, for verbs that place later.
absl::StatusOr<Machine> MachineFrom(const PlaceFlags& flags);
absl::StatusOr<Policy> PolicyFrom(const PlaceFlags& flags);
// The exit code of an error of placing: kExitUnreadable where a request or a dump is not what it should be, else
// kExitUnplaceable.
absl::Status WithPlaceExit(absl::Status status);
// The name before `=` of each feed.
std::vector<std::string> FeedNames(const std::vector<std::string>& feeds);

// Places once more, and keeps what that forgets. The explainer borrows the graph and the machine of `placed`.
absl::StatusOr<std::unique_ptr<Explainer>> ExplainPlaced(const PlacedGraph& placed);

// kExitNegative where the flags forbid fallbacks and there are some, else OK.
absl::Status CheckFallbacks(const PlaceFlags& flags, const Graph& graph, const Placement& placement);

// One summary line for people: nodes a device, and fallbacks by reason. To io.err.
void ReportPlacement(const Graph& graph, const Machine& machine, const Placement& placement, Io& io);

}  // namespace berth

#endif  // BERTH_TOOLS_PLACED_GRAPH_H_
