// What is told of a placement on demand: a choice in words, and what another would cost.
#ifndef BERTH_PLACEMENT_EXPLAIN_H_
#define BERTH_PLACEMENT_EXPLAIN_H_

#include <cstdint>
#include <memory>
#include <string>

#include "graph/graph.h"
#include "placement/choice.h"
#include "placement/machine.h"
#include "placement/op_support.h"
#include "placement/placement.h"

namespace berth {

// What would be if the group of `n` were on `d` and all else stayed: differences, above 0 is more. Seconds below a
// millionth of the run are 0.
struct WhatIf {
  int64_t bytes = 0;  // that cross links
  int64_t transfers = 0;
  double busy_seconds = 0;   // of devices and links
  double total_seconds = 0;  // until the run has ended
  int64_t peak_here = 0;     // bytes of the device it would leave
  int64_t peak_there = 0;    // of the one it would go to
};
// Two estimates: O(nodes log nodes + edges).
WhatIf MoveTo(const Graph& graph, const Machine& machine, const Placement& placement, NodeId n, DeviceId d);

// "match \"op=Foo\" on gpu:* (policy.txt:2): matches op=Foo -> gpu:*, which came with node 'v' (Foo at f:1)".
std::string PrintVeto(const Graph& graph, const Veto& veto);

// Lines for people, the node's fallbacks included. O(group + devices + fallbacks).
std::string PrintChoice(const Graph& graph, const Machine& machine, const Placement& placement, const Choice& choice,
                        NodeId n);

// What crosses links in all, and the groups whose move alone would save most of it, at most five, whether or not they
// can move: kernels and rules are left aside. Lines begun with `# `. About O(edges).
std::string PrintBestMoves(const Graph& graph, const Machine& machine, const Placement& placement);

// An explainer for a placement that a whole policy made: it tells kernels, and else the policy's own reason.
std::unique_ptr<Explainer> ExplainByKernels(const Graph& graph, const Machine& machine, const OpSupport& support,
                                            const Placement& placement);

}  // namespace berth

#endif  // BERTH_PLACEMENT_EXPLAIN_H_
