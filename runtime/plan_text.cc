// Plans as text: for tests and for people.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/device_name.h"
#include "graph/fingerprint.h"
#include "runtime/plan.h"

namespace berth {

std::string Plan::Describe(const PlanStep& step) const {
  const Node n = graph->node(step.node);
  absl::StatusOr<DeviceName> name = ParseTensorFlowName(n.device());
  return absl::StrCat("node '", n.name(), "' (", n.op(), " on ",
                      name.ok() ? name->ShortName() : std::string(n.device()), ")");
}

std::string Plan::ToString() const {
  constexpr const char* kKinds[] = {"kernel", "feed", "fetch", "send", "receive", "copy"};
  std::string text;
  for (size_t s = 0; s < steps.size(); ++s) {
    const PlanStep& step = steps[s];
    const Node n = graph->node(step.node);
    const auto in = operands.begin() + step.first_operand;
    absl::StrAppend(&text, s, " ", kKinds[static_cast<int>(step.kind)], " ", n.name(), " (", n.op(), ") [",
                    absl::StrJoin(in, in + step.num_inputs, ","), "] -> [",
                    absl::StrJoin(in + step.num_inputs, in + step.num_inputs + step.num_outputs, ","), "]\n");
  }
  for (size_t i = 0; i < slots.size(); ++i) {
    const PlanSlot& slot = slots[i];
    if (!slot.is_fixed()) continue;
    absl::StrAppend(&text, "slot ", i, " ", ShortDTypeName(slot.dtype), "[", absl::StrJoin(slot.dims, ","), "]",
                    slot.space == kHostSpace ? " host" : "");
    if (slot.root >= 0) {
      absl::StrAppend(&text, " as slot ", slot.root, "\n");
    } else if (slot.constant.has_value()) {
      absl::StrAppend(&text, " constant\n");
    } else {
      absl::StrAppend(&text, " at ", slot.offset, ", ", slot.bytes, " bytes\n");
    }
  }
  absl::StrAppend(&text, "memory ", bytes[0] + bytes[1], " bytes, lower bound ", lower_bound[0] + lower_bound[1], "\n");
  return text;
}

uint64_t RunPlan::Fingerprint() const {
  uint64_t hash = 0;
  for (const Plan& part : parts) {
    hash = berth::Fingerprint(part.graph->Fingerprint(), berth::Fingerprint(part.ToString(), hash));
  }
  for (const ChannelPlan& channel : channels) {
    hash = berth::Fingerprint(absl::StrCat(channel.ends, " ", channel.sender, " ", channel.receiver, " ",
                                           channel.receive_slot, " ", channel.by_pointer),
                              hash);
  }
  return hash;
}

}  // namespace berth
