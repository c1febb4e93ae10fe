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
#include "tools/scopes.h"

namespace berth {

namespace {

absl::Status CheckShowFlags(const ShowFlags& flags) {
  const auto usage = [](absl::string_view message) {
    return WithExit(absl::InvalidArgumentError(message), kExitUsage);
  };
  if (flags.collapse == 0 && flags.json) return usage("flag --json: expected --collapse with it, got none");
  if (flags.collapse == 0 && flags.per_scope) return usage("flag --per-scope: expected --collapse with it, got none");
  if (flags.collapse > 0 && flags.format != "text") {
    return usage(absl::StrCat("flag --format: expected text with --collapse, got ", flags.format));
  }
  if (flags.per_scope && flags.json) {
    return usage("flag --json: expected no --per-scope beside it, whose files are text, got one");
  }
  if (flags.values && flags.format != "text") {
    return usage(absl::StrCat("flag --values: expected with --format text, got '", flags.format, "'"));
  }
  if (flags.values && flags.collapse > 0 && !flags.per_scope) {
    return usage("flag --values: expected --per-scope with --collapse, whose table has no constants, got none");
  }
  if (flags.per_scope && flags.out.empty()) return usage("flag --out: expected a folder for --per-scope, got nothing");
  return absl::OkStatus();
}

}  // namespace

absl::Status Show(const ShowFlags& flags, Io& io) {
  if (flags.format == "events" && flags.out.empty()) {
    return WithExit(absl::InvalidArgumentError("flag --out: expected a folder for --format events, got nothing"),
                    kExitUsage);
  }
  BERTH_RETURN_IF_ERROR(CheckShowFlags(flags));
  BERTH_ASSIGN_OR_RETURN(Graph read, LoadGraph(flags.source, io));
  if (const absl::Status verified = VerifyGraph(read, {.allow_dangling_ties = true}); !verified.ok())
    return WithExit(verified, kExitUnreadable);
  absl::StatusOr<Graph> inferred = InferShapes(std::move(read));
  if (!inferred.ok()) return WithExit(inferred.status(), kExitUnreadable);
  const Graph& graph = *inferred;

  if (flags.per_scope) {
    const std::string text = PrintGraph(graph, {.all_values = flags.values, .device = {}, .comment = {}});
    return WriteScopeFiles(flags.out, text, flags.collapse, io);
  }
  if (flags.collapse > 0) {
    return WriteOutput(flags.out, PrintScopes(CountScopes(graph, flags.collapse), flags.json), io);
  }
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
