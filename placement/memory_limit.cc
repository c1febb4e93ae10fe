#include "placement/memory_limit.h"

#include <algorithm>
#include <utility>

#include "graph/node_bytes.h"
#include "graph/op_def.h"
#include "placement/node_cost.h"

namespace berth {
namespace {

constexpr int kMaxSteps = 16;  // of Identity and the like

}  // namespace

MemoryLimit::MemoryLimit(const Graph& graph, const Machine& machine) : graph_(graph) {
  for (const MachineDevice& device : machine.devices()) {
    const bool stated = device.memory_bytes > 0 && device.memory_bytes != DefaultDevice(device.name).memory_bytes;
    limits_.push_back(stated ? device.memory_bytes : kNone);
    least_ = std::min(least_, limits_.back());
  }
}

bool MemoryLimit::IsKept(const Node& node) const { return node.op() == "Const" || IsVariableOp(node.op()); }

// Whose memory a value is; no node where that is many steps away.
Input MemoryLimit::OwnerOf(Input input) const {
  for (int step = 0; step < kMaxSteps; ++step) {
    const Node node = graph_.node(input.node);
    if (!SharesInput(node) || node.data_inputs().empty()) return input;
    input = node.data_inputs()[0];
  }
  return Input();
}

int64_t MemoryLimit::Kept(NodeId n) const {
  const Node node = graph_.node(n);
  return IsKept(node) ? NodeBytes(node).value_or(0) : 0;
}

int64_t MemoryLimit::Working(NodeId n) const {
  const Node node = graph_.node(n);
  if (IsKept(node)) return 0;
  std::vector<std::pair<NodeId, int32_t>> inputs;
  for (const Input& input : node.data_inputs()) {
    const Input memory = OwnerOf(input);
    if (memory.node != kNoNode && !IsKept(graph_.node(memory.node))) inputs.emplace_back(memory.node, memory.slot);
  }
  std::sort(inputs.begin(), inputs.end());
  inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
  int64_t read = 0, written = 0;
  const bool reads_one = node.op() == "Merge" || node.op() == "RefMerge";  // of its inputs only one comes
  for (const auto& [from, slot] : inputs) {
    const int64_t bytes = OutputBytes(graph_.node(from), slot).value_or(0);
    read = reads_one ? std::max(read, bytes) : AddSizes(read, bytes);
  }
  for (int k = 0; k < node.num_outputs(); ++k) {
    written = AddSizes(written, SharesInput(node) ? 0 : OutputBytes(node, k).value_or(0));
  }
  return std::max(read, written);
}

}  // namespace berth
