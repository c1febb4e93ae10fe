// `berth check`: reads a graph, verifies it and infers dtypes and shapes.
#ifndef BERTH_TOOLS_CHECK_H_
#define BERTH_TOOLS_CHECK_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tools/graph_source.h"
#include "tools/io.h"

namespace berth {

struct CheckFlags {
  GraphSource source;
  bool shapes = false;          // print tensor, dtype and shape of every output
  std::string format = "text";  // text | tsv (which has shapes) | json
};

absl::Status Check(const CheckFlags& flags, Io& io);

}  // namespace berth

#endif  // BERTH_TOOLS_CHECK_H_
