// Policy text: what is read prints as text that reads back as the same.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "placement/policy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  const std::string bare = absl::StrReplaceAll(text, {{"\"", ""}, {"\\", ""}});
  for (const char* word : {"include", "plugin", "replay"}) {
    if (absl::StrContains(bare, word)) return 0;  // opens files
  }
  const absl::StatusOr<berth::Policy> policy = berth::ParsePolicy(text, "fuzz");
  if (!policy.ok()) return 0;
  const absl::StatusOr<berth::Policy> again = berth::ParsePolicy(policy->text(), "again");
  if (!again.ok() || again->text() != policy->text()) std::abort();
  return 0;
}
