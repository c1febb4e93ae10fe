// How the request of a node follows from the scopes around it: the one place where their precedence
// is written.
//
// Layers lie inside each other, each with a device, rules, or both. From the strongest to the
// weakest:
//
//   nearest layer: its device, its rules in order; next layer out: its device, its rules in order;
//   ...
//
// They are merged field by field (MergeScopes), so a nearer kind that differs drops a farther id. A
// layer that `stops` hides all that lies farther out.
#ifndef BERTH_GRAPH_REQUEST_H_
#define BERTH_GRAPH_REQUEST_H_

#include <memory>
#include <string>
#include <vector>

#include "graph/device_name.h"
#include "graph/graph.h"
#include "graph/rule.h"

namespace berth {

// What one scope says about places. Immutable once made.
struct RequestLayer {
  std::shared_ptr<const RequestLayer> outer;  // null: the outermost
  DeviceName device;
  Rules rules;
  std::string origin;  // "scope 'tower_0' at model.cc:12"
  bool stops = false;
};

// True when a rule has to be asked about each node.
bool HasRules(const RequestLayer* nearest);
// What the rules look at together: bits of Rule::Need.
unsigned NeedsOf(const RequestLayer* nearest);

struct Request {
  DeviceName device;
  RequestNote note;
  // Not empty: the rule that has no device for this node, such as a list shorter than the towers.
  std::string too_few;
};
// `nearest` null: an empty request. `facts` is what the rules are asked about; facts.request is filled in here: what the
// layers' devices ask for. O(layers + rules).
Request MergeRequest(const RequestLayer* nearest, const NodeFacts& facts);

}  // namespace berth

#endif  // BERTH_GRAPH_REQUEST_H_
