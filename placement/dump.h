// Reads back where a dump says that nodes are. Which form it is, is found out from the content:
//
//   PlacementDef in JSON, GraphDef (binary or text) with devices, `node<TAB>device`, Berth's text forms:
//   y = MatMul(x, w) : f32[8,256] @gpu:1  # tower 1
//   y  gpu:1  towers-on gpu:*: tower 1
#ifndef BERTH_PLACEMENT_DUMP_H_
#define BERTH_PLACEMENT_DUMP_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace berth {

// Of a PlacementDef: changes when a field's meaning does. What is of another version is refused.
constexpr int kPlacementDefVersion = 1;

struct DumpedNode {
  std::string name;
  std::string device;  // as written; never ""
  std::string why;     // "towers-on gpu:*: tower 1", author and reason; "" where the form does not say
};

// In the dump's order; nodes without a device are left out. Errors: InvalidArgument `file:line: ...`, a node that
// occurs twice included.
absl::StatusOr<std::vector<DumpedNode>> ReadDump(absl::string_view bytes, absl::string_view file);

// True for the forms that are the graph as well: a GraphDef, and Berth's text of a graph.
bool DumpHoldsGraph(absl::string_view bytes);

}  // namespace berth

#endif  // BERTH_PLACEMENT_DUMP_H_
