#include "graph/ops/signature.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

using enum DType;

struct TypeSet {
  absl::string_view name;
  std::vector<DType> types;
};

const std::vector<TypeSet>& TypeSets() {
  static const auto& sets = *new std::vector<TypeSet>{
      {"index", {kInt32, kInt64}},
      {"floating", {kFloat16, kBfloat16, kFloat32, kFloat64}},
      {"inexact", {kFloat16, kBfloat16, kFloat32, kFloat64, kComplex64, kComplex128}},
      {"signed", {kFloat16, kBfloat16, kFloat32, kFloat64, kInt8, kInt16, kInt32, kInt64}},
      {"real",
       {kFloat32, kFloat64, kInt32, kUint8, kInt16, kInt8, kInt64, kBfloat16, kUint16, kFloat16, kUint32, kUint64}},
      {"number",
       {kFloat32, kFloat64, kInt32, kUint8, kInt16, kInt8, kComplex64, kInt64, kQint8, kQuint8, kQint32, kBfloat16,
        kQint16, kQuint16, kUint16, kComplex128, kFloat16, kUint32, kUint64}},
      {"quantized", {kQint8, kQuint8, kQint32, kQint16, kQuint16}},
  };
  return sets;
}

bool IsNameChar(char c) { return absl::ascii_isalnum(c) || c == '_'; }

class Parser {
 public:
  explicit Parser(absl::string_view text) : text_(text) {}

  absl::StatusOr<OpDef> Parse() {
    BERTH_ASSIGN_OR_RETURN(op_.name, Name("an op name"));
    BERTH_RETURN_IF_ERROR(Arguments(&op_.inputs));
    BERTH_RETURN_IF_ERROR(Expect("->"));
    BERTH_RETURN_IF_ERROR(Arguments(&op_.outputs));
    if (Take("{")) {
      do {
        BERTH_RETURN_IF_ERROR(Attribute());
      } while (Take(";"));
      BERTH_RETURN_IF_ERROR(Expect("}"));
    }
    while (!AtEnd()) BERTH_RETURN_IF_ERROR(Flag());
    for (auto* args : {&op_.inputs, &op_.outputs}) {
      for (ArgDef& arg : *args) BERTH_RETURN_IF_ERROR(Resolve(&arg));
    }
    return std::move(op_);
  }

 private:
  void SkipSpace() {
    while (pos_ < text_.size() && absl::ascii_isspace(text_[pos_])) ++pos_;
  }
  bool AtEnd() {
    SkipSpace();
    return pos_ == text_.size();
  }
  bool Take(absl::string_view token) {
    SkipSpace();
    if (text_.substr(pos_, token.size()) != token) return false;
    pos_ += token.size();
    return true;
  }
  // A word that starts here, "" when none does.
  absl::string_view Word() {
    SkipSpace();
    const size_t begin = pos_;
    while (pos_ < text_.size() && IsNameChar(text_[pos_])) ++pos_;
    return text_.substr(begin, pos_ - begin);
  }

  absl::Status Expected(absl::string_view what) {
    SkipSpace();
    const std::string found = pos_ == text_.size() ? "the end" : absl::StrCat("'", text_.substr(pos_, 1), "'");
    const size_t from = pos_ < 24 ? 0 : pos_ - 24;
    return absl::InvalidArgumentError(absl::StrCat("signature '", text_.substr(from, pos_ - from), "' (column ",
                                                   pos_ + 1, "): expected ", what, ", got ", found));
  }
  absl::Status Expect(absl::string_view token) {
    return Take(token) ? absl::OkStatus() : Expected(absl::StrCat("'", token, "'"));
  }
  absl::StatusOr<std::string> Name(absl::string_view what) {
    const absl::string_view word = Word();
    if (word.empty()) return Expected(what);
    return std::string(word);
  }

