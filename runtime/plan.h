// The plan of one part: what its device does in a run, as a flat list of steps over numbered slots.
//
//   y = Relu(x); z = _Send(y)      ->      step 0: kernel Relu, operands [x][y]      step 1: send y on channel 0
//
// Names, attributes and kernels are looked up here, once. Steps stand in the part's node order, which is one order over
// all parts: a device that does them one by one never waits for one that waits for it. Nodes that need no work have no
// step: constants, variables, NoOp, and Identity and Reshape of shapes that are known.
//
// Memory: the slots whose sizes are known share one block by liveness (plan_memory.h); others are allocated as they
// come.
#ifndef BERTH_RUNTIME_PLAN_H_
#define BERTH_RUNTIME_PLAN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/graph.h"
#include "runtime/device.h"
#include "runtime/kernel.h"
#include "runtime/partition.h"
#include "runtime/variables.h"

namespace berth {

enum class StepKind : uint8_t { kKernel, kFeed, kFetch, kSend, kReceive, kCopy };

enum MemorySpace : uint8_t { kDeviceSpace = 0, kHostSpace = 1 };

// Where a value lives while the part runs. Planned: at `offset` of its space's block, for good. Constant: held by the
// plan. Alias: the bytes of slot `root`, planned or constant, under other dimensions. Otherwise filled anew in each
// run.
struct PlanSlot {
  DType dtype = DType::kInvalid;
  MemorySpace space = kDeviceSpace;
  Dims dims;            // of planned slots and aliases
  int64_t bytes = 0;    // the same
  int32_t root = -1;    // of an alias
  int64_t offset = -1;  // of planned slots
  Tensor constant;      // of constants
  bool is_fixed() const { return offset >= 0 || root >= 0 || constant.has_value(); }
};

// A step's data input that a variable gives: read into the operand before the kernel runs, or assigned by the kernel.
struct VariableUse {
  int32_t input = 0;
  Variable* variable = nullptr;
  bool read = false;          // else the kernel asks, through ReadVariable
  bool may_be_empty = false;  // the kernel takes a variable without value
};

struct PlanStep {
  StepKind kind = StepKind::kKernel;
  bool stateful = false;  // its kernel state is shared by all runs
  uint16_t num_inputs = 0, num_outputs = 0;
  NodeId node = kNoNode;
  int32_t first_operand = 0;  // inputs, then outputs, in Plan::operands
  int32_t first_release = 0, num_releases = 0;
  int32_t first_use = 0, num_uses = 0;
  int32_t number = 0;  // channel, feed or fetch
  uint64_t dying = 0;  // bit i: input i is not fixed, and nobody reads it after this step
  KernelFn run = nullptr;
};

struct Plan {
  DeviceId device = kNoDevice;
  std::shared_ptr<const Graph> graph;
  std::vector<PlanSlot> slots;
  std::vector<PlanStep> steps;
  std::vector<int32_t> operands;  // slots
  std::vector<int32_t> releases;  // slots that a step is the last to use
  std::vector<VariableUse> uses;
  std::vector<SharedState*> shared_states;  // by step; empty when no step is stateful
  // By space: the block that planned slots share, and the most that is in use at once.
  int64_t bytes[2] = {0, 0};
  int64_t lower_bound[2] = {0, 0};

  // "node 'y' (Relu on gpu:1)".
  std::string Describe(const PlanStep& step) const;
  // One line a step, one a planned slot: for tests and for people.
  std::string ToString() const;
};

// Where one transfer goes, once both its plans are known.
struct ChannelPlan {
  Transfer transfer;
  std::string ends;                    // "cpu:0 -> gpu:1"
  int32_t sender = -1, receiver = -1;  // parts
  int32_t receive_slot = -1;           // -1: nobody reads it, only its time counts
  bool by_pointer = false;             // both ends are host memory
};

struct PlanOptions {
  bool share_memory = true;  // false: every slot is allocated as it comes, for tests
};

struct RunPlan {
  std::vector<Plan> parts;  // as the partition's
  std::vector<ChannelPlan> channels;

  // Of everything that a run of it does: equal for equal graphs, placements and kernels, whatever the process.
  uint64_t Fingerprint() const;
};

// Error: Unimplemented naming every op without kernel and the first node of each; InvalidArgument for placeholders that
// are not fed and constants that have no values. O(nodes log nodes).
absl::StatusOr<RunPlan> BuildPlans(Partition partition, const std::vector<Device*>& devices, const KernelTable& kernels,
                                   SessionState& state, const PlanOptions& options = {});

}  // namespace berth

#endif  // BERTH_RUNTIME_PLAN_H_
