#include "runtime/plan.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "graph/status_macros.h"
#include "runtime/find_kernels.h"
#include "runtime/plan_memory.h"
#include "runtime/static_value.h"

namespace berth {
namespace {

// Larger tensors are allocated as they come, so that sums of sizes cannot overflow and errors name the node.
constexpr size_t kMaxPlannedBytes = size_t{1} << 40;

bool HoldsVariable(DType dtype) { return IsRef(dtype) || dtype == DType::kResource; }

// Values that live in host memory on every device.
bool IsHostType(DType dtype) { return DTypeSize(BaseOf(dtype)) == 0; }

// Turns one part into its plan, node by node.
class PartPlanner {
 public:
  PartPlanner(Plan& plan, std::vector<const KernelDef*> kernels, Device& device, SessionState& state,
              const PlanOptions& options, std::vector<ChannelPlan>& channels)
      : plan_(plan),
        graph_(*plan.graph),
        kernels_(std::move(kernels)),
        device_(device),
        state_(state),
        options_(options),
        channels_(channels) {
    int32_t count = 0;
    first_value_.reserve(graph_.num_nodes());
    for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
      first_value_.push_back(count);
      count += graph_.node(id).num_outputs();
    }
    values_.resize(count);
  }

  // Before any Build(): in which memory this part's ends of channels are. `host` is by channel.
  absl::Status FindEnds(int32_t part, std::vector<bool>& sender_host, std::vector<bool>& receiver_host);
  absl::Status Build(int32_t part);

 private:
  struct Value {
    int32_t slot[2] = {-1, -1};  // by space
    MemorySpace home = kDeviceSpace;
    Variable* variable = nullptr;
    bool is_constant = false;
    bool escapes = false;  // it, or a view of it, outlives the run
  };

  Value& value(Input in) { return values_[first_value_[in.node] + in.slot]; }
  Value& value(NodeId node, int k) { return values_[first_value_[node] + k]; }

  MemorySpace SpaceOf(bool host) const { return host && !device_.shares_host_memory() ? kHostSpace : kDeviceSpace; }
  bool IsHostMemory(MemorySpace space) const { return space == kHostSpace || device_.shares_host_memory(); }
  absl::StatusOr<int> Channel(const Node& node) const;
  absl::Status Fault(const Node& node, absl::StatusCode code, absl::string_view what) const;

  void FindHomes();
  void FindEscapes();
  absl::Status FindVariable(const Node& node, int k);
  absl::Status AddConstant(const Node& node);
  absl::Status AddKernel(const Node& node, const KernelDef& kernel);
  absl::Status AddReceive(const Node& node, int32_t part);
  bool Elide(const Node& node, const KernelDef& kernel, int32_t input_slot);

  int32_t AddSlot(DType dtype, const PartialShape& shape, MemorySpace space, bool may_plan);
  PlanStep& AddStep(StepKind kind, NodeId node);
  absl::StatusOr<int32_t> SlotIn(const Node& node, Input in, MemorySpace space);
  // The operand of data input i: the value's slot in `space`, or one of its own where a variable gives it.
  absl::Status AddInput(const Node& node, int i, MemorySpace space, std::vector<int32_t>& operands,
                        std::vector<VariableUse>& uses);
  void FinishStep(PlanStep& step, const std::vector<int32_t>& inputs, const std::vector<int32_t>& outputs,
                  const std::vector<VariableUse>& uses);
  int32_t Root(int32_t slot) const { return plan_.slots[slot].root >= 0 ? plan_.slots[slot].root : slot; }
  void Touch(int32_t slot, int32_t step);

  int32_t Block(int32_t slot) const;
  void ShareInPlace();
  void AssignOffsets();
  void ListReleases();

