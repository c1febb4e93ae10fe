#include "graph/modules/module_checks.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace berth {

void CheckKeys(const Scope& scope, absl::string_view module, const InitializerMap& map,
               const std::vector<std::string>& keys, CallSite at) {
  for (const auto& [key, initializer] : map) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    scope.Fail(absl::InvalidArgumentError(absl::StrCat("module '", module, "': expected initializers of '",
                                                       absl::StrJoin(keys, "', '"), "', got one of '", key, "'")),
               at);
  }
}

Initializer InitializerFor(const InitializerMap& map, const std::string& key, const Initializer& otherwise) {
  const auto found = map.find(key);
  return found == map.end() ? otherwise : found->second;
}

bool HasRank(Connection& here, const Output& x, int rank) {
  const PartialShape shape = x.shape();
  if (shape.has_rank() && shape.rank() == rank) return true;
  here.Fail(absl::InvalidArgumentError(
      absl::StrCat("expected an input of rank ", rank, ", got ",
                   shape.has_rank() ? absl::StrCat("rank ", shape.rank(), " ", shape.ToString()) : "unknown rank")));
  return false;
}

}  // namespace berth
