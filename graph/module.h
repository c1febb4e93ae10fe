// A module: variables that are made once, and nodes that are made anew each time it is connected. A handle: copying one
// shares it.
//
//   Module linear = Linear(scope, 256);        // takes the name "linear"; makes nothing yet
//   Output a = linear(tower0, x0);             // variables linear/w, linear/b; nodes linear/MatMul, linear/add
//   Output b = linear(tower1, x1);             // the same variables;           nodes linear_1/MatMul, linear_1/add
//
// It captures the scope it was made in: variables get that scope's names, device request, rules and tags, whoever
// connects it first; modules made while it is being connected count as parts of it. A connection's nodes get the
// caller's scope, under a name scope of the module's last name. Names are Sonnet's: a module whose parts are made in
// its constructor has used its plain name by then, and its first connection is "mlp_1/".
//
// A connection's nodes remember the line that connected a module of the library; in code of the user's own modules each
// call counts by itself. Errors stick in the scope (graph/scope.h). Several threads may connect one module.
//
// One's own module, made of others:
//
//   Module Output4(const Scope& scope) {
//     return MakeModule(scope, "output4", [](const Scope& own) -> Layer {
//       return Sequential(own, {BatchFlatten(own), Linear(own, 4), Relu});
//     });
//   }
//
// or with variables of its own:
//
//   Module scale(scope, "scale", [](Connection& here, const Output& x) {
//     return x.In(here) * here.Variable("gain", {1}, DType::kFloat32, Initializer::Ones());
//   });
#ifndef BERTH_GRAPH_MODULE_H_
#define BERTH_GRAPH_MODULE_H_

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "graph/call_site.h"
#include "graph/initializers.h"
#include "graph/scope.h"
#include "graph/variable.h"

namespace berth {

struct ConnectionState;
struct ModuleState;
struct ScopeLevel;

// What a module's build function works in: the scope of one connection, which can make the module's variables.
class Connection : public Scope {
 public:
  Connection(Scope scope, std::shared_ptr<ConnectionState> state) : Scope(std::move(scope)), state_(std::move(state)) {}

  // The module's variable `key`, as read: made on first use, in the scope the module was made in, the same ever after.
  // Asking again for another shape or dtype is an error that names both connections.
  Output Variable(absl::string_view key, const PartialShape& shape, DType dtype, const Initializer& initializer);
  // The module's whole name: "encoder/linear_1".
  std::string module() const;
  // Where the module was connected.
  CallSite call_site() const;
  // Keeps "module 'linear': <error>", with the line of the connection.
  void Fail(const absl::Status& error);
  // The same, where nodes remember the lines that make them.
  Connection WithOwnLines() const { return Connection(WithCallSite(CallSite()), state_); }

 private:
  std::shared_ptr<ConnectionState> state_;
};

// The outputs of one connection; `inputs` are valid. On error keep it in `here` and return no or invalid outputs.
using BuildFn = std::function<std::vector<Output>(Connection& here, absl::Span<const Output> inputs)>;

class Module {
 public:
  struct Options {
    // True: nodes take the line that connected the module, as those of the library's own modules do.
    bool lines_of_caller = false;
  };

  // Takes `name`, or name_1, ... where taken in `scope`. `build` is called at each connection; modules that it makes
  // share their variables over connections by name.
  Module(const Scope& scope, absl::string_view name, BuildFn build, Options options, CallSite at = CallSite::Here());
  // Of one input and one output: build is Output(Connection&, const Output&).
  template <typename Build,
            typename = std::enable_if_t<std::is_invocable_r_v<Output, Build, Connection&, const Output&>>>
  Module(const Scope& scope, absl::string_view name, Build build, CallSite at = CallSite::Here())
      : Module(scope, name, OneToOne(std::move(build)), Options(), at) {}

  // Connects it: its nodes go into `scope`, and so do those of operators on the result.
  Output operator()(const Scope& scope, const Output& input, CallSite at = CallSite::Here()) const;
  std::vector<Output> Connect(const Scope& scope, absl::Span<const Output> inputs,
                              CallSite at = CallSite::Here()) const;

  std::string name() const;  // the whole name, unique among modules: "encoder/linear_1"
  int num_connections() const;
  // The variable `key`, as read. Before the first connection, or for an unknown key: an error, kept in the module's
  // scope.
  Output Variable(absl::string_view key, CallSite at = CallSite::Here()) const;
  // All of its own (not those of modules inside it), in the order made. Before the first connection: an error.
  std::vector<berth::Variable> Variables(CallSite at = CallSite::Here()) const;

  // A build function of one input and one output.
  static BuildFn OneToOne(std::function<Output(Connection&, const Output&)> build);

 private:
  std::shared_ptr<const ModuleState> state_;
};

// What can stand in a list of layers: a module, an op's function (`Relu`), or a function of one's own from scope and
// input to output.
class Layer {
 public:
  Layer(const Module& module)  // NOLINT: implicit
      : apply_([module](Connection& here, const Output& x, CallSite at) { return module(here, x, at); }) {}
  template <typename Fn, typename = std::enable_if_t<!std::is_same_v<std::decay_t<Fn>, Layer> &&
                                                     !std::is_same_v<std::decay_t<Fn>, Module>>>
  Layer(Fn fn) {  // NOLINT: implicit
    if constexpr (std::is_invocable_v<Fn, Connection&, const Output&, CallSite>) {
      apply_ = [fn](Connection& here, const Output& x, CallSite at) -> Output { return fn(here, x, at); };
    } else {
      apply_ = [fn](Connection& here, const Output& x, CallSite) -> Output {
        Connection own_lines = here.WithOwnLines();
        return fn(own_lines, x);
      };
    }
  }

  Output operator()(Connection& here, const Output& x, CallSite at) const { return apply_(here, x, at); }

 private:
  std::function<Output(Connection&, const Output&, CallSite)> apply_;
};

// A module whose parts are made once, by `make`, in the module's own scope: variables are called NAME/part/w. The layer
// that it returns is applied at each connection.
Module MakeModule(const Scope& scope, absl::string_view name, const std::function<Layer(const Scope& own)>& make,
                  Module::Options options = {}, CallSite at = CallSite::Here());

}  // namespace berth

#endif  // BERTH_GRAPH_MODULE_H_
