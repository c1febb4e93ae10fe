// `berth check`: reads a graph, verifies it and infers dtypes and shapes; with assertions, places it and checks what the
// placement costs.
#ifndef BERTH_TOOLS_CHECK_H_
#define BERTH_TOOLS_CHECK_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tools/io.h"
#include "tools/placed_graph.h"

namespace berth {

struct CheckFlags {
  PlaceFlags place;                  // of it only the source counts without assertions
  bool shapes = false;               // print tensor, dtype and shape of every output
  std::string format = "text";       // text | tsv (which has shapes) | json
  std::vector<std::string> asserts;  // placement/assertion.h
};

absl::Status Check(const CheckFlags& flags, Io& io);

}  // namespace berth

#endif  // BERTH_TOOLS_CHECK_H_
