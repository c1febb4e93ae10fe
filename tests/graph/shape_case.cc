#include "tests/graph/shape_case.h"

#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "graph/attr_text.h"
#include "graph/scope.h"
#include "graph/text_scanner.h"
#include "tests/testing.h"

namespace berth {
namespace {

using Attr = std::pair<absl::string_view, AttrValue>;

// "f32[2]" -> {f32, [2]}.
std::pair<DType, PartialShape> TypeAndShape(absl::string_view text) {
  const size_t shape_at = text.find_first_of("[?");
  const std::optional<DType> dtype = ParseDType(text.substr(0, shape_at));
  REQUIRE(dtype.has_value());
  const absl::StatusOr<PartialShape> shape = ParseShape(text.substr(shape_at));
  REQUIRE(shape.ok());
  return {*dtype, *shape};
}

Operand MakeInput(const Scope& scope, absl::string_view text) {
  if (const size_t brace = text.find('{'); brace != absl::string_view::npos) {
    const absl::StatusOr<AttrValue> value = ParseAttrValue(
        absl::StrCat("tensor<", text.substr(0, brace), " ", text.substr(brace + 1, text.size() - brace - 2), ">"));
    REQUIRE((value.ok() ? "" : std::string(value.status().message())) == "");
    return Operand(*value->get<Literal>());
  }
  const bool variable = absl::ConsumePrefix(&text, "var:");
  const auto [dtype, shape] = TypeAndShape(text);
  const char* op = variable ? "VarHandleOp" : IsRef(dtype) ? "VariableV2" : "Placeholder";
  const Attr attrs[] = {{"dtype", AttrValue(BaseOf(dtype))}, {"shape", AttrValue(shape)}};
  return Operand(scope.Op(op, {}, attrs));
}

}  // namespace

std::string ShapesOf(const ShapeCase& c) {
  const Scope scope = Scope::Root();
  std::vector<Operand> inputs;
  for (const absl::string_view input : absl::StrSplit(c.inputs, ' ', absl::SkipEmpty())) {
    inputs.push_back(MakeInput(scope, input));
  }
  std::vector<std::pair<std::string, AttrValue>> parsed;
  TextScanner scanner(c.attrs, "attrs", 1);
  while (*c.attrs != '\0') {
    scanner.SkipSpace();
    const absl::StatusOr<std::string> name = TakeAttrName(scanner);
    REQUIRE((name.ok() ? "" : std::string(name.status().message())) == "");
    absl::StatusOr<AttrValue> value = TakeAttrValue(scanner);
    REQUIRE((value.ok() ? "" : std::string(value.status().message())) == "");
    parsed.emplace_back(*name, *std::move(value));
    if (!scanner.Take(",")) break;
  }
  std::vector<Attr> attrs;
  for (const auto& [name, value] : parsed) attrs.emplace_back(name, value);
  const Operation operation = scope.Op(c.op, inputs, attrs);
  if (!scope.ok()) {
    const std::string message(scope.status().message());
    return "error: " + message.substr(message.find("): ") + 3);
  }
  return absl::StrJoin(operation.outputs(), " ",
                       [](std::string* out, const Output& output) { out->append(output.shape().ToString()); });
}

void CheckShapes(absl::Span<const ShapeCase> cases) {
  for (const ShapeCase& c : cases) {
    INFO(c.op << " " << c.inputs << " {" << c.attrs << "}");
    CHECK(ShapesOf(c) == c.expected);
  }
}

}  // namespace berth
