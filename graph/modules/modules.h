// The modules that come with Berth, with Sonnet 1's names, initialisers and shapes. B: the batch, n: the width of the
// input, TN(s): a truncated normal of mean 0 and standard deviation s.
//
//   module          variables                              nodes of a connection
//   Linear(m)       w [n,m] TN(1/sqrt n), b [m] zeros       MatMul, add
//   BatchFlatten    none                                   Shape, strided_slice, concat, Reshape
//   Sequential      those of its layers                    those of its layers
//   MLP(sizes)      linear_i/w, linear_i/b                  linear_i, Relu between
//
// All errors stick in the scope (graph/scope.h).
#ifndef BERTH_GRAPH_MODULES_MODULES_H_
#define BERTH_GRAPH_MODULES_MODULES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/call_site.h"
#include "graph/initializers.h"
#include "graph/module.h"
#include "graph/scope.h"

namespace berth {

// x [B,n] -> x w + b [B,m]. Errors: an input that has not rank 2, an unknown n.
struct LinearOptions {
  bool use_bias = true;
  InitializerMap initializers;  // of "w" and "b"
  std::string name = "linear";
};
Module Linear(const Scope& scope, int64_t output_size, const LinearOptions& options = {},
              CallSite at = CallSite::Here());

// [B, ...] -> [B, the product of the rest]. Error: an input without batch dimension.
struct BatchFlattenOptions {
  std::string name = "batch_flatten";
};
Module BatchFlatten(const Scope& scope, const BatchFlattenOptions& options = {}, CallSite at = CallSite::Here());

// Each layer on what the one before gives. Functions make their nodes under the sequence's name scope
// ("sequential/Relu").
struct SequentialOptions {
  std::string name = "sequential";
};
Module Sequential(const Scope& scope, std::vector<Layer> layers, const SequentialOptions& options = {},
                  CallSite at = CallSite::Here());

// Linear layers of these sizes with an activation between them, and after the last one if `activate_final`.
struct MlpOptions {
  std::optional<Layer> activation;  // nullopt: Relu
  bool activate_final = false;
  bool use_bias = true;
  InitializerMap initializers;  // of "w" and "b" of every layer
  std::string name = "mlp";
};
Module Mlp(const Scope& scope, const std::vector<int64_t>& output_sizes, const MlpOptions& options = {},
           CallSite at = CallSite::Here());

}  // namespace berth

#endif  // BERTH_GRAPH_MODULES_MODULES_H_
