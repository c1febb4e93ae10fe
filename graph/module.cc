#include "graph/module.h"

#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/scope_level.h"

namespace berth {
namespace {

struct NamedVariable {
  std::string key;
  Variable variable;
  PartialShape shape;
  DType dtype;
};

}  // namespace

// What all handles of one module share, and modules of one name made by successive connections of the one around them.
struct ModuleTable {
  std::mutex mutex;  // taken before the graph's, never after
  std::vector<NamedVariable> variables;
  int connections = 0;
  CallSite first_site;
  std::string first_inputs;
  std::map<std::string, std::shared_ptr<ModuleTable>> parts;  // made while this one was connected, by whole name
};

struct ModuleState {
  std::string name;  // whole: "encoder/linear_1"
  std::string last;  // "linear_1"
  std::shared_ptr<const ScopeLevel> made_in;
  BuildFn build;
  Module::Options options;
  std::shared_ptr<ModuleTable> table;
};

struct ConnectionState {
  std::shared_ptr<const ModuleState> module;
  CallSite at;
  std::string inputs;                           // their shapes
  absl::flat_hash_set<std::string> part_names;  // guarded by the module's table
};

namespace {

std::string Join(absl::string_view prefix, absl::string_view name) {
  return prefix.empty() ? std::string(name) : absl::StrCat(prefix, "/", name);
}

// The first of name, name_1, ... that is new to `taken`, which then has prefix/it.
std::string TakeModuleName(absl::string_view prefix, absl::string_view name, absl::flat_hash_set<std::string>* taken) {
  std::string last(name);
  for (int i = 1; !taken->insert(Join(prefix, last)).second; ++i) last = absl::StrCat(name, "_", i);
  return last;
}

CallSite EffectiveSite(const Scope& scope, CallSite at) {
  return scope.level()->call_site.line != 0 ? scope.level()->call_site : at;
}

// Parts made during a connection stand where the module around them was made.
std::shared_ptr<const ScopeLevel> CapturedLevel(const std::shared_ptr<const ScopeLevel>& level) {
  if (level->connection == nullptr) return level;
  const ScopeLevel& around = *level->connection->module->made_in;
  auto captured = std::make_shared<ScopeLevel>(*level);
  captured->request = around.request;
  captured->fixed = around.fixed;
  captured->tags = around.tags;
  captured->tower = around.tower;
  return captured;
}

std::shared_ptr<ModuleState> NewState(const Scope& scope, absl::string_view name, Module::Options options,
                                      CallSite at) {
  auto state = std::make_shared<ModuleState>();
  const std::shared_ptr<const ScopeLevel>& level = scope.level();
  if (name.empty()) {
    scope.Fail(absl::InvalidArgumentError("module: expected a name, got ''"), at);
    name = "module";
  }
  if (ConnectionState* connection = level->connection.get()) {
    ModuleTable& around = *connection->module->table;
    std::lock_guard<std::mutex> lock(around.mutex);
    state->last = TakeModuleName(level->variable_prefix, name, &connection->part_names);
    std::shared_ptr<ModuleTable>& part = around.parts[Join(level->variable_prefix, state->last)];
    if (part == nullptr) part = std::make_shared<ModuleTable>();
    state->table = part;
  } else {
    std::lock_guard<std::mutex> lock(level->graph->mutex);
    state->last = TakeModuleName(level->variable_prefix, name, &level->graph->modules);
    state->table = std::make_shared<ModuleTable>();
  }
  state->name = Join(level->variable_prefix, state->last);
  state->made_in = CapturedLevel(level);
  state->options = options;
  return state;
}

absl::Status InModule(const ModuleState& module, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat("module '", module.name, "': ", status.message()));
}

std::string ShapesOf(absl::Span<const Output> outputs) {
  return absl::StrJoin(outputs, ", ", [](std::string* out, const Output& output) {
    absl::StrAppend(out, ShortDTypeName(BaseOf(output.dtype())), output.shape().ToString());
  });
}

// Where the module's variables are made: in the scope it captured, under its own name.
Scope VariableScope(const ModuleState& module, CallSite at) {
  auto level = std::make_shared<ScopeLevel>(*module.made_in);
  level->variable_prefix = module.name;
  level->call_site = at;
  // The module's table keeps the variables: they must not keep the module.
  level->connection = nullptr;
  level->outer = nullptr;
  return Scope(std::move(level));
}

std::string KeysOf(const ModuleTable& table) {
  return absl::StrJoin(table.variables, ", ", [](std::string* out, const NamedVariable& variable) {
    absl::StrAppend(out, "'", variable.key, "'");
  });
}

absl::Status NotConnected() {
  return absl::FailedPreconditionError(
      "expected a connection before its variables are read, got none; connect it first");
}

}  // namespace

