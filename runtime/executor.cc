#include "runtime/executor.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/status_macros.h"
#include "runtime/frame.h"
#include "runtime/run_state.h"

namespace berth {
namespace {

// A larger copy is worth handing to another thread.
constexpr size_t kInlineCopyBytes = 64 << 10;

// Everything one run needs, kept for the next one.
struct RunSet {
  RunSet(const std::vector<ChannelPlan>& channels, size_t parts) : state(channels, parts) {}
  RunState state;
  std::vector<std::unique_ptr<Frame>> frames;  // by part
  absl::Span<const Tensor> feeds;
  absl::Span<Tensor> fetches;
  Trace* trace = nullptr;
};

absl::Status AtStep(const Plan& plan, const PlanStep& step, const absl::Status& status) {
  // What an earlier step's error says of its own node stays as it is.
  const std::string source = plan.graph->node(step.node).source().ToString();
  return absl::Status(status.code(), absl::StrCat(plan.Describe(step), ": ", status.message(),
                                                  source.empty() ? "" : absl::StrCat("; made at ", source)));
}

class PlanExecutor final : public Executor {
 public:
  PlanExecutor(RunPlan plan, std::vector<Device*> devices, const ExecutorOptions& options)
      : plan_(std::move(plan)), devices_(std::move(devices)), options_(options) {
    for (size_t p = 0; p < plan_.parts.size(); ++p) {
      if (plan_.parts[p].device == options_.client) client_part_ = static_cast<int>(p);
    }
    others_ = static_cast<int>(plan_.parts.size()) - (client_part_ >= 0 ? 1 : 0);
  }

  absl::Status Run(absl::Span<const Tensor> feeds, absl::Span<Tensor> fetches, const RunLimits& limits) override;
  const RunPlan& plan() const override { return plan_; }

 private:
  absl::StatusOr<std::shared_ptr<RunSet>> TakeSet();
  void RunPart(RunSet& set, int part);
  absl::Status RunStep(RunSet& set, Frame& frame, size_t s);
  absl::Status CallKernel(Frame& frame, size_t s);
  absl::Status Fetch(RunSet& set, Frame& frame, const PlanStep& step);
  void Send(RunSet& set, Frame& frame, const PlanStep& step);
  absl::Status Receive(RunSet& set, Frame& frame, const PlanStep& step);
  absl::Status CopySpace(Frame& frame, const PlanStep& step);
  absl::Status CopyAcross(RunSet& set, int number, const Tensor& value, Device& from, bool from_host);
  void Record(RunSet& set, const Plan& plan, const PlanStep& step, int64_t start) const;
  void RecordTransfer(RunSet& set, int number, int64_t start, int64_t bytes) const;

