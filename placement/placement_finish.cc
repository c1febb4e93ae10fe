// The end of placing: a device and a reason for every node.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "placement/host_memory.h"
#include "placement/placement_state.h"

namespace berth {

// Of a group that preferences left one device: the weightiest of them.
AskId PlacementState::WeightiestAsk(NodeId g) const {
  AskId ask = -1;
  double most = 0;
  for (const Preference& preference : preferences_.at(g)) {
    if (!sets_.Contains(preference.devices, device_[g])) continue;
    if (ask < 0 || preference.weight > most) {
      ask = preference.ask;
      most = preference.weight;
    }
  }
  return ask;
}

NodeReason PlacementState::ReasonOf(NodeId n) {
  const NodeId g = group(n);
  if ((flags_[g] & kSolved) != 0 || Follows(g)) return decided_[g];
  const auto fact = [&] {
    const auto& [author, why] = facts_.Reason(n);
    return NodeReason{Text(author), Text(why)};
  };
  if (facts_.host_only(n)) return fact();
  const auto reason = [&](AskId ask) { return NodeReason{part_texts_[asks_[ask].part], asks_[ask].reason_text}; };
  if (sets_.Count(candidates_[g]) > 1) {
    const AskId ask = WeightiestAsk(g);
    return ask < 0 ? NodeReason{Text("preferences"), Text("all others weigh less")} : reason(ask);
  }
  const AskId own = own_ask_[n];
  const auto united = united_.find(n);
  if (last_event_[g] < 0) {
    return own >= 0 ? reason(own) : united != united_.end() ? united->second : fact();
  }
  const Event& last = events_[last_event_[g]];
  if (own >= 0 && asks_[own].part == asks_[last.ask].part) return reason(own);
  if (last.node == n) return reason(last.ask);
  if (united != united_.end()) return united->second;
  return {Text(absl::StrCat("fact: colocated with '", graph_.node(last.node).name(), "'")),
          asks_[last.ask].reason_text};
}

// A device for every node.
void PlacementState::SettleOpen() {
  const int num_nodes = graph_.num_nodes();
  const NodeReason first = {Text("no solver"), Text("the first candidate")};
  for (NodeId g = 0; g < num_nodes; ++g) {
    if (!facts_.groups().is_root(g) || !open(g)) continue;
    device_[g] = sets_.First(Best(g));
    decided_[g] = first;
    flags_[g] |= kSolved;
  }
  for (NodeId n = 0; n < num_nodes; ++n) {
    if (device_[n] == kNoDevice) device_[n] = device(n);
  }
}

Placement PlacementState::Finish() {
  SettleOpen();
  Placement placement;
  placement.mode = mode_;
  const int num_nodes = graph_.num_nodes();
  placement.reasons.resize(num_nodes);
  for (NodeId n = 0; n < num_nodes; ++n) {
    if (facts_.host_only(n)) {
      Note(n, absl::StrCat("host-only op '", graph_.node(n).op(), "': node '", graph_.node(n).name(), "' goes to ",
                           machine_.device(device_[n]).name.ShortName()));
    }
    placement.reasons[n] = ReasonOf(n);
  }
  std::stable_sort(fallbacks_.begin(), fallbacks_.end(), [](const PendingFallback& a, const PendingFallback& b) {
    return a.node != b.node ? a.node < b.node : !a.dropped.empty() && b.dropped.empty();
  });
  for (PendingFallback& pending : fallbacks_) {
    Fallback& fallback = placement.fallbacks.emplace_back();
    fallback.node = pending.node;
    fallback.asked = std::move(pending.asked);
    fallback.got = machine_.device(device_[pending.node]).name.ToString();
    fallback.author = uses_[pending.part].text;
    fallback.why = std::move(pending.why);
    fallback.cause = pending.cause;
    fallback.dropped = std::move(pending.dropped);
    fallback.wanted = pending.wanted;
  }
  std::stable_sort(notes_.begin(), notes_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [node, note] : notes_) placement.notes.push_back(std::move(note));
  if (explaining_) {
    placement.device_of = device_;
    placement.texts = texts_;
    placement.rules = uses_;
    placement.ties = ties_;
    FindHostArgs(graph_, machine_, facts_.support(), facts_.with_host_args(), placement);
    return placement;
  }
  placement.device_of = std::move(device_);
  placement.texts = std::move(texts_);
  placement.rules = std::move(uses_);
  placement.ties = std::move(ties_);
  FindHostArgs(graph_, machine_, facts_.support(), facts_.with_host_args(), placement);
  return placement;
}

}  // namespace berth
