#include "graph/op_call.h"

#include <cstdint>
#include <optional>

#include "absl/strings/str_cat.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

using Attrs = absl::Span<const std::pair<absl::string_view, AttrValue>>;

const AttrValue* Find(Attrs attrs, absl::string_view name) {
  for (const auto& [key, value] : attrs) {
    if (key == name) return &value;
  }
  return nullptr;
}

bool IsList(const ArgDef& arg) { return !arg.number_attr.empty() || !arg.type_list_attr.empty(); }

std::string Signature(const OpDef& op) {
  std::string names;
  for (const ArgDef& arg : op.inputs) {
    absl::StrAppend(&names, names.empty() ? "" : ", ", arg.name, IsList(arg) ? "..." : "");
  }
  return names;
}

// The number of tensors of a list argument as the caller's attributes say it.
std::optional<int64_t> GivenNumber(const ArgDef& arg, Attrs given) {
  if (!arg.number_attr.empty()) {
    const AttrValue* value = Find(given, arg.number_attr);
    const int64_t* number = value == nullptr ? nullptr : value->get<int64_t>();
    return number == nullptr ? std::nullopt : std::optional<int64_t>(*number);
  }
  const AttrValue* value = Find(given, arg.type_list_attr);
  const AttrList* list = value == nullptr ? nullptr : value->get<AttrList>();
  return list == nullptr ? std::nullopt : std::optional<int64_t>(list->type.size());
}

// Works on one call; the spans outlive it.
class Completion {
 public:
  Completion(const OpDef& op, absl::Span<const CallInput> inputs, Attrs given)
      : op_(op), inputs_(inputs), given_(given) {}

