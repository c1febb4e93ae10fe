#include "graph/op_def.h"

namespace berth {

const AttrDef* OpDef::FindAttr(absl::string_view attr_name) const {
  for (const AttrDef& attr : attrs) {
    if (attr.name == attr_name) return &attr;
  }
  return nullptr;
}

bool IsVariableOp(absl::string_view op) {
  return op == "Variable" || op == "VariableV2" || op == "VarHandleOp" || op == "TemporaryVariable" ||
         op == "AutoReloadVariable";
}

}  // namespace berth