  const RunPlan plan_;
  const std::vector<Device*> devices_;
  const ExecutorOptions options_;
  int client_part_ = -1;
  int others_ = 0;
  std::mutex mu_;
  std::vector<std::shared_ptr<RunSet>> free_sets_;  // guarded by mu_
};

absl::StatusOr<std::shared_ptr<RunSet>> PlanExecutor::TakeSet() {
  {
    std::lock_guard<std::mutex> lock(mu_);
    if (!free_sets_.empty()) {
      std::shared_ptr<RunSet> set = std::move(free_sets_.back());
      free_sets_.pop_back();
      return set;
    }
  }
  auto set = std::make_shared<RunSet>(plan_.channels, plan_.parts.size());
  for (const Plan& part : plan_.parts) {
    Device& device = *devices_[part.device];
    const int threads = device.shares_host_memory() ? options_.threads : 1;
    BERTH_ASSIGN_OR_RETURN(std::unique_ptr<Frame> frame, Frame::Create(part, device, threads));
    set->frames.push_back(std::move(frame));
  }
  return set;
}

absl::Status PlanExecutor::Run(absl::Span<const Tensor> feeds, absl::Span<Tensor> fetches, const RunLimits& limits) {
  BERTH_ASSIGN_OR_RETURN(std::shared_ptr<RunSet> set, TakeSet());
  set->feeds = feeds;
  set->fetches = fetches;
  set->trace = limits.trace;
  for (const std::unique_ptr<Frame>& frame : set->frames) frame->Begin(feeds);
  set->state.Begin(limits.deadline, limits.cancellation, client_part_);
  if (others_ > 0) {
    std::unique_lock<std::mutex> launch;
    if (options_.launch != nullptr) launch = std::unique_lock<std::mutex>(*options_.launch);
    for (size_t p = 0; p < plan_.parts.size(); ++p) {
      if (static_cast<int>(p) == client_part_) continue;
      devices_[plan_.parts[p].device]->compute().Enqueue([this, set, part = static_cast<int>(p)] {
        if (!set->state.BeginPart(part)) return;
        RunPart(*set, part);
        set->state.EndPending();
      });
    }
  }
  if (client_part_ >= 0) RunPart(*set, client_part_);
  absl::Status status = set->state.Finish();
  if (!status.ok()) {
    for (const std::unique_ptr<Frame>& frame : set->frames) frame->Clear();
    for (size_t c = 0; c < plan_.channels.size(); ++c) set->state.channel(static_cast<int>(c)).value = Tensor();
  }
  if (set->state.has_abandoned()) return status;  // the streams still hold it
  std::lock_guard<std::mutex> lock(mu_);
  free_sets_.push_back(std::move(set));
  return status;
}

void PlanExecutor::RunPart(RunSet& set, int part) {
  Frame& frame = *set.frames[part];
  const Plan& plan = frame.plan();
  const size_t count = plan.steps.size();
  for (size_t s = 0; s < count; ++s) {
    const PlanStep& step = plan.steps[s];
    if (set.state.ShouldStop()) return;
    const int64_t start = set.trace == nullptr ? 0 : TraceNow();
    // The common case first: a kernel without state to share or variables to read.
    const bool plain = step.kind == StepKind::kKernel && step.num_uses == 0 && !step.stateful;
    absl::Status status = plain ? step.run(frame.args(s)) : RunStep(set, frame, s);
    if (!status.ok()) {
      set.state.Fail(AtStep(plan, step, status));
      return;
    }
    if (step.num_releases > 0) frame.Release(step);
    if (set.trace != nullptr) Record(set, plan, step, start);
  }
}

absl::Status PlanExecutor::RunStep(RunSet& set, Frame& frame, size_t s) {
  const PlanStep& step = frame.plan().steps[s];
  if (step.num_uses > 0) BERTH_RETURN_IF_ERROR(frame.LoadVariables(step));
  switch (step.kind) {
    case StepKind::kKernel:
      return CallKernel(frame, s);
    case StepKind::kFeed:
      frame.operand(step, 0) = set.feeds[step.number];
      return absl::OkStatus();
    case StepKind::kFetch:
      return Fetch(set, frame, step);
    case StepKind::kSend:
      Send(set, frame, step);
      return absl::OkStatus();
    case StepKind::kReceive:
      return Receive(set, frame, step);
    case StepKind::kCopy:
      return CopySpace(frame, step);
  }
  return absl::OkStatus();
}

absl::Status PlanExecutor::CallKernel(Frame& frame, size_t s) {
  const PlanStep& step = frame.plan().steps[s];
  if (!step.stateful) return step.run(frame.args(s));
  std::lock_guard<std::mutex> lock(frame.plan().shared_states[s]->mu);
  return step.run(frame.args(s));
}

absl::Status PlanExecutor::Fetch(RunSet& set, Frame& frame, const PlanStep& step) {
  Tensor& value = frame.operand(step, 0);
  Tensor& result = set.fetches[step.number];
  if (value.buffer() != nullptr && value.buffer()->transient()) {
    BERTH_ASSIGN_OR_RETURN(result, CopyHostTensor(value));
  } else {
    result = value;
  }
  return absl::OkStatus();
}

void PlanExecutor::Send(RunSet& set, Frame& frame, const PlanStep& step) {
  Channel& channel = set.state.channel(step.number);
  const ChannelPlan& plan = plan_.channels[step.number];
  if (plan.receive_slot < 0) return set.state.Deliver(step.number);
  const Tensor& value = frame.operand(step, 0);
  if (plan.by_pointer) {
    channel.value = value;
    if (set.trace != nullptr) RecordTransfer(set, step.number, TraceNow(), 0);
    return set.state.Deliver(step.number);
  }
  const int32_t slot = frame.plan().operands[step.first_operand];
  const bool from_host = frame.device().shares_host_memory() || frame.plan().slots[slot].space == kHostSpace;
  // The end of a copy that is no host has the stream for it; between two, the sender's.
  Device& from = frame.device();
  Device& to = *devices_[plan.transfer.to];
  Device& mover = from_host ? to : from;
  const auto copy = [this, &set, &from, from_host, number = step.number](const Tensor& source) {
    const int64_t start = set.trace == nullptr ? 0 : TraceNow();
    absl::Status status = CopyAcross(set, number, source, from, from_host);
    if (!status.ok()) {
      const ChannelPlan& failed = plan_.channels[number];
      return set.state.Fail(absl::Status(status.code(), absl::StrCat("transfer '", failed.transfer.value, "' (",
                                                                     failed.ends, "): ", status.message())));
    }
    if (set.trace != nullptr) {
      RecordTransfer(set, number, start, static_cast<int64_t>(source.num_bytes()));
    }
    set.state.Deliver(number);
  };
  if (value.num_bytes() <= kInlineCopyBytes && mover.copies_at_memory_speed()) return copy(value);
  channel.sent.store(true, std::memory_order_release);
  set.state.AddPending();
  mover.transfer().Enqueue([&set, copy, value] {
    if (!set.state.failed()) copy(value);
    set.state.EndPending();
  });
}

absl::Status PlanExecutor::CopyAcross(RunSet& set, int number, const Tensor& value, Device& from, bool from_host) {
  const ChannelPlan& channel = plan_.channels[number];
  Frame& receiver = *set.frames[channel.receiver];
  const PlanSlot& slot = receiver.plan().slots[channel.receive_slot];
  Tensor target;
  if (slot.offset >= 0) {
    target = receiver.slot(channel.receive_slot);
    if (target.dims() != value.dims()) {
      return absl::InternalError(
          absl::StrCat("expected the inferred shape ", target.ShapeString(), ", got ", value.ShapeString()));
    }
  } else {
    BERTH_ASSIGN_OR_RETURN(target, receiver.AllocateFor(slot, value.dims()));
  }
  Device& to = receiver.device();
  const bool to_host = to.shares_host_memory() || slot.space == kHostSpace;
  if (from_host) {
    BERTH_RETURN_IF_ERROR(to.CopyFromHost(value.data(), *target.buffer(), target.offset(), value.num_bytes()));
  } else if (to_host) {
    BERTH_RETURN_IF_ERROR(from.CopyToHost(*value.buffer(), value.offset(), target.data(), value.num_bytes()));
  } else {
    BERTH_RETURN_IF_ERROR(
        to.CopyFromDevice(from, *value.buffer(), value.offset(), *target.buffer(), target.offset(), value.num_bytes()));
  }
  set.state.channel(number).value = std::move(target);
  return absl::OkStatus();
}

absl::Status PlanExecutor::Receive(RunSet& set, Frame& frame, const PlanStep& step) {
  // When the run has failed, the error is there already and the part stops before its next step.
  if (!set.state.Await(step.number) || step.num_outputs == 0) return absl::OkStatus();
  frame.operand(step, 0) = std::move(set.state.channel(step.number).value);
  return absl::OkStatus();
}

// Between a device's own memory and the host's, for kernels that want an argument in the other one.
absl::Status PlanExecutor::CopySpace(Frame& frame, const PlanStep& step) {
  const Tensor& from = frame.operand(step, 0);
  Tensor& to = frame.operand(step, 1);
  const PlanSlot& slot = frame.plan().slots[frame.plan().operands[step.first_operand + 1]];
  if (slot.offset < 0) {
    BERTH_ASSIGN_OR_RETURN(to, frame.AllocateFor(slot, from.dims()));
  } else if (to.dims() != from.dims()) {
    return absl::InternalError(
        absl::StrCat("expected the inferred shape ", to.ShapeString(), ", got ", from.ShapeString()));
  }
  if (slot.space == kHostSpace) {
    return frame.device().CopyToHost(*from.buffer(), from.offset(), to.data(), from.num_bytes());
  }
  return frame.device().CopyFromHost(from.data(), *to.buffer(), to.offset(), from.num_bytes());
}

void PlanExecutor::Record(RunSet& set, const Plan& plan, const PlanStep& step, int64_t start) const {
  const Node node = plan.graph->node(step.node);
  set.trace->Add({devices_[plan.device]->short_name(), false, std::string(node.name()), std::string(node.op()), start,
                  TraceNow() - start, 0});
}

void PlanExecutor::RecordTransfer(RunSet& set, int number, int64_t start, int64_t bytes) const {
  const Transfer& transfer = plan_.channels[number].transfer;
  const Device& from = *devices_[transfer.from];
  const Device& to = *devices_[transfer.to];
  set.trace->Add({from.short_name(), true, transfer.value,
                  absl::StrCat(from.name().ToString(), " -> ", to.name().ToString()), start, TraceNow() - start,
                  bytes});
}

}  // namespace

std::unique_ptr<Executor> MakeExecutor(RunPlan plan, std::vector<Device*> devices, const ExecutorOptions& options) {
  return std::make_unique<PlanExecutor>(std::move(plan), std::move(devices), options);
}

}  // namespace berth
