// The result of placing: a device for every node and, for every node, why. A value; prints, serializes and reads back.
#ifndef BERTH_PLACEMENT_PLACEMENT_H_
#define BERTH_PLACEMENT_PLACEMENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "graph/graph.h"
#include "placement/groups.h"
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

enum class FallbackCause { kNoSuchDevice, kKernel, kColocation, kMemory, kPart };
// "no such device", "no kernel", "colocation", "memory", "the part's own".
absl::string_view CauseName(FallbackCause cause);

// A demand that soft mode relaxed, or a node that a part of the policy had no device for, so that later parts decided.
struct Fallback {
  NodeId node = kNoNode;
  std::string asked;   // "gpu:1"
  std::string got;     // full device name
  std::string author;  // rule or request's origin
  std::string why;     // "no such device on cpu:1,gpu:1"
  FallbackCause cause = FallbackCause::kNoSuchDevice;
  // Fields of the demand that were given up, lowest-ranked first: "id", "id, kind"; "all": nothing is left of it; "":
  // the part abstained.
  std::string dropped;
  // What a run costs more than if the node (and its group) were at `wanted`, the first device of the demand: bytes that
  // cross links and seconds that devices and links are busy, as far as sizes are known; below 0: less. Not set where
  // the machine has no such device.
  DeviceId wanted = kNoDevice;
  std::optional<int64_t> cost_bytes;
  std::optional<double> cost_seconds;
};

// Arguments that a node's kernel has in host memory on a device with memory of its own (host_memory.h).
struct HostArgs {
  NodeId node = kNoNode;
  int32_t names = -1;  // a text: "shape" or "begin,size"
};

constexpr int64_t kShownUses = 32;

struct RuleUse {
  std::string text;       // the part as the policy spells it
  int64_t hits = 0;       // nodes about which it had an opinion that holds
  int64_t overruled = 0;  // nodes where an earlier part, or a fact, had excluded what it asked for
  std::vector<NodeId> first_hits, first_overruled;  // the first kShownUses of each, as asked
};

struct Placement {
  std::vector<DeviceId> device_of;  // by node id
  std::vector<NodeReason> reasons;  // by node id
  std::vector<std::string> texts;
  std::vector<Fallback> fallbacks;  // by node id ascending; of a node, relaxed demands first
  std::vector<std::string> notes;   // "host-only op 'Print' ..." , "no kernel ...": one line a node
  std::vector<RuleUse> rules;       // in policy order
  std::vector<RuleTie> ties;        // what rules put together: with those of the graph (groups.h), the groups
  std::vector<HostArgs> host_args;  // by node id ascending; most nodes have none
  PlacementMode mode = PlacementMode::kStrict;
  std::string policy;   // text
  std::string machine;  // Machine::ToString()
  uint64_t graph_hash = 0, machine_hash = 0, policy_hash = 0;
  uint64_t seed = 0;  // of a seeded solver, else 0

  DeviceId device(NodeId n) const { return device_of[n]; }
  const std::string& author(NodeId n) const { return texts[reasons[n].author]; }
  const std::string& reason(NodeId n) const { return texts[reasons[n].reason]; }
};

// "3 fallbacks: 2 no such device, 1 no kernel"; "0 fallbacks".
std::string FallbackSummary(const Placement& placement);
// FailedPrecondition that lists the fallbacks, for those who forbid any.
absl::Status ForbidFallbacks(const Graph& graph, const Placement& placement);

}  // namespace berth

#endif  // BERTH_PLACEMENT_PLACEMENT_H_
