#include "placement/tensorflow_names.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace berth {
namespace {

template <typename T>
bool Differ(const std::optional<T>& a, const std::optional<T>& b) {
  return a.has_value() && b.has_value() && *a != *b;
}

template <typename T>
absl::Status DifferError(absl::string_view what, const T& a, const T& b) {
  return absl::InvalidArgumentError(absl::StrCat("different ", what, ", ", a, " and ", b));
}

}  // namespace

absl::StatusOr<DeviceName> MergeNames(const DeviceName& a, const DeviceName& b, NameMerge mode) {
  if (Differ(a.job, b.job)) return DifferError("jobs", *a.job, *b.job);
  if (Differ(a.replica, b.replica)) return DifferError("replicas", *a.replica, *b.replica);
  if (Differ(a.task, b.task)) return DifferError("tasks", *a.task, *b.task);
  DeviceName merged = FillUnset(a, b);
  if (Differ(a.type, b.type)) {
    if (mode == NameMerge::kStrict) return DifferError("types", *a.type, *b.type);
    if (mode == NameMerge::kSoft) {
      merged.type.reset();
      merged.id.reset();
      return merged;
    }
    merged.type = b.type;
  }
  if (Differ(a.id, b.id)) {
    if (mode == NameMerge::kStrict) return DifferError("ids", *a.id, *b.id);
    if (mode == NameMerge::kSoft) {
      merged.id.reset();
    } else {
      merged.id = b.id;
    }
  }
  return merged;
}

DeviceName FillUnset(const DeviceName& a, const DeviceName& b) { return Overlay(b, a); }

}  // namespace berth
