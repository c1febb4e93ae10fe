// Loops of v1 control flow in a cut graph: which frame a node runs in, which nodes move so that a loop can cross
// devices, and the control loops that let a device other than the predicate's take part in every iteration.
//
//   frame 'while':  Enter -> Merge -> Switch -> body -> NextIteration -> Merge ...   Switch -> Exit
//
// An Enter belongs to the frame it opens, an Exit to the one it leaves. Seen from outside (as producer of an Exit's
// value, as consumer of an Enter's) both ends are in the surrounding frame.
#ifndef BERTH_RUNTIME_LOOP_FRAMES_H_
#define BERTH_RUNTIME_LOOP_FRAMES_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/cut_graph.h"

namespace berth {

struct LoopFrames {
  struct Frame {
    std::string name;
    int parent = 0;
    int64_t parallel_iterations = 10;
    int32_t cond = -1;  // its LoopCond
  };
  std::vector<Frame> frames;  // 0: the outermost level, which is no loop
  std::vector<int> frame_of;  // by cut node
  // The control loops made: by frame and device, the Merge that fires once an iteration.
  std::map<std::pair<int, DeviceId>, int32_t> merges;

  bool any() const { return frames.size() > 1; }
  // The frame that the edge from `value` to `consumer` runs in; 0 when none, or when its ends are in different ones.
  int OfEdge(const CutGraph& cut, int32_t producer, int32_t consumer) const;
  // What a _Recv of a value of `producer` on `device` has to wait for; -1 for nothing.
  int32_t MergeFor(const CutGraph& cut, int32_t producer, DeviceId device) const;
};

// Error: InvalidArgument for inputs from different frames, a frame entered from two, or an Enter without a name.
absl::StatusOr<LoopFrames> FindFrames(const CutGraph& cut);

// An Enter fires once and a NextIteration one iteration early, so both go where their value is used: to their first
// consumer.
void MoveLoopNodes(CutGraph& cut);

// TensorFlow's own moves: those, Switch and Exit to their data input, each once, in the order of its walk.
void MoveControlFlowAsTensorFlow(CutGraph& cut);

// For every edge that crosses inside a loop, a control loop on the target's device, for its frame and every frame
// around it. Error: InvalidArgument for a frame that crosses and does not have one LoopCond.
absl::Status AddControlLoops(CutGraph& cut, LoopFrames& frames);

}  // namespace berth

#endif  // BERTH_RUNTIME_LOOP_FRAMES_H_