  // (name: [N *] DTYPE[&], ...). The dtype's word is kept in type_attr until Resolve.
  absl::Status Arguments(std::vector<ArgDef>* args) {
    BERTH_RETURN_IF_ERROR(Expect("("));
    if (Take(")")) return absl::OkStatus();
    do {
      ArgDef arg;
      BERTH_ASSIGN_OR_RETURN(arg.name, Name("an argument's name"));
      BERTH_RETURN_IF_ERROR(Expect(":"));
      BERTH_ASSIGN_OR_RETURN(arg.type_attr, Name("a dtype or an attribute"));
      if (Take("*")) {
        arg.number_attr = std::move(arg.type_attr);
        BERTH_ASSIGN_OR_RETURN(arg.type_attr, Name("a dtype or an attribute"));
      }
      arg.is_ref = Take("&");
      args->push_back(std::move(arg));
    } while (Take(","));
    return Expect(")");
  }

  absl::Status Resolve(ArgDef* arg) {
    if (!arg->number_attr.empty()) {
      const AttrDef* number = op_.FindAttr(arg->number_attr);
      if (number == nullptr || number->type != "int") {
        return Expected(absl::StrCat("an int attribute '", arg->number_attr, "'"));
      }
    }
    if (const AttrDef* attr = op_.FindAttr(arg->type_attr)) {
      if (attr->type == "list(type)") {
        arg->type_list_attr = std::move(arg->type_attr);
        arg->type_attr.clear();
      } else if (attr->type != "type") {
        return Expected(absl::StrCat("'", arg->type_attr, "' to be of type 'type' or 'list(type)'"));
      }
      return absl::OkStatus();
    }
    const std::optional<DType> type = ParseDType(arg->type_attr);
    if (!type.has_value()) {
      return Expected(absl::StrCat("'", arg->type_attr, "' to be a dtype or an attribute"));
    }
    arg->type = *type;
    arg->type_attr.clear();
    return absl::OkStatus();
  }

  absl::Status Attribute() {
    AttrDef attr;
    BERTH_ASSIGN_OR_RETURN(attr.name, Name("an attribute's name"));
    BERTH_RETURN_IF_ERROR(Expect(":"));
    BERTH_ASSIGN_OR_RETURN(attr.type, Name("an attribute's type"));
    if (attr.type == "list") {
      BERTH_RETURN_IF_ERROR(Expect("("));
      BERTH_ASSIGN_OR_RETURN(const std::string element, Name("an element type"));
      BERTH_RETURN_IF_ERROR(Expect(")"));
      attr.type = absl::StrCat("list(", element, ")");
    }
    if (Take("in ")) BERTH_RETURN_IF_ERROR(Allowed(&attr));
    if (Take(">=")) {
      BERTH_ASSIGN_OR_RETURN(attr.minimum, Int());
    }
    if (Take("=")) {
      BERTH_ASSIGN_OR_RETURN(attr.default_value, Default(attr.type));
    }
    op_.attrs.push_back(std::move(attr));
    return absl::OkStatus();
  }

  absl::Status Allowed(AttrDef* attr) {
    const bool of_types = attr->type == "type" || attr->type == "list(type)";
    const bool list = Take("[");
    do {
      BERTH_ASSIGN_OR_RETURN(std::string word, Name("an allowed value"));
      if (!of_types) {
        attr->allowed_strings.push_back(std::move(word));
      } else if (auto set = std::find_if(TypeSets().begin(), TypeSets().end(),
                                         [&](const TypeSet& s) { return s.name == word; });
                 set != TypeSets().end()) {
        attr->allowed_types.insert(attr->allowed_types.end(), set->types.begin(), set->types.end());
      } else if (const std::optional<DType> type = ParseDType(word)) {
        attr->allowed_types.push_back(*type);
      } else {
        return Expected(absl::StrCat("'", word, "' to be a dtype or a set of dtypes"));
      }
    } while (list && Take(","));
    return list ? Expect("]") : absl::OkStatus();
  }

