// replica-setter: parameter-server style, as TensorFlow's replica_device_setter. Ops that hold state go to the tasks of
// `ps`, in the order of the graph: each in turn (by=round-robin), to the one with fewest bytes so far (by=bytes, an
// unknown size counts as none), or by chance (by=random:SEED); all other nodes go to `worker`. Nodes that share a group
// with state go with it and ask for nothing. Requests act through `pins` before it: one for another job keeps a variable
// there and takes no turn. O(nodes + variables x ps tasks). Bad for few large variables in turns (see by=bytes), and it
// never moves one again (see state-balanced). Li et al., "Scaling Distributed Machine Learning with the Parameter
// Server", OSDI 2014.
#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "graph/fingerprint.h"
#include "graph/node_bytes.h"
#include "placement/device_text.h"
#include "placement/part.h"
#include "placement/placement_state.h"
#include "placement/policy.h"

namespace berth {
namespace {

// TensorFlow's ps_ops.
bool HoldsState(absl::string_view op) {
  static constexpr std::array<absl::string_view, 14> kOps = {"AutoReloadVariable",
                                                             "BoostedTreesEnsembleResourceHandleOp",
                                                             "BoostedTreesQuantileStreamResourceHandleOp",
                                                             "DecisionTreeResource",
                                                             "MutableDenseHashTable",
                                                             "MutableDenseHashTableV2",
                                                             "MutableHashTable",
                                                             "MutableHashTableOfTensors",
                                                             "MutableHashTableOfTensorsV2",
                                                             "MutableHashTableV2",
                                                             "ResourceConditionalAccumulator",

                                                             "VarHandleOp",
                                                             "Variable",
                                                             "VariableV2"};
  return std::find(kOps.begin(), kOps.end(), op) != kOps.end();
}

class Setter {
 public:
  Setter(PlacementState& state, const ReplicaSetterOptions& options, const DeviceName& ps, const DeviceName& worker)
      : state_(state), options_(options), ps_(ps), worker_(worker) {
    DeviceName job;
    job.job = ps.job;
    if (ps.job) {
      for (const DeviceName& task : state.machine().tasks()) {
        if (Matches(job, task)) tasks_.push_back(task);
      }
    }
    bytes_.resize(tasks_.size());
    ps_devices_ = state.sets().Of(state.machine().Matching(tasks_.empty() ? ps : job));
  }

  void Run() {
    const Graph& graph = state_.graph();
    const AskId worker = state_.AddAsk(worker_, std::nullopt, "worker");
    std::vector<bool> holds_state(graph.num_nodes());  // by group
    for (NodeId n = 0, end = graph.num_nodes(); n < end; ++n) {
      if (HoldsState(graph.node(n).op())) holds_state[state_.group(n)] = true;
    }
    for (NodeId n = 0, end = graph.num_nodes(); n < end; ++n) {
      const Node node = graph.node(n);
      if (!state_.Selected(n) || (!options_.merge && !node.device().empty())) continue;
      if (!holds_state[state_.group(n)]) {
        state_.Require(n, worker);
      } else if (HoldsState(node.op())) {
        Serve(node);
      }
    }
  }

 private:
  void Serve(const Node& node) {
    const NodeId g = state_.group(node.id());
    const auto [task, is_new] = task_of_.emplace(g, -1);
    // What earlier parts, or facts, keep from all ps tasks takes no turn.
    const bool possible = state_.sets().Intersect(state_.candidates(g), ps_devices_) != DeviceSets::kNone;
    if (is_new && possible && !tasks_.empty()) task->second = Choose(node);
    DeviceName pattern = ps_;
    if (task->second >= 0) {
      pattern.replica = tasks_[task->second].replica;
      pattern.task = tasks_[task->second].task;
      // The kind that `ps` names yields to an earlier part's.
      const SetId there = state_.sets().Of(state_.machine().Matching(pattern));
      if (state_.sets().Intersect(state_.candidates(g), there) == DeviceSets::kNone) {
        pattern.type.reset();
        pattern.id.reset();
      }
    }
    state_.Require(node.id(), AskFor(pattern));
  }

  int Choose(const Node& node) {
    const int num_tasks = static_cast<int>(tasks_.size());
    int task = 0;
    if (options_.choose) {
      task = std::clamp(options_.choose(node, bytes_), 0, num_tasks - 1);
    } else if (options_.by == ReplicaSetterOptions::By::kBytes) {
      task = static_cast<int>(std::min_element(bytes_.begin(), bytes_.end()) - bytes_.begin());
    } else if (options_.by == ReplicaSetterOptions::By::kRandom) {
      task = static_cast<int>(Fingerprint(node.name(), options_.seed) % num_tasks);
    } else {
      task = next_++ % num_tasks;
    }
    constexpr int64_t kMost = int64_t{1} << 62;
    bytes_[task] += std::min(kMost - bytes_[task], NodeBytes(node).value_or(0));
    return task;
  }

  AskId AskFor(const DeviceName& pattern) {
    const auto [it, is_new] = asks_.emplace(pattern.ToString(), -1);
    if (is_new) it->second = state_.AddAsk(pattern, std::nullopt, "state");
    return it->second;
  }

  PlacementState& state_;
  const ReplicaSetterOptions& options_;
  const DeviceName ps_, worker_;
  std::vector<DeviceName> tasks_;  // of ps's job; empty where ps names no job
  std::vector<int64_t> bytes_;     // by task
  SetId ps_devices_ = DeviceSets::kNone;
  absl::flat_hash_map<NodeId, int> task_of_;  // by group
  absl::flat_hash_map<std::string, AskId> asks_;
  int next_ = 0;
};

class ReplicaSetterRule : public GraphRule {
 public:
  explicit ReplicaSetterRule(ReplicaSetterOptions options)
      : options_(std::move(options)), ps_(options_.ps), worker_(options_.worker) {}

  std::string text() const override {
    std::string by = options_.by == ReplicaSetterOptions::By::kBytes    ? "bytes"
                     : options_.by == ReplicaSetterOptions::By::kRandom ? absl::StrCat("random:", options_.seed)
                                                                        : "round-robin";
    if (options_.choose) by = "custom";
    return absl::StrCat("replica-setter ps=", ps_.text(), " worker=", worker_.text(), " by=", by,
                        options_.merge ? "" : " merge=off");
  }

  absl::Status Apply(PlacementState& state) const override {
    for (const DevicePattern* pattern : {&ps_, &worker_}) {
      if (pattern->status().ok()) continue;
      return absl::Status(pattern->status().code(),
                          absl::StrCat("policy part '", text(), "': ", pattern->status().message()));
    }
    Setter(state, options_, ps_.name(), worker_.name()).Run();
    return absl::OkStatus();
  }

 private:
  const ReplicaSetterOptions options_;
  const DevicePattern ps_, worker_;
};

}  // namespace

Policy ReplicaSetter(ReplicaSetterOptions options) {
  PolicyPart part;
  part.graph_rule = std::make_shared<ReplicaSetterRule>(std::move(options));
  return Policy(std::move(part));
}

}  // namespace berth
