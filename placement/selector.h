// Which nodes a rule is about, as text:
//
//   name=encoder/*            the whole name; `*` stands for any characters, `/` included, `?` for one
//   op=Conv2D  op=*Grad       the op's name, a glob as well
//   dtype=f32                 some output has this element type (references count as what they refer to)
//   tag=part  tag=part:head   a label, its value a glob
//   !A   A & B   A | B   (A)  not, and, or; `!` binds tightest, then `&`
#ifndef BERTH_PLACEMENT_SELECTOR_H_
#define BERTH_PLACEMENT_SELECTOR_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "graph/rule.h"

namespace berth {

// True when `pattern`, with `*` and `?`, matches all of `text`. O(pattern x text) at worst, without recursion.
bool GlobMatches(absl::string_view pattern, absl::string_view text);

// What is wrong with a selector's text, and at which byte.
struct SelectorFault {
  size_t at = 0;
  std::string message;
};

// A value; matching is a pure function.
class Selector {
 public:
  // Errors: InvalidArgument `selector:1:COLUMN: ...` with a caret, the known words and the nearest one.
  static absl::StatusOr<Selector> Parse(absl::string_view text);
  // The same error for a text within another one; nullopt for a good selector.
  static std::optional<SelectorFault> FindFault(absl::string_view text);
  bool Matches(const NodeFacts& node) const;

 private:
  // The formula in postfix order: operands first.
  struct Term {
    enum class Kind { kName, kOp, kDType, kTag, kNot, kAnd, kOr };
    Kind kind;
    std::string pattern;  // of kName, kOp; of kTag the value's
    std::string key;      // of kTag
    DType dtype = DType::kInvalid;
  };
  class Reader;
  static bool Holds(const Term& term, const NodeFacts& node);
  std::vector<Term> terms_;
};

}  // namespace berth

#endif  // BERTH_PLACEMENT_SELECTOR_H_