  Plan& plan_;
  const Graph& graph_;
  const std::vector<const KernelDef*> kernels_;
  Device& device_;
  SessionState& state_;
  const PlanOptions& options_;
  std::vector<ChannelPlan>& channels_;
  std::vector<int32_t> first_value_;
  std::vector<Value> values_;
  std::vector<int32_t> first_, last_;  // by slot: steps; of an alias, those of its root
  std::vector<int32_t> merged_into_;   // by slot: whose memory it takes over; -1: none
  std::vector<const KernelDef*> step_kernels_;
};

absl::Status PartPlanner::Fault(const Node& node, absl::StatusCode code, absl::string_view what) const {
  const std::string source = node.source().ToString();
  return absl::Status(code, absl::StrCat("node '", node.name(), "' (", node.op(), " on ", device_.short_name(),
                                         "): ", what, source.empty() ? "" : absl::StrCat("; made at ", source)));
}

absl::StatusOr<int> PartPlanner::Channel(const Node& node) const {
  const std::string* text = node.AttrOrDefault<std::string>("tensor_name");
  int number = -1;
  if (text == nullptr || !absl::SimpleAtoi(*text, &number) || number < 0 ||
      number >= static_cast<int>(channels_.size())) {
    return Fault(node, absl::StatusCode::kInternal, "expected the number of a transfer as tensor_name");
  }
  return number;
}

void PartPlanner::FindHomes() {
  for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
    const Node node = graph_.node(id);
    std::vector<bool> host(node.num_outputs());
    if (kernels_[id] != nullptr) host = HostOutputs(node, *kernels_[id]);
    if (node.op() == "_Recv") {
      bool all_host = true;
      for (const OutEdge& e : node.out_edges()) {
        if (e.input >= 0 && kernels_[e.node] != nullptr) {
          all_host &= HostInputs(graph_.node(e.node), *kernels_[e.node])[e.input];
        }
      }
      host[0] = all_host;
    }
    for (int k = 0; k < node.num_outputs(); ++k) {
      value(id, k).home = SpaceOf(host[k] || IsHostType(node.output_dtype(k)));
      value(id, k).is_constant = node.op() == "Const";
    }
  }
}

// Results and what a variable may keep must not be in memory that the next step uses again.
void PartPlanner::FindEscapes() {
  for (NodeId id = graph_.num_nodes() - 1; id >= 0; --id) {
    const Node node = graph_.node(id);
    const absl::Span<const Input> inputs = node.data_inputs();
    if (node.op() == "_Retval") value(inputs[0]).escapes = true;
    if (kernels_[id] == nullptr) continue;
    bool has_variable = false;
    for (size_t i = 0; i < inputs.size(); ++i) {
      has_variable |= HoldsVariable(graph_.node(inputs[i].node).output_dtype(inputs[i].slot));
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      const bool view = kernels_[id]->shares_input && i == 0 && value(id, 0).escapes;
      if (has_variable || view) value(inputs[i]).escapes = true;
    }
  }
}

absl::Status PartPlanner::FindEnds(int32_t part, std::vector<bool>& sender_host, std::vector<bool>& receiver_host) {
  FindHomes();
  FindEscapes();
  for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
    const Node node = graph_.node(id);
    if (node.op() != "_Send" && node.op() != "_Recv") continue;
    BERTH_ASSIGN_OR_RETURN(int channel, Channel(node));
    if (node.op() == "_Send") {
      channels_[channel].sender = part;
      sender_host[channel] = IsHostMemory(value(node.data_inputs()[0]).home);
    } else {
      channels_[channel].receiver = part;
      receiver_host[channel] = IsHostMemory(value(id, 0).home);
    }
  }
  return absl::OkStatus();
}

absl::Status PartPlanner::FindVariable(const Node& node, int k) {
  if (IsVariableOp(node.op())) {
    value(node.id(), k).variable = state_.Find(node.name());
    if (value(node.id(), k).variable == nullptr) {
      return Fault(node, absl::StatusCode::kInternal, "expected a variable of the session, got an unknown one");
    }
    return absl::OkStatus();
  }
  // An op that hands on a reference or a handle has it as its first such input.
  for (const Input& in : node.data_inputs()) {
    if (value(in).variable == nullptr) continue;
    value(node.id(), k).variable = value(in).variable;
    return absl::OkStatus();
  }
  return Fault(node, absl::StatusCode::kUnimplemented,
               absl::StrCat("expected output ", k, " to name a variable, got one that no input tells"));
}