  absl::StatusOr<int64_t> Int() {
    const absl::string_view word = Number();
    int64_t value;
    if (!absl::SimpleAtoi(word, &value)) return Expected("an integer");
    return value;
  }
  absl::string_view Number() {
    SkipSpace();
    const size_t begin = pos_;
    while (pos_ < text_.size() &&
           (IsNameChar(text_[pos_]) || text_[pos_] == '.' || text_[pos_] == '-' || text_[pos_] == '+')) {
      ++pos_;
    }
    return text_.substr(begin, pos_ - begin);
  }
  absl::StatusOr<std::string> Quoted() {
    SkipSpace();
    const char quote = pos_ < text_.size() ? text_[pos_] : '\0';
    if (quote != '"' && quote != '\'') return Expected("a string in quotes");
    const size_t begin = ++pos_;
    while (pos_ < text_.size() && text_[pos_] != quote) pos_ += text_[pos_] == '\\' ? 2 : 1;
    std::string value;
    if (pos_ >= text_.size() || !absl::CUnescape(text_.substr(begin, pos_ - begin), &value)) {
      pos_ = std::min(pos_, text_.size());
      return Expected("the string's closing quote");
    }
    ++pos_;
    return value;
  }
  absl::StatusOr<DType> Type() {
    const std::optional<DType> type = ParseDType(Word());
    if (!type.has_value()) return Expected("a dtype");
    return *type;
  }
  absl::StatusOr<float> Float() {
    float value;
    if (!absl::SimpleAtof(Number(), &value)) return Expected("a number");
    return value;
  }
  absl::StatusOr<bool> Bool() {
    const absl::string_view word = Word();
    if (word != "true" && word != "false") return Expected("true or false");
    return word == "true";
  }
  absl::StatusOr<PartialShape> Shape() {
    if (Take("?")) return PartialShape::Unknown();
    SkipSpace();
    const size_t end = text_.find(']', pos_);
    if (end == absl::string_view::npos) return Expected("a shape");
    const absl::string_view shape = text_.substr(pos_, end + 1 - pos_);
    pos_ = end + 1;
    return ParseShape(shape);
  }

  absl::StatusOr<AttrValue> Default(absl::string_view type) {
    if (absl::ConsumePrefix(&type, "list(")) {
      BERTH_RETURN_IF_ERROR(Expect("["));
      AttrList list;
      if (Take("]")) return AttrValue(list);
      absl::ConsumeSuffix(&type, ")");
      do {
        BERTH_RETURN_IF_ERROR(Element(type, &list));
      } while (Take(","));
      BERTH_RETURN_IF_ERROR(Expect("]"));
      return AttrValue(list);
    }
    AttrList one;
    BERTH_RETURN_IF_ERROR(Element(type, &one));
    if (!one.s.empty()) return AttrValue(one.s[0]);
    if (!one.i.empty()) return AttrValue(one.i[0]);
    if (!one.f.empty()) return AttrValue(one.f[0]);
    if (!one.b.empty()) return AttrValue(static_cast<bool>(one.b[0]));
    if (!one.type.empty()) return AttrValue(one.type[0]);
    return AttrValue(one.shape[0]);
  }

  absl::Status Element(absl::string_view type, AttrList* list) {
    const auto push = [](auto value, auto* to) {
      if (!value.ok()) return value.status();
      to->push_back(*std::move(value));
      return absl::OkStatus();
    };
    if (type == "string") return push(Quoted(), &list->s);
    if (type == "int") return push(Int(), &list->i);
    if (type == "float") return push(Float(), &list->f);
    if (type == "bool") return push(Bool(), &list->b);
    if (type == "type") return push(Type(), &list->type);
    if (type == "shape") return push(Shape(), &list->shape);
    return Expected("no default, as this type has none in a signature");
  }

