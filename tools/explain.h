// `berth explain`: why a node is where it is; and why not on another device, or what that would cost.
#ifndef BERTH_TOOLS_EXPLAIN_H_
#define BERTH_TOOLS_EXPLAIN_H_

#include <string>

#include "absl/status/status.h"
#include "tools/io.h"
#include "tools/placed_graph.h"

namespace berth {

struct ExplainFlags {
  PlaceFlags place;
  std::string node;
  std::string device;           // "gpu:1"; empty: only why here
  std::string format = "text";  // text | json
};

// Exit 0 for an answer, whatever it is. Errors carry kExitUsage for a node or a device that is not there.
absl::Status Explain(const ExplainFlags& flags, Io& io);

}  // namespace berth

#endif  // BERTH_TOOLS_EXPLAIN_H_