int32_t PartPlanner::AddSlot(DType dtype, const PartialShape& shape, MemorySpace space, bool may_plan) {
  PlanSlot slot;
  slot.dtype = BaseOf(dtype);
  slot.space = space;
  if (may_plan && options_.share_memory && DTypeSize(slot.dtype) > 0 && shape.fully_defined()) {
    absl::StatusOr<size_t> bytes = TensorBytes(slot.dtype, shape.dims());
    if (bytes.ok() && *bytes <= kMaxPlannedBytes) {
      slot.dims.assign(shape.dims().begin(), shape.dims().end());
      slot.bytes = static_cast<int64_t>(*bytes);
      slot.offset = 0;
    }
  }
  plan_.slots.push_back(std::move(slot));
  first_.push_back(std::numeric_limits<int32_t>::max());
  last_.push_back(0);
  return static_cast<int32_t>(plan_.slots.size()) - 1;
}

PlanStep& PartPlanner::AddStep(StepKind kind, NodeId node) {
  PlanStep step;
  step.kind = kind;
  step.node = node;
  step.first_operand = static_cast<int32_t>(plan_.operands.size());
  step.first_use = static_cast<int32_t>(plan_.uses.size());
  plan_.steps.push_back(step);
  step_kernels_.push_back(nullptr);
  return plan_.steps.back();
}

void PartPlanner::Touch(int32_t slot, int32_t step) {
  int32_t& last = last_[Root(slot)];
  last = std::max(last, step);
}

void PartPlanner::FinishStep(PlanStep& step, const std::vector<int32_t>& inputs, const std::vector<int32_t>& outputs,
                             const std::vector<VariableUse>& uses) {
  const int32_t number = static_cast<int32_t>(plan_.steps.size()) - 1;
  step.num_inputs = static_cast<uint16_t>(inputs.size());
  step.num_outputs = static_cast<uint16_t>(outputs.size());
  step.num_uses = static_cast<int32_t>(uses.size());
  plan_.operands.insert(plan_.operands.end(), inputs.begin(), inputs.end());
  plan_.operands.insert(plan_.operands.end(), outputs.begin(), outputs.end());
  plan_.uses.insert(plan_.uses.end(), uses.begin(), uses.end());
  for (int32_t slot : inputs) Touch(slot, number);
  for (int32_t slot : outputs) {
    first_[slot] = std::min(first_[slot], number);
    Touch(slot, number);
  }
  // What is sent is read by others for as long as the run lasts.
  if (step.kind == StepKind::kSend && plan_.slots[Root(inputs[0])].offset >= 0) {
    last_[Root(inputs[0])] = std::numeric_limits<int32_t>::max() - 1;
  }
}

absl::StatusOr<int32_t> PartPlanner::SlotIn(const Node& node, Input in, MemorySpace space) {
  Value& v = value(in);
  if (v.slot[space] >= 0) return v.slot[space];
  const Node producer = graph_.node(in.node);
  if (!v.is_constant) {
    const PlanSlot from = plan_.slots[v.slot[v.home]];
    PlanStep& step = AddStep(StepKind::kCopy, in.node);
    const int32_t copy = AddSlot(from.dtype, producer.output_shape(in.slot), space, from.offset >= 0 || from.root >= 0);
    FinishStep(step, {v.slot[v.home]}, {copy}, {});
    return v.slot[space] = copy;
  }
  const Literal* literal = producer.AttrOrDefault<Literal>("value");
  if (literal == nullptr) return Fault(producer, absl::StatusCode::kInvalidArgument, "expected a value, got none");
  absl::StatusOr<Tensor> host = HostTensorFrom(*literal);
  if (!host.ok()) return Fault(producer, host.status().code(), host.status().message());
  const int32_t slot = AddSlot(literal->dtype(), literal->shape(), space, false);
  PlanSlot& made = plan_.slots[slot];
  made.dims = host->dims();
  made.bytes = static_cast<int64_t>(host->num_bytes());
  made.constant = *host;
  if (!IsHostMemory(space)) {
    absl::StatusOr<std::shared_ptr<Buffer>> block = device_.Allocate(host->num_bytes());
    if (!block.ok()) return Fault(node, block.status().code(), block.status().message());
    BERTH_RETURN_IF_ERROR(device_.CopyFromHost(host->data(), **block, 0, host->num_bytes()));
    made.constant = Tensor(host->dtype(), host->dims(), *std::move(block));
  }
  return v.slot[space] = slot;
}