  absl::Status Flag() {
    BERTH_ASSIGN_OR_RETURN(const std::string word, Name("a flag"));
    const std::pair<absl::string_view, bool*> flags[] = {
        {"stateful", &op_.stateful},       {"aggregate", &op_.aggregate},
        {"commutative", &op_.commutative}, {"distributed", &op_.distributed_communication},
        {"host_only", &op_.host_only},     {"uninitialized_input", &op_.allows_uninitialized_input},
    };
    for (const auto& [name, flag] : flags) {
      if (word == name) {
        *flag = true;
        return absl::OkStatus();
      }
    }
    if (word != "deprecated") return Expected(absl::StrCat("a flag instead of '", word, "'"));
    BERTH_ASSIGN_OR_RETURN(op_.deprecated_since, Int());
    return absl::OkStatus();
  }

  absl::string_view text_;
  size_t pos_ = 0;
  OpDef op_;
};

std::string FormatArguments(const std::vector<ArgDef>& args) {
  return absl::StrCat("(",
                      absl::StrJoin(args, ", ",
                                    [](std::string* out, const ArgDef& arg) {
                                      absl::StrAppend(out, arg.name, ": ");
                                      if (!arg.number_attr.empty()) absl::StrAppend(out, arg.number_attr, " * ");
                                      absl::StrAppend(out, arg.type_attr, arg.type_list_attr);
                                      if (arg.type != kInvalid) absl::StrAppend(out, ShortDTypeName(arg.type));
                                      if (arg.is_ref) absl::StrAppend(out, "&");
                                    }),
                      ")");
}

std::string FormatAttribute(const AttrDef& attr) {
  std::string out = absl::StrCat(attr.name, ": ", attr.type);
  if (!attr.allowed_types.empty()) {
    std::vector<DType> types = attr.allowed_types;
    std::sort(types.begin(), types.end());
    types.erase(std::unique(types.begin(), types.end()), types.end());
    absl::StrAppend(&out, " in [",
                    absl::StrJoin(types, ", ", [](std::string* to, DType type) { to->append(ShortDTypeName(type)); }),
                    "]");
  }
  if (!attr.allowed_strings.empty()) {
    absl::StrAppend(&out, " in [", absl::StrJoin(attr.allowed_strings, ", "), "]");
  }
  if (attr.minimum.has_value()) absl::StrAppend(&out, " >= ", *attr.minimum);
  if (attr.default_value.has_value()) {
    const AttrValue& value = *attr.default_value;
    absl::StrAppend(&out, " = ");
    const AttrList* list = value.get<AttrList>();
    const auto append = [](std::string* to, const PartialShape& shape) { to->append(shape.ToString()); };
    if (const auto* shape = value.get<PartialShape>()) {
      append(&out, *shape);
    } else if (list != nullptr && !list->shape.empty()) {
      absl::StrAppend(&out, "[", absl::StrJoin(list->shape, ",", append), "]");
    } else {
      absl::StrAppend(&out, value.ToString());
    }
  }
  return out;
}

}  // namespace

absl::StatusOr<OpDef> ParseSignature(absl::string_view text) { return Parser(text).Parse(); }

std::string FormatSignature(const OpDef& op) {
  std::string out = absl::StrCat(op.name, FormatArguments(op.inputs), " -> ", FormatArguments(op.outputs));
  if (!op.attrs.empty()) {
    absl::StrAppend(
        &out, " {",
        absl::StrJoin(op.attrs, "; ", [](std::string* to, const AttrDef& a) { to->append(FormatAttribute(a)); }), "}");
  }
  const std::pair<bool, absl::string_view> flags[] = {
      {op.stateful, " stateful"},
      {op.aggregate, " aggregate"},
      {op.commutative, " commutative"},
      {op.distributed_communication, " distributed"},
      {op.allows_uninitialized_input, " uninitialized_input"},
      {op.host_only, " host_only"},
  };
  for (const auto& [set, text] : flags) {
    if (set) absl::StrAppend(&out, text);
  }
  if (op.deprecated_since != 0) absl::StrAppend(&out, " deprecated ", op.deprecated_since);
  return out;
}

}  // namespace berth