  absl::StatusOr<OpCall> Run() {
    BERTH_RETURN_IF_ERROR(AssignSlots());
    BERTH_RETURN_IF_ERROR(InferTypes());
    ResolveWeak();
    for (const AttrDef& attr : op_.attrs) {
      if (attr.default_value || Known(attr.name) != nullptr) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("attribute '", attr.name, "': expected a value of type ", attr.type, ", got none"));
    }
    return std::move(call_);
  }

 private:
  absl::Status WrongNumber() const {
    return absl::InvalidArgumentError(
        absl::StrCat("expected ", op_.inputs.size(), op_.inputs.size() == 1 ? " input" : " inputs",
                     op_.inputs.empty() ? "" : absl::StrCat(" (", Signature(op_), ")"), ", got ", inputs_.size()));
  }

  // Which formal argument each input belongs to. Lists whose number nobody gives share what is left
  // evenly, which is exact for one list and for lists of one number.
  absl::Status AssignSlots() {
    int64_t open_lists = 0;
    int64_t rest = static_cast<int64_t>(inputs_.size());
    for (const ArgDef& arg : op_.inputs) {
      const std::optional<int64_t> number = IsList(arg) ? GivenNumber(arg, given_) : 1;
      if (!number) {
        ++open_lists;
      } else if (*number < 0 || *number > rest) {
        return WrongNumber();
      } else {
        rest -= *number;
      }
    }
    if (open_lists == 0 ? rest != 0 : rest % open_lists != 0) return WrongNumber();
    const int64_t share = open_lists == 0 ? 0 : rest / open_lists;
    for (const ArgDef& arg : op_.inputs) {
      if (!IsList(arg)) {
        call_.slots.push_back({&arg});
        continue;
      }
      const std::optional<int64_t> given = GivenNumber(arg, given_);
      const int64_t number = given.value_or(share);
      if (!given && !arg.number_attr.empty()) InferNumber(arg.number_attr, number);
      for (int i = 0; i < number; ++i) call_.slots.push_back({&arg, i});
    }
    return absl::OkStatus();
  }

  void InferNumber(absl::string_view attr, int64_t number) {
    if (Find(given_, attr) != nullptr || Inferred(attr) != nullptr) return;
    call_.inferred.emplace_back(attr, AttrValue(number));
  }
  const AttrValue* Inferred(absl::string_view attr) const {
    return Find(Attrs(call_.inferred.data(), call_.inferred.size()), attr);
  }
  const AttrValue* Known(absl::string_view attr) const {
    const AttrValue* value = Find(given_, attr);
    return value != nullptr ? value : Inferred(attr);
  }

  absl::Status InferTypes() {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      OpCall::Slot& slot = call_.slots[i];
      if (inputs_[i].weak || slot.arg->type_attr.empty()) continue;
      if (Known(slot.arg->type_attr) == nullptr && inputs_[i].dtype != DType::kInvalid) {
        call_.inferred.emplace_back(slot.arg->type_attr, AttrValue(BaseOf(inputs_[i].dtype)));
      }
    }
    InferTypeLists();
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i].weak) continue;
      call_.slots[i].dtype = DeclaredType(call_.slots[i]);
      BERTH_RETURN_IF_ERROR(CheckType(i));
    }
    return absl::OkStatus();
  }

  void InferTypeLists() {
    for (const ArgDef& arg : op_.inputs) {
      if (arg.type_list_attr.empty() || Known(arg.type_list_attr) != nullptr) continue;
      AttrList types;
      for (size_t i = 0; i < inputs_.size(); ++i) {
        if (call_.slots[i].arg != &arg) continue;
        types.type.push_back(inputs_[i].weak ? Natural(i) : BaseOf(inputs_[i].dtype));
      }
      call_.inferred.emplace_back(arg.type_list_attr, AttrValue(std::move(types)));
    }
  }

  // kInvalid while the attribute is not known.
  DType DeclaredType(const OpCall::Slot& slot) const {
    const ArgDef& arg = *slot.arg;
    DType type = arg.type;
    if (!arg.type_attr.empty()) {
      const AttrValue* value = Known(arg.type_attr);
      const DType* known = value == nullptr ? nullptr : value->get<DType>();
      type = known == nullptr ? DType::kInvalid : *known;
    } else if (!arg.type_list_attr.empty()) {
      const AttrValue* value = Known(arg.type_list_attr);
      const AttrList* list = value == nullptr ? nullptr : value->get<AttrList>();
      const bool has = list != nullptr && slot.index < static_cast<int>(list->type.size());
      type = has ? list->type[slot.index] : DType::kInvalid;
    }
    return arg.is_ref && type != DType::kInvalid ? RefOf(type) : type;
  }

  absl::Status CheckType(size_t i) const {
    const DType wanted = call_.slots[i].dtype;
    const DType got = inputs_[i].dtype;
    if (wanted == DType::kInvalid || got == DType::kInvalid || got == wanted) {
      return absl::OkStatus();
    }
    if (!IsRef(wanted) && BaseOf(got) == wanted) return absl::OkStatus();  // a variable is read
    std::string why;
    for (size_t j = 0; j < i; ++j) {
      const std::string& attr = call_.slots[i].arg->type_attr;
      if (!attr.empty() && call_.slots[j].arg->type_attr == attr && !inputs_[j].weak) {
        why = absl::StrCat(" as input ", j, " (", call_.slots[j].name(), ")");
        break;
      }
    }
    return absl::InvalidArgumentError(absl::StrCat("input ", i, " (", call_.slots[i].name(), "): expected ",
                                                   ShortDTypeName(wanted), why, ", got ", ShortDTypeName(got)));
  }

  DType Natural(size_t i) const {
    if (inputs_[i].dtype == DType::kFloat64) return DType::kFloat32;
    return inputs_[i].dtype == DType::kInt64 ? DType::kInt32 : inputs_[i].dtype;
  }

  // Plain numbers take what is known, else the attribute's default, else what fits the widest of
  // those that share the attribute.
  void ResolveWeak() {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      OpCall::Slot& slot = call_.slots[i];
      if (!inputs_[i].weak) continue;
      slot.dtype = DeclaredType(slot);
      if (slot.dtype != DType::kInvalid || slot.arg->type_attr.empty()) continue;
      const std::string& attr = slot.arg->type_attr;
      const AttrDef* def = op_.FindAttr(attr);
      const DType* fallback = def == nullptr || !def->default_value ? nullptr : def->default_value->get<DType>();
      slot.dtype = fallback != nullptr ? *fallback : WidestNatural(attr);
      call_.inferred.emplace_back(attr, AttrValue(slot.dtype));
    }
  }

  DType WidestNatural(const std::string& attr) const {
    DType type = DType::kInvalid;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (call_.slots[i].arg->type_attr != attr) continue;
      if (type == DType::kInvalid || IsFloating(Natural(i))) type = Natural(i);
    }
    return type;
  }

  const OpDef& op_;
  absl::Span<const CallInput> inputs_;
  Attrs given_;
  OpCall call_;
};

}  // namespace

std::string OpCall::Slot::name() const { return index < 0 ? arg->name : absl::StrCat(arg->name, "_", index); }

absl::StatusOr<OpCall> CompleteCall(const OpDef& op, absl::Span<const CallInput> inputs, Attrs given) {
  return Completion(op, inputs, given).Run();
}

}  // namespace berth
