#include "runtime/session.h"

#include <list>
#include <mutex>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/infer.h"
#include "graph/prune.h"
#include "graph/status_macros.h"
#include "graph/verify.h"
#include "placement/part.h"
#include "runtime/devices.h"
#include "runtime/executor.h"
#include "runtime/partition.h"
#include "runtime/plan.h"
#include "runtime/variables.h"
#include "runtime/verify_placement.h"

namespace berth {
namespace {

// Signatures kept ready to run; the one made first goes first.
constexpr size_t kMaxSignatures = 64;

// What a signature was made to: how to run it, and which of its feeds it takes.
struct Compiled {
  std::unique_ptr<Executor> executor;
  bool takes_all = true;
  std::vector<size_t> takes;  // positions in RunOptions::feeds, where not all
};

// Puts the stage's name in front of its error.
absl::Status InStage(absl::string_view stage, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(stage, ": ", status.message()));
}

#define BERTH_STAGE(lhs, stage, expr)                                \
  auto BERTH_CONCAT_(stage_, __LINE__) = (expr);                     \
  if (!BERTH_CONCAT_(stage_, __LINE__).ok()) {                       \
    return InStage(stage, BERTH_CONCAT_(stage_, __LINE__).status()); \
  }                                                                  \
  lhs = *std::move(BERTH_CONCAT_(stage_, __LINE__))

bool PlacesWholeGraphs(const Policy& policy) {
  for (const PolicyPart& part : policy.parts()) {
    if (part.whole != nullptr) return true;
  }
  return false;
}

class GraphSession final : public Session {
 public:
  GraphSession(std::shared_ptr<const Graph> given, SessionOptions options, Graph graph, Placement placement,
               Devices devices, std::unique_ptr<SessionState> state)
      : given_(std::move(given)),
        options_(std::move(options)),
        graph_(std::move(graph)),
        placement_(std::move(placement)),
        devices_(std::move(devices)),
        state_(std::move(state)) {
    for (DeviceId d = 0; d < devices_.size(); ++d) device_list_.push_back(devices_.device(d));
  }

  absl::StatusOr<std::vector<Tensor>> Run(const RunOptions& options) override;
  absl::StatusOr<uint64_t> PlanFingerprint(const RunOptions& options) override;
  absl::StatusOr<Tensor> GetVariable(absl::string_view name) override;
  absl::Status SetVariable(absl::string_view name, const Tensor& host_value) override;
  std::vector<std::string> Variables() const override { return state_->Names(); }
  const Placement& placement() const override { return placement_; }
  const std::vector<Device*>& devices() const override { return device_list_; }
  const Graph& graph() const override { return graph_; }

 private:
  absl::StatusOr<std::shared_ptr<const Compiled>> Prepare(const RunOptions& options);
  absl::StatusOr<std::shared_ptr<const Compiled>> Compile(const RunOptions& options);
  absl::StatusOr<TensorName> Find(absl::string_view what, absl::string_view name) const;
  absl::StatusOr<Variable*> FindVariable(absl::string_view name) const;

  const std::shared_ptr<const Graph> given_;
  const SessionOptions options_;
  const Graph graph_;
  const Placement placement_;
  Devices devices_;
  const std::unique_ptr<SessionState> state_;
  std::vector<Device*> device_list_;
  std::mutex launch_;
  std::mutex mu_;
  absl::flat_hash_map<std::string, std::shared_ptr<const Compiled>> compiled_;  // guarded by mu_
  std::list<std::string> made_;                                                 // their keys, oldest first
};

absl::Status CheckFeed(const Graph& graph, absl::string_view name, TensorName fed, const Tensor& value) {
  const Node node = graph.node(fed.node);
  const std::string what = absl::StrCat("feed '", name, "' (", node.op(), "): ");
  if (fed.slot < 0)
    return absl::InvalidArgumentError(absl::StrCat(what, "expected a tensor, got an op without outputs"));
  if (!value.has_value()) return absl::InvalidArgumentError(absl::StrCat(what, "expected a value, got none"));
  const DType dtype = BaseOf(node.output_dtype(fed.slot));
  if (dtype != DType::kInvalid && dtype != value.dtype()) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, "expected ", DTypeName(dtype), ", got ", DTypeName(value.dtype())));
  }
  const PartialShape& shape = node.output_shape(fed.slot);
  if (!Compatible(shape, PartialShape(value.dims()))) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, "expected shape ", shape.ToString(), ", got ", value.ShapeString()));
  }
  return absl::OkStatus();
}

