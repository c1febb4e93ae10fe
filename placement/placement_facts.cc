// The facts' half of PlacementState: kernels and colocation.
#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/status_macros.h"
#include "placement/placement_state.h"

namespace berth {
namespace {

constexpr int kShownMembers = 8;

std::string KindText(const std::string& kind) {
  return kind == "CPU" || kind == "GPU" ? absl::AsciiStrToLower(kind) : kind;
}

}  // namespace

// "a kernel on cpu only", "host-only op".
std::string PlacementState::KernelsOf(const Node& node) {
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

absl::Status PlacementState::ApplyFacts() {
  for (NodeId n = 0, end = graph_.num_nodes(); n < end; ++n) {
    const Node node = graph_.node(n);
    const KernelFacts::Verdict& verdict = kernels_.Of(node);
    if (verdict.listed_without_kernel) {
      return absl::UnimplementedError(
          absl::StrCat(Describe(n), ": expected a kernel, got an op that the support table lists as having none"));
    }
    if (verdict.no_kernel && !verdict.host_only && !support_.entries().empty()) {
      Note(n, absl::StrCat("no kernel '", node.op(), "': node '", node.name(), "' can be placed, not run"));
    }
    if (verdict.host_only) flags_[n] |= kHostOnly;
    const SetId devices = verdict.devices;
    const NodeId g = group(n);
    if (!groups_.alone(g)) {
      GroupFacts& facts = group_facts_[g];
      const SetId left = sets_.Intersect(facts.devices, devices);
      if (left != facts.devices) facts.narrowed_by = n;
      facts.devices = left;
    }
    candidates_[g] = sets_.Intersect(candidates_[g], devices);
  }
  for (NodeId n = 0, end = graph_.num_nodes(); n < end; ++n) {
    if (groups_.is_root(n) && candidates_[n] == DeviceSets::kNone) return NothingLeft(n);
  }
  return absl::OkStatus();
}

absl::Status PlacementState::NothingLeft(NodeId g) {
  if (kernels_.hosts() == DeviceSets::kNone) {
    NodeId host_only = kNoNode;
    ForEachMember(g, [&](NodeId n) {
      if (host_only == kNoNode && (flags_[n] & kHostOnly) != 0) host_only = n;
    });
    if (host_only != kNoNode) {
      return absl::FailedPreconditionError(absl::StrCat(Describe(host_only),
                                                        ": expected a cpu for a host-only op, got ",
                                                        machine_.DeviceList(), "; add a cpu to the machine"));
    }
  }
  if (groups_.alone(g)) {
    return absl::FailedPreconditionError(absl::StrCat(Describe(g), ": expected a device with a kernel, got ",
                                                      KernelsOf(graph_.node(g)), " and the devices ",
                                                      machine_.DeviceList(), "; place it on a machine that has one"));
  }
  // Only members that exclude something matter.
  std::string members;
  int shown = 0;
  std::vector<std::string> seen;
  NodeId first = kNoNode, second = kNoNode;
  ForEachMember(g, [&](NodeId n) {
    if (kernels_.Of(graph_.node(n)).devices == DeviceSets::kAll) return;
    const std::string kernels = KernelsOf(graph_.node(n));
    if (std::find(seen.begin(), seen.end(), kernels) == seen.end()) {
      (first == kNoNode ? first : second) = n;
      seen.push_back(kernels);
    } else if (shown >= kShownMembers) {
      return;
    }
    absl::StrAppend(&members, shown++ == 0 ? "" : ", ", Describe(n), " with ", kernels);
  });
  const std::string tie = second == kNoNode ? "" : WhyTogether(graph_, first, second);
  return absl::FailedPreconditionError(absl::StrCat(
      "colocation group of '", graph_.node(g).name(), "': expected a device that all members can have, got ", members,
      tie.empty() ? "" : absl::StrCat(", together by ", tie), "; there are ", machine_.DeviceList(),
      "; untie them or add a kernel"));
}

PlacementState::GroupFacts PlacementState::FactsOf(NodeId g) {
  const auto found = group_facts_.find(g);
  if (found != group_facts_.end()) return found->second;
  const SetId devices = kernels_.Of(graph_.node(g)).devices;
  return {devices, devices == DeviceSets::kAll ? kNoNode : g};
}

std::string PlacementState::WhyFactsExclude(NodeId n, SetId devices) {
  const KernelFacts::Verdict& own = kernels_.Of(graph_.node(n));
  if (sets_.Intersect(own.devices, devices) == DeviceSets::kNone) return KernelsOf(graph_.node(n));
  const GroupFacts facts = FactsOf(group(n));
  if (facts.narrowed_by == kNoNode || facts.narrowed_by == n) return KernelsOf(graph_.node(n));
  return absl::StrCat(Describe(facts.narrowed_by), ", which is colocated with it, with ",
                      KernelsOf(graph_.node(facts.narrowed_by)));
}

FallbackCause PlacementState::FactsCause(NodeId n, SetId devices) {
  const bool own = sets_.Intersect(kernels_.Of(graph_.node(n)).devices, devices) == DeviceSets::kNone;
  return own ? FallbackCause::kKernel : FallbackCause::kColocation;
}

NodeReason PlacementState::FactReason(NodeId n) {
  if (machine_.num_devices() == 1) return {Text("fact: machine"), Text("the only device")};
  const Node node = graph_.node(n);
  const KernelFacts::Verdict& verdict = kernels_.Of(node);
  if (verdict.host_only) {
    return {Text("fact: host-only op"), Text(absl::StrCat("'", node.op(), "' can only run on a host"))};
  }
  if (sets_.Count(verdict.devices) == 1) return {Text("fact: kernel"), Text(KernelsOf(node))};
  const NodeId by = FactsOf(group(n)).narrowed_by;
  if (by == kNoNode || by == n) return {Text("fact: kernel"), Text(KernelsOf(node))};
  return {Text(absl::StrCat("fact: colocated with '", graph_.node(by).name(), "'")), Text(KernelsOf(graph_.node(by)))};
}

}  // namespace berth
