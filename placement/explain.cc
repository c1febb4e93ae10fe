#include "placement/explain.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "placement/device_sets.h"
#include "placement/estimate.h"
#include "placement/groups.h"
#include "placement/host_memory.h"
#include "placement/move_cost.h"
#include "placement/node_cost.h"
#include "placement/placement_facts.h"

namespace berth {
namespace {

constexpr double kNoise = 1e-6;  // of the run's time

std::string Names(const Machine& machine, const std::vector<DeviceId>& devices) {
  return absl::StrJoin(devices, ", ",
                       [&](std::string* out, DeviceId d) { absl::StrAppend(out, machine.device(d).name.ShortName()); });
}

std::string By(const std::string& tie) { return tie.empty() ? "" : absl::StrCat(" by ", tie); }

std::string ScoreText(const Machine& machine, const Score& score) {
  std::string text = machine.device(score.device).name.ShortName();
  if (score.preference != 0) absl::StrAppend(&text, " preferred ", score.preference);
  if (score.value) absl::StrAppend(&text, " ", *score.value);
  return text;
}

class KernelExplainer : public Explainer {
 public:
  KernelExplainer(const Graph& graph, const Machine& machine, const OpSupport& support, const Placement& placement)
      : placement_(placement), sets_(machine.num_devices()), facts_(graph, machine, support, sets_) {
    std::vector<std::pair<NodeId, std::string>> notes;
    std::vector<SetId> candidates(graph.num_nodes(), DeviceSets::kAll);
    // A whole policy has facts of its own: what these leave nothing may still be placed.
    (void)facts_.Apply(candidates, notes);
  }

  Choice Explain(NodeId n) override {
    Choice choice;
    choice.group = n;
    choice.winner = placement_.device(n);
    choice.candidates = {choice.winner};
    SetId others = sets_.Minus(DeviceSets::kAll, sets_.Of({choice.winner}));
    const SetId without = sets_.Minus(others, facts_.Own(n));
    if (without != DeviceSets::kNone) {
      choice.vetoes.push_back(
          {sets_.List(without), facts_.host_only(n) ? "fact: host-only op" : "fact: kernel", "", facts_.KernelsOf(n)});
      others = sets_.Minus(others, without);
    }
    if (others != DeviceSets::kNone) {
      choice.vetoes.push_back({sets_.List(others), placement_.author(n), "", placement_.reason(n)});
    }
    return choice;
  }

