#include <utility>

#include "graph/modules/modules.h"

namespace berth {

Module Sequential(const Scope& scope, std::vector<Layer> layers, const SequentialOptions& options, CallSite at) {
  return Module(scope, options.name, Module::OneToOne([layers = std::move(layers)](Connection& here, const Output& x) {
                  Output y = x;
                  for (const Layer& layer : layers) y = layer(here, y, here.call_site());
                  return y;
                }),
                {.lines_of_caller = true}, at);
}

}  // namespace berth
