// What parts ask for, and what becomes of what cannot be had.
#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "placement/placement_state.h"

namespace berth {
namespace {

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
  if (Follows(g) || facts_.host_only(n)) return CountOverruled(n);
  if (devices == DeviceSets::kNone) {
    // Earlier parts that decided the group excluded every device, those that do not exist included.
    if ((flags_[g] & kClaimed) != 0 && sets_.Count(candidates_[g]) == 1 &&
        OtherMember(n, DeviceSets::kAll) == nullptr) {
      return CountOverruled(n);
    }
    if (ask.too_few) return TooFew(n, id);
    return Unmet(n, id, FallbackCause::kNoSuchDevice);
  }
  if (OtherMember(n, devices) != nullptr) return Unmet(n, id, FallbackCause::kColocation);
  if (sets_.Intersect(ruled_[g], devices) == DeviceSets::kNone ||
      sets_.Intersect(facts_.Of(g), devices) != DeviceSets::kNone) {
    return CountOverruled(n);
  }
  Unmet(n, id, FactsCause(n, devices));
}

FallbackCause PlacementState::FactsCause(NodeId n, SetId devices) {
  if (facts_.WhoExcludes(n, devices) != kNoNode) return FallbackCause::kColocation;
  const SetId kernels = facts_.kernels().Of(graph_.node(n)).devices;
  return sets_.Intersect(kernels, devices) == DeviceSets::kNone ? FallbackCause::kKernel : FallbackCause::kMemory;
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
  const SetId before = sets_.Intersect(first->ruled_before, facts_.Of(g));
  return sets_.Intersect(before, devices) == DeviceSets::kNone ? nullptr : first;
}

SetId PlacementState::Allowed(NodeId n, const Ask& ask) {
  return ask.forbids ? sets_.Minus(DeviceSets::kAll, ask.devices) : Devices(n, ask);
}

void PlacementState::Unmet(NodeId n, AskId id, FallbackCause cause) {
  CountOverruled(n);
  if (strict()) {
    failures_.push_back({n, id});
    return;
  }
  std::string why = Why(n, id, cause);
  const Ask& ask = asks_[id];
  PendingFallback fallback = {n,
                              ask.part,
                              absl::StrCat(ask.forbids ? "not " : "", ask.asked()),
                              std::move(why),
                              cause,
                              "",
                              sets_.First(Allowed(n, ask))};
  fallback.dropped = ask.forbids ? std::string(kAll) : Relax(n, id);
  fallbacks_.push_back(std::move(fallback));
}

std::string PlacementState::Why(NodeId n, AskId id, FallbackCause cause) {
  const SetId allowed = Allowed(n, asks_[id]);
  if (cause == FallbackCause::kNoSuchDevice) {
    return absl::StrCat(asks_[id].forbids ? "nothing else on " : "no such device on ", machine_.ToString());
  }
  const Event* other = asks_[id].forbids ? nullptr : OtherMember(n, allowed);
  if (other == nullptr) return facts_.WhyExcluded(n, allowed);
  const ConflictMember theirs = Party(other->node, other->ask);
  return absl::StrCat(theirs.asked, ", as '", theirs.author, "' asks", theirs.origin.empty() ? "" : " (", theirs.origin,
                      theirs.origin.empty() ? "" : ")", ", for ", Describe(other->node),
                      ", with which it is colocated");
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
  if (ruled || facts_.host_only(n)) return CountOverruled(n);
  const SetId others = Allowed(n, asks_[id]);
  Unmet(n, id, others == DeviceSets::kNone ? FallbackCause::kNoSuchDevice : FactsCause(n, others));
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

}  // namespace berth
