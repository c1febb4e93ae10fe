// What parts ask for, and what becomes of what cannot be had.
#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "placement/placement_state.h"

namespace berth {
namespace {

constexpr size_t kShownNames = 8;
constexpr absl::string_view kSoft = "or place in soft mode";

constexpr absl::string_view kAll = "all";

// Takes the lowest-ranked field from the pattern and says which; "" when nothing is left to drop.
absl::string_view DropField(DeviceName& pattern) {
  if (pattern.id) return pattern.id.reset(), "id";
  if (pattern.type) return pattern.type.reset(), "kind";
  if (pattern.task) return pattern.task.reset(), "task";
  if (pattern.replica) return pattern.replica.reset(), "replica";
  if (pattern.job) return pattern.job.reset(), "job";
  return "";
}

}  // namespace

// "gpu:1, as 'pins' asks (requested at model.cc:12)".
std::string PlacementState::Said(const Ask& ask) const {
  const std::string& from = ask.origin.empty() ? origins_[ask.part] : ask.origin;
  return absl::StrCat(ask.asked(), ", as '", uses_[ask.part].text, "' asks", from.empty() ? "" : " (", from,
                      from.empty() ? "" : ")");
}

void PlacementState::Require(NodeId n, AskId id) {
  const NodeId g = group(n);
  const SetId devices = Devices(n, asks_[id]);
  if (devices != DeviceSets::kNone && !Follows(g) && sets_.Intersect(candidates_[g], devices) != DeviceSets::kNone) {
    Narrow(n, id, devices);
    own_ask_[n] = id;
    CountHit(n);
    return;
  }
  CannotHold(n, id);
}

void PlacementState::CannotHold(NodeId n, AskId id) {
  const NodeId g = group(n);
  const Ask& ask = asks_[id];
  const SetId devices = Devices(n, ask);
  if (Follows(g) || (flags_[n] & kHostOnly) != 0) return CountOverruled(n);
  if (devices == DeviceSets::kNone) {
    // Earlier parts that decided the group excluded every device, those that do not exist included.
    if ((flags_[g] & kClaimed) != 0 && sets_.Count(candidates_[g]) == 1 &&
        OtherMember(n, DeviceSets::kAll) == nullptr) {
      return CountOverruled(n);
    }
    if (ask.too_few) return TooFew(n, id);
    return Unmet(n, id, FallbackCause::kNoSuchDevice, absl::StrCat("no such device on ", machine_.ToString()),
                 absl::StrCat("ask for one of ", machine_.DeviceList(), ", "));
  }
  if (const Event* other = OtherMember(n, devices)) {
    const Ask& theirs = asks_[other->ask];
    std::string tie = strict() ? WhyTogether(graph_, other->node, n) : "";
    return Unmet(n, id, FallbackCause::kColocation,
                 absl::StrCat(Said(theirs), ", for ", Describe(other->node), ", with which it is colocated",
                              tie.empty() ? "" : " by ", tie),
                 "ask for one device for both, untie them, ");
  }
  if (sets_.Intersect(ruled_[g], devices) == DeviceSets::kNone ||
      sets_.Intersect(FactsOf(g).devices, devices) != DeviceSets::kNone) {
    return CountOverruled(n);
  }
  Unmet(n, id, FactsCause(n, devices), WhyFactsExclude(n, devices),
        absl::StrCat("leave it on ", DeviceNames(FactsOf(g).devices), ", "));
}

// The first narrowing of n's group by the current part, if without that part `devices` could be had; null else.
const PlacementState::Event* PlacementState::OtherMember(NodeId n, SetId devices) {
  const NodeId g = group(n);
  const int32_t part = static_cast<int32_t>(uses_.size()) - 1;
  const Event* first = nullptr;
  for (int32_t e = last_event_[g]; e >= 0 && asks_[events_[e].ask].part == part; e = events_[e].earlier) {
    first = &events_[e];
  }
  if (first == nullptr || first->node == n) return nullptr;
  const SetId before = sets_.Intersect(first->ruled_before, FactsOf(g).devices);
  return sets_.Intersect(before, devices) == DeviceSets::kNone ? nullptr : first;
}

void PlacementState::Unmet(NodeId n, AskId id, FallbackCause cause, std::string why, std::string fix) {
  CountOverruled(n);
  if (strict()) {
    return Conflict(n, absl::StrCat(Describe(n), ": expected ", Said(asks_[id]), ", got ", why, "; ", fix, kSoft));
  }
  const DeviceId wanted = sets_.First(Devices(n, asks_[id]));
  std::string dropped = Relax(n, id);
  fallbacks_.push_back({n, asks_[id].part, asks_[id].asked(), std::move(why), cause, std::move(dropped), wanted});
}

// Narrows to what the demand still says with as few of its lowest-ranked fields dropped as it takes; says which.
std::string PlacementState::Relax(NodeId n, AskId id) {
  const NodeId g = group(n);
  for (;;) {
    if (asks_[id].relaxed < 0) {
      DeviceName pattern = asks_[id].pattern;
      absl::string_view field = "id";
      if (asks_[id].nth) {
        pattern.id.reset();
      } else {
        field = DropField(pattern);
      }
      if (field.empty()) return std::string(kAll);
      const std::string reason = absl::StrCat(asks_[id].reason, ", not to be had on ", asks_[id].asked());
      const int32_t part = asks_[id].part;
      const AskId relaxed = AddAsk(std::move(pattern), std::nullopt, reason, asks_[id].origin);
      asks_[relaxed].part = part;
      asks_[relaxed].dropped = absl::StrCat(asks_[id].dropped, asks_[id].dropped.empty() ? "" : ", ", field);
      asks_[id].relaxed = relaxed;
    }
    id = asks_[id].relaxed;
    if (asks_[id].pattern.empty()) return std::string(kAll);
    if (sets_.Intersect(candidates_[g], asks_[id].devices) != DeviceSets::kNone) break;
  }
  Narrow(n, id, asks_[id].devices);
  own_ask_[n] = id;
  return asks_[id].dropped;
}

void PlacementState::TooFew(NodeId n, AskId id) {
  CountOverruled(n);
  if (strict()) {
    Shortage& shortage = shortages_[id];
    if (shortage.nodes++ == 0) shortage.first = n;
    return;
  }
  const Ask& ask = asks_[id];
  fallbacks_.push_back({n, ask.part, ask.nth == Opinion::kTooFew ? ask.reason : ask.asked(),
                        absl::StrCat("no such device on ", machine_.ToString()), FallbackCause::kNoSuchDevice, "",
                        kNoDevice});
}

void PlacementState::Forbid(NodeId n, AskId id) {
  const NodeId g = group(n);
  const SetId left = sets_.Minus(candidates_[g], asks_[id].devices);
  if (left != DeviceSets::kNone) {
    Narrow(n, id, sets_.Minus(DeviceSets::kAll, asks_[id].devices));
    own_ask_[n] = id;
    return CountHit(n);
  }
  const bool ruled = (flags_[g] & kClaimed) != 0 && sets_.Minus(ruled_[g], asks_[id].devices) == DeviceSets::kNone;
  if (ruled || (flags_[n] & kHostOnly) != 0) return CountOverruled(n);
  CountOverruled(n);
  const Ask& ask = asks_[id];
  const SetId others = sets_.Minus(DeviceSets::kAll, ask.devices);
  std::string why =
      others == DeviceSets::kNone ? absl::StrCat("nothing else on ", machine_.ToString()) : WhyFactsExclude(n, others);
  if (!strict()) {
    const FallbackCause cause = others == DeviceSets::kNone ? FallbackCause::kNoSuchDevice : FactsCause(n, others);
    fallbacks_.push_back({n, ask.part, absl::StrCat("not ", ask.asked()), std::move(why), cause, std::string(kAll),
                          sets_.First(others)});
    return;
  }
  Conflict(n, absl::StrCat(Describe(n), ": expected a device other than ", Said(ask), ", got ", why, "; allow it on ",
                           DeviceNames(candidates_[g]), ", ", kSoft));
}

void PlacementState::Prefer(NodeId n, AskId id, double weight) {
  const NodeId g = group(n);
  const SetId devices = Devices(n, asks_[id]);
  if (Follows(g) || sets_.Intersect(candidates_[g], devices) == DeviceSets::kNone) return CountOverruled(n);
  CountHit(n);
  std::vector<Preference>& list = preferences_[g];
  for (Preference& known : list) {
    if (known.devices != devices) continue;
    known.weight += weight;
    return;
  }
  list.push_back({devices, weight, id});
  flags_[g] |= kClaimed;
}

void PlacementState::Miss(NodeId n, std::string asked, std::string why) {
  CountOverruled(n);
  const int32_t part = static_cast<int32_t>(uses_.size()) - 1;
  if (!strict()) {
    fallbacks_.push_back(
        {n, part, std::move(asked), std::move(why), FallbackCause::kPart, std::string(kAll), kNoDevice});
    return;
  }
  Conflict(n, absl::StrCat(Describe(n), ": expected ", asked, ", as '", uses_[part].text, "' says, got ", why, "; ",
                           "leave it out, ", kSoft));
}

void PlacementState::Conflict(NodeId n, std::string message) {
  if (num_conflicts_++ == 0) {
    conflicts_.push_back(std::move(message));
  } else if (conflicts_.size() <= kShownNames) {
    conflicts_.push_back(absl::StrCat("'", graph_.node(n).name(), "'"));
  }
}

absl::Status PlacementState::PartStatus() {
  std::vector<std::string> lines;
  if (!shortages_.empty()) {
    const Ask& first = asks_[shortages_.begin()->first];
    const SetId there = sets_.Of(machine_.Matching(first.pattern));
    std::vector<std::string> missing;
    for (const auto& [id, shortage] : shortages_) {
      missing.push_back(absl::StrCat(asks_[id].reason, " (", shortage.nodes, shortage.nodes == 1 ? " node" : " nodes",
                                     ", the first is ", Describe(shortage.first), ")"));
    }
    const std::string& origin = origins_[first.part];
    lines.push_back(absl::StrCat(
        "policy part '", uses_[first.part].text, "'", origin.empty() ? "" : absl::StrCat(" (", origin, ")"),
        ": expected a device for each tower, got ",
        first.nth == Opinion::kTooFew ? "a shorter list" : DeviceNames(there), " on ", machine_.ToString(),
        "; without a device: ", absl::StrJoin(missing, ", "), "; place on a machine with more devices, ", kSoft));
    shortages_.clear();
  }
  if (num_conflicts_ > 0) {
    lines.push_back(conflicts_[0]);
    if (num_conflicts_ > 1) {
      lines.push_back(
          absl::StrCat("and ", num_conflicts_ - 1, num_conflicts_ == 2 ? " more demand" : " more demands",
                       " that cannot be met: ", absl::StrJoin(conflicts_.begin() + 1, conflicts_.end(), ", "),
                       num_conflicts_ > static_cast<int64_t>(conflicts_.size()) ? ", ..." : ""));
    }
    conflicts_.clear();
    num_conflicts_ = 0;
  }
  return lines.empty() ? absl::OkStatus() : absl::FailedPreconditionError(absl::StrJoin(lines, "\n"));
}

}  // namespace berth
