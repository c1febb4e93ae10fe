// `berth ops`: the ops Berth knows, their signatures and where kernels run; and what a graph needs that is missing.
#ifndef BERTH_TOOLS_OPS_H_
#define BERTH_TOOLS_OPS_H_

#include <string>

#include "absl/status/status.h"
#include "tools/graph_source.h"
#include "tools/io.h"

namespace berth {

struct OpsFlags {
  std::string name;     // one op in full; empty: all
  std::string missing;  // a graph: list its ops that cannot run, with the reason
  bool json = false;
};

// With `missing`, kExitNegative when something is.
absl::Status Ops(const OpsFlags& flags, Io& io);

}  // namespace berth

#endif  // BERTH_TOOLS_OPS_H_