absl::Status PartPlanner::AddInput(const Node& node, int i, MemorySpace space, std::vector<int32_t>& operands,
                                   std::vector<VariableUse>& uses) {
  const Input in = node.data_inputs()[i];
  Variable* variable = value(in).variable;
  if (variable == nullptr) {
    BERTH_ASSIGN_OR_RETURN(int32_t slot, SlotIn(node, in, space));
    operands.push_back(slot);
    return absl::OkStatus();
  }
  const bool is_ref = IsRef(graph_.node(in.node).output_dtype(in.slot));
  if (kernels_[node.id()] == nullptr && !is_ref) {
    return Fault(node, absl::StatusCode::kInvalidArgument,
                 absl::StrCat("expected a value, got the handle of variable '", variable->name(),
                              "'; read it by ReadVariableOp"));
  }
  const OpDef* op = node.op_def();
  uses.push_back({i, variable, is_ref, op != nullptr && op->allows_uninitialized_input});
  operands.push_back(AddSlot(variable->dtype(), PartialShape(), kDeviceSpace, false));
  return absl::OkStatus();
}

// Drops a node whose output is its input's bytes under other, known dimensions.
bool PartPlanner::Elide(const Node& node, const KernelDef& kernel, int32_t input_slot) {
  const PlanSlot& from = plan_.slots[input_slot];
  if (!kernel.shares_input || !options_.share_memory || node.num_outputs() != 1 || !from.is_fixed()) return false;
  const PartialShape& shape = node.output_shape(0);
  if (!shape.fully_defined() || DTypeSize(from.dtype) == 0) return false;
  // A shape or an axis that is only known in a run has to be checked there.
  for (size_t i = 1; i < node.data_inputs().size(); ++i) {
    if (!IsStaticValue(graph_, node.data_inputs()[i])) return false;
  }
  absl::StatusOr<size_t> bytes = TensorBytes(from.dtype, shape.dims());
  if (!bytes.ok() || static_cast<int64_t>(*bytes) != from.bytes) return false;
  PlanSlot alias;
  alias.dtype = from.dtype;
  alias.space = from.space;
  alias.dims.assign(shape.dims().begin(), shape.dims().end());
  alias.bytes = from.bytes;
  alias.root = Root(input_slot);
  value(node.id(), 0).slot[alias.space] = static_cast<int32_t>(plan_.slots.size());
  value(node.id(), 0).home = alias.space;
  plan_.slots.push_back(std::move(alias));
  first_.push_back(0);
  last_.push_back(0);
  return true;
}

absl::Status PartPlanner::AddKernel(const Node& node, const KernelDef& kernel) {
  const std::vector<bool> host_in = HostInputs(node, kernel);
  std::vector<int32_t> inputs, outputs;
  std::vector<VariableUse> uses;
  for (int i = 0; i < static_cast<int>(node.data_inputs().size()); ++i) {
    const Input in = node.data_inputs()[i];
    const bool host = host_in[i] || IsHostType(graph_.node(in.node).output_dtype(in.slot));
    BERTH_RETURN_IF_ERROR(AddInput(node, i, SpaceOf(host), inputs, uses));
  }
  if (uses.empty() && !inputs.empty() && Elide(node, kernel, inputs[0])) return absl::OkStatus();
  if (inputs.size() > UINT16_MAX || node.num_outputs() > UINT16_MAX) {
    return Fault(node, absl::StatusCode::kInvalidArgument, "expected at most 65535 inputs and outputs, got more");
  }
  PlanStep& step = AddStep(StepKind::kKernel, node.id());
  step.run = kernel.run;
  step.stateful = node.op_def() != nullptr && node.op_def()->stateful && uses.empty();
  step_kernels_.back() = &kernel;
  for (int k = 0; k < node.num_outputs(); ++k) {
    if (HoldsVariable(node.output_dtype(k))) BERTH_RETURN_IF_ERROR(FindVariable(node, k));
    Value& v = value(node.id(), k);
    outputs.push_back(v.slot[v.home] =
                          AddSlot(node.output_dtype(k), node.output_shape(k), v.home, uses.empty() && !v.escapes));
  }
  FinishStep(step, inputs, outputs, uses);
  return absl::OkStatus();
}

