#include "runtime/kernel.h"

#include <algorithm>

namespace berth {
namespace {

bool TypesFit(const KernelDef& def, const Node& node) {
  for (const TypeConstraint& constraint : def.types) {
    const AttrValue* value = node.attr_or_default(constraint.attr);
    const DType* type = value == nullptr ? nullptr : value->get<DType>();
    if (type == nullptr) return false;
    if (std::find(constraint.types.begin(), constraint.types.end(), *type) == constraint.types.end()) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool IsExecutorOp(absl::string_view op) {
  constexpr absl::string_view kOps[] = {"Const",      "NoOp", "Placeholder", "PlaceholderV2", "VarHandleOp", "Variable",
                                        "VariableV2", "_Arg", "_Recv",       "_Retval",       "_Send"};
  return std::find(std::begin(kOps), std::end(kOps), op) != std::end(kOps);
}

void KernelTable::Add(KernelDef def) {
  defs_.push_back(std::make_unique<KernelDef>(std::move(def)));
  by_op_[defs_.back()->op].push_back(defs_.back().get());
}

const KernelDef* KernelTable::Find(const Node& node, absl::string_view kind, bool virtual_device) const {
  const auto it = by_op_.find(node.op());
  // Without a signature nothing has checked that the node has the inputs and outputs that kernels count on.
  if (it == by_op_.end() || node.op_def() == nullptr) return nullptr;
  const KernelDef* best = nullptr;
  for (const KernelDef* def : it->second) {
    if (def->kind != (virtual_device ? absl::string_view("CPU") : kind)) continue;
    if (best != nullptr && best->priority >= def->priority) continue;
    if (TypesFit(*def, node) && (def->supports == nullptr || def->supports(node).ok())) best = def;
  }
  return best;
}

}  // namespace berth
