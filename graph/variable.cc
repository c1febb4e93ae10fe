#include "graph/variable.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/scope_level.h"

namespace berth {
namespace {

// Where the parts of variable `name` go: "name/...", together with it, waiting for nothing.
Scope PartsScope(const Scope& scope, const std::string& name, CallSite at) {
  auto level = std::make_shared<ScopeLevel>(*scope.level());
  level->outer = scope.level();
  level->prefix = name;
  level->control_inputs.clear();
  level->colocation.clear();
  if (level->call_site.line == 0) level->call_site = at;
  return Scope(std::move(level));
}

}  // namespace

Variable MakeVariable(const Scope& scope, absl::string_view name, const PartialShape& shape, DType dtype,
                      const Initializer& initializer, CallSite at) {
  const std::string& prefix = scope.level()->variable_prefix;
  std::string whole = prefix.empty() ? std::string(name) : absl::StrCat(prefix, "/", name);
  if (!shape.fully_defined()) {
    scope.Fail(absl::InvalidArgumentError(
                   absl::StrCat("variable '", whole, "': expected a fully defined shape, got ", shape.ToString())),
               at);
    return {};
  }
  Construction& graph = *scope.level()->graph;
  {
    std::lock_guard<std::mutex> lock(graph.mutex);
    whole = graph.names.Take(whole);
  }
  const Scope parts = PartsScope(scope, whole, at);
  AttrList together;
  for (const std::string& node : scope.level()->colocation) together.s.push_back(absl::StrCat("loc:@", node));
  together.s.push_back(absl::StrCat("loc:@", whole));
  Variable variable;
  variable.state = parts.Itself().Op(
      "VariableV2", {},
      {{"shape", AttrValue(shape)}, {"dtype", AttrValue(dtype)}, {"_class", AttrValue(std::move(together))}});
  const Scope with_state = parts.WithColocation(variable.state);
  const Output value = initializer.Make(with_state.SubScope("Initializer"), {shape, dtype, whole});
  variable.assign = with_state.Op("Assign", {variable.state, value});
  variable.read = with_state.NamedOp("read", "Identity", {variable.state});
  if (variable.assign.valid()) {
    // Operators on what the caller gets go on in the caller's scope.
    variable.assign = Operation(scope.level(), variable.assign.id());
    variable.read = variable.read.In(scope);
    std::lock_guard<std::mutex> lock(graph.mutex);
    graph.initializers.emplace_back(absl::StrCat(whole, "/Assign"), variable.assign.id());
  }
  return variable;
}

Operation InitOp(const Scope& scope, CallSite at) {
  std::vector<std::pair<std::string, NodeId>> assigns;
  {
    std::lock_guard<std::mutex> lock(scope.level()->graph->mutex);
    assigns = scope.level()->graph->initializers;
  }
  std::sort(assigns.begin(), assigns.end());
  std::vector<Operation> nodes;
  for (const auto& [name, id] : assigns) nodes.emplace_back(scope.level(), id);
  return scope.WithControlDependencies(nodes).NamedOp("init", "NoOp", {}, {}, at);
}

}  // namespace berth