absl::Status PartPlanner::AddReceive(const Node& node, int32_t part) {
  BERTH_ASSIGN_OR_RETURN(int number, Channel(node));
  ChannelPlan& channel = channels_[number];
  channel.receiver = part;
  bool is_read = false;
  for (const OutEdge& e : node.out_edges()) is_read |= e.input >= 0;
  Value& v = value(node.id(), 0);
  PlanStep& step = AddStep(StepKind::kReceive, node.id());
  step.number = number;
  if (!is_read) {
    FinishStep(step, {}, {}, {});
    return absl::OkStatus();
  }
  const int32_t slot = AddSlot(node.output_dtype(0), node.output_shape(0), v.home, !channel.by_pointer && !v.escapes);
  if (plan_.slots[slot].offset >= 0) first_[slot] = 0;  // it may arrive before anything here ran
  v.slot[v.home] = slot;
  channel.receive_slot = slot;
  FinishStep(step, {}, {slot}, {});
  return absl::OkStatus();
}

absl::Status PartPlanner::Build(int32_t part) {
  for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
    const Node node = graph_.node(id);
    const absl::string_view op = node.op();
    if (kernels_[id] != nullptr) {
      BERTH_RETURN_IF_ERROR(AddKernel(node, *kernels_[id]));
    } else if (IsVariableOp(op)) {
      BERTH_RETURN_IF_ERROR(FindVariable(node, 0));
    } else if (op == "_Recv") {
      BERTH_RETURN_IF_ERROR(AddReceive(node, part));
    } else if (op == "_Arg") {
      const int64_t* index = node.AttrOrDefault<int64_t>("index");
      PlanStep& step = AddStep(StepKind::kFeed, id);
      step.number = index == nullptr ? 0 : static_cast<int32_t>(*index);
      Value& v = value(id, 0);
      v.slot[v.home] = AddSlot(node.output_dtype(0), PartialShape(), v.home, false);
      FinishStep(step, {}, {v.slot[v.home]}, {});
    } else if (op == "_Send" || op == "_Retval") {
      std::vector<int32_t> inputs;
      std::vector<VariableUse> uses;
      BERTH_RETURN_IF_ERROR(AddInput(node, 0, value(node.data_inputs()[0]).home, inputs, uses));
      PlanStep& step = AddStep(op == "_Send" ? StepKind::kSend : StepKind::kFetch, id);
      if (op == "_Send") {
        BERTH_ASSIGN_OR_RETURN(step.number, Channel(node));
      } else if (const int64_t* index = node.AttrOrDefault<int64_t>("index")) {
        step.number = static_cast<int32_t>(*index);
      }
      FinishStep(step, inputs, {}, uses);
    }
  }
  ShareInPlace();
  AssignOffsets();
  ListReleases();
  bool any_stateful = false;
  for (const PlanStep& step : plan_.steps) any_stateful |= step.stateful;
  if (any_stateful) {
    plan_.shared_states.resize(plan_.steps.size());
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      if (plan_.steps[s].stateful) {
        plan_.shared_states[s] = state_.StateOf(graph_.node(plan_.steps[s].node).name());
      }
    }
  }
  return absl::OkStatus();
}

int32_t PartPlanner::Block(int32_t slot) const {
  slot = Root(slot);
  while (merged_into_[slot] >= 0) slot = merged_into_[slot];
  return slot;
}

// Where a kernel can write over an input that nobody reads later, its output takes that memory.
void PartPlanner::ShareInPlace() {
  merged_into_.assign(plan_.slots.size(), -1);
  for (int32_t s = 0; s < static_cast<int32_t>(plan_.steps.size()); ++s) {
    const PlanStep& step = plan_.steps[s];
    if (step_kernels_[s] == nullptr || step.num_outputs == 0) continue;
    const int32_t* inputs = plan_.operands.data() + step.first_operand;
    const int32_t out = inputs[step.num_inputs];
    if (plan_.slots[out].offset < 0) continue;
    for (int i : step_kernels_[s]->in_place) {
      if (i >= step.num_inputs) continue;
      const int32_t block = Block(inputs[i]);
      const PlanSlot& from = plan_.slots[block];
      bool fits = from.offset >= 0 && from.space == plan_.slots[out].space && from.bytes == plan_.slots[out].bytes &&
                  last_[block] == s;
      for (int j = 0; j < step.num_inputs; ++j) {
        fits &= inputs[j] == inputs[i] || Block(inputs[j]) != block;
      }
      if (!fits) continue;
      merged_into_[out] = block;
      last_[block] = last_[out];
      break;
    }
  }
}

