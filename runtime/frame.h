// One part's memory for one run: its slots, the block they share, and a prepared call for every kernel. Made once and
// used for run after run, by one at a time; concurrent runs have a frame each.
#ifndef BERTH_RUNTIME_FRAME_H_
#define BERTH_RUNTIME_FRAME_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/device.h"
#include "runtime/kernel.h"
#include "runtime/plan.h"
#include "runtime/tensor.h"

namespace berth {

class Frame;

// The arguments of one step's kernel, bound to the frame's slots.
class StepArgs final : public KernelArgs {
 public:
  StepArgs(Frame& frame, const PlanStep& step, const Node& node, absl::Span<Tensor* const> inputs,
           absl::Span<Tensor* const> outputs, std::unique_ptr<KernelState>* state, int threads)
      : KernelArgs(node, inputs, outputs, state, threads), frame_(frame), step_(step) {}

  absl::StatusOr<Tensor*> Allocate(int output, const Dims& dims) override;
  absl::StatusOr<Tensor*> ForwardOrAllocate(int output, int in) override;
  absl::StatusOr<void*> Scratch(size_t bytes) override;
  absl::StatusOr<Tensor> AllocateValue(DType dtype, const Dims& dims) override;
  absl::Status SetOutput(int output, Tensor t) override;
  absl::Status AssignVariable(int input, Tensor value) override;
  absl::StatusOr<Tensor> ReadVariable(int input) override;
  bool VariableInitialized(int input) override;

 private:
  const PlanSlot& output_slot(int output) const;
  absl::StatusOr<Variable*> VariableOf(int input) const;
  absl::Status ShapeFault(int output, const Dims& dims) const;

  Frame& frame_;
  const PlanStep& step_;
};

class Frame {
 public:
  // Error: ResourceExhausted with the largest tensor of the block. `plan` and `device` outlive the frame.
  static absl::StatusOr<std::unique_ptr<Frame>> Create(const Plan& plan, Device& device, int threads);
  Frame(const Frame&) = delete;

  const Plan& plan() const { return plan_; }
  Device& device() { return device_; }
  Tensor& slot(int32_t i) { return slots_[i]; }
  Tensor& operand(const PlanStep& step, int i) { return *operands_[step.first_operand + i]; }
  StepArgs& args(size_t step) { return args_[step]; }

  // A block for a slot that is not planned.
  absl::StatusOr<Tensor> AllocateFor(const PlanSlot& slot, const Dims& dims);
  // A tensor of its own, for a variable to keep. Strings lie in host memory.
  absl::StatusOr<Tensor> AllocateValue(DType dtype, MemorySpace space, const Dims& dims);
  // A copy in memory of its own, in the same space as `value`.
  absl::StatusOr<Tensor> Copy(const Tensor& value, MemorySpace space);

  // Before a run: its feeds, which the caller may change afterwards.
  void Begin(absl::Span<const Tensor> feeds) {
    feeds_ = feeds;
    scratch_step_ = nullptr;
  }
  bool IsFeed(const Tensor& value) const;

  // Reads what variables give to the step.
  absl::Status LoadVariables(const PlanStep& step);
  void Release(const PlanStep& step) {
    for (int32_t i = 0; i < step.num_releases; ++i) {
      slots_[plan_.releases[step.first_release + i]] = Tensor();
    }
  }
  // After a run that failed: drops what it left.
  void Clear();

 private:
  friend class StepArgs;
  Frame(const Plan& plan, Device& device) : plan_(plan), device_(device) {}
  absl::Status MakeSlots();

  const Plan& plan_;
  Device& device_;
  std::shared_ptr<Buffer> blocks_[2];  // by space
  std::vector<Tensor> slots_;
  std::vector<Tensor*> operands_;                     // as Plan::operands
  std::vector<std::unique_ptr<KernelState>> states_;  // by step
  std::vector<StepArgs> args_;                        // by step
  absl::Span<const Tensor> feeds_;
  // Scratch blocks of the step at hand, kept for the next ones.
  std::vector<std::shared_ptr<Buffer>> scratch_;
  size_t scratch_used_ = 0;
  const PlanStep* scratch_step_ = nullptr;
};

}  // namespace berth

#endif  // BERTH_RUNTIME_FRAME_H_
