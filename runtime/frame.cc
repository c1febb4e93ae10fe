#include "runtime/frame.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

// A block that the slots of a frame share, run after run.
class SharedBlock final : public Buffer {
 public:
  explicit SharedBlock(std::shared_ptr<Buffer> block)
      : Buffer(block->data(), block->kernel_data(), block->size(), /*transient=*/true), block_(std::move(block)) {}

 private:
  std::shared_ptr<Buffer> block_;
};

// The largest planned tensor, for messages.
std::string LargestTensor(const Plan& plan, MemorySpace space) {
  const PlanSlot* largest = nullptr;
  for (const PlanSlot& slot : plan.slots) {
    if (slot.offset < 0 || slot.space != space) continue;
    if (largest == nullptr || slot.bytes > largest->bytes) largest = &slot;
  }
  if (largest == nullptr) return "";
  const int32_t index = static_cast<int32_t>(largest - plan.slots.data());
  for (const PlanStep& step : plan.steps) {
    for (int k = 0; k < step.num_outputs; ++k) {
      if (plan.operands[step.first_operand + step.num_inputs + k] != index) continue;
      return absl::StrCat("; the largest tensor is of ", plan.Describe(step), ", ", ShortDTypeName(largest->dtype), "[",
                          absl::StrJoin(largest->dims, ","), "]");
    }
  }
  return "";
}

}  // namespace

absl::StatusOr<std::unique_ptr<Frame>> Frame::Create(const Plan& plan, Device& device, int threads) {
  std::unique_ptr<Frame> frame(new Frame(plan, device));
  BERTH_RETURN_IF_ERROR(frame->MakeSlots());
  frame->operands_.reserve(plan.operands.size());
  for (int32_t slot : plan.operands) frame->operands_.push_back(&frame->slots_[slot]);
  frame->states_.resize(plan.steps.size());
  frame->args_.reserve(plan.steps.size());
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    const PlanStep& step = plan.steps[s];
    Tensor* const* operands = frame->operands_.data() + step.first_operand;
    std::unique_ptr<KernelState>* state = step.stateful ? &plan.shared_states[s]->state : &frame->states_[s];
    frame->args_.emplace_back(*frame, step, plan.graph->node(step.node), absl::MakeConstSpan(operands, step.num_inputs),
                              absl::MakeConstSpan(operands + step.num_inputs, step.num_outputs), state, threads);
  }
  return frame;
}

