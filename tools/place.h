// `berth place`: where every node goes, and why. Nothing runs, and the machine need not exist.
#ifndef BERTH_TOOLS_PLACE_H_
#define BERTH_TOOLS_PLACE_H_

#include <string>

#include "absl/status/status.h"
#include "tools/io.h"
#include "tools/placed_graph.h"

namespace berth {

struct PlaceVerbFlags {
  PlaceFlags place;
  std::string format = "text";  // text | tsv | json | pbtxt | pb
  bool reasons = false;         // pbtxt, pb: with _berth_* attributes; tsv: all columns
  bool explain = false;         // text: each node's candidates, vetoes and scores; json: with every group's choice
  bool values = false;          // text: constants over 1 KB in full
  std::string out;              // file; empty: standard output
};

absl::Status Place(const PlaceVerbFlags& flags, Io& io);

}  // namespace berth

#endif  // BERTH_TOOLS_PLACE_H_
