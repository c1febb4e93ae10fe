// The text of policies: parts joined by `|` or by line ends; a part is a word and its arguments, separated by spaces;
// what stands in double quotes is one argument; `#` starts a comment.
//
//   variables-on cpu:0 | match "name=head/*" on gpu:1
//   random:7                                  # the argument after the colon belongs to the word
//   variables-on cpu:0 where "scope=encoder"  # only about these nodes; binds tighter than else
//   towers-on gpu:* else variables-on cpu:0   # the second rule is asked where the first abstains
//   include common.policy                     # the parts of a file, found beside the file that includes it
#ifndef BERTH_PLACEMENT_POLICY_TEXT_H_
#define BERTH_PLACEMENT_POLICY_TEXT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "placement/policy.h"

namespace berth {

// One argument and where it stands.
struct PolicyArgument {
  std::string text;
  size_t at = 0;  // byte of the whole text
  bool quoted = false;
};

// One part as it was written, for the function that makes it.
class PartText {
 public:
  // `folder`: of the file that the text is of, with a slash at its end; "" for a text of no file.
  PartText(absl::string_view origin, absl::string_view whole, absl::string_view folder)
      : origin_(origin), whole_(whole), folder_(folder) {}

  std::string word;  // "random"
  size_t word_at = 0;
  bool has_colon = false;
  PolicyArgument colon;  // "7"
  std::vector<PolicyArgument> arguments;
  size_t end = 0;  // where a missing argument would stand

  // A file that the part names, found beside the file that the part stands in.
  std::string FileNamed(absl::string_view name) const;
  // InvalidArgument with a caret at `at`.
  absl::Status Error(size_t at, absl::string_view message) const;
  // Errors: more arguments than `most`, or fewer than `least` ("expected LEAST MORE_OF").
  absl::Status CheckCount(size_t least, size_t most, absl::string_view what) const;
  // Error: argument i is no device.
  absl::StatusOr<std::string> Device(size_t i) const;
  // The same of a part of an argument: KEY=D.
  absl::StatusOr<std::string> DeviceAt(absl::string_view text, size_t at) const;
  // Argument i must be one of `known`; suggests the nearest.
  absl::Status CheckOneOf(size_t i, const std::vector<std::string>& known) const;
  // Error: the argument is not in quotes, or no selector.
  absl::Status CheckSelector(const PolicyArgument& argument) const;

 private:
  absl::string_view origin_, whole_, folder_;
};

// What a word means. `make` is called with has_colon only where the documentation's arguments start with ':'. Null: the
// reader itself knows (include).
struct PolicyWordEntry {
  PolicyWord documentation;
  absl::StatusOr<Policy> (*make)(const PartText& part);
};

// All words, alphabetical: the one list that a new rule or solver is added to.
const std::vector<PolicyWordEntry>& PolicyWordList();

// In double quotes, so that the parser reads it back.
std::string QuotePolicyText(absl::string_view text);
// As one argument: bare, or quoted where it must be.
std::string PolicyWordText(absl::string_view text);

}  // namespace berth

#endif  // BERTH_PLACEMENT_POLICY_TEXT_H_
