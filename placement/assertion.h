// What a placement must cost at most, as text that continuous integration can check:
//
//   nodes(gpu:0) > 0                               nodes on a device
//   bytes(gpu:*) <= 1.5GiB                         variables and constants kept there
//   peak(gpu:0) < 16 GiB                           most memory held at once in a run
//   transfers(cpu:0, gpu:*) <= 4                   values sent in a run, each once for a target device
//   transfer-bytes(gpu:*, *) < 100 MB & time() < 2 ms
//   A & B   A | B   (A)                            and, or; `&` binds tighter
//
// A device is a pattern, as in policies, or `*`; the devices it matches are added up, so `gpu:*` says all gpus together
// and is 0 where there is none. Compared by == != < <= > >= with a number; bytes are in B, KB MB GB TB (powers of 1000)
// or KiB MiB GiB TiB, time is in ns, us, ms or s; only 0 needs no unit. Transfers are counted from where a value is
// made to where it is read, whatever hosts it passes.
#ifndef BERTH_PLACEMENT_ASSERTION_H_
#define BERTH_PLACEMENT_ASSERTION_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "graph/device_name.h"
#include "placement/estimate.h"
#include "placement/machine.h"

namespace berth {

// A value; checking is a pure function.
class Assertion {
 public:
  struct Failure {
    std::string comparison;  // as written: "bytes(gpu:*) <= 1 KiB"
    double actual = 0;       // in nodes, transfers, bytes or seconds
    std::string got;         // the same for people: "2 KiB (2048 B)"
  };
  struct Verdict {
    bool holds = false;
    std::vector<Failure> failed;  // the comparisons that made it false, as written; none when it holds
  };

  // Errors: InvalidArgument `origin:1:COLUMN: ...` with a caret.
  static absl::StatusOr<Assertion> Parse(absl::string_view text, absl::string_view origin = "assertion");
  // Error: the same for a device with a number that the machine does not have, which may be a slip.
  absl::StatusOr<Verdict> Check(const Machine& machine, const PlacementEstimate& estimate) const;
  const std::string& text() const { return text_; }

 private:
  enum class Quantity { kNodes, kBytes, kPeak, kTransfers, kTransferBytes, kTime };
  enum class Operator { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };
  struct Pattern {
    DeviceName name;  // empty: any
    size_t at = 0;
  };
  // The formula in postfix order: comparisons, and what joins the two results before it.
  struct Term {
    enum class Kind { kComparison, kAnd, kOr };
    Kind kind = Kind::kComparison;
    Quantity quantity = Quantity::kTime;
    std::vector<Pattern> devices;
    Operator op = Operator::kEqual;
    double number = 0;
    std::string unit;  // as written; "" for none
    size_t begin = 0, end = 0;
  };
  class Reader;
  static double Actual(const Term& term, const std::vector<std::vector<bool>>& matching,
                       const PlacementEstimate& estimate);
  static bool Holds(Operator op, double actual, double number);
  static std::string GotText(const Term& term, double actual);
  absl::StatusOr<std::vector<bool>> Matching(const Pattern& pattern, const Machine& machine) const;

  std::string text_, origin_;
  std::vector<Term> terms_;
};

}  // namespace berth

#endif  // BERTH_PLACEMENT_ASSERTION_H_
