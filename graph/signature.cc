#include "graph/signature.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

constexpr int64_t kMaxOutputs = 1000000;

// The tensors that one formal argument stands for.
struct Tensors {
  std::optional<int64_t> count;  // nullopt: a missing attribute says
  DType type = DType::kInvalid;  // of each, where `types` is null
  const std::vector<DType>* types = nullptr;
};

class Resolver {
 public:
  Resolver(const OpDef& op, AttrLookup attr) : op_(op), attr_(attr) {}

  absl::StatusOr<Tensors> Resolve(const ArgDef& arg) {
    Tensors tensors;
    if (!arg.type_list_attr.empty()) {
      const AttrList* list = Get<AttrList>(arg.type_list_attr);
      if (list == nullptr) return tensors;
      tensors.types = &list->type;
      tensors.count = static_cast<int64_t>(list->type.size());
      return tensors;
    }
    tensors.count = 1;
    if (!arg.number_attr.empty()) {
      const int64_t* count = Get<int64_t>(arg.number_attr);
      tensors.count = count == nullptr ? std::nullopt : std::optional<int64_t>(*count);
      if (count != nullptr && *count < 0) {
        return absl::InvalidArgumentError(
            absl::StrCat("expected attribute '", arg.number_attr, "' of at least 0, got ", *count));
      }
    }
    tensors.type = arg.type;
    if (!arg.type_attr.empty()) {
      const DType* type = Get<DType>(arg.type_attr);
      if (type != nullptr) tensors.type = *type;
    }
    if (arg.is_ref && tensors.type != DType::kInvalid) tensors.type = RefOf(tensors.type);
    return tensors;
  }

 private:
  template <typename T>
  const T* Get(const std::string& name) {
    if (const AttrValue* value = attr_(name)) return value->get<T>();
    const AttrDef* def = op_.FindAttr(name);
    return def == nullptr || !def->default_value ? nullptr : def->default_value->get<T>();
  }

  const OpDef& op_;
  AttrLookup attr_;
};

void Append(const Tensors& tensors, int64_t count, std::vector<DType>& types) {
  if (tensors.types != nullptr) {
    types.insert(types.end(), tensors.types->begin(), tensors.types->end());
  } else {
    types.insert(types.end(), count, tensors.type);
  }
}

absl::Status WrongInputs(const OpDef& op, absl::string_view expected, int64_t got) {
  std::string formal;
  for (const ArgDef& arg : op.inputs) {
    absl::StrAppend(&formal, formal.empty() ? "" : ", ", arg.name);
    if (!arg.number_attr.empty()) absl::StrAppend(&formal, " * ", arg.number_attr);
    if (!arg.type_list_attr.empty()) absl::StrAppend(&formal, " * ", arg.type_list_attr);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("expected ", expected, expected == "1" ? " input (" : " inputs (", formal, "), got ", got));
}

absl::Status ResolveInputs(const OpDef& op, Resolver& resolver, int64_t num_inputs, std::vector<DType>& types) {
  std::vector<Tensors> args;
  int64_t known = 0;
  int open = 0;
  for (const ArgDef& arg : op.inputs) {
    BERTH_ASSIGN_OR_RETURN(Tensors tensors, resolver.Resolve(arg));
    // Bounds the sum before anything is made of it.
    if (tensors.count > num_inputs) {
      return WrongInputs(op, absl::StrCat("at least ", *tensors.count), num_inputs);
    }
    known += tensors.count.value_or(0);
    open += !tensors.count.has_value();
    args.push_back(tensors);
  }
  if (known > num_inputs || (open == 0 && known < num_inputs)) {
    return WrongInputs(op, absl::StrCat(open > 0 ? "at least " : "", known), num_inputs);
  }
  for (const Tensors& tensors : args) {
    if (!tensors.count && open > 1) break;  // which input belongs to which argument is not known
    Append(tensors, tensors.count.value_or(num_inputs - known), types);
  }
  types.resize(num_inputs, DType::kInvalid);
  return absl::OkStatus();
}

absl::Status ResolveOutputs(const OpDef& op, Resolver& resolver, std::vector<DType>& types) {
  for (const ArgDef& arg : op.outputs) {
    BERTH_ASSIGN_OR_RETURN(Tensors tensors, resolver.Resolve(arg));
    const int64_t count = tensors.count.value_or(0);
    if (count > kMaxOutputs - static_cast<int64_t>(types.size())) {
      return absl::InvalidArgumentError(absl::StrCat("expected at most ", kMaxOutputs, " outputs, got ", count));
    }
    Append(tensors, count, types);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Signature> ResolveSignature(const OpDef& op, AttrLookup attr, int64_t num_inputs) {
  Signature signature;
  for (const AttrDef& def : op.attrs) {
    const AttrValue* value = attr(def.name);
    if (value == nullptr) {
      signature.complete = signature.complete && def.default_value.has_value();
    } else if (!HasAttrType(*value, def.type)) {
      return absl::InvalidArgumentError(absl::StrCat("expected attribute '", def.name, "' of type ", def.type, ", got ",
                                                     value->ToString().substr(0, 64)));
    }
  }
  Resolver resolver(op, attr);
  BERTH_RETURN_IF_ERROR(ResolveInputs(op, resolver, num_inputs, signature.inputs));
  BERTH_RETURN_IF_ERROR(ResolveOutputs(op, resolver, signature.outputs));
  return signature;
}

bool HasAttrType(const AttrValue& value, absl::string_view type) {
  if (absl::ConsumePrefix(&type, "list(")) {
    absl::ConsumeSuffix(&type, ")");
    const AttrList* list = value.get<AttrList>();
    if (list == nullptr) return false;
    const size_t fitting = type == "string"   ? list->s.size()
                           : type == "int"    ? list->i.size()
                           : type == "float"  ? list->f.size()
                           : type == "bool"   ? list->b.size()
                           : type == "type"   ? list->type.size()
                           : type == "shape"  ? list->shape.size()
                           : type == "tensor" ? list->tensor.size()
                                              : list->func.size();
    return fitting == list->size();
  }
  if (type == "string") return value.get<std::string>() != nullptr;
  if (type == "int") return value.get<int64_t>() != nullptr;
  if (type == "float") return value.get<float>() != nullptr;
  if (type == "bool") return value.get<bool>() != nullptr;
  if (type == "type") return value.get<DType>() != nullptr;
  if (type == "shape") return value.get<PartialShape>() != nullptr;
  if (type == "tensor") return value.get<Literal>() != nullptr;
  return type == "func" && value.get<FunctionRef>() != nullptr;
}

}  // namespace berth
