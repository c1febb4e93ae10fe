#include "tools/explain.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/function_bodies.h"
#include "graph/spelling.h"
#include "graph/status_macros.h"
#include "placement/estimate.h"
#include "placement/explain.h"
#include "placement/host_memory.h"

namespace berth {
namespace {

absl::StatusOr<NodeId> FindNode(const Graph& graph, const std::string& name) {
  if (const std::optional<Node> node = graph.Find(name)) return node->id();
  std::vector<std::string> names;
  std::string nearest;  // of the same name in a body, else by spelling
  for (NodeId n = 0; n < graph.num_nodes(); ++n) {
    names.emplace_back(graph.node(n).name());
    const bool in_body = graph.node(n).attr(kBodyAttr) != nullptr;
    if (nearest.empty() && in_body && absl::EndsWith(names.back(), absl::StrCat("/", name))) nearest = names.back();
  }
  if (nearest.empty()) nearest = NearestWord(name, names);
  return WithExit(absl::NotFoundError(
                      absl::StrCat("argument NODE '", name, "': expected a node of the graph that is placed, got none",
                                   nearest.empty() ? "" : absl::StrCat("; did you mean '", nearest, "'?"))),
                  kExitUsage);
}

absl::StatusOr<DeviceId> FindDevice(const Machine& machine, const std::string& text) {
  const absl::StatusOr<DeviceName> name = ParseDeviceName(text);
  if (!name.ok()) {
    return WithExit(absl::InvalidArgumentError(absl::StrCat("flag --device: ", name.status().message())), kExitUsage);
  }
  const std::vector<DeviceId> devices = machine.Matching(*name);
  if (devices.size() == 1) return devices[0];
  return WithExit(absl::InvalidArgumentError(absl::StrCat("flag --device '", text, "': expected one device of ",
                                                          machine.DeviceList(), ", got ", devices.size())),
                  kExitUsage);
}

std::string Signed(int64_t n) { return absl::StrCat(n > 0 ? "+" : "", n); }
std::string SignedSeconds(double seconds) {
  return absl::StrCat(seconds < 0 ? "-" : "+", SecondsText(std::abs(seconds)));
}

void PrintWhyNot(const PlacedGraph& placed, const Choice& choice, NodeId n, DeviceId d, Io& io) {
  const Machine& machine = placed.machine;
  const std::string there = machine.device(d).name.ShortName();
  const DeviceId here_id = placed.placement.device(n);
  const std::string here = machine.device(here_id).name.ShortName();
  if (here_id == d) {
    io.out << there << "? it is there\n";
    return;
  }
  if (const Veto* veto = choice.VetoOf(d)) {
    io.out << there << "? no: " << PrintVeto(*placed.graph, *veto) << "\n";
    return;
  }
  const WhatIf what = MoveTo(*placed.graph, machine, placed.placement, n, d);
  io.out << there << "? it could; with all else where it is:\n"
         << "  run: " << SignedSeconds(what.total_seconds) << " in all, " << SignedSeconds(what.busy_seconds)
         << " busy on devices and links\n"
         << "  links: " << Signed(what.bytes) << " bytes, " << Signed(what.transfers) << " transfers\n"
         << "  peak memory: " << here << " " << Signed(what.peak_here) << " bytes, " << there << " "
         << Signed(what.peak_there) << " bytes\n";
}

nlohmann::ordered_json VetoJson(const PlacedGraph& placed, const Veto& veto) {
  nlohmann::ordered_json row = {{"author", veto.author}, {"reason", veto.reason}};
  if (!veto.origin.empty()) row["origin"] = veto.origin;
  if (veto.node != kNoNode) row["node"] = std::string(placed.graph->node(veto.node).name());
  if (!veto.tie.empty()) row["tie"] = veto.tie;
  row["devices"] = nlohmann::ordered_json::array();
  for (const DeviceId v : veto.devices) row["devices"].push_back(placed.machine.device(v).name.ToString());
  return row;
}

nlohmann::ordered_json ToJson(const PlacedGraph& placed, const Choice& choice, NodeId n, DeviceId asked) {
  const auto full = [&](DeviceId d) { return placed.machine.device(d).name.ToString(); };
  const Node node = placed.graph->node(n);
  nlohmann::ordered_json json = {{"node", std::string(node.name())},
                                 {"op", std::string(node.op())},
                                 {"requested", std::string(node.device())},
                                 {"device", full(choice.winner)},
                                 {"author", placed.placement.author(n)},
                                 {"reason", placed.placement.reason(n)},
                                 {"group_nodes", choice.members}};
  if (choice.with != kNoNode) json["with"] = std::string(placed.graph->node(choice.with).name());
  if (!choice.tie.empty()) json["tie"] = choice.tie;
  const std::vector<std::string> host = HostMemoryOf(*placed.graph, placed.machine, placed.placement, n);
  if (!host.empty()) json["host_memory"] = host;
  for (const DeviceId d : choice.candidates) json["candidates"].push_back(full(d));
  json["vetoes"] = nlohmann::ordered_json::array();
  for (const Veto& veto : choice.vetoes) json["vetoes"].push_back(VetoJson(placed, veto));
  json["scores"] = nlohmann::ordered_json::array();
  for (const Score& score : choice.scores) {
    nlohmann::ordered_json row = {{"device", full(score.device)}, {"preference", score.preference}};
    if (score.value) row["value"] = *score.value;
    json["scores"].push_back(std::move(row));
  }
  if (choice.runner_up != kNoDevice) {
    json["runner_up"] = full(choice.runner_up);
    json["margin"] = choice.margin;
  }
  if (asked == kNoDevice) return json;
  nlohmann::ordered_json& why = json["asked"];
  why = {{"device", full(asked)}, {"is_there", asked == choice.winner}};
  if (asked == choice.winner) return json;
  if (const Veto* veto = choice.VetoOf(asked)) {
    why["veto"] = VetoJson(placed, *veto);
    return json;
  }
  const WhatIf what = MoveTo(*placed.graph, placed.machine, placed.placement, n, asked);
  why["moved"] = {{"total_seconds", what.total_seconds},
                  {"busy_seconds", what.busy_seconds},
                  {"bytes", what.bytes},
                  {"transfers", what.transfers},
                  {"peak_bytes_here", what.peak_here},
                  {"peak_bytes_there", what.peak_there}};
  return json;
}

}  // namespace

absl::Status Explain(const ExplainFlags& flags, Io& io) {
  PlaceFlags place = flags.place;
  if (flags.format == "json") place.refusal_to = "";
  BERTH_ASSIGN_OR_RETURN(const PlacedGraph placed, LoadAndPlace(place, io));
  BERTH_ASSIGN_OR_RETURN(const NodeId n, FindNode(*placed.graph, flags.node));
  DeviceId d = kNoDevice;
  if (!flags.device.empty()) {
    BERTH_ASSIGN_OR_RETURN(d, FindDevice(placed.machine, flags.device));
  }
  BERTH_ASSIGN_OR_RETURN(const std::unique_ptr<Explainer> explainer, ExplainPlaced(placed));
  const Choice choice = explainer->Explain(n);
  if (flags.format == "json") {
    io.out << ToJson(placed, choice, n, d).dump(2) << "\n";
  } else {
    io.out << PrintChoice(*placed.graph, placed.machine, placed.placement, choice, n);
    if (d != kNoDevice) PrintWhyNot(placed, choice, n, d, io);
  }
  return CheckFallbacks(flags.place, *placed.graph, placed.placement);
}

}  // namespace berth