// A graph that is a part of another has ends of transfers in it, whose other ends are elsewhere. They must not be taken
// for those that partitioning makes.
absl::Status CheckWhole(const Graph& graph, const InferOptions& shapes) {
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    const Node node = graph.node(id);
    const absl::string_view op = node.op();
    const bool takes = op == "_Recv" || op == "_Arg";
    if (!takes && op != "_Send" && op != "_Retval") continue;
    if (takes && shapes.feeds.contains(absl::StrCat(node.name(), ":0"))) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "node '", node.name(), "' (", op, "): expected a whole graph, got a part of one, and the matching ",
        takes ? "send" : "receive", " is not in the fetched set; run the graph that the part was cut from",
        takes ? absl::StrCat(", or feed '", node.name(), ":0'") : ""));
  }
  return absl::OkStatus();
}

// What tells one signature from another: names, and the feeds' types and shapes, for which memory is planned.
std::string KeyOf(const RunOptions& options) {
  std::string key;
  const auto add = [&key](absl::string_view text) {
    const uint32_t size = static_cast<uint32_t>(text.size());
    key.append(reinterpret_cast<const char*>(&size), sizeof size);
    key.append(text.data(), text.size());
  };
  for (const auto& [name, value] : options.feeds) {
    add(name);
    key.push_back(static_cast<char>(value.dtype()));
    key.push_back(static_cast<char>(value.rank()));
    key.append(reinterpret_cast<const char*>(value.dims().data()), value.dims().size() * sizeof(int64_t));
  }
  key.push_back('f');
  for (const std::string& name : options.fetches) add(name);
  key.push_back('t');
  for (const std::string& name : options.targets) add(name);
  return key;
}

absl::StatusOr<std::vector<Tensor>> GraphSession::Run(const RunOptions& options) {
  std::vector<Tensor> results(options.fetches.size());
  if (options.fetches.empty() && options.targets.empty()) return results;
  BERTH_ASSIGN_OR_RETURN(const std::shared_ptr<const Compiled> compiled, Prepare(options));
  absl::InlinedVector<Tensor, 4> feeds;
  if (compiled->takes_all) {
    for (const auto& [name, value] : options.feeds) feeds.push_back(value);
  } else {
    for (const size_t i : compiled->takes) feeds.push_back(options.feeds[i].second);
  }
  BERTH_RETURN_IF_ERROR(
      compiled->executor->Run(feeds, absl::MakeSpan(results), {options.deadline, options.cancellation, options.trace}));
  return results;
}

absl::StatusOr<std::shared_ptr<const Compiled>> GraphSession::Prepare(const RunOptions& options) {
  std::string key = KeyOf(options);
  {
    std::lock_guard<std::mutex> lock(mu_);
    if (const auto it = compiled_.find(key); it != compiled_.end()) return it->second;
  }
  BERTH_ASSIGN_OR_RETURN(std::shared_ptr<const Compiled> compiled, Compile(options));
  std::lock_guard<std::mutex> lock(mu_);
  const auto [it, is_new] = compiled_.emplace(key, compiled);
  if (!is_new) return it->second;
  made_.push_back(std::move(key));
  if (made_.size() > kMaxSignatures) {
    compiled_.erase(made_.front());
    made_.pop_front();
  }
  return compiled;
}

