#include "placement/op_support.h"

#include <algorithm>
#include <utility>

#include "graph/op_def.h"

namespace berth {
namespace {

bool Allows(const KernelSupport::Constraint& constraint, DType type) {
  return std::find(constraint.types.begin(), constraint.types.end(), type) != constraint.types.end();
}

// A type attribute that the node does not have, nor its op a default for, excludes nothing; of a
// list, every type must be allowed.
bool Holds(const KernelSupport::Constraint& constraint, const Node& node) {
  const AttrValue* value = node.attr_or_default(constraint.attr);
  if (value == nullptr) return true;
  if (const DType* type = value->get<DType>()) return Allows(constraint, *type);
  if (const AttrList* list = value->get<AttrList>()) {
    return std::all_of(list->type.begin(), list->type.end(), [&](DType type) { return Allows(constraint, type); });
  }
  return true;
}

bool TypesFit(const KernelSupport& entry, const Node& node) {
  return std::all_of(entry.constraints.begin(), entry.constraints.end(),
                     [&](const KernelSupport::Constraint& constraint) { return Holds(constraint, node); });
}

bool Fits(const KernelSupport& entry, const Node& node) {
  return TypesFit(entry, node) && (entry.supports == nullptr || entry.supports(node).ok());
}

}  // namespace

void OpSupport::Add(KernelSupport entry) {
  by_op_[entry.op].push_back(static_cast<int>(entries_.size()));
  if (!entry.listed_without_kernel && std::find(kinds_.begin(), kinds_.end(), entry.kind) == kinds_.end()) {
    kinds_.push_back(entry.kind);
  }
  entries_.push_back(std::move(entry));
}

const std::vector<int>& OpSupport::EntriesOf(absl::string_view op) const {
  static const auto& none = *new std::vector<int>;
  const auto it = by_op_.find(op);
  return it == by_op_.end() ? none : it->second;
}

const KernelSupport* OpSupport::Find(const Node& node, absl::string_view kind) const {
  for (const int i : EntriesOf(node.op())) {
    const KernelSupport& entry = entries_[i];
    if (!entry.listed_without_kernel && entry.kind == kind && Fits(entry, node)) return &entry;
  }
  return nullptr;
}

std::string OpSupport::WhyRejected(const Node& node, absl::string_view kind) const {
  for (const int i : EntriesOf(node.op())) {
    const KernelSupport& entry = entries_[i];
    if (entry.kind != kind || entry.supports == nullptr || !TypesFit(entry, node)) continue;
    if (const absl::Status status = entry.supports(node); !status.ok()) return std::string(status.message());
  }
  return "";
}

bool OpSupport::AnyKind(const Node& node) const {
  for (const int i : EntriesOf(node.op())) {
    if (!entries_[i].listed_without_kernel && Fits(entries_[i], node)) return true;
  }
  return false;
}

bool OpSupport::ListedWithoutKernel(const Node& node) const {
  for (const int i : EntriesOf(node.op())) {
    if (entries_[i].listed_without_kernel && Fits(entries_[i], node)) return true;
  }
  return false;
}

}  // namespace berth
