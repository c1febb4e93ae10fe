// towers-on D...: tower i, the label that Scope::Tower(i) gives, goes to the i-th device that matches D, or to the i-th
// of a list. Nodes without the label are left alone. Never modulo: with more towers than devices the rule has too few
// for the rest. O(1) a node. Bad for towers of unequal size. Krizhevsky, "One weird trick for parallelizing
// convolutional neural networks", 2014.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "placement/device_text.h"
#include "placement/policy.h"

namespace berth {
namespace {

class TowersOnRule : public Rule {
 public:
  explicit TowersOnRule(const std::vector<std::string>& devices) {
    for (const std::string& device : devices) devices_.emplace_back(device);
  }
  std::string text() const override {
    std::string text = "towers-on";
    for (const DevicePattern& device : devices_) absl::StrAppend(&text, " ", device.text());
    return text;
  }
  unsigned needs() const override { return 0; }
  absl::Status status() const override {
    for (const DevicePattern& device : devices_) {
      if (!device.status().ok()) return device.status();
    }
    return devices_.empty() ? absl::InvalidArgumentError("expected a device, got none") : absl::OkStatus();
  }
  Opinion Decide(const NodeFacts& node) const override {
    if (!node.tower) return Opinion::Abstain();
    const size_t tower = *node.tower;
    Opinion opinion = Opinion::Require(devices_.size() == 1 ? devices_[0].name() : DeviceName());
    if (devices_.size() == 1) {
      opinion.nth = *node.tower;
    } else if (tower < devices_.size()) {
      opinion.device = devices_[tower].name();
    } else {
      opinion.nth = Opinion::kTooFew;
    }
    return opinion;
  }
  std::string Reason(const NodeFacts& node) const override { return absl::StrCat("tower ", node.tower.value_or(-1)); }

 private:
  std::vector<DevicePattern> devices_;
};

}  // namespace

NodeRules TowersOn(absl::string_view devices) { return TowersOn(std::vector<std::string>{std::string(devices)}); }
NodeRules TowersOn(std::vector<std::string> devices) { return NodeRules(std::make_shared<TowersOnRule>(devices)); }

}  // namespace berth
