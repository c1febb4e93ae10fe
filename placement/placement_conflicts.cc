// Why strict mode refuses a part: its conflicts, and their message.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "placement/placement_state.h"

namespace berth {
namespace {

constexpr size_t kShownNames = 8;
constexpr size_t kShownDemands = 12;
constexpr size_t kNamedInFix = 8;
constexpr absl::string_view kRequests = "pins";  // the part through which requests act

// A name as a pattern of selectors, which know no escapes: what they would take for syntax is any character.
std::string NamePattern(absl::string_view name) {
  std::string pattern(name);
  for (char& c : pattern) {
    if (!absl::ascii_isalnum(c) && absl::string_view("_./-").find(c) == absl::string_view::npos) c = '?';
  }
  return pattern;
}

Fix SoftMode() { return Fix(); }

}  // namespace

ConflictMember PlacementState::Party(NodeId n, AskId id) {
  const Ask& ask = asks_[id];
  ConflictMember party;
  party.kind = ask.forbids ? ConflictMember::Kind::kForbid : ConflictMember::Kind::kDemand;
  party.node = n;
  party.asked = ask.asked();
  party.author = uses_[ask.part].text;
  party.origin = ask.origin.empty() ? origins_[ask.part] : ask.origin;
  party.allows = sets_.List(Allowed(n, ask));
  return party;
}

// The last demand of the current part for each member, those that failed included; by node.
std::vector<std::pair<NodeId, AskId>> PlacementState::DemandsOfPart(NodeId g) {
  const int32_t part = static_cast<int32_t>(uses_.size()) - 1;
  std::map<NodeId, AskId> demands;
  ForEachMember(g, [&](NodeId n) {
    if (own_ask_[n] >= 0 && asks_[own_ask_[n]].part == part) demands[n] = own_ask_[n];
  });
  for (const Failure& failure : failures_) {
    if (failure.ask >= 0 && group(failure.node) == g) demands[failure.node] = failure.ask;
  }
  return {demands.begin(), demands.end()};
}

// What the part asks for the whole group, and the fewest of its demands that have to change.
void PlacementState::AddGroup(NodeId g, Conflict& conflict) {
  const int32_t part = static_cast<int32_t>(uses_.size()) - 1;
  const std::vector<std::pair<NodeId, AskId>> demands = DemandsOfPart(g);
  SetId possible = candidates_[g];
  bool forbids = false;
  ForEachMember(g, [&](NodeId n) {
    ++conflict.group_nodes;
    for (const Opinion& wish : graph_.node(n).note().wishes) forbids |= wish.verb == Opinion::Verb::kForbid;
  });
  --conflict.group_nodes;
  for (const auto& demand : demands) forbids |= asks_[demand.second].forbids;
  if (!forbids) {
    possible = facts_.Of(g);
    for (int32_t e = last_event_[g]; e >= 0; e = events_[e].earlier) {
      const Ask& ask = asks_[events_[e].ask];
      if (ask.part != part) possible = sets_.Intersect(possible, Allowed(events_[e].node, ask));
    }
  }
  // Of devices that change as few demands, one that holds what holds already, then one of the kind that was asked for.
  std::optional<std::string> kind;
  for (const Failure& failure : failures_) {
    if (failure.ask >= 0 && group(failure.node) == g && !kind) kind = asks_[failure.ask].pattern.type;
  }
  DeviceId best = kNoDevice;
  std::vector<NodeId> fewest;
  std::tuple<size_t, bool, bool> least;
  for (const DeviceId d : sets_.List(possible)) {
    std::vector<NodeId> others;
    for (const auto& [n, ask] : demands) {
      if (!sets_.Contains(Allowed(n, asks_[ask]), d)) others.push_back(n);
    }
    const std::tuple<size_t, bool, bool> rank = {others.size(), !sets_.Contains(candidates_[g], d),
                                                 kind.has_value() && machine_.device(d).kind() != *kind};
    if (best != kNoDevice && rank >= least) continue;
    best = d;
    least = rank;
    fewest = std::move(others);
  }
  Fix fix;
  fix.device = machine_.device(best).name.ShortName();
  fix.nodes = fewest;
  fix.part = part;
  if (conflict.part == kRequests && !forbids) {
    fix.kind = Fix::Kind::kAsk;
    conflict.fixes.push_back(fix);
  }
  if (fewest.size() <= kNamedInFix) {
    std::vector<std::string> names;
    for (const NodeId n : fewest) names.push_back(absl::StrCat("name=", NamePattern(graph_.node(n).name())));
    fix.kind = Fix::Kind::kPut;
    fix.text = absl::StrCat("match \"", absl::StrJoin(names, " | "), "\" on ", fix.device);
    conflict.fixes.push_back(fix);
  }
  if (demands.size() <= conflict.members.size()) return;
  for (const auto& [n, ask] : demands) {
    if (conflict.group.size() < kShownDemands) conflict.group.push_back(Party(n, ask));
  }
}

std::vector<std::string> PlacementState::PartNames() const {
  std::vector<std::string> names;
  for (size_t p = 0; p < uses_.size(); ++p) {
    names.push_back(absl::StrCat("'", uses_[p].text, "'", origins_[p].empty() ? "" : " (", origins_[p],
                                 origins_[p].empty() ? "" : ")"));
  }
  return names;
}

// Of a part that wants together what facts keep apart.
Conflict PlacementState::ApartConflict(const Failure& failure) {
  const int32_t part = static_cast<int32_t>(uses_.size()) - 1;
  const NodeId g = group(failure.node), other = group(failure.with);
  Conflict conflict;
  conflict.part = uses_[part].text;
  conflict.part_origin = origins_[part];
  conflict.there = absl::StrCat("the devices ", machine_.DeviceList());
  std::vector<ConflictMember> parties = facts_.Parties(g, failure.node);
  for (ConflictMember& party : facts_.Parties(other, failure.with)) parties.push_back(std::move(party));
  std::vector<SetId> allows;
  for (const ConflictMember& party : parties) allows.push_back(sets_.Of(party.allows));
  for (const int i : MinimalConflict(sets_, allows)) conflict.members.push_back(std::move(parties[i]));
  Ties ties(graph_, ties_, PartNames());
  const NodeId first = conflict.members[0].node;
  for (size_t i = 1; i < conflict.members.size(); ++i) {
    const NodeId n = conflict.members[i].node;
    conflict.members[i].tie = group(n) == group(first) ? ties.Why(first, n) : PartNames()[part];
  }
  ForEachMember(g, [&](NodeId) { ++conflict.group_nodes; });
  ForEachMember(other, [&](NodeId) { ++conflict.group_nodes; });
  --conflict.group_nodes;
  Fix fix;
  fix.kind = Fix::Kind::kWithout;
  fix.part = part;
  conflict.fixes = {fix, SoftMode()};
  return conflict;
}

Conflict PlacementState::ConflictOf(const Failure& failure) {
  if (failure.ask < 0) return ApartConflict(failure);
  const int32_t part = static_cast<int32_t>(uses_.size()) - 1;
  const NodeId n = failure.node;
  Conflict conflict;
  conflict.part = uses_[part].text;
  conflict.part_origin = origins_[part];
  // The demand, other demands of the part, facts, what earlier parts left; in each the first first.
  std::vector<ConflictMember> parties = {Party(n, failure.ask)};
  std::vector<ConflictMember> earlier;
  std::vector<int32_t> events;
  for (int32_t e = last_event_[group(n)]; e >= 0; e = events_[e].earlier) events.push_back(e);
  std::reverse(events.begin(), events.end());
  for (const int32_t e : events) {
    const bool now = asks_[events_[e].ask].part == part;
    (now ? parties : earlier).push_back(Party(events_[e].node, events_[e].ask));
  }
  for (const std::vector<ConflictMember>& more : {facts_.Parties(group(n), n), earlier}) {
    parties.insert(parties.end(), more.begin(), more.end());
  }
  std::vector<SetId> allows;
  for (const ConflictMember& party : parties) allows.push_back(sets_.Of(party.allows));
  Ties ties(graph_, ties_, PartNames());
  for (const int i : MinimalConflict(sets_, allows)) {
    if (parties[i].node != n) parties[i].tie = ties.Why(parties[i].node, n);
    conflict.members.push_back(std::move(parties[i]));
  }
  if (conflict.members.size() == 1) {
    conflict.there =
        absl::StrCat(asks_[failure.ask].forbids ? "nothing else on " : "no such device on ", machine_.ToString());
  }
  AddGroup(group(n), conflict);
  conflict.fixes.push_back(SoftMode());
  return conflict;
}

// The machine's shorthand with as many devices of the kind as the demand counts; nullopt where it has none such.
std::optional<std::string> PlacementState::LargerMachine(const Ask& most) const {
  if (!most.nth || *most.nth == Opinion::kTooFew || !most.pattern.type || most.pattern.id) return std::nullopt;
  if (machine_.tasks().size() != 1 || machine_.ToString().find_first_of("{(") != std::string::npos) return std::nullopt;
  std::vector<std::pair<std::string, int>> kinds;
  for (const MachineDevice& device : machine_.devices()) {
    if (kinds.empty() || kinds.back().first != device.kind()) kinds.emplace_back(device.kind(), 0);
    ++kinds.back().second;
  }
  const auto kind =
      std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return k.first == *most.pattern.type; });
  if (kind == kinds.end()) {
    kinds.emplace_back(*most.pattern.type, *most.nth + 1);
  } else {
    kind->second = *most.nth + 1;
  }
  return absl::StrJoin(kinds, ",", [](std::string* out, const auto& k) {
    const bool plain = k.first == "CPU" || k.first == "GPU";
    absl::StrAppend(out, plain ? absl::AsciiStrToLower(k.first) : k.first, ":", k.second);
  });
}

