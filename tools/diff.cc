#include "tools/diff.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/infer.h"
#include "graph/status_macros.h"
#include "graph/verify.h"
#include "placement/node_cost.h"
#include "placement/placement_diff.h"
#include "tools/graph_source.h"

namespace berth {
namespace {

using Json = nlohmann::ordered_json;

std::string Count(int64_t n, absl::string_view one) { return absl::StrCat(n, " ", one, n == 1 ? "" : "s"); }

// At most `most` of the names, 0 for all.
std::string Names(const std::vector<std::string>& names, size_t most) {
  if (most == 0 || names.size() <= most) return absl::StrJoin(names, ", ");
  return absl::StrCat(absl::StrJoin(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(most), ", "), ", and ",
                      names.size() - most, " more");
}

// Moved nodes of one scope that went the same way for the same authors.
void PrintMoved(const PlacementDiff& diff, size_t most, Io& io) {
  io.out << "moved " << diff.moved.size() << " of " << Count(diff.common, "node") << "\n";
  std::map<std::tuple<std::string, std::string, std::string, std::string, std::string>,
           std::vector<const PlacementDiff::Moved*>>
      groups;
  for (const PlacementDiff::Moved& moved : diff.moved) {
    groups[{std::string(NameScope(moved.node)), moved.from, moved.to, AuthorOf(moved.was), AuthorOf(moved.is)}]
        .push_back(&moved);
  }
  for (const auto& [key, list] : groups) {
    std::vector<std::string> names;
    for (const PlacementDiff::Moved* moved : list) names.push_back(moved->node);
    const PlacementDiff::Moved& first = *list.front();
    const std::string& scope = std::get<0>(key);
    io.out << "  " << (scope.empty() ? "" : scope + "/") << (scope.empty() ? "" : " ") << first.from << " -> "
           << first.to << ": " << Count(static_cast<int64_t>(list.size()), "node") << ": " << Names(names, most)
           << "\n";
    if (!first.was.empty()) io.out << "    was " << first.was << "\n";
    if (!first.is.empty()) io.out << "    is  " << first.is << "\n";
  }
}

void PrintCrossings(absl::string_view what, const std::vector<PlacementDiff::Crossing>& crossings, size_t most,
                    Io& io) {
  int64_t bytes = 0, unknown = 0;
  for (const PlacementDiff::Crossing& c : crossings) {
    bytes = AddSizes(bytes, c.bytes.value_or(0));
    unknown += c.bytes ? 0 : 1;
  }
  io.out << std::string(what) << " crossings: " << crossings.size() << ", " << Count(bytes, "byte");
  if (unknown > 0) io.out << ", " << unknown << " of unknown size";
  io.out << "\n";
  // The largest first.
  std::vector<PlacementDiff::Crossing> sorted = crossings;
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  const size_t shown = most == 0 ? sorted.size() : std::min(most, sorted.size());
  for (size_t i = 0; i < shown; ++i) {
    const PlacementDiff::Crossing& c = sorted[i];
    io.out << "  " << c.value << " " << c.from << " -> " << c.to << " "
           << (c.bytes ? Count(*c.bytes, "byte") : "? bytes") << "\n";
  }
  if (shown < sorted.size()) io.out << "  and " << sorted.size() - shown << " more\n";
}

void PrintText(const PlacementDiff& diff, size_t most, Io& io) {
  if (diff.equal()) {
    io.out << "equal: " << Count(diff.common, "node") << "\n";
  } else {
    PrintMoved(diff, most, io);
    if (!diff.only_a.empty()) io.out << "only in the first: " << Names(diff.only_a, most) << "\n";
    if (!diff.only_b.empty()) io.out << "only in the second: " << Names(diff.only_b, most) << "\n";
    io.out << "nodes:";
    for (const PlacementDiff::Device& d : diff.devices) {
      io.out << " " << d.name << " " << d.before;
      if (d.before != d.after) io.out << " -> " << d.after;
    }
    io.out << "\n";
  }
  for (const PlacementDiff::Authors& a : diff.authors) {
    io.out << "stay for another reason: " << Count(a.nodes, "node") << ": " << a.before << " => " << a.after << "\n";
  }
  if (diff.equal()) return;
  if (!diff.has_graph) {
    io.out << "crossings: unknown, as neither dump holds a graph; --graph FILE gives one\n";
    return;
  }
  PrintCrossings("new", diff.added, most, io);
  PrintCrossings("removed", diff.removed, most, io);
  io.out << "all crossings: " << diff.transfers_before << " -> " << diff.transfers_after << ", " << diff.bytes_before
         << " -> " << Count(diff.bytes_after, "byte") << "\n";
}

Json CrossingsJson(const std::vector<PlacementDiff::Crossing>& crossings) {
  Json json = Json::array();
  for (const PlacementDiff::Crossing& c : crossings) {
    Json row = {{"value", c.value}, {"from", c.from}, {"to", c.to}};
    row["bytes"] = c.bytes ? Json(*c.bytes) : Json(nullptr);
    json.push_back(std::move(row));
  }
  return json;
}

void PrintJson(const PlacementDiff& diff, Io& io) {
  Json json = {{"equal", diff.equal()}, {"common", diff.common}, {"moved", Json::array()}};
  for (const PlacementDiff::Moved& m : diff.moved) {
    json["moved"].push_back({{"node", m.node},
                             {"scope", std::string(NameScope(m.node))},
                             {"from", m.from},
                             {"to", m.to},
                             {"was", m.was},
                             {"is", m.is}});
  }
  json["only_in_first"] = diff.only_a;
  json["only_in_second"] = diff.only_b;
  json["devices"] = Json::array();
  for (const PlacementDiff::Device& d : diff.devices) {
    json["devices"].push_back({{"device", d.name}, {"before", d.before}, {"after", d.after}});
  }
  json["other_reasons"] = Json::array();
  for (const PlacementDiff::Authors& a : diff.authors) {
    json["other_reasons"].push_back({{"before", a.before}, {"after", a.after}, {"nodes", a.nodes}});
  }
  if (!diff.has_graph) {
    json["crossings"] = nullptr;
  } else {
    json["crossings"] = {{"new", CrossingsJson(diff.added)},          {"removed", CrossingsJson(diff.removed)},
                         {"transfers_before", diff.transfers_before}, {"transfers_after", diff.transfers_after},
                         {"bytes_before", diff.bytes_before},         {"bytes_after", diff.bytes_after}};
  }
  io.out << json.dump(2) << "\n";
}

struct Side {
  std::string file;
  std::string bytes;
  std::vector<DumpedNode> nodes;
};

absl::StatusOr<Side> ReadSide(const std::string& file, Io& io) {
  Side side;
  side.file = file == "-" ? "stdin" : file;
  BERTH_ASSIGN_OR_RETURN(side.bytes, ReadInput(file, io));
  absl::StatusOr<std::vector<DumpedNode>> nodes = ReadDump(side.bytes, side.file);
  if (!nodes.ok()) return WithExit(nodes.status(), kExitUnreadable);
  side.nodes = *std::move(nodes);
  return side;
}

absl::StatusOr<Graph> WithShapes(absl::StatusOr<Graph> graph) {
  BERTH_RETURN_IF_ERROR(graph.status());
  if (const absl::Status verified = VerifyGraph(*graph); !verified.ok()) return WithExit(verified, kExitUnreadable);
  absl::StatusOr<Graph> inferred = InferShapes(*std::move(graph));
  if (!inferred.ok()) return WithExit(inferred.status(), kExitUnreadable);
  return inferred;
}

// The nodes are the graph's, or of the body of one of its functions.
absl::Status CheckNodes(const Graph& graph, const std::string& file, const Side& side) {
  std::vector<std::string> strangers;
  for (const DumpedNode& node : side.nodes) {
    const bool in_function = graph.HasFunction(node.name.substr(0, node.name.find('/')));
    if (!in_function && !graph.Find(node.name)) strangers.push_back(absl::StrCat("'", node.name, "'"));
  }
  if (strangers.empty()) return absl::OkStatus();
  return WithExit(
      absl::InvalidArgumentError(absl::StrCat(
          "graph '", file, "': expected the graph that was placed, got one without ",
          Count(static_cast<int64_t>(strangers.size()), "node"), " of ", side.file, ": ", Names(strangers, 8))),
      kExitUsage);
}

// The graph of the flag, else the one that a dump is; nullopt when there is none.
absl::StatusOr<std::optional<Graph>> FindGraph(const DiffFlags& flags, const Side& a, const Side& b, Io& io) {
  std::ostringstream unsaid;  // how many devices are in a dump
  Io quiet = {io.in, io.out, unsaid};
  if (!flags.graph.empty()) {
    BERTH_ASSIGN_OR_RETURN(Graph graph, WithShapes(LoadGraph({.file = flags.graph}, quiet)));
    for (const Side* side : {&a, &b}) BERTH_RETURN_IF_ERROR(CheckNodes(graph, flags.graph, *side));
    return std::optional<Graph>(std::move(graph));
  }
  for (const Side* side : {&b, &a}) {
    if (!DumpHoldsGraph(side->bytes)) continue;
    absl::StatusOr<Graph> graph = WithShapes(GraphFromBytes(side->bytes, {.file = side->file}, quiet));
    if (graph.ok()) return std::optional<Graph>(*std::move(graph));
    io.err << "note: no crossings from this dump: " << std::string(graph.status().message()) << "\n";
  }
  return std::optional<Graph>();
}

}  // namespace

absl::Status Diff(const DiffFlags& flags, Io& io) {
  const int from_stdin = (flags.a == "-") + (flags.b == "-") + (flags.graph == "-");
  if (from_stdin > 1) {
    return WithExit(absl::InvalidArgumentError("arguments: expected one file to be -, got several"), kExitUsage);
  }
  BERTH_ASSIGN_OR_RETURN(const Side a, ReadSide(flags.a, io));
  BERTH_ASSIGN_OR_RETURN(const Side b, ReadSide(flags.b, io));
  BERTH_ASSIGN_OR_RETURN(const std::optional<Graph> graph, FindGraph(flags, a, b, io));
  const PlacementDiff diff = DiffPlacements(a.nodes, b.nodes, graph ? &*graph : nullptr);
  if (flags.format == "json") {
    PrintJson(diff, io);
  } else {
    PrintText(diff, static_cast<size_t>(flags.names), io);
  }
  if (diff.equal()) return absl::OkStatus();
  return WithExit(
      absl::FailedPreconditionError(absl::StrCat(
          "expected equal placements, got ", Count(static_cast<int64_t>(diff.moved.size()), "node"), " moved, ",
          diff.only_a.size(), " only in the first, ", diff.only_b.size(), " only in the second")),
      kExitNegative);
}

}  // namespace berth
