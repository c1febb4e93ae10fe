#include "tests/placement/place_text.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "graph/text.h"
#include "placement/place.h"
#include "placement/policy.h"
#include "tests/testing.h"

namespace berth {
namespace {

std::string Place(const PlaceCase& c, bool reasons) {
  const Graph graph = GraphOf(c.graph);
  const Machine machine = MachineOf(c.machine);
  const absl::StatusOr<Policy> policy = ParsePolicy(c.policy);
  if (!policy.ok()) return policy.status().ToString();
  const absl::StatusOr<Placement> placed = PlaceGraph(graph, machine, *policy, SupportOf(c.support), {c.mode});
  if (!placed.ok()) return placed.status().ToString();
  std::string text;
  for (NodeId n = 0; n < graph.num_nodes(); ++n) {
    absl::StrAppend(&text, graph.node(n).name(), " ", machine.device(placed->device(n)).name.ShortName());
    if (reasons) absl::StrAppend(&text, " ", placed->author(n), ": ", placed->reason(n));
    text += '\n';
  }
  for (const Fallback& fallback : placed->fallbacks) {
    absl::StrAppend(&text, "fallback ", graph.node(fallback.node).name(), " ", fallback.asked, " (", fallback.author,
                    "): ", fallback.why, "\n");
  }
  for (const std::string& note : placed->notes) absl::StrAppend(&text, "note ", note, "\n");
  return text;
}

}  // namespace

Graph GraphOf(absl::string_view text) {
  absl::StatusOr<Graph> graph = ParseGraphText(text, StandardOps(), "g");
  if (!graph.ok()) FAIL(graph.status().ToString());
  return *std::move(graph);
}

Machine MachineOf(absl::string_view text) {
  absl::StatusOr<Machine> machine = ParseMachine(text);
  if (!machine.ok()) FAIL(machine.status().ToString());
  return *std::move(machine);
}

OpSupport SupportOf(absl::string_view text) {
  OpSupport support;
  for (const absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(word, ':');
    const std::pair<absl::string_view, absl::string_view> op = absl::StrSplit(parts.first, '[');
    KernelSupport entry;
    entry.op = std::string(op.first);
    if (!op.second.empty()) {
      const std::pair<absl::string_view, absl::string_view> types =
          absl::StrSplit(op.second.substr(0, op.second.size() - 1), '=');
      KernelSupport::Constraint constraint{std::string(types.first), {}};
      for (const absl::string_view type : absl::StrSplit(types.second, ',')) {
        constraint.types.push_back(*ParseDType(type));
      }
      entry.constraints.push_back(std::move(constraint));
    }
    for (const absl::string_view kind : absl::StrSplit(parts.second, ',')) {
      entry.kind = absl::AsciiStrToUpper(kind);
      entry.listed_without_kernel = kind == "none";
      support.Add(entry);
    }
  }
  return support;
}

std::string Devices(const PlaceCase& c) { return Place(c, false); }
std::string Reasons(const PlaceCase& c) { return Place(c, true); }

void CheckReasons(const std::vector<PlaceRow>& rows) {
  for (const PlaceRow& row : rows) {
    INFO(row.title);
    CHECK("\n" + Reasons(row.place) == row.expected);
  }
}

}  // namespace berth
