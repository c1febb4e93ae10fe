#include "graph/ops/op_functions.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "graph/ops/signature.h"

namespace berth {
namespace {

// Words that C++ keeps for itself, and the parameters that every function has.
constexpr absl::string_view kReserved[] = {
    "alignas",  "and",     "asm",       "at",     "attrs",    "auto",      "bool",     "break",    "case",   "catch",
    "char",     "class",   "concept",   "const",  "continue", "decltype",  "default",  "delete",   "do",     "double",
    "else",     "enum",    "explicit",  "export", "extern",   "false",     "float",    "for",      "friend", "goto",
    "if",       "inline",  "int",       "long",   "mutable",  "namespace", "new",      "noexcept", "not",    "operator",
    "or",       "private", "protected", "public", "register", "requires",  "return",   "scope",    "short",  "signed",
    "sizeof",   "static",  "struct",    "switch", "template", "this",      "throw",    "true",     "try",    "typedef",
    "typename", "union",   "unsigned",  "using",  "virtual",  "void",      "volatile", "while",    "xor",
};

std::string Identifier(absl::string_view name) {
  const bool reserved = std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved);
  return absl::StrCat(name, reserved ? "_" : "");
}

bool IsInferred(const OpDef& op, const AttrDef& attr) {
  return std::any_of(op.inputs.begin(), op.inputs.end(), [&](const ArgDef& arg) {
    return arg.type_attr == attr.name || arg.number_attr == attr.name || arg.type_list_attr == attr.name;
  });
}

std::vector<const AttrDef*> Fields(const OpDef& op) {
  std::vector<const AttrDef*> fields;
  for (const AttrDef& attr : op.attrs) {
    if (!IsInferred(op, attr)) fields.push_back(&attr);
  }
  return fields;
}

bool HasRequired(const OpDef& op) {
  const std::vector<const AttrDef*> fields = Fields(op);
  return std::any_of(fields.begin(), fields.end(), [](const AttrDef* f) { return !f->default_value.has_value(); });
}

std::string CppType(absl::string_view type) {
  if (absl::ConsumePrefix(&type, "list(")) {
    absl::ConsumeSuffix(&type, ")");
    return absl::StrCat("std::vector<", CppType(type), ">");
  }
  if (type == "int") return "int64_t";
  if (type == "string") return "std::string";
  if (type == "type") return "DType";
  if (type == "shape") return "PartialShape";
  if (type == "tensor") return "Literal";
  if (type == "func") return "FunctionRef";
  return std::string(type);  // bool, float
}

std::string FloatText(float value) {
  std::string text = absl::StrCat(value);
  if (!absl::StrContains(text, ".") && !absl::StrContains(text, "e")) text += ".0";
  return text + "f";
}
std::string TypeText(DType type) { return absl::StrCat("static_cast<DType>(", static_cast<int>(type), ")"); }
std::string ShapeText(const PartialShape& shape) {
  if (!shape.has_rank()) return "PartialShape()";
  return absl::StrCat("PartialShape({", absl::StrJoin(shape.dims(), ", "), "})");
}
std::string StringText(absl::string_view text) { return absl::StrCat("\"", absl::CEscape(text), "\""); }

template <typename T, typename Text>
std::string ListText(const std::vector<T>& list, const Text& text) {
  return absl::StrCat("{", absl::StrJoin(list, ", ", [&](std::string* out, const T& e) { out->append(text(e)); }), "}");
}

// A C++ expression for a default, of the field's type.
std::string DefaultText(const AttrDef& attr) {
  const AttrValue& value = *attr.default_value;
  if (const auto* s = value.get<std::string>()) return StringText(*s);
  if (const auto* i = value.get<int64_t>()) return absl::StrCat(*i);
  if (const auto* f = value.get<float>()) return FloatText(*f);
  if (const auto* b = value.get<bool>()) return *b ? "true" : "false";
  if (const auto* t = value.get<DType>()) return TypeText(*t);
  if (const auto* p = value.get<PartialShape>()) return ShapeText(*p);
  const AttrList* list = value.get<AttrList>();
  if (list == nullptr) return "{}";
  if (!list->s.empty()) return ListText(list->s, [](const std::string& e) { return StringText(e); });
  if (!list->i.empty()) return ListText(list->i, [](int64_t e) { return absl::StrCat(e); });
  if (!list->f.empty()) return ListText(list->f, FloatText);
  if (!list->type.empty()) return ListText(list->type, TypeText);
  if (!list->shape.empty()) return ListText(list->shape, ShapeText);
  return "{}";
}

bool IsList(const ArgDef& arg) { return !arg.number_attr.empty() || !arg.type_list_attr.empty(); }

bool HasOneOutput(const OpDef& op) { return op.outputs.size() == 1 && !IsList(op.outputs[0]); }

std::string ReturnType(const OpDef& op) {
  return op.outputs.empty() ? "Operation" : HasOneOutput(op) ? "Output" : "std::vector<Output>";
}

std::string Declaration(const OpDef& op, bool defaults) {
  std::string out = absl::StrCat(ReturnType(op), " ", op.name, "(const Scope& scope");
  for (const ArgDef& arg : op.inputs) {
    absl::StrAppend(&out, IsList(arg) ? ", absl::Span<const Output> " : ", const Operand& ", Identifier(arg.name));
  }
  if (!Fields(op).empty()) {
    absl::StrAppend(&out, ", const ", op.name, "Attrs& attrs", defaults && !HasRequired(op) ? " = {}" : "");
  }
  return absl::StrCat(out, ", CallSite at", defaults ? " = CallSite::Here()" : "", ")");
}

std::string Struct(const OpDef& op) {
  std::string out = absl::StrCat("struct ", op.name, "Attrs {\n");
  for (const AttrDef* field : Fields(op)) {
    absl::StrAppend(&out, "  ", CppType(field->type), " ", Identifier(field->name));
    if (field->default_value.has_value()) {
      absl::StrAppend(&out, " = ", DefaultText(*field), ";\n");
    } else {
      absl::StrAppend(&out, field->type == "int" || field->type == "float" || field->type == "bool" ? " = {}" : "",
                      ";  // required\n");
    }
  }
  return out + "};\n";
}

// A C++ expression for how many outputs a call has. List sizes that inputs tell are those of the input lists.
std::string OutputCount(const OpDef& op) {
  int single = 0;
  std::vector<std::string> terms;
  for (const ArgDef& arg : op.outputs) {
    const std::string& attr = arg.number_attr.empty() ? arg.type_list_attr : arg.number_attr;
    const auto input = std::find_if(op.inputs.begin(), op.inputs.end(), [&](const ArgDef& in) {
      return !attr.empty() && (in.number_attr == attr || in.type_list_attr == attr);
    });
    if (attr.empty()) {
      ++single;
    } else if (input != op.inputs.end()) {
      terms.push_back(absl::StrCat(Identifier(input->name), ".size()"));
    } else {
      terms.push_back(absl::StrCat("attrs.", Identifier(attr), arg.number_attr.empty() ? ".size()" : ""));
    }
  }
  if (single > 0) terms.push_back(absl::StrCat(single));
  return absl::StrJoin(terms, " + ");
}

std::string Body(const OpDef& op) {
  std::string out = absl::StrCat(Declaration(op, false), " {\n");
  absl::StrAppend(&out, "  Call call(\"", op.name, "\");\n");
  for (const ArgDef& arg : op.inputs) absl::StrAppend(&out, "  call.Input(", Identifier(arg.name), ");\n");
  for (const AttrDef* field : Fields(op)) {
    const std::string name = Identifier(field->name);
    if (field->default_value.has_value()) {
      absl::StrAppend(&out, "  call.Attr(\"", field->name, "\", attrs.", name, ", ", op.name, "Attrs().", name, ");\n");
    } else {
      absl::StrAppend(&out, "  call.Attr(\"", field->name, "\", attrs.", name, ");\n");
    }
  }
  if (HasOneOutput(op)) {
    absl::StrAppend(&out, "  return call.Make(scope, at).output(0)");
  } else if (op.outputs.empty()) {
    absl::StrAppend(&out, "  return call.Make(scope, at)");
  } else {
    absl::StrAppend(&out, "  return call.MakeAll(scope, at, ", OutputCount(op), ")");
  }
  return out + ";\n}\n";
}

bool IsCallable(const OpDef& op) { return !absl::StartsWith(op.name, "_") && op.name != "Const"; }

std::string Guard(absl::string_view header) {
  return absl::StrCat("BERTH_",
                      absl::StrReplaceAll(absl::AsciiStrToUpper(header), {{"/", "_"}, {".", "_"}, {"-", "_"}}), "_");
}

}  // namespace

