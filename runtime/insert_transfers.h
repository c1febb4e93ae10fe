// Where an edge's two ends are on different devices, a _Send/_Recv pair takes its place: one pair for a value and a
// target device.
//
//   cpu:0: w        gpu:0: y(w)     ->    cpu:0: w, _Send(w)     gpu:0: _Recv, y(_Recv)
//
// A control edge crosses as an empty float tensor. Reads of a variable by reference share a pair only when nothing
// orders one of them against a write: the send of an ordered read waits for whatever the reader waits for, so that
// placing changes no result.
#ifndef BERTH_RUNTIME_INSERT_TRANSFERS_H_
#define BERTH_RUNTIME_INSERT_TRANSFERS_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/cut_graph.h"
#include "runtime/loop_frames.h"

namespace berth {

// A value to be sent and who waits for it.
struct CutPair {
  CutInput value;
  DeviceId to = kNoDevice;
  struct User {
    int32_t node;
    int input;  // index into its inputs; -1: the send of pair `pair` waits for this token
    int pair;
  };
  std::vector<User> users;
  std::vector<int32_t> after;  // nodes that the send has to wait for
  int32_t send = -1, recv = -1;
};

// How pairs are shared.
enum class PairRule {
  kBerth,            // as above
  kTensorFlow,       // every edge of a reference output has its own pair; sends wait as above
  kTensorFlowTable,  // the same, and no send waits: what TensorFlow lists
};

// Every crossing edge of the kept nodes, sorted by the value's node, its slot (control first), then target device.
// Error: InvalidArgument for a reference or resource edge that crosses, naming both ends (PairRule::kBerth only).
absl::StatusOr<std::vector<CutPair>> CollectPairs(const CutGraph& cut, PairRule rule);

// Adds the nodes of the pairs and reconnects the users. Pair k has tensor_name "k". Inside a loop a
// _Recv waits for the iteration.
void AddPairs(CutGraph& cut, const LoopFrames& frames, std::vector<CutPair>& pairs);

// The row a pair has in the table of transfers.
Transfer TransferOf(const CutGraph& cut, const CutPair& pair);

}  // namespace berth

#endif  // BERTH_RUNTIME_INSERT_TRANSFERS_H_
