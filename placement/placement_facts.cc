#include "placement/placement_facts.h"

#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/status_macros.h"
#include "placement/node_cost.h"

namespace berth {
namespace {

constexpr size_t kShownDevices = 8;
constexpr size_t kShownNames = 8;

std::string KindText(const std::string& kind) {
  return kind == "CPU" || kind == "GPU" ? absl::AsciiStrToLower(kind) : kind;
}

}  // namespace

PlacementFacts::PlacementFacts(const Graph& graph, const Machine& machine, const OpSupport& support, DeviceSets& sets)
    : graph_(graph),
      machine_(machine),
      support_(support),
      sets_(sets),
      kernels_(machine, support, sets),
      memory_(graph, machine),
      groups_(FindGroups(graph)),
      host_only_(graph.num_nodes()) {}

std::string PlacementFacts::KernelsOf(NodeId n) {
  const Node node = graph_.node(n);
  const KernelFacts::Verdict& verdict = kernels_.Of(node);
  if (verdict.host_only) return "a host-only op";
  if (verdict.no_kernel) return "no kernel";
  std::vector<std::string> kinds;
  for (const std::string& kind : verdict.kinds) kinds.push_back(KindText(kind));
  std::string text =
      absl::StrCat(kinds.size() == 1 ? "a kernel on " : "kernels on ", absl::StrJoin(kinds, " and "), " only");
  for (const std::string& kind : support_.kinds()) {
    const std::string why = support_.WhyRejected(node, kind);
    if (!why.empty()) absl::StrAppend(&text, " (on ", KindText(kind), ": ", why, ")");
  }
  return text;
}

SetId PlacementFacts::WithRoom(NodeId n) {
  if (!memory_.any()) return DeviceSets::kAll;
  const int64_t needed = AddSizes(memory_.Kept(n), memory_.Working(n));
  if (needed <= memory_.least()) return DeviceSets::kAll;
  std::vector<DeviceId> devices;
  for (DeviceId d = 0; d < machine_.num_devices(); ++d) {
    if (needed <= memory_.Of(d)) devices.push_back(d);
  }
  return sets_.Of(std::move(devices));
}

// "1200 bytes, more than gpu:0 (1000) has".
std::string PlacementFacts::RoomOf(NodeId n) const {
  const int64_t needed = AddSizes(memory_.Kept(n), memory_.Working(n));
  std::vector<std::string> small;
  for (DeviceId d = 0; d < machine_.num_devices(); ++d) {
    if (needed <= memory_.Of(d)) continue;
    if (small.size() == kShownDevices) {
      small.push_back("...");
      break;
    }
    small.push_back(absl::StrCat(machine_.device(d).name.ShortName(), " (", memory_.Of(d), ")"));
  }
  return absl::StrCat("a need of ", needed, " bytes, more than ", absl::StrJoin(small, ", "), " has");
}

// Which of its own facts keeps the node from the devices.
std::string PlacementFacts::WhyOwn(NodeId n, SetId devices) {
  const bool kernels = sets_.Intersect(kernels_.Of(graph_.node(n)).devices, devices) == DeviceSets::kNone;
  return kernels || !memory_.any() || WithRoom(n) == DeviceSets::kAll ? KernelsOf(n) : RoomOf(n);
}

absl::Status PlacementFacts::Apply(std::vector<SetId>& candidates, std::vector<std::pair<NodeId, std::string>>& notes) {
  for (NodeId n = 0, end = graph_.num_nodes(); n < end; ++n) {
    const Node node = graph_.node(n);
    const KernelFacts::Verdict& verdict = kernels_.Of(node);
    if (verdict.listed_without_kernel) {
      return absl::UnimplementedError(absl::StrCat(
          DescribeNode(graph_, n), ": expected a kernel, got an op that the support table lists as having none"));
    }
    if (verdict.no_kernel && !verdict.host_only && !support_.entries().empty()) {
      notes.emplace_back(n,
                         absl::StrCat("no kernel '", node.op(), "': node '", node.name(), "' can be placed, not run"));
    }
    if (verdict.host_only) host_only_[n] = true;
    if (verdict.host_args) with_host_args_.push_back(n);
    SetId devices = verdict.devices;
    if (memory_.any()) devices = sets_.Intersect(devices, WithRoom(n));
    const NodeId g = groups_.root[n];
    if (!groups_.alone(g)) {
      OfGroup& facts = of_groups_[g];
      const SetId left = sets_.Intersect(facts.devices, devices);
      if (left != facts.devices) facts.narrowed_by = n;
      facts.devices = left;
    }
    candidates[g] = sets_.Intersect(candidates[g], devices);
  }
  for (NodeId n = 0, end = graph_.num_nodes(); n < end; ++n) {
    if (groups_.is_root(n) && candidates[n] == DeviceSets::kNone) lost_.push_back(n);
  }
  return lost_.empty() ? absl::OkStatus() : NothingLeft();
}

std::vector<Conflict> PlacementFacts::Conflicts(size_t limit) {
  std::vector<Conflict> conflicts;
  for (const NodeId g : lost_) {
    if (conflicts.size() >= limit) break;
    if (NoHost(g).ok()) conflicts.push_back(ConflictOf(g));
  }
  return conflicts;
}

absl::Status PlacementFacts::NothingLeft() {
  const std::vector<NodeId>& lost = lost_;
  BERTH_RETURN_IF_ERROR(NoHost(lost[0]));
  std::string text = PrintConflict(graph_, ConflictOf(lost[0]));
  if (lost.size() > 1) {
    std::vector<std::string> names;
    for (size_t i = 1; i < std::min(lost.size(), kShownNames + 1); ++i) {
      names.push_back(absl::StrCat("'", graph_.node(lost[i]).name(), "'"));
    }
    absl::StrAppend(&text, "\nand ", lost.size() - 1, lost.size() == 2 ? " more node" : " more nodes",
                    " that no device can have: ", absl::StrJoin(names, ", "),
                    lost.size() > kShownNames + 1 ? ", ..." : "");
  }
  return absl::FailedPreconditionError(text);
}

absl::Status PlacementFacts::NoHost(NodeId g) {
  if (kernels_.hosts() != DeviceSets::kNone) return absl::OkStatus();
  NodeId n = g;
  do {
    if (host_only_[n]) {
      return absl::FailedPreconditionError(absl::StrCat(DescribeNode(graph_, n),
                                                        ": expected a cpu for a host-only op, got ",
                                                        machine_.DeviceList(), "; add a cpu to the machine"));
    }
    n = groups_.next[n];
  } while (n != g);
  return absl::OkStatus();
}

Conflict PlacementFacts::ConflictOf(NodeId g) {
  Conflict conflict;
  conflict.there = absl::StrCat("the devices ", machine_.DeviceList());
  const std::vector<ConflictMember> parties = Parties(g, g);
  std::vector<SetId> allows;
  for (const ConflictMember& party : parties) allows.push_back(sets_.Of(party.allows));
  for (const int i : MinimalConflict(sets_, allows)) conflict.members.push_back(parties[i]);
  Ties ties(graph_);
  for (size_t i = 1; i < conflict.members.size(); ++i) {
    conflict.members[i].tie = ties.Why(conflict.members[0].node, conflict.members[i].node);
  }
  AddFixes(g, conflict);
  return conflict;
}

// Kernels on the kind of device that the fewest ops lack; memory, where none does.
void PlacementFacts::AddFixes(NodeId g, Conflict& conflict) {
  std::map<int, std::pair<DeviceId, std::set<std::string>>> lacking;  // by kind
  for (DeviceId d = 0; d < machine_.num_devices(); ++d) {
    const auto [it, is_new] = lacking.try_emplace(kernels_.kind(d), d, std::set<std::string>());
    if (!is_new) continue;
    NodeId n = g;
    do {
      if (!sets_.Contains(kernels_.Of(graph_.node(n)).devices, d))
        it->second.second.insert(std::string(graph_.node(n).op()));
      n = groups_.next[n];
    } while (n != g);
  }
  const auto fewest = std::min_element(lacking.begin(), lacking.end(), [](const auto& a, const auto& b) {
    return a.second.second.size() < b.second.second.size();
  });
  Fix fix;
  if (fewest->second.second.empty()) {  // kernels there are, but no room
    fix.kind = Fix::Kind::kMemory;
    int64_t most = 0;
    NodeId n = g;
    do {
      most = std::max(most, AddSizes(memory_.Kept(n), memory_.Working(n)));
      n = groups_.next[n];
    } while (n != g);
    fix.device = machine_.device(fewest->second.first).name.ShortName();
    fix.text = absl::StrCat(most, " bytes");
    conflict.fixes.push_back(std::move(fix));
    return;
  }
  fix.kind = Fix::Kind::kKernel;
  fix.device = KindText(machine_.device(fewest->second.first).kind());
  fix.ops.assign(fewest->second.second.begin(), fewest->second.second.end());
  conflict.fixes.push_back(std::move(fix));
}

PlacementFacts::OfGroup PlacementFacts::Narrowed(NodeId g) {
  const auto found = of_groups_.find(g);
  if (found != of_groups_.end()) return found->second;
  const SetId devices = Own(g);
  return {devices, devices == DeviceSets::kAll ? kNoNode : g};
}

void PlacementFacts::Unite(const std::vector<NodeId>& roots) {
  std::vector<NodeId> members;
  OfGroup united;
  for (const NodeId g : roots) {
    const OfGroup own = Narrowed(g);
    const SetId left = sets_.Intersect(united.devices, own.devices);
    if (left != united.devices) united.narrowed_by = own.narrowed_by;
    united.devices = left;
    NodeId n = g;
    do {
      members.push_back(n);
      n = groups_.next[n];
    } while (n != g);
  }
  std::sort(members.begin(), members.end());
  for (size_t i = 0; i < members.size(); ++i) {
    groups_.root[members[i]] = roots[0];
    groups_.next[members[i]] = members[i + 1 == members.size() ? 0 : i + 1];
  }
  of_groups_[roots[0]] = united;
}

SetId PlacementFacts::Of(NodeId g) { return Narrowed(g).devices; }

NodeId PlacementFacts::WhoExcludes(NodeId n, SetId devices) {
  if (sets_.Intersect(Own(n), devices) == DeviceSets::kNone) return kNoNode;
  const NodeId by = Narrowed(groups_.root[n]).narrowed_by;
  return by == n ? kNoNode : by;
}

std::string PlacementFacts::WhyExcluded(NodeId n, SetId devices) {
  const NodeId by = WhoExcludes(n, devices);
  if (by == kNoNode) return WhyOwn(n, devices);
  return absl::StrCat(DescribeNode(graph_, by), ", which is colocated with it, with ", WhyOwn(by, devices));
}

std::vector<ConflictMember> PlacementFacts::Parties(NodeId g, NodeId first) {
  std::vector<ConflictMember> parties;
  std::set<std::pair<bool, SetId>> seen;
  const auto add_fact = [&](NodeId n, bool room, SetId allows) {
    if (allows == DeviceSets::kAll || !seen.emplace(room, allows).second) return;
    ConflictMember party;
    party.kind = ConflictMember::Kind::kFact;
    party.node = n;
    party.asked = room ? RoomOf(n) : KernelsOf(n);
    party.author = room ? "fact: memory" : host_only_[n] ? "fact: host-only op" : "fact: kernel";
    party.allows = sets_.List(allows);
    parties.push_back(std::move(party));
  };
  const auto add = [&](NodeId n) {
    add_fact(n, false, kernels_.Of(graph_.node(n)).devices);
    add_fact(n, true, WithRoom(n));
  };
  add(first);
  NodeId n = g;
  do {
    add(n);
    n = groups_.next[n];
  } while (n != g);
  return parties;
}

std::pair<std::string, std::string> PlacementFacts::Reason(NodeId n) {
  if (machine_.num_devices() == 1) return {"fact: machine", "the only device"};
  if (host_only_[n]) {
    return {"fact: host-only op", absl::StrCat("'", graph_.node(n).op(), "' can only run on a host")};
  }
  const NodeId by = sets_.Count(Own(n)) == 1 ? kNoNode : Narrowed(groups_.root[n]).narrowed_by;
  const NodeId who = by == kNoNode ? n : by;
  const bool room = sets_.Count(kernels_.Of(graph_.node(who)).devices) != 1 && WithRoom(who) != DeviceSets::kAll;
  const std::string why = room ? RoomOf(who) : KernelsOf(who);
  if (who == n) return {room ? "fact: memory" : "fact: kernel", why};
  return {absl::StrCat("fact: colocated with '", graph_.node(who).name(), "'"), why};
}

}  // namespace berth
