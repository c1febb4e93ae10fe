// `berth diff`: what differs between two placements, given as dumps in any form that replay reads.
#ifndef BERTH_TOOLS_DIFF_H_
#define BERTH_TOOLS_DIFF_H_

#include <string>

#include "absl/status/status.h"
#include "tools/io.h"

namespace berth {

struct DiffFlags {
  std::string a, b;             // files; one of them may be -
  std::string graph;            // where bytes of crossings come from; "": from a dump that is a graph
  std::string format = "text";  // text | json
  int names = 4;                // text: nodes and crossings shown of each group; 0: all
};

// kExitNegative when they differ: a node on another device, or in one of them only.
absl::Status Diff(const DiffFlags& flags, Io& io);

}  // namespace berth

#endif  // BERTH_TOOLS_DIFF_H_
