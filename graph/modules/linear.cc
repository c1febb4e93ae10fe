#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/modules/module_checks.h"
#include "graph/modules/modules.h"

namespace berth {
namespace {

Output ConnectLinear(Connection& here, const Output& x, int64_t output_size, const LinearOptions& options) {
  if (!HasRank(here, x, 2)) return Output();
  const int64_t width = x.shape().dim(1);
  if (width == kUnknownDim) {
    here.Fail(absl::InvalidArgumentError(absl::StrCat("expected an input of known width, got ", x.shape().ToString())));
    return Output();
  }
  const DType dtype = BaseOf(x.dtype());
  const double stddev = width == 0 ? 1.0 : 1.0 / std::sqrt(static_cast<double>(width));
  const Output w =
      here.Variable("w", {width, output_size}, dtype,
                    InitializerFor(options.initializers, "w", Initializer::TruncatedNormal({.stddev = stddev})));
  const Output y = here.Op("MatMul", {x, w});
  if (!options.use_bias) return y;
  const Output b =
      here.Variable("b", {output_size}, dtype, InitializerFor(options.initializers, "b", Initializer::Zeros()));
  return y + b;
}

}  // namespace

Module Linear(const Scope& scope, int64_t output_size, const LinearOptions& options, CallSite at) {
  Module module(scope, options.name, Module::OneToOne([output_size, options](Connection& here, const Output& x) {
                  return ConnectLinear(here, x, output_size, options);
                }),
                {.lines_of_caller = true}, at);
  std::vector<std::string> keys = {"w"};
  if (options.use_bias) keys.push_back("b");
  CheckKeys(scope, module.name(), options.initializers, keys, at);
  if (output_size < 0) {
    scope.Fail(absl::InvalidArgumentError(absl::StrCat("module '", module.name(),
                                                       "': expected an output size of 0 or more, got ", output_size)),
               at);
  }
  return module;
}

}  // namespace berth
