// What the library's modules check of their arguments and inputs.
#ifndef BERTH_GRAPH_MODULES_MODULE_CHECKS_H_
#define BERTH_GRAPH_MODULES_MODULE_CHECKS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "graph/initializers.h"
#include "graph/module.h"

namespace berth {

// Keeps an error in `scope` for each key of `map` that is not one of `keys`.
void CheckKeys(const Scope& scope, absl::string_view module, const InitializerMap& map,
               const std::vector<std::string>& keys, CallSite at);

// The map's initialiser for `key`, else `otherwise`.
Initializer InitializerFor(const InitializerMap& map, const std::string& key, const Initializer& otherwise);

// Rank `rank` is known of x; else an error is kept and it is false.
bool HasRank(Connection& here, const Output& x, int rank);

}  // namespace berth

#endif  // BERTH_GRAPH_MODULES_MODULE_CHECKS_H_