Conflict PlacementState::ShortageConflict() {
  const Ask& first = asks_[shortages_.begin()->first];
  const Ask* most = &first;
  Conflict conflict;
  conflict.too_few = true;
  conflict.part = uses_[first.part].text;
  conflict.part_origin = origins_[first.part];
  conflict.there = absl::StrCat(
      first.nth == Opinion::kTooFew ? "a shorter list" : DeviceNames(sets_.Of(machine_.Matching(first.pattern))),
      " on ", machine_.ToString());
  for (const auto& [id, shortage] : shortages_) {
    ConflictMember member = Party(shortage.first, id);
    member.asked = asks_[id].reason;
    member.nodes = shortage.nodes;
    conflict.members.push_back(std::move(member));
    if (asks_[id].nth > most->nth) most = &asks_[id];
  }
  if (const std::optional<std::string> larger = LargerMachine(*most)) {
    Fix fix;
    fix.kind = Fix::Kind::kMachine;
    fix.text = *larger;
    conflict.fixes.push_back(std::move(fix));
  }
  conflict.fixes.push_back(SoftMode());
  return conflict;
}

std::vector<Conflict> PlacementState::Conflicts(size_t limit) {
  std::vector<Conflict> conflicts = facts_.Conflicts(limit);
  if (!conflicts.empty()) return conflicts;
  if (!shortages_.empty()) conflicts.push_back(ShortageConflict());
  absl::flat_hash_set<NodeId> told;
  for (const Failure& failure : failures_) {
    if (conflicts.size() >= limit) break;
    if (failure.ask >= 0 && !told.insert(group(failure.node)).second) continue;
    conflicts.push_back(ConflictOf(failure));
  }
  return conflicts;
}

absl::Status PlacementState::PartStatus() {
  if (shortages_.empty() && failures_.empty()) return absl::OkStatus();
  std::vector<std::string> lines;
  if (!shortages_.empty()) lines.push_back(PrintConflict(graph_, ShortageConflict()));
  if (!failures_.empty()) lines.push_back(PrintConflict(graph_, ConflictOf(failures_[0])));
  if (failures_.size() > 1) {
    std::vector<std::string> names;
    for (size_t i = 1; i < std::min(failures_.size(), kShownNames + 1); ++i) {
      names.push_back(absl::StrCat("'", graph_.node(failures_[i].node).name(), "'"));
    }
    lines.push_back(absl::StrCat("and ", failures_.size() - 1, failures_.size() == 2 ? " more demand" : " more demands",
                                 " that cannot be met: ", absl::StrJoin(names, ", "),
                                 failures_.size() > kShownNames + 1 ? ", ..." : ""));
  }
  return absl::FailedPreconditionError(absl::StrJoin(lines, "\n"));
}

}  // namespace berth
