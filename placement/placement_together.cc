// Nodes that a rule wants on one device: as a must they are one group from then on, as a wish they follow the first.
#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "placement/placement_state.h"

namespace berth {

AskId PlacementState::AddAsk(SetId devices, std::string said, std::string reason) {
  Ask ask;
  ask.said = std::move(said);
  ask.reason_text = Text(reason);
  ask.reason = std::move(reason);
  ask.devices = devices;
  std::vector<DeviceId> hosts;
  for (const DeviceId d : sets_.List(devices)) {
    if (machine_.HostOf(d) != kNoDevice) hosts.push_back(machine_.HostOf(d));
  }
  ask.hosts = sets_.Of(std::move(hosts));
  ask.part = static_cast<int32_t>(uses_.size()) - 1;
  asks_.push_back(std::move(ask));
  return static_cast<AskId>(asks_.size()) - 1;
}

// Why facts leave n and a member of `others` nothing in common: "node 'b' (Bar) with a kernel on cpu only, node 'a' (Foo) with ...".
std::string PlacementState::WhyApart(NodeId n, const std::vector<NodeId>& others) {
  const auto culprit = [&](NodeId g) {
    const NodeId by = facts_.NarrowedBy(g);
    return by == kNoNode ? g : by;
  };
  const SetId own = facts_.Of(group(n));
  NodeId other = others[0];
  for (const NodeId candidate : others) {
    if (sets_.Intersect(facts_.Of(group(candidate)), own) != DeviceSets::kNone) continue;
    other = candidate;
    break;
  }
  std::string text;
  for (const NodeId member : {culprit(group(n)), culprit(group(other))}) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", Describe(member), " with ", facts_.KernelsOf(member));
  }
  return text;
}

// Of `nodes` one for each group that can be had together with those before it; `missing` hears of those that facts keep
// apart from them. What earlier parts keep apart is overruled.
template <typename Missing>
std::vector<NodeId> PlacementState::HadTogether(const std::vector<NodeId>& nodes, SetId* common, Missing missing) {
  std::vector<NodeId> together;
  absl::flat_hash_set<NodeId> seen;
  SetId facts = DeviceSets::kAll;
  *common = DeviceSets::kAll;
  for (const NodeId n : nodes) {
    const NodeId g = group(n);
    if (!seen.insert(g).second) continue;
    if (Follows(g) || device_[g] != kNoDevice) {
      CountOverruled(n);
      continue;
    }
    const SetId left = sets_.Intersect(*common, candidates_[g]);
    const SetId facts_left = sets_.Intersect(facts, facts_.Of(g));
    if (left == DeviceSets::kNone) {
      if (facts_left != DeviceSets::kNone || facts_.host_only(n)) {
        CountOverruled(n);
      } else {
        missing(n, together);
      }
      continue;
    }
    *common = left;
    facts = facts_left;
    together.push_back(n);
  }
  return together;
}

void PlacementState::MissTogether(NodeId n, const std::vector<NodeId>& others) {
  CountOverruled(n);
  if (strict()) {
    failures_.push_back({n, -1, others[0]});
    return;
  }
  fallbacks_.push_back(
      {n, static_cast<int32_t>(uses_.size()) - 1, absl::StrCat("the device of '", graph_.node(others[0]).name(), "'"),
       absl::StrCat("no device that both can have: ", WhyApart(n, others)), FallbackCause::kPart, "all", kNoDevice});
}

void PlacementState::Unite(const std::vector<NodeId>& nodes) {
  for (const NodeId n : nodes) Hear(n);
  SetId common = DeviceSets::kAll;
  const std::vector<NodeId> together =
      HadTogether(nodes, &common, [&](NodeId n, const std::vector<NodeId>& others) { MissTogether(n, others); });
  if (together.size() < 2) return;
  for (const NodeId n : together) {
    if (n != together[0]) ties_.push_back({together[0], n, static_cast<int32_t>(uses_.size()) - 1});
  }
  std::vector<NodeId> roots;
  for (const NodeId n : together) {
    CountHit(n);
    roots.push_back(group(n));
    const NodeId other = n == together[0] ? together[1] : together[0];
    const NodeReason reason = {part_texts_.back(),
                               Text(absl::StrCat("together with '", graph_.node(other).name(), "'"))};
    ForEachMember(group(n), [&](NodeId member) { united_.emplace(member, reason); });
  }
  std::sort(roots.begin(), roots.end());
  MergeGroups(roots, common);
}

// The first of `roots`, ascending, is the root of all from now on.
void PlacementState::MergeGroups(const std::vector<NodeId>& roots, SetId common) {
  const NodeId root = roots[0];
  std::vector<int32_t> events;
  for (const NodeId g : roots) {
    for (int32_t e = last_event_[g]; e >= 0; e = events_[e].earlier) events.push_back(e);
    ruled_[root] = sets_.Intersect(ruled_[root], ruled_[g]);
    if (g == root) continue;
    const auto wishes = preferences_.find(g);
    if (wishes != preferences_.end()) {
      std::vector<Preference> moved = std::move(wishes->second);
      preferences_.erase(wishes);
      std::vector<Preference>& list = preferences_[root];
      list.insert(list.end(), moved.begin(), moved.end());
    }
    if (!end_of_leaders_.empty()) end_of_leaders_[g] = root;
  }
  facts_.Unite(roots);
  std::sort(events.begin(), events.end());
  int32_t earlier = -1;
  for (const int32_t e : events) events_[e].earlier = std::exchange(earlier, e);
  last_event_[root] = earlier;
  candidates_[root] = common;
  flags_[root] |= kClaimed;
}

void PlacementState::PreferTogether(const std::vector<NodeId>& nodes, double weight) {
  for (const NodeId n : nodes) Hear(n);
  SetId common = DeviceSets::kAll;
  const std::vector<NodeId> together = HadTogether(nodes, &common, [&](NodeId n, const std::vector<NodeId>& others) {
    CountOverruled(n);
    Note(n, absl::StrCat("'", uses_.back().text, "': node '", graph_.node(n).name(), "' is not with '",
                         graph_.node(others[0]).name(), "': ", WhyApart(n, others)));
  });
  if (together.size() < 2) return;
  const NodeId first = together[0];
  const std::string name(graph_.node(first).name());
  const AskId ask =
      AddAsk(common, absl::StrCat("the device of '", name, "'"), absl::StrCat("preferred together with '", name, "'"));
  for (const NodeId n : together) {
    if (candidates_[group(n)] != common) Prefer(n, ask, weight);
  }
  for (const NodeId n : together) {
    if (n == first) continue;
    if (Follow(n, first, "preferred companion")) continue;
    const SetId best = Best(group(n));
    if (best == Best(group(first)) && sets_.Count(best) == 1) {
      CountHit(n);
      continue;
    }
    CountOverruled(n);
    Note(n, absl::StrCat("'", uses_.back().text, "': node '", graph_.node(n).name(), "' is not with '", name,
                         "': earlier parts prefer other devices"));
  }
}

}  // namespace berth
