#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/modules/module_checks.h"
#include "graph/modules/modules.h"

namespace berth {
namespace {

// x * inv + (beta - mean * inv), where inv = rsqrt(variance + eps) * gamma: the order in which TensorFlow rounds.
Output ConnectBatchNorm(Connection& here, const Output& x, const BatchNormOptions& options) {
  const PartialShape shape = x.shape();
  if (!shape.has_rank() || shape.rank() < 2) {
    here.Fail(absl::InvalidArgumentError(
        absl::StrCat("expected an input of rank 2 or more, got ",
                     shape.has_rank() ? absl::StrCat("rank ", shape.rank(), " ", shape.ToString()) : "unknown rank")));
    return Output();
  }
  const int64_t width = shape.dim(shape.rank() - 1);
  if (width == kUnknownDim) {
    here.Fail(
        absl::InvalidArgumentError(absl::StrCat("expected an input of known last dimension, got ", shape.ToString())));
    return Output();
  }
  std::vector<int64_t> dims(shape.rank(), 1);
  dims.back() = width;
  const auto variable = [&](const char* key, const Initializer& otherwise) {
    return here.Variable(key, PartialShape(dims), BaseOf(x.dtype()),
                         InitializerFor(options.initializers, key, otherwise));
  };
  const Output mean = variable("moving_mean", Initializer::Zeros());
  const Output variance = variable("moving_variance", Initializer::Ones());
  const Output beta = options.offset ? variable("beta", Initializer::Zeros()) : Output();
  const Output gamma = options.scale ? variable("gamma", Initializer::Ones()) : Output();
  if (!mean.valid() || !variance.valid() || beta.valid() != options.offset || gamma.valid() != options.scale) {
    return Output();
  }
  const Scope norm = here.SubScope("batch_norm");
  Output inv = norm.Op("Rsqrt", {variance.In(norm) + options.epsilon});
  if (options.scale) inv = inv * gamma;
  const Output scaled = x.In(norm) * inv;
  if (options.offset) return (scaled + (beta.In(norm) - mean.In(norm) * inv)).In(here);
  const Output negative = norm.Op("Neg", {mean});
  return (scaled + negative * inv).In(here);
}

}  // namespace

Module BatchNorm(const Scope& scope, const BatchNormOptions& options, CallSite at) {
  Module module(scope, options.name, Module::OneToOne([options](Connection& here, const Output& x) {
                  return ConnectBatchNorm(here, x, options);
                }),
                {.lines_of_caller = true}, at);
  std::vector<std::string> keys = {"moving_mean", "moving_variance"};
  if (options.offset) keys.push_back("beta");
  if (options.scale) keys.push_back("gamma");
  CheckKeys(scope, module.name(), options.initializers, keys, at);
  return module;
}

}  // namespace berth
