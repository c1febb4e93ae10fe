#include "graph/text_attrs.h"

#include <algorithm>

#include "absl/strings/string_view.h"
#include "graph/op_call.h"

namespace berth {
namespace {

using Attrs = std::vector<std::pair<std::string, AttrValue>>;

bool IsMissing(const OpDef& op, absl::string_view name, const Attrs& attrs) {
  const AttrDef* def = op.FindAttr(name);
  return def != nullptr && !def->default_value &&
         std::none_of(attrs.begin(), attrs.end(), [&](const auto& attr) { return attr.first == name; });
}

bool IsOfInputs(const OpDef& op, absl::string_view type_attr) {
  return std::any_of(op.inputs.begin(), op.inputs.end(), [&](const ArgDef& arg) { return arg.type_attr == type_attr; });
}

// Of a call that does not fit: each type is its first input's, so that the graph builder says which input differs.
void TakeFirstTypes(const OpDef& op, absl::Span<const DType> inputs, Attrs& attrs) {
  for (size_t i = 0; i < std::min(op.inputs.size(), inputs.size()); ++i) {
    const ArgDef& arg = op.inputs[i];
    if (!arg.number_attr.empty() || !arg.type_list_attr.empty()) return;
    if (arg.type_attr.empty() || inputs[i] == DType::kInvalid || !IsMissing(op, arg.type_attr, attrs)) continue;
    attrs.emplace_back(arg.type_attr, AttrValue(BaseOf(inputs[i])));
  }
}

}  // namespace

void CompleteAttrs(const OpDef& op, absl::Span<const DType> inputs, absl::Span<const DType> outputs, Attrs& attrs) {
  const bool complete = std::none_of(op.attrs.begin(), op.attrs.end(),
                                     [&](const AttrDef& attr) { return IsMissing(op, attr.name, attrs); });
  if (complete) return;
  // Inputs decide before outputs do: a declared output that they contradict is an error of its own.
  for (size_t k = 0; k < std::min(op.outputs.size(), outputs.size()); ++k) {
    const ArgDef& arg = op.outputs[k];
    if (!arg.number_attr.empty() || !arg.type_list_attr.empty()) break;  // what follows is at another place
    if (arg.type_attr.empty() || outputs[k] == DType::kInvalid || IsOfInputs(op, arg.type_attr)) continue;
    if (IsMissing(op, arg.type_attr, attrs)) attrs.emplace_back(arg.type_attr, AttrValue(BaseOf(outputs[k])));
  }
  if (IsMissing(op, "dtype", attrs)) {
    const auto value = std::find_if(attrs.begin(), attrs.end(), [](const auto& a) { return a.first == "value"; });
    const Literal* literal = value == attrs.end() ? nullptr : value->second.get<Literal>();
    if (literal != nullptr) attrs.emplace_back("dtype", AttrValue(literal->dtype()));
  }
  std::vector<CallInput> call_inputs;
  for (const DType input : inputs) call_inputs.push_back({input});
  const std::vector<std::pair<absl::string_view, AttrValue>> given(attrs.begin(), attrs.end());
  const absl::StatusOr<OpCall> call = CompleteCall(op, call_inputs, given);
  if (!call.ok()) return TakeFirstTypes(op, inputs, attrs);
  for (const auto& [name, value] : call->inferred) {
    const DType* type = value.get<DType>();
    if (type != nullptr && *type == DType::kInvalid) continue;
    if (IsMissing(op, name, attrs)) attrs.emplace_back(std::string(name), value);
  }
}

}  // namespace berth
