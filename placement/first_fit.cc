// first-fit [D...]: every open group takes the first of the listed devices that is a candidate; without a list, or
// where none of it is, the first candidate in machine order. O(groups x list). Bad for load: everything piles up on the
// first device. Johnson, "Near-optimal bin packing algorithms", 1973.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/status_macros.h"
#include "placement/device_text.h"
#include "placement/part.h"
#include "placement/placement_state.h"
#include "placement/policy.h"

namespace berth {
namespace {

class FirstFitSolver : public Solver {
 public:
  explicit FirstFitSolver(const std::vector<std::string>& devices) {
    for (const std::string& device : devices) devices_.emplace_back(device);
  }
  std::string text() const override {
    std::string text = "first-fit";
    for (const DevicePattern& device : devices_) absl::StrAppend(&text, " ", device.text());
    return text;
  }
  absl::Status Solve(PlacementState& state) const override {
    std::vector<DeviceId> order;
    for (const DevicePattern& device : devices_) {
      if (!device.status().ok()) {
        return absl::Status(device.status().code(),
                            absl::StrCat("policy part '", text(), "': ", device.status().message()));
      }
      const std::vector<DeviceId> matching = state.machine().Matching(device.name());
      order.insert(order.end(), matching.begin(), matching.end());
    }
    const int32_t first = state.Text("first candidate");
    const int32_t listed = state.Text("first of the list that is a candidate");
    for (const NodeId g : state.OpenGroups()) {
      const SetId best = state.Best(g);
      DeviceId chosen = kNoDevice;
      for (const DeviceId d : order) {
        if (!state.sets().Contains(best, d)) continue;
        chosen = d;
        break;
      }
      const bool from_list = chosen != kNoDevice;
      state.Decide(g, from_list ? chosen : state.sets().First(best), from_list ? listed : first);
    }
    return absl::OkStatus();
  }

 private:
  std::vector<DevicePattern> devices_;
};

}  // namespace

Policy FirstFit(std::vector<std::string> devices) {
  PolicyPart part;
  part.solver = std::make_shared<FirstFitSolver>(devices);
  return Policy(std::move(part));
}

}  // namespace berth
