// What placing knew of a group, told afterwards: from facts, and from the list of what narrowed it.
#include <algorithm>
#include <memory>
#include <utility>

#include "placement/placement_state.h"

namespace berth {

std::string PlacementState::WhyWith(NodeId n, NodeId other) {
  if (why_ == nullptr) why_ = std::make_unique<Ties>(graph_, ties_, PartNames());
  return why_->Why(n, other);
}

std::vector<Veto> PlacementState::Vetoes(NodeId n) {
  const NodeId g = group(n);
  std::vector<Veto> vetoes;
  SetId left = DeviceSets::kAll;
  const auto exclude = [&](SetId allowed, Veto veto, NodeId by) {
    const SetId gone = sets_.Minus(left, allowed);
    if (gone == DeviceSets::kNone) return;
    left = sets_.Intersect(left, allowed);
    veto.devices = sets_.List(gone);
    if (by != n) {
      veto.node = by;
      veto.tie = WhyWith(n, by);
    }
    vetoes.push_back(std::move(veto));
  };
  for (const ConflictMember& fact : facts_.Parties(g, n)) {
    exclude(sets_.Of(fact.allows), {{}, fact.author, "", fact.asked}, fact.node);
  }
  std::vector<int32_t> events;
  for (int32_t e = last_event_[g]; e >= 0; e = events_[e].earlier) events.push_back(e);
  std::reverse(events.begin(), events.end());
  for (const int32_t e : events) {
    const Event& event = events_[e];
    const Ask& ask = asks_[event.ask];
    const std::string& origin = ask.origin.empty() ? origins_[ask.part] : ask.origin;
    exclude(Allowed(event.node, ask), {{}, uses_[ask.part].text, origin, texts_[ask.reason_text]}, event.node);
  }
  return vetoes;
}

void PlacementState::AddScores(NodeId g, Choice& choice) {
  const auto preferences = preferences_.find(g);
  const auto scores = scores_.find(g);
  if (preferences != preferences_.end() || scores != scores_.end()) {
    for (const DeviceId d : choice.candidates) {
      Score score;
      score.device = d;
      if (preferences != preferences_.end()) {
        for (const Preference& preference : preferences->second) {
          if (sets_.Contains(preference.devices, d)) score.preference += preference.weight;
        }
      }
      if (scores != scores_.end()) {
        for (const auto& [device, value] : scores->second) {
          if (device == d) score.value = value;
        }
      }
      choice.scores.push_back(score);
    }
    std::stable_sort(choice.scores.begin(), choice.scores.end(), [](const Score& a, const Score& b) {
      if (a.preference != b.preference) return a.preference > b.preference;
      return b.value < a.value;  // none is least
    });
  }
  const auto score_of = [&](DeviceId d) {
    for (const Score& score : choice.scores) {
      if (score.device == d) return score;
    }
    return Score();
  };
  for (const Score& score : choice.scores) {
    if (score.device != choice.winner && choice.runner_up == kNoDevice) choice.runner_up = score.device;
  }
  for (const DeviceId d : choice.candidates) {
    if (d != choice.winner && choice.runner_up == kNoDevice) choice.runner_up = d;
  }
  if (choice.runner_up == kNoDevice) return;
  const Score best = score_of(choice.winner), second = score_of(choice.runner_up);
  choice.margin = best.preference != second.preference ? best.preference - second.preference
                                                       : best.value.value_or(0) - second.value.value_or(0);
}

Choice PlacementState::Explain(NodeId n) {
  const NodeId g = group(n);
  Choice choice;
  choice.group = g;
  choice.members = 0;
  ForEachMember(g, [&](NodeId member) {
    if (++choice.members == 2) choice.with = member;
  });
  if (choice.members > 1) {
    if (n != g) choice.with = g;
    choice.tie = WhyWith(n, choice.with);
  }
  choice.vetoes = Vetoes(n);
  choice.winner = device_[n];
  SetId candidates = candidates_[g];
  const auto moved = moved_.find(g);
  if (moved != moved_.end()) {
    // What gave way to memory is no veto any more; where the group was, it could not stay.
    const SetId winner = sets_.Of({choice.winner});
    for (Veto& veto : choice.vetoes) {
      veto.devices.erase(std::remove(veto.devices.begin(), veto.devices.end(), choice.winner), veto.devices.end());
    }
    const auto is_empty = [](const Veto& veto) { return veto.devices.empty(); };
    choice.vetoes.erase(std::remove_if(choice.vetoes.begin(), choice.vetoes.end(), is_empty), choice.vetoes.end());
    const SetId gone = sets_.Contains(candidates, choice.winner) ? sets_.Of({moved->second}) : candidates;
    candidates = sets_.Contains(candidates, choice.winner) ? sets_.Minus(candidates, gone) : winner;
    choice.vetoes.push_back({sets_.List(gone), "limit: memory", "", texts_[decided_[g].reason]});
  }
  choice.candidates = sets_.List(candidates);
  AddScores(g, choice);
  return choice;
}

}  // namespace berth
