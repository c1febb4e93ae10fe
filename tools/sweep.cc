#include "tools/sweep.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "graph/status_macros.h"
#include "placement/estimate.h"

namespace berth {
namespace {

using Json = nlohmann::ordered_json;
using Table = std::vector<std::vector<std::string>>;  // the first row: titles

// One combination.
struct Outcome {
  std::string policy, machine_text;  // as given
  const Machine* machine = nullptr;
  std::string refused;  // "" when placed
  PlacementEstimate estimate;
  size_t fallbacks = 0;
  std::string forbidden;  // what is said of the fallbacks, where the flags forbid them
};

// The parts between semicolons that stand outside of double quotes, without spaces around.
absl::StatusOr<std::vector<std::string>> SplitList(absl::string_view flag, const std::string& text) {
  std::vector<std::string> parts(1);
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\' && i + 1 < text.size()) {
      parts.back() += text[i++];
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (text[i] == ';' && !quoted) {
      parts.emplace_back();
      continue;
    }
    parts.back() += text[i];
  }
  for (std::string& part : parts) {
    part = std::string(absl::StripAsciiWhitespace(part));
    if (!part.empty()) continue;
    return WithExit(absl::InvalidArgumentError(absl::StrCat(
                        "flag ", flag, ": expected a list separated by ;, got an empty part in '", text, "'")),
                    kExitUsage);
  }
  return parts;
}

// "cpu:0 3 gpu:1 2", without devices that have none.
template <typename Figure>
std::string ByDevice(const Outcome& outcome, Figure figure) {
  std::vector<std::string> parts;
  for (DeviceId d = 0; d < outcome.machine->num_devices(); ++d) {
    const int64_t value = figure(outcome.estimate.devices[d]);
    if (value != 0) parts.push_back(absl::StrCat(outcome.machine->device(d).name.ShortName(), " ", value));
  }
  return parts.empty() ? "-" : absl::StrJoin(parts, " ");
}

int64_t Nodes(const PlacementEstimate::Device& d) { return d.nodes; }
int64_t Parameters(const PlacementEstimate::Device& d) { return d.parameter_bytes(); }
int64_t Peak(const PlacementEstimate::Device& d) { return d.peak_bytes; }

std::pair<int64_t, int64_t> Transfers(const PlacementEstimate& estimate) {
  std::pair<int64_t, int64_t> sum;
  for (const PlacementEstimate::Link& link : estimate.links) {
    sum.first += link.transfers;
    sum.second += link.bytes;
  }
  return sum;
}

Table Summary(const std::vector<Outcome>& outcomes) {
  Table table = {{"policy", "machine", "result", "nodes", "parameter bytes", "peak bytes", "transfers",
                  "transfer bytes", "time", "fallbacks"}};
  for (const Outcome& o : outcomes) {
    if (!o.refused.empty()) {
      table.push_back({o.policy, o.machine_text, absl::StrCat("refused: ", o.refused)});
      continue;
    }
    const auto [transfers, bytes] = Transfers(o.estimate);
    table.push_back({o.policy, o.machine_text, "placed", ByDevice(o, Nodes), ByDevice(o, Parameters), ByDevice(o, Peak),
                     absl::StrCat(transfers), absl::StrCat(bytes), SecondsText(o.estimate.total_seconds),
                     absl::StrCat(o.fallbacks)});
  }
  return table;
}

Table Links(const std::vector<Outcome>& outcomes) {
  Table table = {{"policy", "machine", "from", "to", "transfers", "bytes"}};
  for (const Outcome& o : outcomes) {
    if (!o.refused.empty()) table.push_back({o.policy, o.machine_text, absl::StrCat("refused: ", o.refused)});
    for (const PlacementEstimate::Link& link : o.estimate.links) {
      if (link.transfers == 0) continue;
      table.push_back({o.policy, o.machine_text, o.machine->device(link.from).name.ShortName(),
                       o.machine->device(link.to).name.ShortName(), absl::StrCat(link.transfers),
                       absl::StrCat(link.bytes)});
    }
  }
  return table;
}

void PrintText(const Table& table, Io& io) {
  std::vector<size_t> widths(table[0].size());
  for (const std::vector<std::string>& row : table) {
    for (size_t c = 0; c + 1 < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  for (const std::vector<std::string>& row : table) {
    for (size_t c = 0; c < row.size(); ++c) {
      const size_t pad = c + 1 < row.size() ? widths[c] - row[c].size() + 2 : 0;
      io.out << row[c] << std::string(pad, ' ');
    }
    io.out << "\n";
  }
}

void PrintCsv(const Table& table, Io& io) {
  const auto cell = [](const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
  };
  for (const std::vector<std::string>& row : table) {
    for (size_t c = 0; c < table[0].size(); ++c) io.out << (c == 0 ? "" : ",") << (c < row.size() ? cell(row[c]) : "");
    io.out << "\n";
  }
}

void PrintJson(const std::vector<Outcome>& outcomes, Io& io) {
  Json json = Json::array();
  for (const Outcome& o : outcomes) {
    Json row = {{"policy", o.policy}, {"machine", o.machine_text}, {"placed", o.refused.empty()}};
    if (!o.refused.empty()) {
      row["refused"] = o.refused;
      json.push_back(std::move(row));
      continue;
    }
    const auto [transfers, bytes] = Transfers(o.estimate);
    row["transfers"] = transfers;
    row["transfer_bytes"] = bytes;
    row["seconds"] = o.estimate.total_seconds;
    row["fallbacks"] = o.fallbacks;
    row["devices"] = Json::array();
    for (DeviceId d = 0; d < o.machine->num_devices(); ++d) {
      const PlacementEstimate::Device& device = o.estimate.devices[d];
      row["devices"].push_back({{"device", o.machine->device(d).name.ToString()},
                                {"nodes", device.nodes},
                                {"parameter_bytes", device.parameter_bytes()},
                                {"peak_bytes", device.peak_bytes},
                                {"flops", device.flops},
                                {"busy_seconds", device.busy_seconds}});
    }
    row["links"] = Json::array();
    for (const PlacementEstimate::Link& link : o.estimate.links) {
      row["links"].push_back({{"from", o.machine->device(link.from).name.ToString()},
                              {"to", o.machine->device(link.to).name.ToString()},
                              {"transfers", link.transfers},
                              {"bytes", link.bytes},
                              {"hops", link.hops},
                              {"hop_bytes", link.hop_bytes},
                              {"busy_seconds", link.busy_seconds}});
    }
    json.push_back(std::move(row));
  }
  io.out << json.dump(2) << "\n";
}

// How messages call the part of a list.
std::string ItemOf(absl::string_view flag, size_t index) { return absl::StrCat("flag ", flag, ", item ", index + 1); }

// A flag of the list and what it says.
template <typename Value>
struct Given {
  std::string text;
  Value value;
};

absl::StatusOr<std::vector<Given<Policy>>> ReadPolicies(const SweepFlags& flags) {
  std::vector<Given<Policy>> list;
  std::vector<std::string> texts = {flags.place.policy};
  if (!flags.policies.empty()) {
    BERTH_ASSIGN_OR_RETURN(texts, SplitList("--policies", flags.policies));
  }
  PlaceFlags one = flags.place;
  for (const std::string& text : texts) {
    one.policy = text;
    if (!flags.policies.empty()) one.policy_origin = ItemOf("--policies", list.size());
    BERTH_ASSIGN_OR_RETURN(Policy policy, PolicyFrom(one));
    list.push_back({text, std::move(policy)});
  }
  return list;
}

absl::StatusOr<std::vector<Given<Machine>>> ReadMachines(const SweepFlags& flags) {
  std::vector<Given<Machine>> list;
  std::vector<std::string> texts = {flags.place.machine};
  if (!flags.machines.empty()) {
    BERTH_ASSIGN_OR_RETURN(texts, SplitList("--machines", flags.machines));
  }
  PlaceFlags one = flags.place;
  for (const std::string& text : texts) {
    one.machine = text;
    if (!flags.machines.empty()) one.machine_origin = ItemOf("--machines", list.size());
    BERTH_ASSIGN_OR_RETURN(Machine machine, MachineFrom(one));
    list.push_back({text, std::move(machine)});
  }
  return list;
}

// kExitNegative, with the fallbacks of each row that has what the flags forbid.
absl::Status CheckRows(const std::vector<Outcome>& outcomes) {
  size_t rows = 0;
  std::string list;
  for (const Outcome& o : outcomes) {
    if (o.forbidden.empty()) continue;
    ++rows;
    absl::StrAppend(&list, "\npolicy '", o.policy, "' on machine '", o.machine_text, "': ", o.forbidden);
  }
  if (rows == 0) return absl::OkStatus();
  return WithExit(absl::FailedPreconditionError(absl::StrCat("expected no fallback in ", outcomes.size(),
                                                             outcomes.size() == 1 ? " row" : " rows", ", got some in ",
                                                             rows, list)),
                  kExitNegative);
}

}  // namespace

absl::Status Sweep(const SweepFlags& flags, Io& io) {
  if (flags.links && flags.format == "json") {
    return WithExit(absl::InvalidArgumentError(
                        "flag --links: expected --format text or csv, got 'json', which has the links anyway"),
                    kExitUsage);
  }
  BERTH_ASSIGN_OR_RETURN(const std::vector<Given<Policy>> policies, ReadPolicies(flags));
  BERTH_ASSIGN_OR_RETURN(const std::vector<Given<Machine>> machines, ReadMachines(flags));
  BERTH_ASSIGN_OR_RETURN(LoadedGraph loaded, LoadForPlacing(flags.place, io));
  BERTH_ASSIGN_OR_RETURN(std::shared_ptr<const Graph> pruned, PrunedGraph(loaded, flags.place));
  BERTH_ASSIGN_OR_RETURN(pruned, GraphWithBodies(std::move(pruned), loaded, io));
  std::shared_ptr<const Graph> whole;
  const bool needs_whole = std::any_of(policies.begin(), policies.end(),
                                       [](const Given<Policy>& policy) { return PlacesWholeGraph(policy.value); });
  if (needs_whole) {
    BERTH_ASSIGN_OR_RETURN(whole, WholeGraph(std::move(loaded)));
  }
  std::vector<Outcome> outcomes;
  for (const Given<Policy>& policy : policies) {
    const Graph& graph = PlacesWholeGraph(policy.value) ? *whole : *pruned;
    for (const Given<Machine>& machine : machines) {
      Outcome outcome{policy.text, machine.text, &machine.value, "", {}, 0, ""};
      const absl::StatusOr<Placement> placed = PlaceLoaded(graph, machine.value, policy.value, flags.place.soft);
      if (!placed.ok()) {
        const absl::string_view message = placed.status().message();
        outcome.refused = std::string(message.substr(0, message.find('\n')));
      } else {
        outcome.estimate = EstimatePlacement(graph, machine.value, *placed);
        outcome.fallbacks = placed->fallbacks.size();
        outcome.forbidden = std::string(CheckFallbacks(flags.place, graph, *placed).message());
      }
      outcomes.push_back(std::move(outcome));
    }
  }
  if (flags.format == "json") {
    PrintJson(outcomes, io);
  } else {
    const Table table = flags.links ? Links(outcomes) : Summary(outcomes);
    (flags.format == "csv" ? PrintCsv : PrintText)(table, io);
  }
  return CheckRows(outcomes);
}

}  // namespace berth
