#include "tools/partition.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "graph/graphdef.h"
#include "graph/status_macros.h"
#include "graph/text.h"
#include "runtime/partition.h"

namespace berth {
namespace {

std::string Bytes(const Transfer& t) { return t.bytes ? absl::StrCat(*t.bytes) : "?"; }

void PrintTransfers(const Machine& machine, const std::vector<Transfer>& transfers, const std::string& format, Io& io) {
  const auto full = [&machine](DeviceId d) { return machine.device(d).name.ToString(); };
  if (format == "json") {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const Transfer& t : transfers) {
      nlohmann::ordered_json row = {
          {"value", t.value}, {"from", full(t.from)}, {"to", full(t.to)}, {"dtype", DTypeName(BaseOf(t.dtype))}};
      row["bytes"] = t.bytes ? nlohmann::ordered_json(*t.bytes) : nlohmann::ordered_json(nullptr);
      json.push_back(std::move(row));
    }
    io.out << json.dump(2) << "\n";
    return;
  }
  if (format == "tsv") {
    io.out << "value\tfrom\tto\tdtype\tbytes\n";
    for (const Transfer& t : transfers) {
      io.out << t.value << "\t" << full(t.from) << "\t" << full(t.to) << "\t" << DTypeName(BaseOf(t.dtype)) << "\t"
             << Bytes(t) << "\n";
    }
    return;
  }
  size_t width = 5;
  for (const Transfer& t : transfers) width = std::max(width, std::min<size_t>(t.value.size(), 60));
  for (const Transfer& t : transfers) {
    io.out << absl::StrFormat("%-*s  %-7s -> %-7s %-8s %12s bytes\n", static_cast<int>(width), t.value,
                              machine.device(t.from).name.ShortName(), machine.device(t.to).name.ShortName(),
                              DTypeName(BaseOf(t.dtype)), Bytes(t));
  }
  io.out << transfers.size() << " transfers\n";
}

absl::Status PrintParts(const Machine& machine, const Partition& partition, const PartitionFlags& flags, Io& io) {
  if (!flags.out.empty()) {
    BERTH_RETURN_IF_ERROR(MakeFolder(flags.out));
    for (const Partition::Part& part : partition.parts) {
      const std::string name =
          absl::StrReplaceAll(machine.device(part.device).name.ToString().substr(1), {{"/", "."}, {":", "_"}});
      BERTH_RETURN_IF_ERROR(
          WriteOutput(absl::StrCat(flags.out, "/", name, ".pbtxt"), ExportGraphDefText(part.graph), io));
    }
    return absl::OkStatus();
  }
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const Partition::Part& part : partition.parts) {
    const std::string device = machine.device(part.device).name.ToString();
    if (flags.format == "json") {
      json[device] = PrintGraph(part.graph);
    } else {
      io.out << "# device " << device << ": " << part.graph.num_nodes() << " nodes\n"
             << (flags.format == "pbtxt" ? ExportGraphDefText(part.graph) : PrintGraph(part.graph));
    }
  }
  if (flags.format == "json") io.out << json.dump(2) << "\n";
  return absl::OkStatus();
}

}  // namespace

absl::Status PartitionVerb(const PartitionFlags& flags, Io& io) {
  if (flags.format == (flags.transfers ? "pbtxt" : "tsv")) {
    return WithExit(absl::InvalidArgumentError(absl::StrCat("flag --format '", flags.format, "': expected ",
                                                            flags.transfers ? "text, tsv or json with --transfers"
                                                                            : "text, pbtxt or json without --transfers",
                                                            ", got another")),
                    kExitUsage);
  }
  if (flags.transfers && !flags.out.empty()) {
    return WithExit(
        absl::InvalidArgumentError("flag --out: expected no folder with --transfers, whose table is printed, got one"),
        kExitUsage);
  }
  if (flags.format == "json" && !flags.out.empty()) {
    return WithExit(absl::InvalidArgumentError("flag --out: expected --format pbtxt, which it writes, got 'json'"),
                    kExitUsage);
  }
  BERTH_ASSIGN_OR_RETURN(PlacedGraph placed, LoadAndPlace(flags.place, io));
  BERTH_RETURN_IF_ERROR(CheckFallbacks(flags.place, *placed.graph, placed.placement));
  placed.placement.device_of.resize(placed.own->num_nodes());
  const PartitionOptions options = {.feeds = FeedNames(flags.place.feeds),
                                    .fetches = flags.place.fetches,
                                    .targets = {},
                                    .replicate_constants = flags.replicate_constants == "on",
                                    .tensorflow_rule = PlacesWholeGraph(placed.policy)};
  if (flags.transfers) {
    absl::StatusOr<std::vector<Transfer>> transfers =
        ListTransfers(*placed.own, placed.placement, placed.machine, options);
    if (!transfers.ok()) return WithExit(transfers.status(), kExitUnplaceable);
    PrintTransfers(placed.machine, *transfers, flags.format, io);
    return absl::OkStatus();
  }
  absl::StatusOr<Partition> partition = PartitionGraph(*placed.own, placed.placement, placed.machine, options);
  if (!partition.ok()) return WithExit(partition.status(), kExitUnplaceable);
  return PrintParts(placed.machine, *partition, flags, io);
}

}  // namespace berth
