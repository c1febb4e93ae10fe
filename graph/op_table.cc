#include "graph/op_table.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

absl::Status Contradiction(const OpDef& op, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("op '", op.name, "': ", what));
}

bool IsAttrType(absl::string_view type) {
  absl::string_view element = type;
  if (absl::ConsumePrefix(&element, "list(") && !absl::ConsumeSuffix(&element, ")")) return false;
  for (absl::string_view known : {"int", "float", "bool", "string", "type", "shape", "tensor", "func"}) {
    if (element == known) return true;
  }
  return false;
}

// `attr`, when not empty, must be declared with `type`.
absl::Status CheckReference(const OpDef& op, const ArgDef& arg, const std::string& attr, absl::string_view type) {
  if (attr.empty()) return absl::OkStatus();
  const AttrDef* def = op.FindAttr(attr);
  if (def == nullptr || def->type != type) {
    return Contradiction(op, absl::StrCat("expected an attribute '", attr, "' of type ", type, " for argument '",
                                          arg.name, "', got ", def == nullptr ? "none" : def->type));
  }
  return absl::OkStatus();
}

absl::Status CheckArg(const OpDef& op, const ArgDef& arg) {
  const int told = (arg.type != DType::kInvalid) + !arg.type_attr.empty() + !arg.type_list_attr.empty();
  if (told != 1) {
    return Contradiction(op, absl::StrCat("expected exactly one of type, type_attr and type_list_attr "
                                          "for argument '",
                                          arg.name, "', got ", told));
  }
  BERTH_RETURN_IF_ERROR(CheckReference(op, arg, arg.type_attr, "type"));
  BERTH_RETURN_IF_ERROR(CheckReference(op, arg, arg.number_attr, "int"));
  return CheckReference(op, arg, arg.type_list_attr, "list(type)");
}

absl::Status Check(const OpDef& op) {
  if (op.name.empty()) return absl::InvalidArgumentError("op '': expected a name, got none");
  for (size_t i = 0; i < op.attrs.size(); ++i) {
    const AttrDef& attr = op.attrs[i];
    if (!IsAttrType(attr.type)) {
      return Contradiction(op, absl::StrCat("expected a type for attribute '", attr.name, "', got '", attr.type, "'"));
    }
    if (op.FindAttr(attr.name) != &attr) {
      return Contradiction(op, absl::StrCat("expected attribute '", attr.name, "' once, got it twice"));
    }
  }
  for (const ArgDef& arg : op.inputs) BERTH_RETURN_IF_ERROR(CheckArg(op, arg));
  for (const ArgDef& arg : op.outputs) BERTH_RETURN_IF_ERROR(CheckArg(op, arg));
  return absl::OkStatus();
}

}  // namespace

absl::Status OpTable::Add(OpDef op) {
  BERTH_RETURN_IF_ERROR(Check(op));
  const std::string name = op.name;
  if (!ops_.try_emplace(name, std::make_unique<OpDef>(std::move(op))).second) {
    return absl::AlreadyExistsError(absl::StrCat("op '", name, "': expected a new name, got one that the table has"));
  }
  return absl::OkStatus();
}

const OpDef* OpTable::Find(absl::string_view name) const {
  const auto it = ops_.find(name);
  return it == ops_.end() ? nullptr : it->second.get();
}

std::vector<const OpDef*> OpTable::All() const {
  std::vector<const OpDef*> all;
  all.reserve(ops_.size());
  for (const auto& [name, op] : ops_) all.push_back(op.get());
  std::sort(all.begin(), all.end(), [](const OpDef* a, const OpDef* b) { return a->name < b->name; });
  return all;
}

}  // namespace berth