void PartPlanner::AssignOffsets() {
  for (MemorySpace space : {kDeviceSpace, kHostSpace}) {
    std::vector<int32_t> slots;
    std::vector<MemoryBlock> blocks;
    for (int32_t i = 0; i < static_cast<int32_t>(plan_.slots.size()); ++i) {
      if (plan_.slots[i].offset < 0 || plan_.slots[i].space != space || merged_into_[i] >= 0) continue;
      slots.push_back(i);
      blocks.push_back({plan_.slots[i].bytes, first_[i], last_[i]});
    }
    const MemoryPlan memory = PlanMemory(blocks);
    for (size_t b = 0; b < slots.size(); ++b) plan_.slots[slots[b]].offset = memory.offsets[b];
    plan_.bytes[space] = memory.bytes;
    plan_.lower_bound[space] = memory.lower_bound;
  }
  for (int32_t i = 0; i < static_cast<int32_t>(plan_.slots.size()); ++i) {
    if (merged_into_[i] >= 0) plan_.slots[i].offset = plan_.slots[Block(i)].offset;
  }
}

void PartPlanner::ListReleases() {
  std::vector<std::vector<int32_t>> dead(plan_.steps.size());
  for (int32_t i = 0; i < static_cast<int32_t>(plan_.slots.size()); ++i) {
    if (!plan_.slots[i].is_fixed()) dead[last_[i]].push_back(i);
  }
  for (size_t s = 0; s < plan_.steps.size(); ++s) {
    PlanStep& step = plan_.steps[s];
    step.first_release = static_cast<int32_t>(plan_.releases.size());
    step.num_releases = static_cast<int32_t>(dead[s].size());
    plan_.releases.insert(plan_.releases.end(), dead[s].begin(), dead[s].end());
    for (int i = 0; i < step.num_inputs && i < 64; ++i) {
      const int32_t slot = plan_.operands[step.first_operand + i];
      if (!plan_.slots[slot].is_fixed() && last_[slot] == static_cast<int32_t>(s)) step.dying |= uint64_t{1} << i;
    }
  }
}

}  // namespace

absl::StatusOr<RunPlan> BuildPlans(Partition partition, const std::vector<Device*>& devices, const KernelTable& kernels,
                                   SessionState& state, const PlanOptions& options) {
  BERTH_ASSIGN_OR_RETURN(std::vector<std::vector<const KernelDef*>> found, FindKernels(partition, devices, kernels));
  RunPlan run;
  for (Transfer& transfer : partition.transfers) {
    const std::string ends =
        absl::StrCat(devices[transfer.from]->short_name(), " -> ", devices[transfer.to]->short_name());
    run.channels.push_back({std::move(transfer), ends});
  }
  run.parts.resize(partition.parts.size());
  std::vector<std::unique_ptr<PartPlanner>> planners;
  std::vector<bool> sender_host(run.channels.size()), receiver_host(run.channels.size());
  for (size_t p = 0; p < partition.parts.size(); ++p) {
    run.parts[p].device = partition.parts[p].device;
    run.parts[p].graph = std::make_shared<const Graph>(std::move(partition.parts[p].graph));
    planners.push_back(std::make_unique<PartPlanner>(run.parts[p], std::move(found[p]), *devices[run.parts[p].device],
                                                     state, options, run.channels));
    BERTH_RETURN_IF_ERROR(planners[p]->FindEnds(static_cast<int32_t>(p), sender_host, receiver_host));
  }
  for (size_t c = 0; c < run.channels.size(); ++c) {
    if (run.channels[c].sender < 0 || run.channels[c].receiver < 0) {
      return absl::InternalError(absl::StrCat("transfer '", run.channels[c].transfer.value,
                                              "': expected a _Send and a _Recv, got ",
                                              run.channels[c].sender < 0 ? "no _Send" : "no _Recv"));
    }
    run.channels[c].by_pointer = sender_host[c] && receiver_host[c];
  }
  for (size_t p = 0; p < planners.size(); ++p) {
    BERTH_RETURN_IF_ERROR(planners[p]->Build(static_cast<int32_t>(p)));
  }
  return run;
}

}  // namespace berth
