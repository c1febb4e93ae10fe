// Memory as a limit on the result: what is moved, relaxed or refused where a device is needed more than it has.
#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "placement/node_cost.h"
#include "placement/placement_state.h"

namespace berth {
namespace {

constexpr size_t kShownItems = 3;
constexpr size_t kShownDevices = 8;

std::string BytesText(int64_t n) { return absl::StrCat(n, n == 1 ? " byte" : " bytes"); }

// The fields of a demand from its lowest-ranked up to the highest that the device does not have.
std::string Given(DeviceName pattern, const DeviceName& device) {
  std::string given;
  const auto drop = [&](auto& field, absl::string_view name) {
    if (!field || Matches(pattern, device)) return;
    absl::StrAppend(&given, given.empty() ? "" : ", ", name);
    field.reset();
  };
  drop(pattern.id, "id");
  drop(pattern.type, "kind");
  drop(pattern.task, "task");
  drop(pattern.replica, "replica");
  drop(pattern.job, "job");
  return pattern.empty() || given.empty() ? "all" : given;
}

}  // namespace

// What is on one device.
struct PlacementState::Load {
  int64_t kept = 0;
  std::set<std::pair<int64_t, NodeId>> by_kept;     // groups that keep something
  std::set<std::pair<int64_t, NodeId>> by_working;  // all groups, by their largest node
  int64_t working() const { return by_working.empty() ? 0 : by_working.rbegin()->first; }
  int64_t needed() const { return AddSizes(kept, working()); }
};

namespace {

struct GroupNeed {
  int64_t kept = 0, working = 0;
};

}  // namespace

std::vector<PlacementState::Load> PlacementState::Loads() {
  std::vector<Load> loads(machine_.num_devices());
  for (NodeId g = 0; g < graph_.num_nodes(); ++g) {
    if (!facts_.groups().is_root(g)) continue;
    GroupNeed need;
    ForEachMember(g, [&](NodeId n) {
      need.kept = AddSizes(need.kept, facts_.memory().Kept(n));
      need.working = std::max(need.working, facts_.memory().Working(n));
    });
    Load& load = loads[device_[g]];
    load.kept = AddSizes(load.kept, need.kept);
    if (need.kept > 0) load.by_kept.emplace(need.kept, g);
    if (need.working > 0) load.by_working.emplace(need.working, g);
  }
  return loads;
}

// The first device that the group can have, with room for it.
DeviceId PlacementState::RoomFor(NodeId g, DeviceId from, bool relaxing, const std::vector<Load>& loads) {
  GroupNeed need;
  ForEachMember(g, [&](NodeId n) {
    need.kept = AddSizes(need.kept, facts_.memory().Kept(n));
    need.working = std::max(need.working, facts_.memory().Working(n));
  });
  for (const SetId devices : {Best(g), candidates_[g], relaxing ? facts_.Of(g) : DeviceSets::kNone}) {
    for (const DeviceId d : sets_.List(devices)) {
      if (d == from) continue;
      const int64_t would = AddSizes(AddSizes(loads[d].kept, need.kept), std::max(loads[d].working(), need.working));
      if (would <= facts_.memory().Of(d)) return d;
    }
  }
  return kNoDevice;
}

void PlacementState::RelaxForMemory(NodeId g, DeviceId from, DeviceId to, const std::string& why) {
  std::vector<int32_t> events;
  for (int32_t e = last_event_[g]; e >= 0; e = events_[e].earlier) events.push_back(e);
  std::reverse(events.begin(), events.end());
  for (const int32_t e : events) {
    const Ask& ask = asks_[events_[e].ask];
    if (sets_.Contains(Allowed(events_[e].node, ask), to)) continue;
    const bool plain = !ask.forbids && ask.said.empty() && !ask.nth;
    fallbacks_.push_back({events_[e].node, ask.part, absl::StrCat(ask.forbids ? "not " : "", ask.asked()), why,
                          FallbackCause::kMemory,
                          plain ? Given(ask.pattern, machine_.device(to).name) : std::string("all"), from});
  }
}

bool PlacementState::MoveAway(NodeId g, bool relaxing, std::vector<Load>& loads) {
  const DeviceId from = device_[g];
  DeviceId to = RoomFor(g, from, false, loads);
  const std::string why =
      absl::StrCat("memory of ", machine_.device(from).name.ShortName(), ": ", BytesText(loads[from].needed()),
                   " needed, ", facts_.memory().Of(from), " there");
  if (to == kNoDevice) {
    if (!relaxing) return false;
    to = RoomFor(g, from, true, loads);
    if (to == kNoDevice) return false;
    RelaxForMemory(g, from, to, why);
  }
  GroupNeed need;
  ForEachMember(g, [&](NodeId n) {
    need.kept = AddSizes(need.kept, facts_.memory().Kept(n));
    need.working = std::max(need.working, facts_.memory().Working(n));
    device_[n] = to;
  });
  for (const auto& [d, sign] : {std::make_pair(from, -1), std::make_pair(to, 1)}) {
    Load& load = loads[d];
    load.kept = sign < 0 ? load.kept - need.kept : AddSizes(load.kept, need.kept);
    const std::pair<int64_t, NodeId> kept = {need.kept, g}, working = {need.working, g};
    if (sign < 0) {
      load.by_kept.erase(kept);
      load.by_working.erase(working);
    } else {
      if (need.kept > 0) load.by_kept.insert(kept);
      if (need.working > 0) load.by_working.insert(working);
    }
  }
  moved_.emplace(g, from);
  decided_[g] = {Text("limit: memory"), Text(absl::StrCat("moved, for ", why))};
  flags_[g] |= kSolved;
  return true;
}

// The smallest group that is enough, else the largest, and again; then those whose largest node is too large beside
// what stays.
bool PlacementState::MakeRoom(DeviceId d, bool relaxing, std::vector<Load>& loads) {
  const int64_t limit = facts_.memory().Of(d);
  std::set<std::pair<int64_t, NodeId>> movable = loads[d].by_kept;
  while (loads[d].needed() > limit && !movable.empty()) {
    auto next = movable.lower_bound({loads[d].needed() - limit, 0});
    if (next == movable.end()) --next;
    const NodeId g = next->second;
    movable.erase(next);
    MoveAway(g, relaxing, loads);
  }
  while (loads[d].needed() > limit && loads[d].working() > 0) {
    if (!MoveAway(loads[d].by_working.rbegin()->second, relaxing, loads)) return false;
  }
  return loads[d].needed() <= limit;
}

absl::Status PlacementState::NoRoom(DeviceId d, const std::vector<Load>& loads) {
  const Load& load = loads[d];
  const auto name = [&](DeviceId device) { return machine_.device(device).name.ShortName(); };
  const int64_t limit = facts_.memory().Of(d);
  std::string text = absl::StrCat("device '", name(d), "': expected a need of at most ", BytesText(limit), ", got ",
                                  load.needed(), ": ", load.kept, " of variables and constants");
  if (load.working() > 0) {
    const NodeId g = load.by_working.rbegin()->second;
    NodeId largest = g;
    ForEachMember(g, [&](NodeId n) {
      if (facts_.memory().Working(n) > facts_.memory().Working(largest)) largest = n;
    });
    absl::StrAppend(&text, " and ", load.working(), " for ", Describe(largest), " while it runs");
  }
  absl::StrAppend(&text, ", short by ", BytesText(load.needed() - limit));
  std::vector<std::string> free;
  for (DeviceId other = 0; other < machine_.num_devices() && free.size() < kShownDevices; ++other) {
    if (other == d) continue;
    const int64_t left = facts_.memory().Of(other) - loads[other].needed();
    free.push_back(facts_.memory().Of(other) == MemoryLimit::kNone ? absl::StrCat(name(other), " without limit")
                                                                   : absl::StrCat(left, " on ", name(other)));
  }
  absl::StrAppend(&text, "; free: ", free.empty() ? "no other device" : absl::StrJoin(free, ", "),
                  "; the largest there: ");
  std::vector<std::string> items;
  const auto& largest = load.by_kept.empty() ? load.by_working : load.by_kept;
  for (auto item = largest.rbegin(); item != largest.rend() && items.size() < kShownItems; ++item) {
    const DeviceId free_to = RoomFor(item->second, d, false, loads);
    const DeviceId to = free_to == kNoDevice ? RoomFor(item->second, d, true, loads) : free_to;
    items.push_back(absl::StrCat(Describe(item->second), " of ", BytesText(item->first),
                                 to == kNoDevice ? ", which no other device has room or a kernel for"
                                 : free_to == kNoDevice
                                     ? absl::StrCat(", which could go to ", name(to), " in soft mode")
                                     : absl::StrCat(", which could go to ", name(to))));
  }
  return absl::ResourceExhaustedError(
      absl::StrCat(text, absl::StrJoin(items, ", "), "; give it ", BytesText(load.needed())));
}

// Whether relaxing demands makes room on `first` and all after it. Moves what it must.
bool PlacementState::FitsRelaxed(DeviceId first, std::vector<Load>& loads) {
  for (DeviceId d = first; d < machine_.num_devices(); ++d) {
    if (loads[d].needed() <= facts_.memory().Of(d)) continue;
    if (!MakeRoom(d, false, loads) && !MakeRoom(d, true, loads)) return false;
  }
  return true;
}

absl::Status PlacementState::FitMemory() {
  if (!facts_.memory().any()) return absl::OkStatus();
  SettleOpen();
  std::vector<Load> loads = Loads();
  for (DeviceId d = 0; d < machine_.num_devices(); ++d) {
    if (loads[d].needed() <= facts_.memory().Of(d)) continue;
    // What can be had without giving up a demand is, in soft mode as well.
    if (MakeRoom(d, false, loads) || (!strict() && MakeRoom(d, true, loads))) continue;
    const absl::Status refusal = NoRoom(d, loads);
    if (!strict() || !FitsRelaxed(d, loads)) return refusal;
    return absl::ResourceExhaustedError(absl::StrCat(refusal.message(), ", or place in soft mode"));
  }
  if (moved_.empty() || leader_.empty()) return absl::OkStatus();
  for (NodeId g = 0; g < graph_.num_nodes(); ++g) {
    if (!facts_.groups().is_root(g) || !Follows(g) || moved_.contains(g)) continue;
    if (!moved_.contains(group(leader_[g])) || device_[g] == device_[leader_[g]]) continue;
    decided_[g].reason = Text(absl::StrCat(texts_[decided_[g].reason], ", which memory moved to ",
                                           machine_.device(device_[leader_[g]]).name.ShortName()));
  }
  return absl::OkStatus();
}

}  // namespace berth
