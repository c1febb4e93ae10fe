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
  int collapse = 0;             // fold to name scopes of so many names: a table of nodes a device; 0: no
  bool json = false;            // of that table
  bool per_scope = false;       // with collapse: the nodes in text, one file a scope, into the folder `out`
  std::string out;              // a file; events and per_scope: a folder
};

absl::Status Show(const ShowFlags& flags, Io& io);

}  // namespace berth

#endif  // BERTH_TOOLS_SHOW_H_
