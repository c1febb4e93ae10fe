// The ops a graph can be checked against. A value, filled by one explicit list (graph/ops/) and passed down; a user
// adds own ops to a copy.
//
//   OpTable ops = StandardOps();
//   BERTH_RETURN_IF_ERROR(ops.Add(my_op));
#ifndef BERTH_GRAPH_OP_TABLE_H_
#define BERTH_GRAPH_OP_TABLE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "graph/op_def.h"

namespace berth {

class OpTable {
 public:
  // Error: AlreadyExists when the name is taken, InvalidArgument when the definition contradicts itself.
  absl::Status Add(OpDef op);
  // Null when unknown. The pointer lives as long as the table.
  const OpDef* Find(absl::string_view name) const;
  // Alphabetical.
  std::vector<const OpDef*> All() const;

 private:
  absl::flat_hash_map<std::string, std::unique_ptr<OpDef>> ops_;
};

// Every op that Berth knows, made once and shared; thread-safe.
std::shared_ptr<const OpTable> StandardOps();

}  // namespace berth

#endif  // BERTH_GRAPH_OP_TABLE_H_
