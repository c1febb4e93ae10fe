#include "tools/graph_source.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "graph/graphdef.h"
#include "graph/status_macros.h"
#include "graph/text.h"
#include "graph/ties.h"

namespace berth {
namespace {

absl::StatusOr<ImportOptions> ImportOptionsFrom(const GraphSource& source, Io& io) {
  ImportOptions options;
  options.file = source.file == "-" ? "stdin" : source.file;
  absl::string_view mode = source.import;
  if (mode == "keep") {
    options.devices = ImportDevices::kKeep;
  } else if (mode == "hint") {
    options.devices = ImportDevices::kHint;
  } else if (mode == "clear") {
    options.devices = ImportDevices::kClear;
  } else if (absl::ConsumePrefix(&mode, "map=")) {
    options.devices = ImportDevices::kMap;
    const std::string file(mode);
    BERTH_ASSIGN_OR_RETURN(const std::string text, ReadInput(file, io));
    absl::StatusOr<DeviceMap> map = ParseDeviceMap(text, file);
    if (!map.ok()) return WithExit(map.status(), kExitUnreadable);
    options.device_map = *std::move(map);
    options.device_map_file = file;
  } else {
    return WithExit(absl::InvalidArgumentError(absl::StrCat(
                        "flag --import: expected keep, hint, clear or map=FILE, got '", source.import, "'")),
                    kExitUsage);
  }
  return options;
}

void ReportDevices(const ImportCounts& counts, Io& io) {
  const auto say = [&io](int64_t n, absl::string_view what) {
    if (n > 0) io.err << "devices in the file: " << n << " " << what << "\n";
  };
  say(counts.devices_kept, "kept as requests");
  say(counts.devices_hinted, "kept as hints");
  say(counts.devices_cleared, "cleared");
  say(counts.devices_mapped, "mapped");
}

absl::StatusOr<Graph> Parse(std::string bytes, const GraphSource& source, Io& io) {
  BERTH_ASSIGN_OR_RETURN(const ImportOptions options, ImportOptionsFrom(source, io));
  ImportCounts counts;
  if (IsGraphText(bytes)) {
    absl::StatusOr<Graph> graph = ParseGraphText(bytes, StandardOps(), options.file);
    if (!graph.ok()) return WithExit(graph.status(), kExitUnreadable);
    if (options.devices == ImportDevices::kKeep) return graph;
    absl::StatusOr<Graph> imported = ImportDevicesOf(*std::move(graph), options, &counts);
    if (!imported.ok()) return WithExit(imported.status(), kExitUnreadable);
    ReportDevices(counts, io);
    return imported;
  }
  absl::StatusOr<Graph> graph = ImportGraphDef(bytes, StandardOps(), options, &counts);
  if (!graph.ok()) return WithExit(graph.status(), kExitUnreadable);
  ReportDevices(counts, io);
  return graph;
}

}  // namespace

bool IsGraphText(absl::string_view bytes) {
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    const absl::string_view line = absl::StripAsciiWhitespace(bytes.substr(0, end));
    if (!line.empty() && line[0] != '#') {
      const size_t equals = line.find(" = ");
      return equals != absl::string_view::npos && equals > 0 && absl::StrContains(line.substr(equals), "(") &&
             line.substr(0, equals).find_first_of(" \t:{\"") == absl::string_view::npos;
    }
    if (end == absl::string_view::npos) break;
    bytes.remove_prefix(end + 1);
  }
  return false;
}

absl::StatusOr<Graph> LoadGraph(const GraphSource& source, Io& io) {
  BERTH_RETURN_IF_ERROR(ImportOptionsFrom(source, io).status());  // flags before files
  BERTH_ASSIGN_OR_RETURN(std::string bytes, ReadInput(source.file, io));
  return GraphFromBytes(std::move(bytes), source, io);
}

absl::StatusOr<Graph> GraphFromBytes(std::string bytes, const GraphSource& source, Io& io) {
  BERTH_ASSIGN_OR_RETURN(Graph graph, Parse(std::move(bytes), source, io));
  if (source.ties != "drop") return graph;
  int64_t dropped = 0;
  absl::StatusOr<Graph> whole = DropDanglingTies(std::move(graph), &dropped);
  if (!whole.ok()) return WithExit(whole.status(), kExitUnreadable);
  if (dropped > 0) io.err << "ties to nodes that are not there: " << dropped << " dropped\n";
  return whole;
}
}  // namespace berth