// The stages that a signature needs: the graph of its fetches and targets, with the shapes of its feeds, cut and
// planned.
absl::StatusOr<std::shared_ptr<const Compiled>> GraphSession::Compile(const RunOptions& options) {
  auto compiled = std::make_shared<Compiled>();
  PartitionOptions cut;
  InferOptions shapes;
  for (size_t i = 0; i < options.feeds.size(); ++i) {
    const auto& [name, value] = options.feeds[i];
    const absl::StatusOr<TensorName> fed = FindTensor(graph_, name);
    if (!fed.ok()) {  // what nothing that the session was made for needs is checked, and not used
      const absl::StatusOr<TensorName> given = FindTensor(*given_, name);
      if (!given.ok()) return Find("feed", name).status();
      BERTH_RETURN_IF_ERROR(CheckFeed(*given_, name, *given, value));
      continue;
    }
    BERTH_RETURN_IF_ERROR(CheckFeed(graph_, name, *fed, value));
    compiled->takes.push_back(i);
    cut.feeds.push_back(name);
    shapes.feeds[absl::StrCat(graph_.node(fed->node).name(), ":", fed->slot)] = PartialShape(value.dims());
  }
  compiled->takes_all = compiled->takes.size() == options.feeds.size();
  for (const std::string& name : options.fetches) BERTH_RETURN_IF_ERROR(Find("fetch", name).status());
  for (const std::string& name : options.targets) BERTH_RETURN_IF_ERROR(Find("target", name).status());
  cut.fetches = options.fetches;
  cut.targets = options.targets;
  cut.replicate_constants = options_.replicate_constants;
  cut.tensorflow_rule = PlacesWholeGraphs(options_.policy);

  std::vector<std::string> wanted = options.fetches;
  wanted.insert(wanted.end(), cut.feeds.begin(), cut.feeds.end());
  BERTH_STAGE(Graph pruned, "prune", PruneGraph(graph_, {.fetches = std::move(wanted), .targets = options.targets}));
  BERTH_STAGE(Graph graph, "infer", InferShapes(std::move(pruned), shapes));
  BERTH_RETURN_IF_ERROR(InStage("partition", CheckWhole(graph, shapes)));
  Placement placement;  // nodes keep their order, so theirs are found on the way
  for (NodeId id = 0; placement.device_of.size() < static_cast<size_t>(graph.num_nodes()); ++id) {
    const NodeId next = static_cast<NodeId>(placement.device_of.size());
    if (graph_.node(id).name() == graph.node(next).name()) placement.device_of.push_back(placement_.device(id));
  }
  BERTH_STAGE(Partition partition, "partition", PartitionGraph(graph, placement, options_.machine, cut));
  BERTH_STAGE(RunPlan plan, "plan", BuildPlans(std::move(partition), device_list_, *options_.kernels, *state_));
  compiled->executor =
      MakeExecutor(std::move(plan), device_list_,
                   {.client = options_.machine.Client(), .threads = options_.threads, .launch = &launch_});
  return compiled;
}

absl::StatusOr<TensorName> GraphSession::Find(absl::string_view what, absl::string_view name) const {
  absl::StatusOr<TensorName> found = FindTensor(graph_, name);
  if (found.ok()) return found;
  if (FindTensor(*given_, name).ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        what, " '", name, "': expected what the session was made for, got a node that it pruned; its fetches are ",
        options_.fetches.empty() ? "none" : absl::StrJoin(options_.fetches, ", "), ", its targets ",
        options_.targets.empty() ? "none" : absl::StrJoin(options_.targets, ", ")));
  }
  return absl::Status(found.status().code(), absl::StrCat(what, " '", name, "': ", found.status().message()));
}