 private:
  const Placement placement_;
  DeviceSets sets_;
  PlacementFacts facts_;
};

}  // namespace

std::unique_ptr<Explainer> ExplainByKernels(const Graph& graph, const Machine& machine, const OpSupport& support,
                                            const Placement& placement) {
  return std::make_unique<KernelExplainer>(graph, machine, support, placement);
}

WhatIf MoveTo(const Graph& graph, const Machine& machine, const Placement& placement, NodeId n, DeviceId d) {
  const MoveCost cost = Moves(graph, machine, placement).Cost(n, d);
  const Groups groups = FindGroups(graph, placement.ties);
  const DeviceId here = placement.device(n);
  Placement moved;
  moved.device_of = placement.device_of;
  const NodeId root = groups.root[n];
  NodeId m = root;
  do {
    if (placement.device(m) == here) moved.device_of[m] = d;
    m = groups.next[m];
  } while (m != root);
  const PlacementEstimate before = EstimatePlacement(graph, machine, placement);
  const PlacementEstimate after = EstimatePlacement(graph, machine, moved);
  WhatIf what;
  what.bytes = cost.bytes;
  what.transfers = cost.transfers;
  // What is left where the same times are added up in another order is no difference.
  const auto without_noise = [&before](double seconds) {
    return std::abs(seconds) < kNoise * before.total_seconds ? 0 : seconds;
  };
  what.busy_seconds = without_noise(cost.seconds);
  what.total_seconds = without_noise(after.total_seconds - before.total_seconds);
  what.peak_here = after.devices[here].peak_bytes - before.devices[here].peak_bytes;
  what.peak_there = after.devices[d].peak_bytes - before.devices[d].peak_bytes;
  return what;
}

std::string PrintVeto(const Graph& graph, const Veto& veto) {
  const std::string origin = veto.origin.empty() ? "" : absl::StrCat(" (", veto.origin, ")");
  const std::string by = veto.node == kNoNode ? "" : absl::StrCat(", which came with ", DescribeNode(graph, veto.node));
  return absl::StrCat(veto.author, origin, ": ", veto.reason, by, By(veto.tie));
}

std::string PrintChoice(const Graph& graph, const Machine& machine, const Placement& placement, const Choice& choice,
                        NodeId n) {
  std::string text =
      absl::StrCat(DescribeNode(graph, n), " is on ", machine.device(placement.device(n)).name.ShortName(), "\n  ",
                   placement.author(n), ": ", placement.reason(n), "\n");
  if (!graph.node(n).device().empty()) {
    absl::StrAppend(&text, "  requested: ", graph.node(n).device(), "\n");
  }
  const std::vector<std::string> host = HostMemoryOf(graph, machine, placement, n);
  if (!host.empty()) absl::StrAppend(&text, "  memory: host for ", absl::StrJoin(host, ", "), "\n");
  if (choice.members > 1) {
    const std::string with =
        choice.with == kNoNode ? "" : absl::StrCat(", with '", graph.node(choice.with).name(), "'");
    absl::StrAppend(&text, "  group: ", choice.members, " nodes", with, By(choice.tie), "\n");
  }
  absl::StrAppend(&text, "  candidates: ", Names(machine, choice.candidates), "\n");
  for (const Veto& veto : choice.vetoes) {
    absl::StrAppend(&text, "  not ", Names(machine, veto.devices), ": ", PrintVeto(graph, veto), "\n");
  }
  if (!choice.scores.empty()) {
    absl::StrAppend(
        &text, "  scores: ",
        absl::StrJoin(choice.scores, ", ",
                      [&](std::string* out, const Score& score) { absl::StrAppend(out, ScoreText(machine, score)); }),
        "\n");
  }
  if (choice.runner_up != kNoDevice) {
    absl::StrAppend(&text, "  runner-up: ", machine.device(choice.runner_up).name.ShortName(),
                    choice.scores.empty() ? ", chosen without scores" : absl::StrCat(", behind by ", choice.margin),
                    "\n");
  }
  const auto less = [](const Fallback& fallback, NodeId node) { return fallback.node < node; };
  auto fallback = std::lower_bound(placement.fallbacks.begin(), placement.fallbacks.end(), n, less);
  for (; fallback != placement.fallbacks.end() && fallback->node == n; ++fallback) {
    absl::StrAppend(&text, "  fallback: asked for ", fallback->asked, " (", fallback->author, "): ", fallback->why,
                    fallback->dropped.empty() ? "" : absl::StrCat("; gave up ", fallback->dropped), "\n");
  }
  return text;
}

std::string PrintBestMoves(const Graph& graph, const Machine& machine, const Placement& placement) {
  constexpr size_t kShownMoves = 5;
  int64_t transfers = 0, bytes = 0;
  for (const PlacementEstimate::Link& link : EstimatePlacement(graph, machine, placement).links) {
    transfers += link.transfers;
    bytes = AddSizes(bytes, link.bytes);
  }
  std::string text =
      absl::StrCat("# ", transfers, transfers == 1 ? " transfer" : " transfers", " over links, ", bytes, " bytes\n");
  if (transfers == 0) return text;
  struct Move {
    NodeId group;
    DeviceId to;
    MoveCost cost;
  };
  std::vector<Move> best;
  const auto better = [](const Move& a, const Move& b) {
    return std::tie(a.cost.bytes, a.cost.transfers, a.group, a.to) <
           std::tie(b.cost.bytes, b.cost.transfers, b.group, b.to);
  };
  Moves moves(graph, machine, placement);
  const Groups groups = FindGroups(graph, placement.ties);
  absl::flat_hash_map<NodeId, std::set<DeviceId>> near;  // of groups that have an edge over a link
  for (NodeId n = 0; n < graph.num_nodes(); ++n) {
    for (const OutEdge& edge : graph.node(n).out_edges()) {
      const DeviceId from = placement.device(n), to = placement.device(edge.node);
      if (edge.slot == kControlSlot || from == to) continue;
      near[groups.root[n]].insert(to);
      near[groups.root[edge.node]].insert(from);
    }
  }
  for (NodeId g = 0; g < graph.num_nodes(); ++g) {
    const auto found = near.find(g);
    if (found == near.end()) continue;
    for (const DeviceId to : found->second) {
      const Move move = {g, to, moves.Cost(g, to)};
      if (move.cost.bytes > 0 || move.cost.transfers >= 0) continue;
      best.insert(std::upper_bound(best.begin(), best.end(), move, better), move);
      if (best.size() > kShownMoves) best.pop_back();
    }
  }
  for (const Move& move : best) {
    absl::StrAppend(&text, "# moving '", graph.node(move.group).name(), "' to ",
                    machine.device(move.to).name.ShortName(), " would save ", -move.cost.bytes, " bytes and ",
                    -move.cost.transfers, move.cost.transfers == -1 ? " transfer\n" : " transfers\n");
  }
  return text;
}

}  // namespace berth
