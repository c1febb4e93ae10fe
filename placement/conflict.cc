#include "placement/conflict.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace berth {
namespace {

constexpr size_t kShownNames = 8;

std::string Names(const Graph& graph, const std::vector<NodeId>& nodes) {
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(nodes.size(), kShownNames); ++i) {
    names.push_back(absl::StrCat("'", graph.node(nodes[i]).name(), "'"));
  }
  return absl::StrCat(absl::StrJoin(names, ", "),
                      nodes.size() > kShownNames ? absl::StrCat(" and ", nodes.size() - kShownNames, " more") : "");
}

std::string Bracketed(absl::string_view origin) { return origin.empty() ? "" : absl::StrCat(" (", origin, ")"); }

// "gpu:1, as 'pins' asks (scope 'a' at model.cc:12)".
std::string Said(const ConflictMember& member) {
  return absl::StrCat(member.asked, ", as '", member.author, "' asks", Bracketed(member.origin));
}

// What stands against the first member.
std::string Against(const Graph& graph, const ConflictMember& first, const ConflictMember& member) {
  const bool same = member.node == first.node;
  const std::string by = member.tie.empty() ? "" : absl::StrCat(" by ", member.tie);
  if (member.kind == ConflictMember::Kind::kFact) {
    if (same) return member.asked;
    return absl::StrCat(DescribeNode(graph, member.node), ", which is colocated with it", by, ", with ", member.asked);
  }
  const std::string said =
      absl::StrCat(member.kind == ConflictMember::Kind::kForbid ? "a device other than " : "", Said(member));
  if (same) return said;
  return absl::StrCat(said, ", for ", DescribeNode(graph, member.node), ", with which it is colocated", by);
}

std::string Fixes(const Graph& graph, const Conflict& conflict) {
  std::string text;
  for (size_t i = 0; i < conflict.fixes.size(); ++i) {
    const bool last = i + 1 == conflict.fixes.size();
    absl::StrAppend(&text, i == 0 ? "; " : last ? ", or " : ", ", PrintFix(graph, conflict, conflict.fixes[i]));
  }
  return text;
}

// "the group of 10 nodes: gpu:0 for 'a' (scope 's' at m.cc:3), cpu:0 for 'b' (...)".
std::string GroupLine(const Graph& graph, const Conflict& conflict) {
  if (conflict.group.empty()) return "";
  std::vector<std::string> asks;
  for (const ConflictMember& member : conflict.group) {
    asks.push_back(absl::StrCat(member.asked, " for '", graph.node(member.node).name(), "'", Bracketed(member.origin)));
  }
  return absl::StrCat("\nthe part asks in their group of ", conflict.group_nodes,
                      " nodes: ", absl::StrJoin(asks, ", "));
}

std::string PrintShortage(const Graph& graph, const Conflict& conflict) {
  std::vector<std::string> missing;
  for (const ConflictMember& member : conflict.members) {
    missing.push_back(absl::StrCat(member.asked, " (", member.nodes, member.nodes == 1 ? " node" : " nodes",
                                   ", the first is ", DescribeNode(graph, member.node), ")"));
  }
  return absl::StrCat("policy part '", conflict.part, "'", Bracketed(conflict.part_origin),
                      ": expected a device for each tower, got ", conflict.there,
                      "; without a device: ", absl::StrJoin(missing, ", "), Fixes(graph, conflict));
}

std::string PrintFacts(const Graph& graph, const Conflict& conflict) {
  const ConflictMember& first = conflict.members[0];
  if (conflict.members.size() == 1) {
    return absl::StrCat(DescribeNode(graph, first.node), ": expected a device that it can have, got ", first.asked,
                        " and ", conflict.there, Fixes(graph, conflict));
  }
  std::vector<std::string> members;
  for (const ConflictMember& member : conflict.members) {
    members.push_back(absl::StrCat(DescribeNode(graph, member.node), " with ", member.asked,
                                   member.tie.empty() ? "" : absl::StrCat(", together by ", member.tie)));
  }
  return absl::StrCat("colocation group of '", graph.node(first.node).name(),
                      "': expected a device that all members can have, got ", absl::StrJoin(members, ", "), " and ",
                      conflict.there, Fixes(graph, conflict));
}

}  // namespace

std::string DescribeNode(const Graph& graph, NodeId n) {
  const Node node = graph.node(n);
  const std::string source = node.source().ToString();
  return absl::StrCat("node '", node.name(), "' (", node.op(), source.empty() ? "" : " at ", source, ")");
}

std::vector<int> MinimalConflict(DeviceSets& sets, const std::vector<SetId>& parties) {
  const int n = static_cast<int>(parties.size());
  for (int i = 0; i < n; ++i) {
    if (parties[i] == DeviceSets::kNone) return {i};
  }
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j) {
      if (sets.Intersect(parties[i], parties[j]) == DeviceSets::kNone) return {i, j};
    }
  }
  std::vector<bool> dropped(n, false);
  for (int i = n - 1; i >= 0; --i) {
    SetId others = DeviceSets::kAll;
    for (int j = 0; j < n; ++j) {
      if (j != i && !dropped[j]) others = sets.Intersect(others, parties[j]);
    }
    dropped[i] = others == DeviceSets::kNone;
  }
  std::vector<int> left;
  for (int i = 0; i < n; ++i) {
    if (!dropped[i]) left.push_back(i);
  }
  return left;
}

std::string PrintFix(const Graph& graph, const Conflict& conflict, const Fix& fix) {
  switch (fix.kind) {
    case Fix::Kind::kAsk:
      return absl::StrCat("ask for ", fix.device, " for ", Names(graph, fix.nodes));
    case Fix::Kind::kPut:
      return absl::StrCat("put '", fix.text, "' before '", conflict.part, "'");
    case Fix::Kind::kKernel:
      return absl::StrCat("add a kernel for ", absl::StrJoin(fix.ops, ", "), " on ", fix.device);
    case Fix::Kind::kMemory:
      return absl::StrCat("give ", fix.device, " ", fix.text);
    case Fix::Kind::kMachine:
      return absl::StrCat("place on ", fix.text);
    case Fix::Kind::kWithout:
      return absl::StrCat("leave out '", conflict.part, "'");
    case Fix::Kind::kSoft:
      return "place in soft mode";
  }
  return "";
}

std::string PrintConflict(const Graph& graph, const Conflict& conflict) {
  if (conflict.too_few) return PrintShortage(graph, conflict);
  const ConflictMember& first = conflict.members[0];
  if (first.kind == ConflictMember::Kind::kFact) return PrintFacts(graph, conflict);
  std::vector<std::string> against;
  for (size_t i = 1; i < conflict.members.size(); ++i) against.push_back(Against(graph, first, conflict.members[i]));
  if (!conflict.there.empty()) against.push_back(conflict.there);
  return absl::StrCat(DescribeNode(graph, first.node), ": expected ",
                      first.kind == ConflictMember::Kind::kForbid ? "a device other than " : "", Said(first), ", got ",
                      absl::StrJoin(against, ", and "), Fixes(graph, conflict), GroupLine(graph, conflict));
}

}  // namespace berth
