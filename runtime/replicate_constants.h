// Constants that several devices read are copied to each of them rather than sent at every run.
//
//   c on cpu:0, read on cpu:0 and gpu:0   ->   c/replicate/_0 on cpu:0, c/replicate/_1 on gpu:0, no
//   transfer
#ifndef BERTH_RUNTIME_REPLICATE_CONSTANTS_H_
#define BERTH_RUNTIME_REPLICATE_CONSTANTS_H_

#include "runtime/cut_graph.h"

namespace berth {

// Berth's rule: a Const without inputs is copied to every other device that reads it, whatever its
// size, since a copy is made once and a transfer at every run; a Const that waits for control
// inputs is sent, since its copies would each need the token.
void ReplicateConstants(CutGraph& cut);

// TensorFlow 2.21's rule: a Const on a CPU, of at most 16 elements, with at least two uses and none
// of them a control edge, whose users sit at two places or more; a user that is not on a CPU sits
// at its task's CPU:0. One copy a place, the original goes.
void ReplicateConstantsAsTensorFlow(CutGraph& cut);

}  // namespace berth

#endif  // BERTH_RUNTIME_REPLICATE_CONSTANTS_H_
