// Why a graph cannot be placed, as data: the fewest parties that cannot be had together, each with its origin, and what
// would put an end to it. Dropping any one party would leave a device; applying any one fix mends the conflict.
//
//   v = VariableV2() @cpu:0          node 'as' (Assign at f:2): expected gpu:1, as 'pins' asks (scope 'b' at m.cc:7),
//   as = Assign(v, c) @gpu:1         got cpu:0, as 'pins' asks (scope 'a' at m.cc:3), for node 'v' (VariableV2 at f:1),
//                                    with which it is colocated by reference edge 'v' -> 'as'; ask for cpu:0 for 'as',
//                                    put 'match "name=as" on cpu:0' before 'pins', or place in soft mode
#ifndef BERTH_PLACEMENT_CONFLICT_H_
#define BERTH_PLACEMENT_CONFLICT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "placement/device_sets.h"
#include "placement/machine.h"

namespace berth {

struct ConflictMember {
  enum class Kind {
    kDemand,  // a part of the policy asks for devices
    kForbid,  // a part of the policy asks for others than these devices
    kFact,    // the node has no kernel, or no room, elsewhere
  };
  Kind kind = Kind::kDemand;
  NodeId node = kNoNode;
  std::string asked;   // "gpu:1"; of a fact: "a kernel on cpu only"
  std::string author;  // "pins"; of a fact: "fact: kernel", "fact: host-only op" or "fact: memory"
  std::string origin;  // "scope 'a' at model.cc:12", "policy.txt:3", "the node's own request"; "" when not known
  // Why its node is with the first member's: "reference edge 'v' -> 'as'", or what a part of the policy wants together.
  std::string tie;
  std::vector<DeviceId> allows;  // the devices it leaves, in machine order
  int64_t nodes = 1;             // that it speaks for: of a part with too few devices
};

struct Fix {
  enum class Kind {
    kAsk,      // let the nodes request `device`
    kPut,      // put the policy part `text` before part number `part`
    kKernel,   // add kernels for `ops` on the kind `device`
    kMemory,   // give `device` that many bytes: `text`
    kMachine,  // place on the machine `text`
    kWithout,  // leave out part number `part`
    kSoft,     // place in soft mode
  };
  Kind kind = Kind::kSoft;
  std::vector<NodeId> nodes;
  std::string device;
  std::vector<std::string> ops;
  int part = -1;
  std::string text;
};

struct Conflict {
  std::vector<ConflictMember> members;  // the first is the demand that failed, or the first fact
  std::vector<ConflictMember> group;    // what the part asks for the group's nodes, at most a dozen; where it is more
  int64_t group_nodes = 1;
  std::string part;         // the policy part's text; "" for facts that no part brought together
  std::string part_origin;  // "policy.txt:3"
  bool too_few = false;     // the part has fewer devices than nodes to serve; each member says what lacks one
  std::string there;        // what there is instead: "no such device on cpu:1", "gpu:0 on cpu:1,gpu:1"
  std::vector<Fix> fixes;   // the fewest nodes first
};

// The members of `sets` (by index, ascending) that cannot be dropped: their intersection is empty, that of any all but
// one of them is not. Prefers a pair, then earlier ones. REQUIRES: the intersection of all is empty. O(n^2).
std::vector<int> MinimalConflict(DeviceSets& sets, const std::vector<SetId>& parties);

// The message: lower case, no full stop; one line, and a second about the group.
std::string PrintConflict(const Graph& graph, const Conflict& conflict);
// "ask for gpu:0 for 'v'".
std::string PrintFix(const Graph& graph, const Conflict& conflict, const Fix& fix);

// node 'a' (MatMul at model.cc:12).
std::string DescribeNode(const Graph& graph, NodeId n);

}  // namespace berth

#endif  // BERTH_PLACEMENT_CONFLICT_H_
