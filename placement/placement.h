// The result of placing: a device for every node and, for every node, why. A value; prints, serializes and reads back.
#ifndef BERTH_PLACEMENT_PLACEMENT_H_
#define BERTH_PLACEMENT_PLACEMENT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/graph.h"
#include "placement/machine.h"

namespace berth {

enum class PlacementMode { kStrict, kSoft };

struct PlaceOptions {
  PlacementMode mode = PlacementMode::kStrict;
};

// Why one node is where it is. Strings are shared between nodes through an index into Placement::texts.
struct NodeReason {
  int32_t author = -1;  // what decided: "variables-on cpu:0", "fact: colocated with 'w'", "first-fit", ...
  int32_t reason = -1;  // a sentence: "tower 1 -> gpu:1", "most input bytes on gpu:0 (401408)"
};

// A demand that soft mode gave up, or a rule that abstained for want of devices.
struct Fallback {
  NodeId node = kNoNode;
  std::string asked;   // "gpu:1"
  std::string got;     // full device name
  std::string author;  // rule or request's origin
  std::string why;     // "no such device on cpu:1,gpu:1"
};

struct RuleUse {
  std::string text;       // the part as the policy spells it
  int64_t hits = 0;       // nodes about which it had an opinion that holds
  int64_t overruled = 0;  // nodes where an earlier part, or a fact, had excluded what it asked for
};

struct Placement {
  std::vector<DeviceId> device_of;  // by node id
  std::vector<NodeReason> reasons;  // by node id
  std::vector<std::string> texts;
  std::vector<Fallback> fallbacks;  // by node id ascending
  std::vector<std::string> notes;   // "host-only op 'Print' ..." , "no kernel ...": one line a node
  std::vector<RuleUse> rules;       // in policy order
  PlacementMode mode = PlacementMode::kStrict;
  std::string policy;   // text
  std::string machine;  // Machine::ToString()
  uint64_t graph_hash = 0, machine_hash = 0, policy_hash = 0;
  uint64_t seed = 0;  // of a seeded solver, else 0

  DeviceId device(NodeId n) const { return device_of[n]; }
  const std::string& author(NodeId n) const { return texts[reasons[n].author]; }
  const std::string& reason(NodeId n) const { return texts[reasons[n].reason]; }
};

}  // namespace berth

#endif  // BERTH_PLACEMENT_PLACEMENT_H_
