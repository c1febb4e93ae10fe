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

struct DumpedNode {
  std::string name;
  std::string device;  // as written; never ""
};

// In the dump's order; nodes without a device are left out. Errors: InvalidArgument `file:line: ...`, a node that
// occurs twice included.
absl::StatusOr<std::vector<DumpedNode>> ReadDump(absl::string_view bytes, absl::string_view file);

}  // namespace berth

#endif  // BERTH_PLACEMENT_DUMP_H_
