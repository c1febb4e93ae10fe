#include "tools/rules.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kShown = 8;

// Some nodes of a kind: how many, and the first of them.
struct Nodes {
  int64_t count = 0;
  std::vector<std::string> first;

  void Add(std::string name) {
    ++count;
    if (first.size() < kShown) first.push_back(std::move(name));
  }
};

struct PartUse {
  std::string text;
  bool decides = false;  // a solver: hits are the nodes it chose for
  Nodes hits;            // asked for, and so placed
  Nodes shadowed;        // asked for, but an earlier part or a fact of its group had decided otherwise
  Nodes missed;          // asked for, and could not be had
  std::string dead() const {
    if (hits.count > 0) return "";
    if (missed.count > 0) return "dead: nothing it asks for can be had";
    if (decides) return "dead: nothing was left open";
    return shadowed.count > 0 ? "dead: earlier parts decide all it matches" : "dead: matches no node";
  }
};

std::vector<PartUse> UsesOf(const PlacedGraph& placed) {
  const Placement& placement = placed.placement;
  const auto name = [&placed](NodeId n) { return std::string(placed.graph->node(n).name()); };
  std::vector<PartUse> uses;
  for (size_t p = 0; p < placement.rules.size(); ++p) {
    const RuleUse& rule = placement.rules[p];
    PartUse use;
    use.text = rule.text;
    std::set<NodeId> missed;
    for (const Fallback& fallback : placement.fallbacks) {
      if (fallback.author != rule.text || !missed.insert(fallback.node).second) continue;
      use.missed.Add(absl::StrCat(name(fallback.node), " (", fallback.why, ")"));
    }
    use.decides = p < placed.policy.parts().size() && placed.policy.parts()[p].solver != nullptr;
    for (NodeId n = 0; use.decides && n < placed.graph->num_nodes(); ++n) {
      if (placement.author(n) == rule.text) use.hits.Add(name(n));
    }
    if (!use.decides) {
      for (const NodeId n : rule.first_hits) use.hits.Add(name(n));
      use.hits.count = rule.hits;
    }
    for (const NodeId n : rule.first_overruled) {
      if (missed.count(n) == 0 && use.shadowed.first.size() < kShown) use.shadowed.first.push_back(name(n));
    }
    use.shadowed.count = std::max<int64_t>(0, rule.overruled - use.missed.count);
    uses.push_back(std::move(use));
  }
  return uses;
}

std::string List(const Nodes& nodes) {
  const auto more = nodes.count - static_cast<int64_t>(nodes.first.size());
  return absl::StrCat(absl::StrJoin(nodes.first, ", "), more > 0 ? absl::StrCat(", and ", more, " more") : "");
}

void PrintText(const std::vector<PartUse>& uses, Io& io) {
  int dead = 0;
  for (size_t p = 0; p < uses.size(); ++p) {
    const PartUse& use = uses[p];
    dead += use.dead().empty() ? 0 : 1;
    io.out << p + 1 << "  " << use.text << (use.dead().empty() ? "" : absl::StrCat("  # ", use.dead())) << "\n";
    const auto line = [&io](const char* what, const Nodes& nodes) {
      if (nodes.count > 0) io.out << "     " << what << " " << nodes.count << ": " << List(nodes) << "\n";
    };
    line(use.decides ? "decided " : "matched ", use.hits);
    line("shadowed", use.shadowed);
    line("missed  ", use.missed);
  }
  io.out << uses.size() << (uses.size() == 1 ? " part, " : " parts, ") << dead << " dead\n";
}

void PrintJson(const std::vector<PartUse>& uses, Io& io) {
  Json json = Json::array();
  for (const PartUse& use : uses) {
    const auto nodes = [](const Nodes& n) { return Json({{"nodes", n.count}, {"first", n.first}}); };
    Json row = {{"part", use.text},
                {use.decides ? "decided" : "matched", nodes(use.hits)},
                {"shadowed", nodes(use.shadowed)},
                {"missed", nodes(use.missed)}};
    row["dead"] = use.dead().empty() ? Json(nullptr) : Json(use.dead().substr(6));
    json.push_back(std::move(row));
  }
  io.out << json.dump(2) << "\n";
}

}  // namespace

absl::Status ShowRules(const RulesFlags& flags, Io& io) {
  PlaceFlags soft = flags.place;
  soft.soft = true;
  BERTH_ASSIGN_OR_RETURN(const PlacedGraph placed, LoadAndPlace(soft, io));
  if (placed.placement.rules.empty()) {
    return WithExit(absl::InvalidArgumentError(absl::StrCat("policy '", placed.policy.text(),
                                                            "': expected a policy of parts, got a placer of its own")),
                    kExitUsage);
  }
  (flags.format == "json" ? PrintJson : PrintText)(UsesOf(placed), io);
  return CheckFallbacks(flags.place, *placed.graph, placed.placement);
}

}  // namespace berth
