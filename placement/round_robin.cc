// round-robin: open groups take turns around the machine's devices, in order of their first node; a device that is no
// candidate is passed over. O(groups x devices) at worst. Bad for chains, which cross a link at every step. Cf.
// TensorFlow's replica_device_setter, which deals variables out to parameter servers so.
#include <memory>
#include <utility>

#include "placement/part.h"
#include "placement/placement_state.h"
#include "placement/policy.h"

namespace berth {
namespace {

class RoundRobinSolver : public Solver {
 public:
  std::string text() const override { return "round-robin"; }
  absl::Status Solve(PlacementState& state) const override {
    const int num_devices = state.machine().num_devices();
    const int32_t reason = state.Text("its turn");
    DeviceId next = 0;
    for (const NodeId g : state.OpenGroups()) {
      const SetId best = state.Best(g);
      while (!state.sets().Contains(best, next)) next = (next + 1) % num_devices;
      state.Decide(g, next, reason);
      next = (next + 1) % num_devices;
    }
    return absl::OkStatus();
  }
};

}  // namespace

Policy RoundRobin() {
  PolicyPart part;
  part.solver = std::make_shared<RoundRobinSolver>();
  return Policy(std::move(part));
}

}  // namespace berth
