#include "graph/attr_proto.h"

#include <utility>

#include "graph/status_macros.h"

namespace berth {
namespace {

absl::StatusOr<FunctionRef> FunctionFromProto(pb::NameAttrList& proto) {
  FunctionRef function;
  function.name = proto.name();
  for (auto& [name, attr] : *proto.mutable_attr()) {
    BERTH_ASSIGN_OR_RETURN(function.attrs[name], AttrFromProto(attr));
  }
  return function;
}

absl::StatusOr<AttrValue> ListFromProto(pb::AttrValue::ListValue& proto) {
  AttrList list;
  for (std::string& s : *proto.mutable_s()) list.s.push_back(std::move(s));
  list.i.assign(proto.i().begin(), proto.i().end());
  list.f.assign(proto.f().begin(), proto.f().end());
  list.b.assign(proto.b().begin(), proto.b().end());
  for (int number : proto.type()) {
    BERTH_ASSIGN_OR_RETURN(const DType type, DTypeFromProto(number));
    list.type.push_back(type);
  }
  for (const pb::TensorShapeProto& shape : proto.shape()) {
    BERTH_ASSIGN_OR_RETURN(PartialShape converted, ShapeFromProto(shape));
    list.shape.push_back(std::move(converted));
  }
  for (pb::TensorProto& tensor : *proto.mutable_tensor()) {
    BERTH_ASSIGN_OR_RETURN(Literal literal, LiteralFromProto(tensor));
    list.tensor.push_back(std::move(literal));
  }
  for (pb::NameAttrList& function : *proto.mutable_func()) {
    BERTH_ASSIGN_OR_RETURN(FunctionRef converted, FunctionFromProto(function));
    list.func.push_back(std::move(converted));
  }
  return AttrValue(AttrValue::Kind(std::move(list)));
}

// Writes a value into the member of the oneof that fits its kind.
struct Writer {
  pb::AttrValue* proto;

  void operator()(std::monostate) const {}
  void operator()(const std::string& s) const { proto->set_s(s); }
  void operator()(int64_t i) const { proto->set_i(i); }
  void operator()(float f) const { proto->set_f(f); }
  void operator()(bool b) const { proto->set_b(b); }
  void operator()(DType t) const { proto->set_type(static_cast<pb::DataType>(t)); }
  void operator()(const PartialShape& s) const { ShapeToProto(s, proto->mutable_shape()); }
  void operator()(const Literal& l) const { LiteralToProto(l, proto->mutable_tensor()); }
  void operator()(const AttrPlaceholder& p) const { proto->set_placeholder(p.name); }
  void operator()(const FunctionRef& f) const { Write(f, proto->mutable_func()); }
  void operator()(const AttrList& list) const {
    pb::AttrValue::ListValue* out = proto->mutable_list();
    for (const std::string& s : list.s) out->add_s(s);
    for (int64_t i : list.i) out->add_i(i);
    for (float f : list.f) out->add_f(f);
    for (bool b : list.b) out->add_b(b);
    for (DType t : list.type) out->add_type(static_cast<pb::DataType>(t));
    for (const PartialShape& s : list.shape) ShapeToProto(s, out->add_shape());
    for (const Literal& l : list.tensor) LiteralToProto(l, out->add_tensor());
    for (const FunctionRef& f : list.func) Write(f, out->add_func());
  }

  static void Write(const FunctionRef& function, pb::NameAttrList* out) {
    out->set_name(function.name);
    for (const auto& [name, value] : function.attrs) AttrToProto(value, &(*out->mutable_attr())[name]);
  }
};

}  // namespace

absl::StatusOr<AttrValue> AttrFromProto(pb::AttrValue& proto) {
  const auto value = [](auto v) { return AttrValue(AttrValue::Kind(std::move(v))); };
  switch (proto.value_case()) {
    case pb::AttrValue::kList:
      return ListFromProto(*proto.mutable_list());
    case pb::AttrValue::kS:
      return value(std::move(*proto.mutable_s()));
    case pb::AttrValue::kI:
      return value(int64_t{proto.i()});
    case pb::AttrValue::kF:
      return value(proto.f());
    case pb::AttrValue::kB:
      return value(proto.b());
    case pb::AttrValue::kType: {
      BERTH_ASSIGN_OR_RETURN(const DType type, DTypeFromProto(proto.type()));
      return value(type);
    }
    case pb::AttrValue::kShape: {
      BERTH_ASSIGN_OR_RETURN(PartialShape shape, ShapeFromProto(proto.shape()));
      return value(std::move(shape));
    }
    case pb::AttrValue::kTensor: {
      BERTH_ASSIGN_OR_RETURN(Literal literal, LiteralFromProto(*proto.mutable_tensor()));
      return value(std::move(literal));
    }
    case pb::AttrValue::kPlaceholder:
      return value(AttrPlaceholder{proto.placeholder()});
    case pb::AttrValue::kFunc: {
      BERTH_ASSIGN_OR_RETURN(FunctionRef function, FunctionFromProto(*proto.mutable_func()));
      return value(std::move(function));
    }
    case pb::AttrValue::VALUE_NOT_SET:
      break;
  }
  return AttrValue();
}

void AttrToProto(const AttrValue& value, pb::AttrValue* proto) { std::visit(Writer{proto}, value.kind()); }

}  // namespace berth
