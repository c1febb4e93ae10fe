// The modules that come with Berth, with Sonnet 1's names, initialisers and shapes. B: the batch, n: the width of the
// input, TN(s): a truncated normal of mean 0 and standard deviation s.
//
//   module          variables                              nodes of a connection
//   Linear(m)       w [n,m] TN(1/sqrt n), b [m] zeros       MatMul, add
//   BatchFlatten    none                                   Shape, strided_slice, concat, Reshape
//   Sequential      those of its layers                    those of its layers
//   MLP(sizes)      linear_i/w, linear_i/b                  linear_i, Relu between
//   Conv2D(m,k)     w [kh,kw,n,m] TN(1/sqrt(kh kw n)),      convolution, BiasAdd; of a rate over 1: SpaceToBatchND and
//                   b [m] zeros                             BatchToSpaceND around the convolution
//   BatchNorm       moving_mean zeros, moving_variance      batch_norm/{add,Rsqrt,mul,mul_1,mul_2,sub,add_1}
//                   ones, beta zeros, gamma ones:
//                   [1,..,1,n]
//   Embed(v,w)      embeddings [v,w] normal(0,1)            embedding_lookup, embedding_lookup/Identity
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

// Rows and columns; one number stands for both.
struct Size2D {
  Size2D(int64_t both) : height(both), width(both) {}  // NOLINT: implicit
  Size2D(int64_t rows, int64_t columns) : height(rows), width(columns) {}
  int64_t height, width;
};
enum class ConvPadding { kSame, kValid };

// x [B,h,w,n] -> [B,h',w',m]. A rate over 1 leaves rate - 1 samples out between those that meet the kernel; then the
// stride is 1. Errors: an input that has not rank 4, an unknown n; of a rate over 1, unknown h or w.
struct Conv2DOptions {
  Size2D stride = 1;
  Size2D rate = 1;
  ConvPadding padding = ConvPadding::kSame;
  bool use_bias = true;
  InitializerMap initializers;  // of "w" and "b"
  std::string name = "conv_2d";
};
Module Conv2D(const Scope& scope, int64_t output_channels, const Size2D& kernel, const Conv2DOptions& options = {},
              CallSite at = CallSite::Here());

// x [..,n] normalised along its last dimension by the moving statistics: inference. What sets them is the caller's.
// Errors: an input of rank under 2, an unknown n.
struct BatchNormOptions {
  bool offset = true;  // beta
  bool scale = false;  // gamma
  double epsilon = 1e-3;
  InitializerMap initializers;  // of the variables there are
  std::string name = "batch_norm";
};
Module BatchNorm(const Scope& scope, const BatchNormOptions& options = {}, CallSite at = CallSite::Here());

// ids [..] of int32 or int64 -> [..,width]: rows of a table. The lookup is where the caller's scope says, not tied to
// the table, so that a policy chooses between sending rows and sending the table. Error: ids of another type.
struct EmbedOptions {
  std::optional<int64_t> width;  // nullopt: 6 vocabulary^(1/4), rounded
  InitializerMap initializers;   // of "embeddings"
  std::string name = "embed";
};
Module Embed(const Scope& scope, int64_t vocabulary, const EmbedOptions& options = {}, CallSite at = CallSite::Here());

}  // namespace berth

#endif  // BERTH_GRAPH_MODULES_MODULES_H_
