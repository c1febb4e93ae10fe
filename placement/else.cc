// else D: what is still open goes to D. On a scope it asks for D wherever nothing nearer or earlier does.
// O(1) a node. Bad as the only rule on a machine with several devices: all of it lands on one.
// Graham, "Bounds for certain multiprocessing anomalies", 1966, says what one device can cost.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "placement/device_text.h"
#include "placement/policy.h"

namespace berth {
namespace {

class ElseRule : public Rule {
 public:
  explicit ElseRule(absl::string_view device) : device_(device) {}
  std::string text() const override { return absl::StrCat("else ", device_.text()); }
  unsigned needs() const override { return 0; }
  absl::Status status() const override { return device_.status(); }
  Opinion Decide(const NodeFacts&) const override { return Opinion::Require(device_.name()); }
  std::string Reason(const NodeFacts&) const override { return "still open"; }
  bool only_where_open() const override { return true; }

 private:
  DevicePattern device_;
};

}  // namespace

NodeRules Else(absl::string_view device) { return NodeRules(std::make_shared<ElseRule>(device)); }

}  // namespace berth
