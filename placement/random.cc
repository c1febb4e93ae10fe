// random:SEED: every open group takes a candidate by chance, each as likely as another. What it takes depends on the
// seed and the name of its first node alone, so that other nodes do not move it. O(groups). Bad at everything but
// finding bugs in the layers that must work for any placement. Steele, Lea, Flood, "Fast splittable pseudorandom number
// generators", OOPSLA 2014.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/fingerprint.h"
#include "placement/part.h"
#include "placement/placement_state.h"
#include "placement/policy.h"

namespace berth {
namespace {

// The finaliser of splitmix64.
uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

class RandomSolver : public Solver {
 public:
  explicit RandomSolver(uint64_t seed) : seed_(seed) {}
  std::string text() const override { return absl::StrCat("random:", seed_); }
  uint64_t seed() const override { return seed_; }
  absl::Status Solve(PlacementState& state) const override {
    const int32_t reason = state.Text("by chance");
    for (const NodeId g : state.OpenGroups()) {
      const SetId best = state.Best(g);
      const uint64_t drawn = Mix(Fingerprint(state.graph().node(g).name(), Mix(seed_)));
      const int k = static_cast<int>(drawn % static_cast<uint64_t>(state.sets().Count(best)));
      state.Decide(g, state.sets().Nth(best, k), reason);
    }
    return absl::OkStatus();
  }

 private:
  const uint64_t seed_;
};

}  // namespace

Policy RandomPlacement(uint64_t seed) {
  PolicyPart part;
  part.solver = std::make_shared<RandomSolver>(seed);
  return Policy(std::move(part));
}

}  // namespace berth