std::string OpFunctionsHeader(absl::Span<const OpDef* const> ops, const OpFunctionsOptions& options) {
  const std::string guard = Guard(options.header);
  std::string out = absl::StrCat(
      "// One function an op, generated from the op table (graph/ops/). Each makes a node in `scope`; what\n"
      "// went wrong is kept there. Attributes are named: MatMul(scope, a, b, {.transpose_b = true}).\n",
      "#ifndef ", guard, "\n#define ", guard, "\n\n", "#include <cstdint>\n#include <string>\n#include <vector>\n\n",
      "#include \"absl/types/span.h\"\n#include \"graph/scope.h\"\n\n", "namespace ", options.name_space,
      " {\n\nusing berth::Const;\n");
  for (const OpDef* op : ops) {
    if (!IsCallable(*op)) continue;
    absl::StrAppend(&out, "\n// ", FormatSignature(*op), "\n");
    if (!Fields(*op).empty()) absl::StrAppend(&out, Struct(*op));
    absl::StrAppend(&out, Declaration(*op, true), ";\n");
  }
  return absl::StrCat(out, "\n}  // namespace ", options.name_space, "\n\n#endif  // ", guard, "\n");
}

std::string OpFunctionsSource(absl::Span<const OpDef* const> ops, const OpFunctionsOptions& options) {
  std::string out = absl::StrCat("#include \"", options.header, "\"\n\n#include \"graph/ops/call.h\"\n\nnamespace ",
                                 options.name_space, " {\n");
  for (const OpDef* op : ops) {
    if (IsCallable(*op)) absl::StrAppend(&out, "\n", Body(*op));
  }
  return absl::StrCat(out, "\n}  // namespace ", options.name_space, "\n");
}

}  // namespace berth