Output Connection::Variable(absl::string_view key, const PartialShape& shape, DType dtype,
                            const Initializer& initializer) {
  const ModuleState& module = *state_->module;
  ModuleTable& table = *module.table;
  absl::Status differs;
  {
    std::lock_guard<std::mutex> lock(table.mutex);
    for (const NamedVariable& known : table.variables) {
      if (known.key != key) continue;
      if (known.shape == shape && known.dtype == dtype) return known.variable.read.In(*this);
      differs = absl::InvalidArgumentError(absl::StrCat(
          "expected an input like ", table.first_inputs, " of its first connection at ", table.first_site.ToString(),
          ", where variable '", key, "' became ", ShortDTypeName(known.dtype), known.shape.ToString(), ", got ",
          state_->inputs, ", which wants ", ShortDTypeName(dtype), shape.ToString()));
    }
    if (differs.ok()) {
      const Scope scope = VariableScope(module, state_->at);
      const berth::Variable made = MakeVariable(scope, key, shape, dtype, initializer, state_->at);
      table.variables.push_back({std::string(key), made, shape, dtype});
      return made.read.In(*this);
    }
  }
  Fail(differs);
  return Output();
}

std::string Connection::module() const { return state_->module->name; }
CallSite Connection::call_site() const { return state_->at; }
void Connection::Fail(const absl::Status& error) { Scope::Fail(InModule(*state_->module, error), state_->at); }

Module::Module(const Scope& scope, absl::string_view name, BuildFn build, Options options, CallSite at) {
  std::shared_ptr<ModuleState> state = NewState(scope, name, options, at);
  state->build = std::move(build);
  state_ = std::move(state);
}

BuildFn Module::OneToOne(std::function<Output(Connection&, const Output&)> build) {
  return [build = std::move(build)](Connection& here, absl::Span<const Output> inputs) -> std::vector<Output> {
    if (inputs.size() == 1) return {build(here, inputs[0])};
    here.Fail(absl::InvalidArgumentError(absl::StrCat("expected 1 input, got ", inputs.size())));
    return {};
  };
}

Output Module::operator()(const Scope& scope, const Output& input, CallSite at) const {
  const std::vector<Output> outputs = Connect(scope, {input}, at);
  return outputs.empty() ? Output() : outputs[0];
}

std::vector<Output> Module::Connect(const Scope& scope, absl::Span<const Output> inputs, CallSite at) const {
  at = EffectiveSite(scope, at);
  if (!scope.SameGraph(Scope(state_->made_in))) {
    scope.Fail(
        InModule(*state_, absl::InvalidArgumentError("expected a scope of the module's graph, got one of another")),
        at);
    return {};
  }
  for (const Output& input : inputs) {
    if (input.valid()) continue;
    if (scope.ok())
      scope.Fail(InModule(*state_, absl::InvalidArgumentError("expected an output as input, got none")), at);
    return {};
  }
  auto connection = std::make_shared<ConnectionState>();
  connection->module = state_;
  connection->at = at;
  connection->inputs = ShapesOf(inputs);
  {
    ModuleTable& table = *state_->table;
    std::lock_guard<std::mutex> lock(table.mutex);
    if (table.connections++ == 0) {
      table.first_site = at;
      table.first_inputs = connection->inputs;
    }
  }
  auto level = std::make_shared<ScopeLevel>(*scope.SubScope(state_->last, at).level());
  level->variable_prefix = state_->name;
  level->call_site = state_->options.lines_of_caller ? at : CallSite();
  level->connection = connection;
  Connection here(Scope(std::move(level)), connection);
  std::vector<Output> outputs = state_->build(here, inputs);
  for (Output& output : outputs) output = output.In(scope);
  return outputs;
}

std::string Module::name() const { return state_->name; }

int Module::num_connections() const {
  std::lock_guard<std::mutex> lock(state_->table->mutex);
  return state_->table->connections;
}

Output Module::Variable(absl::string_view key, CallSite at) const {
  const Scope scope(state_->made_in);
  absl::Status error;
  {
    ModuleTable& table = *state_->table;
    std::lock_guard<std::mutex> lock(table.mutex);
    for (const NamedVariable& known : table.variables) {
      if (known.key == key) return known.variable.read.In(scope);
    }
    error =
        table.connections == 0
            ? NotConnected()
            : absl::NotFoundError(absl::StrCat("expected one of its variables ", KeysOf(table), ", got '", key, "'"));
  }
  scope.Fail(InModule(*state_, error), at);
  return Output();
}

std::vector<Variable> Module::Variables(CallSite at) const {
  std::vector<berth::Variable> variables;
  {
    ModuleTable& table = *state_->table;
    std::lock_guard<std::mutex> lock(table.mutex);
    for (const NamedVariable& known : table.variables) variables.push_back(known.variable);
    if (table.connections > 0) return variables;
  }
  Scope(state_->made_in).Fail(InModule(*state_, NotConnected()), at);
  return {};
}

Module MakeModule(const Scope& scope, absl::string_view name, const std::function<Layer(const Scope& own)>& make,
                  Module::Options options, CallSite at) {
  // The layer exists only after the module's name is taken, and the module only with its build function.
  auto layer = std::make_shared<std::optional<Layer>>();
  BuildFn build = Module::OneToOne(
      [layer](Connection& here, const Output& x) -> Output { return (**layer)(here, x, here.call_site()); });
  Module module(scope, name, std::move(build), options, at);
  const std::string whole = module.name();
  const std::string& around = scope.level()->variable_prefix;
  const std::string last = around.empty() ? whole : whole.substr(around.size() + 1);
  auto own = std::make_shared<ScopeLevel>(*scope.SubScope(last, at).level());
  own->variable_prefix = whole;
  *layer = make(Scope(std::move(own)));
  return module;
}

}  // namespace berth
