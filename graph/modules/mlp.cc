#include "absl/strings/str_cat.h"
#include "graph/modules/modules.h"

namespace berth {
namespace {

Output Activate(Connection& here, const Output& x, CallSite at) { return here.Op("Relu", {x}, {}, at); }

}  // namespace

Module Mlp(const Scope& scope, const std::vector<int64_t>& output_sizes, const MlpOptions& options, CallSite at) {
  if (output_sizes.empty()) {
    scope.Fail(absl::InvalidArgumentError(
                   absl::StrCat("module '", options.name, "': expected at least one output size, got none")),
               at);
  }
  const auto make = [&](const Scope& own) -> Layer {
    std::vector<Layer> layers;
    for (size_t i = 0; i < output_sizes.size(); ++i) {
      layers.push_back(Linear(
          own, output_sizes[i],
          {.use_bias = options.use_bias, .initializers = options.initializers, .name = absl::StrCat("linear_", i)},
          at));
      const bool last = i + 1 == output_sizes.size();
      if (!last || options.activate_final) layers.push_back(options.activation.value_or(Activate));
    }
    return [layers](Connection& here, const Output& x, CallSite site) {
      Output y = x;
      for (const Layer& layer : layers) y = layer(here, y, site);
      return y;
    };
  };
  return MakeModule(scope, options.name, make, {.lines_of_caller = true}, at);
}

}  // namespace berth
