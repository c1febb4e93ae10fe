// A graph named on the command line: any of the forms that Berth reads, from a file or standard input.
#ifndef BERTH_TOOLS_GRAPH_SOURCE_H_
#define BERTH_TOOLS_GRAPH_SOURCE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "graph/graph.h"
#include "tools/io.h"

namespace berth {

struct GraphSource {
  std::string file = "-";
  std::string import = "keep";  // keep | hint | clear | map=FILE
  std::string ties = "strict";  // strict | drop: _class that names nodes the file does not have
};

// Reads a GraphDef (binary or text) or Berth's text form; which one is found out from the content. Says on io.err how
// many devices of the file were kept, hinted, cleared or mapped, and how many ties were dropped, if any. Errors carry
// kExitUnreadable, a bad --import kExitUsage.
absl::StatusOr<Graph> LoadGraph(const GraphSource& source, Io& io);

// The same of bytes already read; source.file is for messages.
absl::StatusOr<Graph> GraphFromBytes(std::string bytes, const GraphSource& source, Io& io);

// True when `bytes` look like Berth's text form: the first line that is no comment reads `name = Op(`.
bool IsGraphText(absl::string_view bytes);

}  // namespace berth

#endif  // BERTH_TOOLS_GRAPH_SOURCE_H_
