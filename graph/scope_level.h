// What scopes and outputs refer to: one level of scopes, and the graph under construction that all levels share. For
// the files of the building interface only (scope, output, module).
#ifndef BERTH_GRAPH_SCOPE_LEVEL_H_
#define BERTH_GRAPH_SCOPE_LEVEL_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "graph/call_site.h"
#include "graph/device_name.h"
#include "graph/graph.h"
#include "graph/graph_builder.h"
#include "graph/inference.h"
#include "graph/op_table.h"
#include "graph/request.h"
#include "graph/unique_names.h"

namespace berth {

// The graph being built. Everything but `ops` and `seed` is guarded by `mutex`.
struct Construction {
  explicit Construction(std::shared_ptr<const OpTable> op_table, int64_t graph_seed)
      : ops(std::move(op_table)), seed(graph_seed), builder(ops) {}

  // Keeps the first error with `at` in front, counts the others. REQUIRES: mutex held.
  void Keep(const absl::Status& error, CallSite at);
  // REQUIRES: mutex held.
  std::string NameOf(NodeId node) const;

  const std::shared_ptr<const OpTable> ops;
  const int64_t seed;

  std::mutex mutex;
  GraphBuilder builder;
  Inference inference;
  UniqueNames names;
  // Whole names of modules taken, apart from those of nodes.
  absl::flat_hash_set<std::string> modules;
  std::vector<std::pair<std::string, NodeId>> initializers;  // the Assign nodes of variables made so far
  absl::Status error;
  int more_errors = 0;
  bool sealed = false;
  // Once sealed: all nodes' names one after the other, and where each begins.
  std::string sealed_names;
  std::vector<size_t> name_starts;
};

struct ConnectionState;  // in module.cc

// A request that does not depend on the node.
struct FixedRequest {
  std::string device;
  RequestNote note;
};

// Immutable once a Scope refers to it.
struct ScopeLevel {
  std::shared_ptr<Construction> graph;
  // The level that SubScope was called on; null where this is none.
  std::shared_ptr<const ScopeLevel> outer;

  std::string prefix;           // of nodes: "a/b"; "" at the root
  std::string variable_prefix;  // of variables and modules

  std::shared_ptr<const RequestLayer> request;
  std::shared_ptr<const FixedRequest> fixed;  // null where rules have to be asked

  std::vector<Tag> tags;
  std::optional<int> tower;
  std::vector<std::string> colocation;  // names of nodes
  std::vector<NodeId> control_inputs;
  CallSite call_site;  // line 0: that of the call
  // Inside a connection of a module: that connection. Null elsewhere.
  std::shared_ptr<ConnectionState> connection;
};

}  // namespace berth

#endif  // BERTH_GRAPH_SCOPE_LEVEL_H_
