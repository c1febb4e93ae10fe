// Why a group of nodes is where it is, and why not elsewhere: what was excluded, by whom, and how what was left compared.
//
//   node 'y' (MatMul at f:3) is on gpu:1, by greedy-locality: most input bytes on gpu:1 (8192)
//     not cpu:0: match "op=MatMul" on gpu:* (policy.txt:2): matches op=MatMul -> gpu:*
//     gpu:1 8192, gpu:0 1024
//
// Nothing of it is recorded while placing: ExplainPlacement (place.h) places again and keeps what PlaceGraph forgets.
#ifndef BERTH_PLACEMENT_CHOICE_H_
#define BERTH_PLACEMENT_CHOICE_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "placement/machine.h"
#include "placement/placement.h"

namespace berth {

// Devices that a group could not have.
struct Veto {
  std::vector<DeviceId> devices;  // ascending
  std::string author;             // a part of the policy, or "fact: kernel", "fact: host-only op", "fact: memory"
  std::string origin;             // "policy.txt:3", "scope 'a' at model.cc:12"; "" when not known
  std::string reason;             // "a kernel on cpu only"
  NodeId node = kNoNode;          // the member that brought it, where it is not the node asked about
  std::string tie;                // why the node asked about is with that: "reference edge 'v' -> 'as'"
};

struct Score {
  DeviceId device = kNoDevice;
  double preference = 0;        // the sum of weights of preferences
  std::optional<double> value;  // the solver's own; higher is better
};

// Of a whole group: its members share it.
struct Choice {
  NodeId group = kNoNode;  // its root
  int64_t members = 1;
  // Of several: the first member, of the first the second, and why the node asked about is with it. A whole policy's: none.
  NodeId with = kNoNode;
  std::string tie;
  std::vector<DeviceId> candidates;  // left when the author chose
  std::vector<Veto> vetoes;          // facts first, then in policy order; each device in one of them
  std::vector<Score> scores;         // best first; empty: chosen without any
  DeviceId winner = kNoDevice;
  DeviceId runner_up = kNoDevice;  // the best of the others; kNoDevice: there was none
  double margin = 0;               // by which it lost: in the solver's unit, or in weight; 0 without scores

  // The veto that excluded the device; null for candidates.
  const Veto* VetoOf(DeviceId d) const {
    for (const Veto& veto : vetoes) {
      if (std::binary_search(veto.devices.begin(), veto.devices.end(), d)) return &veto;
    }
    return nullptr;
  }
};

// Answers for one placement. Not thread-safe.
class Explainer {
 public:
  virtual ~Explainer() = default;
  // O(group + devices).
  virtual Choice Explain(NodeId n) = 0;
};

}  // namespace berth

#endif  // BERTH_PLACEMENT_CHOICE_H_
