#include "placement/placement_state.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "graph/status_macros.h"

namespace berth {

std::string Ask::asked() const {
  if (!said.empty()) return said;
  if (!nth || pattern.id || *nth == Opinion::kTooFew) return DeviceText(pattern);
  if (!pattern.type) return absl::StrCat("device ", *nth, " of ", DeviceText(pattern));
  DeviceName numbered = pattern;
  numbered.id = *nth;
  // With several tasks the n-th device is not the one with id n.
  if (pattern.job || pattern.task) return absl::StrCat("device ", *nth, " of ", DeviceText(pattern));
  return DeviceText(numbered);
}

PlacementState::PlacementState(const Graph& graph, const Machine& machine, const OpSupport& support, PlacementMode mode)
    : graph_(graph),
      machine_(machine),
      mode_(mode),
      sets_(machine.num_devices()),
      facts_(graph, machine, support, sets_),
      flags_(graph.num_nodes()),
      candidates_(graph.num_nodes(), DeviceSets::kAll),
      ruled_(graph.num_nodes(), DeviceSets::kAll),
      last_event_(graph.num_nodes(), -1),
      device_(graph.num_nodes(), kNoDevice),
      decided_(graph.num_nodes()),
      own_ask_(graph.num_nodes(), -1) {}

SetId PlacementState::Best(NodeId g) {
  if (preferences_.empty()) return candidates_[g];
  const auto found = preferences_.find(g);
  if (found == preferences_.end()) return candidates_[g];
  std::vector<DeviceId> best;
  double most = 0;
  for (const DeviceId d : sets_.List(candidates_[g])) {
    double score = 0;
    for (const Preference& preference : found->second) {
      if (sets_.Contains(preference.devices, d)) score += preference.weight;
    }
    if (best.empty() || score > most) {
      best.clear();
      most = score;
    }
    if (score == most) best.push_back(d);
  }
  return sets_.Of(std::move(best));
}

std::vector<NodeId> PlacementState::OpenGroups() {
  std::vector<NodeId> open_groups;
  for (NodeId n = 0, end = graph_.num_nodes(); n < end; ++n) {
    if (facts_.groups().is_root(n) && open(n)) open_groups.push_back(n);
  }
  return open_groups;
}

DeviceId PlacementState::device(NodeId n) {
  const NodeId g = group(n);
  if (device_[g] != kNoDevice) return device_[g];
  if (Follows(g)) {
    const NodeId end = EndOfLeaders(g);
    if (device_[end] == kNoDevice && sets_.Count(Best(end)) != 1) return kNoDevice;
    ResolveFollower(g);
    return device_[g];
  }
  const SetId best = Best(g);
  return sets_.Count(best) == 1 ? sets_.First(best) : kNoDevice;
}

void PlacementState::BeginPart(std::string text, std::string origin) {
  part_texts_.push_back(Text(text));
  uses_.push_back({std::move(text), 0, 0});
  origins_.push_back(std::move(origin));
}

int32_t PlacementState::Text(absl::string_view text) {
  const auto found = text_ids_.find(text);
  if (found != text_ids_.end()) return found->second;
  const int32_t id = static_cast<int32_t>(texts_.size());
  texts_.emplace_back(text);
  text_ids_.emplace(text, id);
  return id;
}

AskId PlacementState::AddAsk(DeviceName pattern, std::optional<int> nth, std::string reason, std::string origin,
                             bool forbids) {
  Ask ask;
  std::vector<DeviceId> devices = machine_.Matching(pattern);
  if (nth) {
    ask.too_few = *nth >= static_cast<int>(devices.size());
    devices = ask.too_few ? std::vector<DeviceId>() : std::vector<DeviceId>{devices[*nth]};
  }
  std::vector<DeviceId> hosts;
  for (const DeviceId d : devices) {
    if (machine_.HostOf(d) != kNoDevice) hosts.push_back(machine_.HostOf(d));
  }
  ask.pattern = std::move(pattern);
  ask.nth = nth;
  ask.reason = std::move(reason);
  ask.origin = std::move(origin);
  ask.devices = sets_.Of(std::move(devices));
  ask.hosts = sets_.Of(std::move(hosts));
  ask.part = static_cast<int32_t>(uses_.size()) - 1;
  ask.forbids = forbids;
  const bool one = !forbids && sets_.Count(ask.devices) == 1;
  ask.reason_text = Text(absl::StrCat(ask.reason, forbids ? ": not " : " -> ",
                                      one ? machine_.device(sets_.First(ask.devices)).name.ShortName() : ask.asked()));
  asks_.push_back(std::move(ask));
  return static_cast<AskId>(asks_.size()) - 1;
}

void PlacementState::Narrow(NodeId n, AskId ask, SetId devices) {
  const NodeId g = group(n);
  const SetId left = sets_.Intersect(candidates_[g], devices);
  const SetId ruled = sets_.Intersect(ruled_[g], devices);
  if (left != candidates_[g]) {
    events_.push_back({last_event_[g], n, ask, ruled_[g]});
    last_event_[g] = static_cast<int32_t>(events_.size()) - 1;
    candidates_[g] = left;
  }
  ruled_[g] = ruled;
  flags_[g] |= kClaimed;
}

NodeId PlacementState::EndOfLeaders(NodeId g) {
  NodeId end = g;
  while (end_of_leaders_[end] != end) end = end_of_leaders_[end];
  while (end_of_leaders_[g] != end) g = std::exchange(end_of_leaders_[g], end);
  return end;
}

bool PlacementState::Follow(NodeId n, NodeId leader, absl::string_view as) {
  const NodeId g = group(n);
  const NodeId to = group(leader);
  if (g == to || !open(g)) return false;
  const DeviceId already = device(leader);
  if (leader_.empty()) {
    leader_.assign(graph_.num_nodes(), kNoNode);
    end_of_leaders_.resize(graph_.num_nodes());
    for (NodeId i = 0; i < graph_.num_nodes(); ++i) end_of_leaders_[i] = i;
  }
  if (already == kNoDevice && EndOfLeaders(to) == g) return false;
  if (already != kNoDevice && !sets_.Contains(Best(g), already)) return false;
  leader_[g] = leader;
  end_of_leaders_[g] = EndOfLeaders(to);
  decided_[g] = {part_texts_.back(), Text(absl::StrCat("with ", as, " '", graph_.node(leader).name(), "'"))};
  flags_[g] |= kClaimed;
  CountHit(n);
  return true;
}

// A leader's device that is not possible for the follower leaves it the first one of the same task.
void PlacementState::ResolveFollower(NodeId g) {
  std::vector<NodeId> chain;
  for (; device_[g] == kNoDevice && Follows(g); g = group(leader_[g])) chain.push_back(g);
  if (device_[g] == kNoDevice) device_[g] = sets_.First(Best(g));
  while (!chain.empty()) {
    const NodeId follower = chain.back();
    chain.pop_back();
    const DeviceId wanted = device_[group(leader_[follower])];
    const SetId best = Best(follower);
    DeviceId d = sets_.First(best);
    if (sets_.Contains(best, wanted)) {
      d = wanted;
    } else {
      for (const DeviceId candidate : sets_.List(best)) {
        if (!machine_.SameTask(candidate, wanted)) continue;
        d = candidate;
        break;
      }
      decided_[follower].reason = Text(absl::StrCat(texts_[decided_[follower].reason], ", which is on ",
                                                    machine_.device(wanted).name.ShortName(), ", no candidate"));
    }
    device_[follower] = d;
  }
}

void PlacementState::Decide(NodeId g, DeviceId d, int32_t reason) {
  device_[g] = d;
  decided_[g] = {part_texts_.back(), reason};
  flags_[g] |= kSolved;
}

std::string PlacementState::DeviceNames(SetId s) const {
  constexpr int kShown = 12;
  std::string names;
  for (int k = 0; k < std::min(sets_.Count(s), kShown); ++k) {
    absl::StrAppend(&names, k == 0 ? "" : ", ", machine_.device(sets_.Nth(s, k)).name.ShortName());
  }
  if (sets_.Count(s) > kShown) absl::StrAppend(&names, ", ... and ", sets_.Count(s) - kShown, " more");
  return names.empty() ? "no device" : names;
}

}  // namespace berth
