// `berth show`: a graph in another form, devices as they stand in it.
#ifndef BERTH_TOOLS_SHOW_H_
#define BERTH_TOOLS_SHOW_H_

#include <string>

#include "absl/status/status.h"
#include "tools/graph_source.h"
#include "tools/io.h"

namespace berth {

struct ShowFlags {
  GraphSource source;
  std::string format = "text";  // text | pbtxt | pb | dot | events
  bool values = false;          // text: constants over 1 KB in full
  std::string out;              // a file; events: a folder
};

absl::Status Show(const ShowFlags& flags, Io& io);

}  // namespace berth

#endif  // BERTH_TOOLS_SHOW_H_