absl::Status Frame::MakeSlots() {
  for (MemorySpace space : {kDeviceSpace, kHostSpace}) {
    if (plan_.bytes[space] == 0 && plan_.slots.empty()) continue;
    const size_t bytes = static_cast<size_t>(plan_.bytes[space]);
    bool any = false;
    for (const PlanSlot& slot : plan_.slots) any |= slot.offset >= 0 && slot.space == space;
    if (!any) continue;
    absl::StatusOr<std::shared_ptr<Buffer>> block =
        space == kDeviceSpace ? device_.Allocate(bytes) : AllocateHostBuffer(bytes);
    if (!block.ok()) {
      return absl::Status(block.status().code(), absl::StrCat(block.status().message(), LargestTensor(plan_, space)));
    }
    blocks_[space] = std::make_shared<SharedBlock>(*std::move(block));
  }
  slots_.resize(plan_.slots.size());
  for (size_t i = 0; i < slots_.size(); ++i) {
    const PlanSlot& slot = plan_.slots[i];
    if (slot.constant.has_value()) {
      slots_[i] = slot.constant;
    } else if (slot.offset >= 0) {
      slots_[i] = Tensor(slot.dtype, slot.dims, blocks_[slot.space], static_cast<size_t>(slot.offset));
    } else if (slot.root >= 0) {
      slots_[i] = slots_[slot.root].WithDims(slot.dims);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Tensor> Frame::AllocateFor(const PlanSlot& slot, const Dims& dims) {
  return AllocateValue(slot.dtype, slot.space, dims);
}

absl::StatusOr<Tensor> Frame::AllocateValue(DType dtype, MemorySpace space, const Dims& dims) {
  if (dtype == DType::kString) return AllocateHostTensor(dtype, dims);
  BERTH_ASSIGN_OR_RETURN(size_t bytes, TensorBytes(dtype, dims));
  BERTH_ASSIGN_OR_RETURN(std::shared_ptr<Buffer> block,
                         space == kDeviceSpace ? device_.Allocate(bytes) : AllocateHostBuffer(bytes));
  return Tensor(dtype, dims, std::move(block));
}

absl::StatusOr<Tensor> Frame::Copy(const Tensor& value, MemorySpace space) {
  if (value.strings() != nullptr || space == kHostSpace || device_.shares_host_memory()) return CopyHostTensor(value);
  BERTH_ASSIGN_OR_RETURN(std::shared_ptr<Buffer> block, device_.Allocate(value.num_bytes()));
  BERTH_RETURN_IF_ERROR(device_.CopyFromDevice(device_, *value.buffer(), value.offset(), *block, 0, value.num_bytes()));
  return Tensor(value.dtype(), value.dims(), std::move(block));
}

bool Frame::IsFeed(const Tensor& value) const {
  for (const Tensor& feed : feeds_) {
    if (value.strings() != nullptr ? feed.strings() == value.strings() : feed.buffer() == value.buffer()) return true;
  }
  return false;
}

absl::Status Frame::LoadVariables(const PlanStep& step) {
  for (int32_t u = 0; u < step.num_uses; ++u) {
    const VariableUse& use = plan_.uses[step.first_use + u];
    if (!use.read || (use.may_be_empty && !use.variable->initialized())) continue;
    absl::StatusOr<Tensor> value = use.variable->Read();
    if (!value.ok() && use.may_be_empty) continue;
    if (!value.ok()) return value.status();
    operand(step, use.input) = *std::move(value);
  }
  return absl::OkStatus();
}

void Frame::Clear() {
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (!plan_.slots[i].is_fixed()) slots_[i] = Tensor();
  }
}

const PlanSlot& StepArgs::output_slot(int output) const {
  return frame_.plan_.slots[frame_.plan_.operands[step_.first_operand + step_.num_inputs + output]];
}

absl::Status StepArgs::ShapeFault(int output, const Dims& dims) const {
  return absl::InternalError(absl::StrCat("expected output ", output, " of the inferred shape ",
                                          outputs_[output]->ShapeString(), ", got [", absl::StrJoin(dims, ","), "]"));
}

absl::StatusOr<Tensor*> StepArgs::Allocate(int output, const Dims& dims) {
  Tensor* t = outputs_[output];
  const PlanSlot& slot = output_slot(output);
  if (slot.offset >= 0) {
    if (t->dims() == dims) return t;
    return ShapeFault(output, dims);
  }
  BERTH_ASSIGN_OR_RETURN(*t, frame_.AllocateFor(slot, dims));
  return t;
}

absl::StatusOr<Tensor*> StepArgs::ForwardOrAllocate(int output, int in) {
  const PlanSlot& slot = output_slot(output);
  const Tensor& from = *inputs_[in];
  if (slot.offset >= 0) return Allocate(output, from.dims());
  const bool dies = in < 64 && (step_.dying >> in & 1) != 0;
  const PlanSlot& in_slot = frame_.plan_.slots[frame_.plan_.operands[step_.first_operand + in]];
  if (dies && in_slot.space == slot.space && from.buffer() != nullptr && from.buffer().use_count() == 1 &&
      !from.buffer()->transient() && DTypeSize(from.dtype()) == DTypeSize(slot.dtype)) {
    *outputs_[output] =
        from.dtype() == slot.dtype ? from : Tensor(slot.dtype, from.dims(), from.buffer(), from.offset());
    return outputs_[output];
  }
  return Allocate(output, from.dims());
}

absl::StatusOr<void*> StepArgs::Scratch(size_t bytes) {
  if (frame_.scratch_step_ != &step_) {
    frame_.scratch_step_ = &step_;
    frame_.scratch_used_ = 0;
  }
  if (frame_.scratch_used_ == frame_.scratch_.size()) frame_.scratch_.emplace_back();
  std::shared_ptr<Buffer>& block = frame_.scratch_[frame_.scratch_used_];
  if (block == nullptr || block->size() < bytes) {
    block.reset();
    BERTH_ASSIGN_OR_RETURN(block, frame_.device_.Allocate(bytes));
  }
  ++frame_.scratch_used_;
  return block->kernel_data();
}

absl::StatusOr<Tensor> StepArgs::AllocateValue(DType dtype, const Dims& dims) {
  return frame_.AllocateValue(dtype, kDeviceSpace, dims);
}

absl::Status StepArgs::SetOutput(int output, Tensor t) {
  const PlanSlot& slot = output_slot(output);
  Tensor& out = *outputs_[output];
  if (slot.offset >= 0) {
    if (t.dims() != out.dims()) return ShapeFault(output, t.dims());
    if (t.num_bytes() > 0 && t.kernel_data() != out.kernel_data()) {
      std::memmove(out.kernel_data(), t.kernel_data(), t.num_bytes());
    }
    return absl::OkStatus();
  }
  if (t.buffer() != nullptr && t.buffer() == frame_.blocks_[slot.space]) {
    BERTH_ASSIGN_OR_RETURN(out, frame_.Copy(t, slot.space));
    return absl::OkStatus();
  }
  out = std::move(t);
  return absl::OkStatus();
}

absl::StatusOr<Variable*> StepArgs::VariableOf(int input) const {
  for (int32_t u = 0; u < step_.num_uses; ++u) {
    const VariableUse& use = frame_.plan_.uses[step_.first_use + u];
    if (use.input == input) return use.variable;
  }
  return absl::InvalidArgumentError(absl::StrCat("expected a variable as input ", input, ", got a value"));
}

absl::Status StepArgs::AssignVariable(int input, Tensor value) {
  BERTH_ASSIGN_OR_RETURN(Variable * variable, VariableOf(input));
  BERTH_RETURN_IF_ERROR(variable->CheckFits(value));
  const bool keeps = value.buffer() != nullptr ? !value.buffer()->transient() : value.strings() == nullptr;
  if (!keeps || frame_.IsFeed(value)) {
    BERTH_ASSIGN_OR_RETURN(value, frame_.Copy(value, kDeviceSpace));
  }
  variable->Assign(std::move(value));
  return absl::OkStatus();
}

absl::StatusOr<Tensor> StepArgs::ReadVariable(int input) {
  BERTH_ASSIGN_OR_RETURN(Variable * variable, VariableOf(input));
  return variable->Read();
}

bool StepArgs::VariableInitialized(int input) {
  absl::StatusOr<Variable*> variable = VariableOf(input);
  return variable.ok() && (*variable)->initialized();
}

}  // namespace berth
