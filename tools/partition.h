// `berth partition`: the graph of each device, or the table of what crosses between them.
#ifndef BERTH_TOOLS_PARTITION_H_
#define BERTH_TOOLS_PARTITION_H_

#include <string>

#include "absl/status/status.h"
#include "tools/io.h"
#include "tools/placed_graph.h"

namespace berth {

struct PartitionFlags {
  PlaceFlags place;
  bool transfers = false;                  // the table in place of the graphs
  std::string format = "text";             // text | tsv (of --transfers) | pbtxt | json
  std::string replicate_constants = "on";  // on | off
  std::string out;                         // a folder: one DEVICE.pbtxt a device
};

absl::Status PartitionVerb(const PartitionFlags& flags, Io& io);

}  // namespace berth

#endif  // BERTH_TOOLS_PARTITION_H_
