#include "graph/unique_names.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace berth {

std::string UniqueNames::Take(absl::string_view wanted) {
  const std::string key = absl::AsciiStrToLower(wanted);
  const auto [entry, is_new] = taken_.try_emplace(key, 1);
  if (is_new) return std::string(wanted);
  int number = entry->second++;
  while (!taken_.try_emplace(absl::StrCat(key, "_", number), 1).second) ++number;
  return absl::StrCat(wanted, "_", number);
}

std::string UniqueNames::Peek(absl::string_view wanted) const {
  const std::string key = absl::AsciiStrToLower(wanted);
  const auto entry = taken_.find(key);
  if (entry == taken_.end()) return std::string(wanted);
  int number = entry->second;
  while (taken_.contains(absl::StrCat(key, "_", number))) ++number;
  return absl::StrCat(wanted, "_", number);
}

}  // namespace berth
