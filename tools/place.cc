#include "tools/place.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/function_bodies.h"
#include "graph/function_library.h"
#include "graph/graphdef.h"
#include "graph/status_macros.h"
#include "graph/text.h"
#include "placement/explain.h"
#include "placement/host_memory.h"
#include "placement/node_cost.h"
#include "placement/report.h"

namespace berth {
namespace {

std::string Tsv(const PlacedGraph& placed) {
  std::string out = "node\tdevice\n";
  for (NodeId id = 0; id < placed.graph->num_nodes(); ++id) {
    absl::StrAppend(&out, placed.graph->node(id).name(), "\t",
                    placed.machine.device(placed.placement.device(id)).name.ToString(), "\n");
  }
  return out;
}

// Everything about a node in one row.
std::string Table(const PlacedGraph& placed) {
  std::string out = "name\top\trequested\tassigned\trule\treason\torigin\tbytes_out\n";
  for (NodeId n = 0; n < placed.graph->num_nodes(); ++n) {
    const Node node = placed.graph->node(n);
    std::optional<int64_t> bytes = 0;
    for (int k = 0; k < node.num_outputs() && bytes; ++k) {
      const std::optional<int64_t> more = OutputBytes(node, k);
      bytes = more ? std::optional<int64_t>(AddSizes(*bytes, *more)) : std::nullopt;
    }
    const std::string& origin = node.note().origin;
    absl::StrAppend(&out, node.name(), "\t", node.op(), "\t", node.device(), "\t",
                    placed.machine.device(placed.placement.device(n)).name.ToString(), "\t", placed.placement.author(n),
                    "\t", placed.placement.reason(n), "\t", origin.empty() ? node.source().ToString() : origin, "\t",
                    bytes ? absl::StrCat(*bytes) : "?", "\n");
  }
  return out;
}

// The choice of every node, one after the other.
absl::Status Explanations(const PlaceVerbFlags& flags, const PlacedGraph& placed, Explainer& explainer, Io& io) {
  return WriteInPieces(
      flags.out,
      [&](Sink sink) {
        for (NodeId n = 0; n < placed.graph->num_nodes(); ++n) {
          sink(PrintChoice(*placed.graph, placed.machine, placed.placement, explainer.Explain(n), n));
        }
        sink(PrintBestMoves(*placed.graph, placed.machine, placed.placement));
      },
      io);
}

std::string Text(const PlacedGraph& placed, bool all_values) {
  TextOptions options;
  options.all_values = all_values;
  options.device = [&](const Node& node) {
    return placed.machine.device(placed.placement.device(node.id())).name.ShortName();
  };
  options.comment = [&](const Node& node) {
    return absl::StrCat(placed.placement.author(node.id()), ": ", placed.placement.reason(node.id()));
  };
  return PrintGraph(*placed.graph, options);
}

std::string Pbtxt(const PlacedGraph& placed, bool reasons, bool binary) {
  const auto device = [&](const Node& node) {
    return placed.machine.device(placed.placement.device(node.id())).name.ToString();
  };
  const auto attrs = [&](const Node& node) {
    std::vector<std::pair<std::string, AttrValue>> list;
    const auto add = [&list](absl::string_view name, std::string value) {
      if (!value.empty()) list.emplace_back(std::string(name), AttrValue(std::move(value)));
    };
    add("_berth_author", placed.placement.author(node.id()));
    add("_berth_reason", placed.placement.reason(node.id()));
    add("_berth_requested", std::string(node.device()));
    add("_berth_host_memory",
        absl::StrJoin(HostMemoryOf(*placed.graph, placed.machine, placed.placement, node.id()), ","));
    add("_berth_source", node.source().ToString());
    for (const Tag& tag : node.tags()) add(absl::StrCat("_berth_tag_", tag.key), tag.value);
    return list;
  };
  absl::FunctionRef<std::string(const Node&)> device_ref = device;
  absl::FunctionRef<std::vector<std::pair<std::string, AttrValue>>(const Node&)> attrs_ref = attrs;
  ExportOptions options{.device = &device_ref, .attrs = reasons ? &attrs_ref : nullptr};
  std::string extras;
  if (placed.own != placed.graph) {
    BodyPlaces places;
    for (NodeId id = placed.own->num_nodes(); id < placed.graph->num_nodes(); ++id) {
      const Node node = placed.graph->node(id);
      const std::string* function = node.AttrOrDefault<std::string>(kBodyAttr);
      if (function != nullptr) places[*function].emplace_back(std::string(node.name()), device(node));
    }
    extras = WithPlacesInLibrary(placed.own->extras(), places);
    options.extras = &extras;
  }
  return binary ? ExportGraphDef(*placed.own, options) : ExportGraphDefText(*placed.own, options);
}

// Error: a flag that the format has no place for.
absl::Status CheckFormat(const PlaceVerbFlags& flags) {
  const auto usage = [&flags](absl::string_view flag, absl::string_view formats) {
    return WithExit(absl::InvalidArgumentError(absl::StrCat("flag ", flag, ": expected with --format ", formats,
                                                            ", got '", flags.format, "'")),
                    kExitUsage);
  };
  const bool text = flags.format == "text", json = flags.format == "json";
  if (flags.explain && !text && !json) return usage("--explain", "text or json");
  if (flags.reasons && text) return usage("--reasons", "tsv, pbtxt or pb (text has them anyway)");
  if (flags.reasons && json) return usage("--reasons", "tsv, pbtxt or pb (json has them anyway)");
  if (flags.values && !text) return usage("--values", "text");
  if (!flags.values || !flags.explain) return absl::OkStatus();
  return WithExit(
      absl::InvalidArgumentError("flag --values: expected no --explain beside it, which prints no constants, got one"),
      kExitUsage);
}

}  // namespace

absl::Status Place(const PlaceVerbFlags& flags, Io& io) {
  BERTH_RETURN_IF_ERROR(CheckFormat(flags));
  PlaceFlags place = flags.place;
  if (flags.format == "json") place.refusal_to = flags.out;
  BERTH_ASSIGN_OR_RETURN(const PlacedGraph placed, LoadAndPlace(place, io));
  ReportPlacement(*placed.graph, placed.machine, placed.placement, io);
  std::unique_ptr<Explainer> explainer;
  if (flags.explain) {
    BERTH_ASSIGN_OR_RETURN(explainer, ExplainPlaced(placed));
  }
  if (flags.format == "json") {
    BERTH_RETURN_IF_ERROR(WriteInPieces(
        flags.out,
        [&](Sink sink) { WritePlacementJson(*placed.graph, placed.machine, placed.placement, explainer.get(), sink); },
        io));
  } else if (flags.explain) {
    BERTH_RETURN_IF_ERROR(Explanations(flags, placed, *explainer, io));
  } else {
    std::string out;
    if (flags.format == "tsv") {
      out = flags.reasons ? Table(placed) : Tsv(placed);
    } else if (flags.format == "pbtxt" || flags.format == "pb") {
      out = Pbtxt(placed, flags.reasons, flags.format == "pb");
    } else {
      out = Text(placed, flags.values);
    }
    BERTH_RETURN_IF_ERROR(WriteOutput(flags.out, out, io));
  }
  return CheckFallbacks(flags.place, *placed.graph, placed.placement);
}

}  // namespace berth
