// A graph folded to its name scopes: what a person reads of one with tens of thousands of nodes.
//
//   scope     nodes  devices
//   (none)        3  cpu:0 3
//   tower_0/    120  gpu:0 118, none 2
#ifndef BERTH_TOOLS_SCOPES_H_
#define BERTH_TOOLS_SCOPES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "graph/graph.h"
#include "tools/io.h"

namespace berth {

struct ScopeRow {
  std::string scope;  // "a/b/"; "" for nodes outside of any
  int64_t nodes = 0;
  std::vector<std::pair<std::string, int64_t>> devices;  // by name; "none" for nodes without one
};

// By scope, cut to its first `depth` names. O(nodes log nodes).
std::vector<ScopeRow> CountScopes(const Graph& graph, int depth);
std::string PrintScopes(const std::vector<ScopeRow>& rows, bool json);

// Writes the lines of `text`, a graph's text form, into one file a scope: FOLDER/a.b.txt, FOLDER/_.txt for no scope.
absl::Status WriteScopeFiles(const std::string& folder, absl::string_view text, int depth, Io& io);

}  // namespace berth

#endif  // BERTH_TOOLS_SCOPES_H_
