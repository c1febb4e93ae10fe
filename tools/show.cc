#include "tools/show.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/dot.h"
#include "graph/graphdef.h"
#include "graph/infer.h"
#include "graph/status_macros.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "tools/event_file.h"

namespace berth {

absl::Status Show(const ShowFlags& flags, Io& io) {
  if (flags.format == "events" && flags.out.empty()) {
    return WithExit(absl::InvalidArgumentError("flag --out: expected a folder for --format events, got nothing"),
                    kExitUsage);
  }
  BERTH_ASSIGN_OR_RETURN(Graph read, LoadGraph(flags.source, io));
  if (const absl::Status verified = VerifyGraph(read); !verified.ok()) return WithExit(verified, kExitUnreadable);
  absl::StatusOr<Graph> inferred = InferShapes(std::move(read));
  if (!inferred.ok()) return WithExit(inferred.status(), kExitUnreadable);
  const Graph& graph = *inferred;

  if (flags.format == "pbtxt") return WriteOutput(flags.out, ExportGraphDefText(graph), io);
  if (flags.format == "pb") return WriteOutput(flags.out, ExportGraphDef(graph), io);
  if (flags.format == "dot") return WriteOutput(flags.out, PrintDot(graph), io);
  if (flags.format == "events") {
    BERTH_RETURN_IF_ERROR(MakeFolder(flags.out));
    const std::string file = absl::StrCat(flags.out, "/", EventFileName());
    BERTH_RETURN_IF_ERROR(WriteOutput(file, GraphEvents(ExportGraphDef(graph)), io));
    io.err << "wrote " << file << "\n";
    return absl::OkStatus();
  }
  return WriteOutput(flags.out, PrintGraph(graph, {.all_values = flags.values, .device = {}, .comment = {}}), io);
}

}  // namespace berth
