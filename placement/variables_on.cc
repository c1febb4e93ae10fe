// variables-on D: every op that holds state under a name goes to D. The classic home of parameters that several towers
// read. O(1) a node. Bad when one tower alone uses a variable, which then crosses a link in every step. Li et al.,
// "Scaling Distributed Machine Learning with the Parameter Server", OSDI 2014.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/op_def.h"
#include "placement/device_text.h"
#include "placement/policy.h"

namespace berth {
namespace {

class VariablesOnRule : public Rule {
 public:
  explicit VariablesOnRule(absl::string_view device) : device_(device) {}
  std::string text() const override { return absl::StrCat("variables-on ", device_.text()); }
  unsigned needs() const override { return 0; }
  absl::Status status() const override { return device_.status(); }
  Opinion Decide(const NodeFacts& node) const override {
    return IsVariableOp(node.op) ? Opinion::Require(device_.name()) : Opinion::Abstain();
  }
  std::string Reason(const NodeFacts&) const override { return "variable"; }

 private:
  DevicePattern device_;
};

}  // namespace

NodeRules VariablesOn(absl::string_view device) { return NodeRules(std::make_shared<VariablesOnRule>(device)); }

}  // namespace berth
