// A variable: its state, first value, and reading, as TensorFlow 1 writes them.
//
//   Variable w = MakeVariable(scope, "w", {3, 2}, DType::kFloat32, Initializer::Zeros());
//
//   w                   VariableV2        the state
//   w/Initializer/...                     its first value
//   w/Assign            Assign            run once, by the op that InitOp makes
//   w/read              Identity          what others use
//
// All are of the colocation class loc:@w, and ask for what w asks for. In a scope that is colocated with a node, w is of that
// node's class too.
#ifndef BERTH_GRAPH_VARIABLE_H_
#define BERTH_GRAPH_VARIABLE_H_

#include "absl/strings/string_view.h"
#include "graph/initializers.h"
#include "graph/scope.h"

namespace berth {

// Invalid throughout when it could not be made; the scope has kept the error.
struct Variable {
  Operation state;
  Operation assign;
  Output read;
};

// Makes it in `scope`, made unique as nodes are. `shape` must be fully defined.
Variable MakeVariable(const Scope& scope, absl::string_view name, const PartialShape& shape, DType dtype,
                      const Initializer& initializer, CallSite at = CallSite::Here());

// A NoOp "init" that runs the Assign of every variable made so far, in the order of their names.
Operation InitOp(const Scope& scope, CallSite at = CallSite::Here());

}  // namespace berth

#endif  // BERTH_GRAPH_VARIABLE_H_
