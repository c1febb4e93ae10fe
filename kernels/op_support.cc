#include "kernels/op_support.h"

#include <utility>

namespace berth {
namespace {

// What the executor does itself runs wherever it is placed.
constexpr const char* kExecutorOps[] = {"Const",    "NoOp",       "Placeholder", "VarHandleOp",
                                        "Variable", "VariableV2", "_Recv",       "_Send"};

KernelSupport SupportOf(const KernelDef& kernel, const std::string& kind) {
  KernelSupport entry{.op = kernel.op, .kind = kind, .supports = kernel.supports, .priority = kernel.priority};
  for (const TypeConstraint& types : kernel.types) {
    entry.constraints.push_back({types.attr, types.types});
  }
  if (kind != "CPU") entry.host_args = kernel.host_args;
  return entry;
}

}  // namespace

OpSupport SupportFrom(const KernelTable& kernels, const std::vector<std::string>& virtual_kinds) {
  OpSupport support;
  for (const char* op : kExecutorOps) {
    support.Add({.op = op, .kind = "CPU"});
    for (const std::string& kind : virtual_kinds) support.Add({.op = op, .kind = kind});
  }
  for (const auto& kernel : kernels.all()) {
    support.Add(SupportOf(*kernel, kernel->kind));
    if (kernel->kind != "CPU") continue;
    for (const std::string& kind : virtual_kinds) support.Add(SupportOf(*kernel, kind));
  }
  return support;
}

}  // namespace berth
