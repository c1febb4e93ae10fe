// A scope: where and how the nodes made through it are made. A value: copying one is holding it, using a copy is
// re-entering it. Every With... gives a new, *nearer* scope inside the one it is called on and changes nothing.
//
//   Scope root = Scope::Root({.device = "/cpu:0"});
//   Scope tower = root.SubScope("tower").WithDevice("/gpu:1");
//   Output x = Const(tower, 1.0f);            // "tower/Const", asks for /device:GPU:1, remembers this line
//   Output y = ops::Relu(root, x) * 2.0f;     // "Relu", "mul", "mul/y", each asking for /device:CPU:0
//   StatusOr<Graph> graph = root.Finish();    // or the first error that any call above made
//
// What a node asks for (its *request*) is merged field by field from the scopes around it:
//   - a nearer scope wins over a farther one; an inner kind that differs from the outer drops the outer id, the same kind
//     keeps it ("gpu" inside "/gpu:1" is gpu:1);
//   - on one scope (With, Root) the device wins over the rules, and an earlier rule over a later one;
//   - WithColocation takes the other node's request and nothing from farther out; nearer scopes still win.
// The node's RequestNote says which scopes and rules gave the request, what they overruled, and what rules forbid or prefer.
//
// Names are TensorFlow's: prefix/name, then prefix/name_1, ...; upper and lower case do not tell names apart.
//
// Errors stick: the first is kept, with the caller's file and line, the rest are counted; Finish() gives it.
//
// Threads: nothing is ambient, so a thread uses the scope it is given, root and its default device included. Scopes, outputs
// and modules of one graph may be used from several threads at once (one lock a graph); names then depend on who comes first.
#ifndef BERTH_GRAPH_SCOPE_H_
#define BERTH_GRAPH_SCOPE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "graph/attr_value.h"
#include "graph/call_site.h"
#include "graph/graph.h"
#include "graph/op_table.h"
#include "graph/output.h"
#include "graph/rule.h"

namespace berth {

using NamedAttrs = absl::Span<const std::pair<absl::string_view, AttrValue>>;

struct ScopeOptions {
  std::shared_ptr<const OpTable> ops;  // null: StandardOps()
  std::string device;                  // the graph-wide default request
  Rules rules;
  int64_t seed = 0;  // of the graph, for random initialisers
};

class Scope {
 public:
  // The root scope of a new graph. A bad device is kept as the first error.
  static Scope Root(const ScopeOptions& options = {}, CallSite at = CallSite::Here());
  explicit Scope(std::shared_ptr<const ScopeLevel> level) : level_(std::move(level)) {}

  // Nodes go under prefix/name/, made unique now: two calls with one name give "name/" and
  // "name_1/".
  Scope SubScope(absl::string_view name, CallSite at = CallSite::Here()) const;
  // Nodes are called `name` instead of by their op. Holds for this scope, not for its SubScopes.
  Scope WithName(absl::string_view name) const;
  // The request, in ParseDeviceName's grammar; "" says nothing.
  Scope WithDevice(absl::string_view device, CallSite at = CallSite::Here()) const;
  // Rules to ask about each node made inside.
  Scope WithRules(Rules rules, CallSite at = CallSite::Here()) const;
  // Both on one scope: what the device says wins over the rules.
  Scope With(absl::string_view device, Rules rules, CallSite at = CallSite::Here()) const;
  // A label on every node; a nearer one with the same key replaces it.
  Scope WithTag(absl::string_view key, absl::string_view value) const;
  // The label tower=i, which policies bind to devices.
  Scope Tower(int i) const;
  // Together with `node`: attribute `_class` has loc:@ its name.
  Scope WithColocation(const Operation& node) const;
  // Nodes run after these, besides what outer scopes say.
  Scope WithControlDependencies(absl::Span<const Operation> nodes) const;
  Scope WithoutControlDependencies() const;
  // Nodes remember `at`, whatever line makes them: for libraries, which pass their caller's on.
  Scope WithCallSite(CallSite at) const;
  // A scope for the one node that this SubScope is named after: that node is called "a/b" where
  // this scope is "a/b/", so that its helpers (a/b/axis) gather under its name. REQUIRES: made by
  // SubScope, used for one node.
  Scope Itself() const;

  // Makes a node: the one entry that all ops go through. `inputs`: data inputs by slot, lists
  // written out. Attributes of the signature that follow from inputs (types, numbers) may be left
  // out. On error (unknown op, number or types of inputs, attributes, shapes that do not fit, an
  // output of another graph) the scope keeps it and the result is invalid.
  Operation Op(absl::string_view op, absl::Span<const Operand> inputs, NamedAttrs attrs = {},
               CallSite at = CallSite::Here()) const;
  // As Op, where the node's name, when no WithName says otherwise, is `name`.
  Operation NamedOp(absl::string_view name, absl::string_view op, absl::Span<const Operand> inputs,
                    NamedAttrs attrs = {}, CallSite at = CallSite::Here()) const;

  // What a node of that op and name made here would ask for: equal to device() of it once made.
  // Rules that look at inputs or dtypes are told none of either.
  std::string device(absl::string_view op, absl::string_view name) const;

  // "a/b" for the scope "a/b/", "" at the root.
  std::string prefix() const;
  int64_t seed() const;
  const OpTable& ops() const;
  bool SameGraph(const Scope& other) const;
  const std::shared_ptr<const ScopeLevel>& level() const { return level_; }

  // Keeps an error of the caller's own, with `at` in front.
  void Fail(const absl::Status& error, CallSite at = CallSite::Here()) const;
  bool ok() const { return status().ok(); }
  // The first error, and how many more there were.
  absl::Status status() const;

  // Ends construction. On success the graph is sealed: nodes made afterwards fail with "graph
  // already sealed".
  absl::StatusOr<Graph> Finish() const;

 private:
  // This scope's name for the next nodes, at another level.
  Scope At(std::shared_ptr<const ScopeLevel> level) const;

  std::shared_ptr<const ScopeLevel> level_;
  std::string name_;     // WithName
  bool itself_ = false;  // Itself
};

// A constant, node "Const". Plain numbers become int32 or float32; a Literal keeps its type.
Output Const(const Scope& scope, const Operand& value, CallSite at = CallSite::Here());

}  // namespace berth

#endif  // BERTH_GRAPH_SCOPE_H_
