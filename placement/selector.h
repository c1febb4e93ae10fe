// Which nodes a rule is about, as text:
//
//   name=encoder/*            the whole name; `*` stands for any characters, `/` included, `?` for one
//   op=Conv2D  op=*Grad       the op's name, a glob as well
//   dtype=f32                 some output has this element type (references count as what they refer to)
//   tag=part  tag=part:head   a label, its value a glob
//   bytes>1MiB  bytes<=64     all outputs together, of a variable its value; B KiB MiB GiB TiB, KB MB GB TB
//   in-degree=2  in-degree>8  the number of data inputs
//   scope=encoder             the name up to the last '/', or any scope around it: nested nodes match too
//   device=/gpu:*  device=""  the request, as the file wrote it; "" for none
//   !A   A & B   A | B   (A)  not, and, or; `!` binds tightest, then `&`
//
// Numbers compare by = > >= < <=. A pattern may stand in double quotes, which is how it has blanks, `&`, `|`, `!`, `(` or
// `)` in it, or nothing: scope="" is what lies in no scope.
//
// What is not known never matches: a size that no shape tells, an in-degree that is not yet there. So `!bytes>1MiB` is
// also true of what has no known size; write `bytes<=1MiB` for what is known to be small. On a scope a size is what shape
// inference knows as the node is made, and the request is what the scopes' devices ask for, rules aside.
#ifndef BERTH_PLACEMENT_SELECTOR_H_
#define BERTH_PLACEMENT_SELECTOR_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "graph/rule.h"

namespace berth {

// True when `pattern`, with `*` and `?`, matches all of `text`. O(pattern x text) at worst, without recursion.
bool GlobMatches(absl::string_view pattern, absl::string_view text);

// "64", "64B", "1KiB" (1024), "1KB" (1000), up to TiB and TB; nullopt for anything else and for what does not fit.
std::optional<int64_t> ParseByteSize(absl::string_view text);

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
  // The facts it looks at: bits of Rule::Need.
  unsigned needs() const;

 private:
  enum class Order { kEqual, kMore, kAtLeast, kLess, kAtMost };
  // The formula in postfix order: operands first.
  struct Term {
    enum class Kind { kName, kOp, kDType, kTag, kBytes, kInDegree, kScope, kDevice, kNot, kAnd, kOr };
    Kind kind;
    std::string pattern;  // a glob; of kTag the value's
    std::string key;      // of kTag
    DType dtype = DType::kInvalid;
    Order order = Order::kEqual;
    int64_t number = 0;  // of kBytes, kInDegree
  };
  class Reader;
  static bool Holds(const Term& term, const NodeFacts& node);
  std::vector<Term> terms_;
};

}  // namespace berth

#endif  // BERTH_PLACEMENT_SELECTOR_H_