absl::StatusOr<Variable*> GraphSession::FindVariable(absl::string_view name) const {
  if (Variable* variable = state_->Find(name)) return variable;
  constexpr size_t kListed = 16;
  std::vector<std::string> names = state_->Names();
  const size_t more = names.size() > kListed ? names.size() - kListed : 0;
  names.resize(names.size() - more);
  return absl::NotFoundError(absl::StrCat("variable '", name,
                                          "': expected a variable of the session, got another name; ",
                                          names.empty() ? "it has none" : "they are ", absl::StrJoin(names, ", "),
                                          more > 0 ? absl::StrCat(", ... and ", more, " more") : ""));
}

absl::StatusOr<uint64_t> GraphSession::PlanFingerprint(const RunOptions& options) {
  BERTH_ASSIGN_OR_RETURN(const std::shared_ptr<const Compiled> compiled, Prepare(options));
  return compiled->executor->plan().Fingerprint();
}

absl::StatusOr<Tensor> GraphSession::GetVariable(absl::string_view name) {
  BERTH_ASSIGN_OR_RETURN(Variable * variable, FindVariable(name));
  BERTH_ASSIGN_OR_RETURN(Tensor value, variable->Read());
  Device& device = *device_list_[variable->device()];
  if (device.shares_host_memory() || value.strings() != nullptr) return CopyHostTensor(value);
  BERTH_ASSIGN_OR_RETURN(Tensor host, AllocateHostTensor(value.dtype(), value.dims()));
  BERTH_RETURN_IF_ERROR(device.CopyToHost(*value.buffer(), value.offset(), host.data(), value.num_bytes()));
  return host;
}

absl::Status GraphSession::SetVariable(absl::string_view name, const Tensor& host_value) {
  BERTH_ASSIGN_OR_RETURN(Variable * variable, FindVariable(name));
  if (!host_value.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat("variable '", name, "': expected a value, got none"));
  }
  BERTH_RETURN_IF_ERROR(variable->CheckFits(host_value));
  Device& device = *device_list_[variable->device()];
  Tensor value;
  if (device.shares_host_memory() || host_value.strings() != nullptr) {
    BERTH_ASSIGN_OR_RETURN(value, CopyHostTensor(host_value));
  } else {
    BERTH_ASSIGN_OR_RETURN(std::shared_ptr<Buffer> block, device.Allocate(host_value.num_bytes()));
    BERTH_RETURN_IF_ERROR(device.CopyFromHost(host_value.data(), *block, 0, host_value.num_bytes()));
    value = Tensor(host_value.dtype(), host_value.dims(), std::move(block));
  }
  variable->Assign(std::move(value));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Session>> Session::Create(std::shared_ptr<const Graph> graph, SessionOptions options) {
  if (options.kernels == nullptr) options.kernels = std::make_shared<const KernelTable>();

  PruneOptions wanted;  // a whole policy, such as TensorFlow's placer, sees everything
  if (!PlacesWholeGraphs(options.policy)) wanted = {options.fetches, options.targets, options.feeds};
  BERTH_STAGE(Graph pruned, "prune", PruneGraph(*graph, wanted));
  BERTH_STAGE(Graph inferred, "infer", InferShapes(std::move(pruned)));
  BERTH_RETURN_IF_ERROR(InStage("verify", VerifyGraph(inferred)));

  Placement placement;
  if (options.placement.has_value()) {
    placement = *options.placement;
  } else {
    BERTH_STAGE(placement, "place",
                PlaceGraph(inferred, options.machine, options.policy, options.support, {.mode = options.mode}));
  }
  BERTH_RETURN_IF_ERROR(InStage("place", VerifyPlacement(inferred, placement, options.machine)));

  // What a run needs besides, its partition, plan and memory, is made for each signature when it is first run.
  BERTH_STAGE(Devices devices, "devices", DevicesFor(options.machine, options.make_device));
  BERTH_STAGE(std::unique_ptr<SessionState> state, "variables", SessionState::For(inferred, placement));
  return std::unique_ptr<Session>(std::make_unique<GraphSession>(std::move(graph), std::move(options),
                                                                 std::move(inferred), std::move(placement),
                                                                 std::move(devices), std::move(state)));
}

}  // namespace berth
