#include "placement/placement.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"

namespace berth {
namespace {

constexpr size_t kShownFallbacks = 8;
constexpr size_t kNumCauses = 5;

}  // namespace

absl::string_view CauseName(FallbackCause cause) {
  constexpr std::array<absl::string_view, kNumCauses> names = {"no such device", "no kernel", "colocation", "memory",
                                                               "the part's own"};
  return names[static_cast<size_t>(cause)];
}

std::string FallbackSummary(const Placement& placement) {
  std::array<int64_t, kNumCauses> counts = {};
  for (const Fallback& fallback : placement.fallbacks) ++counts[static_cast<size_t>(fallback.cause)];
  const size_t all = placement.fallbacks.size();
  std::string text = absl::StrCat(all, all == 1 ? " fallback" : " fallbacks");
  absl::string_view before = ": ";
  for (size_t i = 0; i < kNumCauses; ++i) {
    if (counts[i] == 0) continue;
    absl::StrAppend(&text, before, counts[i], " ", CauseName(static_cast<FallbackCause>(i)));
    before = ", ";
  }
  return text;
}

absl::Status ForbidFallbacks(const Graph& graph, const Placement& placement) {
  const size_t all = placement.fallbacks.size();
  if (all == 0) return absl::OkStatus();
  std::string text = absl::StrCat("placement: expected no fallback, got ", FallbackSummary(placement));
  for (size_t i = 0; i < std::min(all, kShownFallbacks); ++i) {
    const Fallback& fallback = placement.fallbacks[i];
    absl::StrAppend(&text, "\n  node '", graph.node(fallback.node).name(), "' asked for ", fallback.asked, ", got ",
                    fallback.got, " (", fallback.author, "): ", fallback.why);
  }
  if (all > kShownFallbacks) absl::StrAppend(&text, "\n  ... and ", all - kShownFallbacks, " more");
  return absl::FailedPreconditionError(text);
}

}  // namespace berth
