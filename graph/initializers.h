// First values of variables, as nodes that the variable's Assign takes.
//
//   Initializer::TruncatedNormal({.stddev = 0.1})     truncated_normal/{shape,mean,stddev,TruncatedNormal,mul},
//   truncated_normal Initializer::Zeros()                              zeros
//
// Random ones draw from the graph's seed and the variable's full name: the same seed and name give the same values, in
// whatever order and on whatever device the graph is built. An explicit pair of seeds gives TensorFlow's own numbers
// for that pair.
#ifndef BERTH_GRAPH_INITIALIZERS_H_
#define BERTH_GRAPH_INITIALIZERS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "graph/dtype.h"
#include "graph/scope.h"
#include "graph/shape.h"

namespace berth {

// The attributes `seed` and `seed2` of TensorFlow's random ops.
struct Seeds {
  int64_t seed = 0;
  int64_t seed2 = 0;
};

// seed: the graph's; seed2: 64-bit FNV-1a of the name, its top bits cleared, never 0 (two zeros would mean "random each
// time").
Seeds SeedsFor(int64_t graph_seed, absl::string_view variable);

// A value; cheap to copy.
class Initializer {
 public:
  struct Normal {
    double stddev = 1.0;
    double mean = 0.0;
    std::optional<Seeds> seeds;
  };
  struct Uniform {
    double min = 0.0;
    double max = 1.0;
    std::optional<Seeds> seeds;
  };
  // What the nodes are made for: `shape` is fully defined, `variable` its full name.
  struct Wanted {
    PartialShape shape;
    DType dtype;
    std::string variable;
  };
  using MakeFn = std::function<Output(const Scope& scope, const Wanted& wanted)>;

  static Initializer Zeros();
  static Initializer Ones();
  static Initializer Constant(double value);
  static Initializer TruncatedNormal(const Normal& options);  // beyond two stddev drawn again
  static Initializer RandomNormal(const Normal& options);
  static Initializer RandomUniform(const Uniform& options);  // [min, max)
  // Of one's own.
  explicit Initializer(MakeFn make) : make_(std::move(make)) {}

  // Makes the nodes in `scope`. Errors are kept there.
  Output Make(const Scope& scope, const Wanted& wanted) const { return make_(scope, wanted); }

 private:
  MakeFn make_;
};

// By the variable's key in its module: {"w", Initializer::Zeros()}.
using InitializerMap = std::map<std::string, Initializer>;

}  // namespace berth

#endif  // BERTH_GRAPH_INITIALIZERS_H_
