#include "graph/scope.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "graph/device_name.h"
#include "graph/scope_level.h"

namespace berth {
namespace {

constexpr absl::string_view kTowerTag = "tower";

std::string OriginOf(const ScopeLevel& level, CallSite at) {
  const std::string where = at.line == 0 ? "" : absl::StrCat(" at ", at.ToString());
  return level.prefix.empty() ? absl::StrCat("scope", where) : absl::StrCat("scope '", level.prefix, "'", where);
}

// Sets `fixed` from the level's layers, where no rule has to be asked.
void FixRequest(ScopeLevel* level) {
  level->fixed = nullptr;
  if (HasRules(level->request.get())) return;
  Request request = MergeRequest(level->request.get(), NodeFacts{});
  level->fixed = std::make_shared<const FixedRequest>(FixedRequest{request.device.ToString(), std::move(request.note)});
}

// A copy of `level` to change.
std::shared_ptr<ScopeLevel> Nearer(const std::shared_ptr<const ScopeLevel>& level) {
  return std::make_shared<ScopeLevel>(*level);
}

void Keep(const ScopeLevel& level, const absl::Status& error, CallSite at) {
  Construction& graph = *level.graph;
  std::lock_guard<std::mutex> lock(graph.mutex);
  graph.Keep(error, level.call_site.line != 0 ? level.call_site : at);
}

// Reads the device, and asks the rules whether their arguments are sound; what is not is kept as an error and left out.
RequestLayer ReadLayer(const ScopeLevel& level, absl::string_view device, const Rules& rules, CallSite at) {
  RequestLayer layer;
  layer.outer = level.request;
  layer.origin = OriginOf(level, at);
  if (!device.empty()) {
    absl::StatusOr<DeviceName> name = ParseDeviceName(device);
    if (name.ok()) {
      layer.device = *std::move(name);
    } else {
      Keep(level, name.status(), at);
    }
  }
  for (const std::shared_ptr<const Rule>& rule : rules.list()) {
    const absl::Status status = rule->status();
    if (status.ok()) {
      layer.rules = layer.rules | Rules(rule);
    } else {
      Keep(level, absl::Status(status.code(), absl::StrCat("rule '", rule->text(), "': ", status.message())), at);
    }
  }
  return layer;
}

}  // namespace

void Construction::Keep(const absl::Status& kept, CallSite at) {
  if (!error.ok()) {
    ++more_errors;
    return;
  }
  error = at.line == 0 ? kept : absl::Status(kept.code(), absl::StrCat(at.ToString(), ": ", kept.message()));
}

std::string Construction::NameOf(NodeId node) const {
  if (node == kNoNode) return "";
  if (!sealed) return std::string(builder.name(node));
  return sealed_names.substr(name_starts[node], name_starts[node + 1] - name_starts[node]);
}

Scope Scope::Root(const ScopeOptions& options, CallSite at) {
  auto level = std::make_shared<ScopeLevel>();
  level->graph = std::make_shared<Construction>(options.ops == nullptr ? StandardOps() : options.ops, options.seed);
  if (!options.device.empty() || !options.rules.list().empty()) {
    RequestLayer layer = ReadLayer(*level, options.device, options.rules, at);
    layer.origin = absl::StrCat("the graph's default at ", at.ToString());
    level->request = std::make_shared<const RequestLayer>(std::move(layer));
  }
  FixRequest(level.get());
  return Scope(std::move(level));
}

Scope Scope::At(std::shared_ptr<const ScopeLevel> level) const {
  Scope scope = *this;
  scope.level_ = std::move(level);
  return scope;
}

Scope Scope::SubScope(absl::string_view name, CallSite at) const {
  std::shared_ptr<ScopeLevel> level = Nearer(level_);
  level->outer = level_;
  if (name.empty()) {
    Fail(absl::InvalidArgumentError("scope: expected a name, got ''"), at);
    return Scope(std::move(level));
  }
  const std::string wanted = level_->prefix.empty() ? std::string(name) : absl::StrCat(level_->prefix, "/", name);
  std::lock_guard<std::mutex> lock(level_->graph->mutex);
  level->prefix = level_->graph->names.Take(wanted);
  const std::string last = level->prefix.substr(wanted.size() - name.size());
  level->variable_prefix = level_->variable_prefix.empty() ? last : absl::StrCat(level_->variable_prefix, "/", last);
  return Scope(std::move(level));
}

Scope Scope::WithName(absl::string_view name) const {
  Scope named = *this;
  named.name_ = std::string(name);
  return named;
}

Scope Scope::WithDevice(absl::string_view device, CallSite at) const { return With(device, Rules(), at); }

Scope Scope::WithRules(Rules rules, CallSite at) const { return With("", std::move(rules), at); }

Scope Scope::With(absl::string_view device, Rules rules, CallSite at) const {
  std::shared_ptr<ScopeLevel> level = Nearer(level_);
  level->request = std::make_shared<const RequestLayer>(ReadLayer(*level_, device, rules, at));
  FixRequest(level.get());
  return At(std::move(level));
}

Scope Scope::WithTag(absl::string_view key, absl::string_view value) const {
  std::shared_ptr<ScopeLevel> level = Nearer(level_);
  std::vector<Tag>& tags = level->tags;
  const auto same_key = [&](const Tag& tag) { return tag.key == key; };
  tags.erase(std::remove_if(tags.begin(), tags.end(), same_key), tags.end());
  tags.push_back({std::string(key), std::string(value)});
  if (key == kTowerTag) {
    int tower = 0;
    level->tower = absl::SimpleAtoi(value, &tower) ? std::optional<int>(tower) : std::nullopt;
  }
  return At(std::move(level));
}

Scope Scope::Tower(int i) const { return WithTag(kTowerTag, absl::StrCat(i)); }

Scope Scope::WithColocation(const Operation& node) const {
  if (!node.valid()) return *this;  // its error is kept already
  std::shared_ptr<ScopeLevel> level = Nearer(level_);
  RequestLayer layer;
  layer.stops = level->colocation.empty();  // a second one adds to the first
  layer.outer = level->request;
  level->colocation.push_back(node.name());
  layer.origin = absl::StrCat("colocation with '", node.name(), "'");
  absl::StatusOr<DeviceName> device = ParseTensorFlowName(node.device());
  if (device.ok()) layer.device = *std::move(device);
  level->request = std::make_shared<const RequestLayer>(std::move(layer));
  FixRequest(level.get());
  return At(std::move(level));
}

Scope Scope::WithControlDependencies(absl::Span<const Operation> nodes) const {
  std::shared_ptr<ScopeLevel> level = Nearer(level_);
  for (const Operation& node : nodes) {
    const std::vector<NodeId>& have = level->control_inputs;
    if (!node.valid() || std::find(have.begin(), have.end(), node.id()) != have.end()) continue;
    if (!SameGraph(node.scope())) {
      Fail(absl::InvalidArgumentError(
          absl::StrCat("scope: expected control dependencies of this graph, got node '", node.name(), "' of another")));
      continue;
    }
    level->control_inputs.push_back(node.id());
  }
  return At(std::move(level));
}

Scope Scope::WithoutControlDependencies() const {
  std::shared_ptr<ScopeLevel> level = Nearer(level_);
  level->control_inputs.clear();
  return At(std::move(level));
}

Scope Scope::WithCallSite(CallSite at) const {
  std::shared_ptr<ScopeLevel> level = Nearer(level_);
  level->call_site = at;
  return At(std::move(level));
}

Scope Scope::Itself() const {
  Scope itself = *this;
  itself.itself_ = true;
  return itself;
}

std::string Scope::device(absl::string_view op, absl::string_view name) const {
  if (level_->fixed != nullptr) return level_->fixed->device;
  std::string full = level_->prefix.empty() ? std::string(name) : absl::StrCat(level_->prefix, "/", name);
  {
    std::lock_guard<std::mutex> lock(level_->graph->mutex);
    full = level_->graph->names.Peek(full);
  }
  NodeFacts facts;
  facts.name = full;
  facts.op = op;
  facts.op_def = level_->graph->ops->Find(op);
  facts.tags = level_->tags;
  facts.tower = level_->tower;
  return MergeRequest(level_->request.get(), facts).device.ToString();
}

std::string Scope::prefix() const { return level_->prefix; }
int64_t Scope::seed() const { return level_->graph->seed; }
const OpTable& Scope::ops() const { return *level_->graph->ops; }

bool Scope::SameGraph(const Scope& other) const { return level_->graph == other.level_->graph; }

void Scope::Fail(const absl::Status& error, CallSite at) const { Keep(*level_, error, at); }

absl::Status Scope::status() const {
  Construction& graph = *level_->graph;
  std::lock_guard<std::mutex> lock(graph.mutex);
  if (graph.error.ok() || graph.more_errors == 0) return graph.error;
  return absl::Status(graph.error.code(), absl::StrCat(graph.error.message(), " (and ", graph.more_errors, " more ",
                                                       graph.more_errors == 1 ? "error)" : "errors)"));
}

absl::StatusOr<Graph> Scope::Finish() const {
  absl::Status error = status();
  if (!error.ok()) return error;
  Construction& graph = *level_->graph;
  std::lock_guard<std::mutex> lock(graph.mutex);
  if (graph.sealed) return absl::FailedPreconditionError("graph already sealed");
  graph.name_starts.reserve(graph.builder.num_nodes() + 1);
  for (NodeId node = 0; node < graph.builder.num_nodes(); ++node) {
    graph.name_starts.push_back(graph.sealed_names.size());
    const absl::string_view name = graph.builder.name(node);
    graph.sealed_names.append(name.data(), name.size());
  }
  graph.name_starts.push_back(graph.sealed_names.size());
  graph.sealed = true;
  return std::move(graph.builder).Build();
}

}  // namespace berth
