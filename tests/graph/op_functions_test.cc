// The generated functions: nodes that calls make, and the text of functions for a user's own ops.
#include <string>

#include "graph/op_table.h"
#include "graph/ops.h"
#include "graph/ops/op_functions.h"
#include "graph/ops/signature.h"
#include "graph/text.h"
#include "tests/testing.h"

namespace berth {
namespace {

TEST_CASE("ops: functions with inferred types, named attributes, lists of inputs and of outputs") {
  const Scope s = Scope::Root();
  const Output x = ops::Placeholder(s, {.dtype = DType::kFloat32, .shape = {8, 4}});
  const Output w = ops::VariableV2(s.WithName("w"), {.shape = {3, 4}, .dtype = DType::kFloat32});
  const Output y = ops::MatMul(s, x, w, {.transpose_b = true});
  const std::vector<Output> parts = ops::Split(s, 0, y, {.num_split = 2});
  REQUIRE(parts.size() == 2);
  const Output sum = ops::AddN(s, {parts[0], parts[1], parts[0]});
  const Output narrow = ops::Cast(s, sum, {.DstT = DType::kBfloat16});
  const Operation check = ops::Assert(s, true, {narrow, sum}, {.summarize = 7});
  CHECK(check.num_outputs() == 0);
  const absl::StatusOr<Graph> graph = s.Finish();
  REQUIRE((graph.ok() ? "" : std::string(graph.status().message())) == "");
  std::string text = PrintGraph(*graph);
  CHECK(text ==
        "Placeholder = Placeholder() {dtype=f32, shape=shape [8,4]} : f32[8,4]\n"
        "w = VariableV2() {dtype=f32, shape=shape [3,4]} : f32&[3,4]\n"
        "MatMul = MatMul(Placeholder, w) {T=f32, transpose_b=true} : f32[8,3]\n"
        "Split/split_dim = Const() {dtype=i32, value=tensor<i32[] 0>} : i32[]\n"
        "Split = Split(Split/split_dim, MatMul) {T=f32, num_split=2} : f32[4,3], f32[4,3]\n"
        "AddN = AddN(Split, Split:1, Split) {N=3, T=f32} : f32[4,3]\n"
        "Cast = Cast(AddN) {DstT=bf16, SrcT=f32} : bf16[4,3]\n"
        "Assert/condition = Const() {dtype=bool, value=tensor<bool[] 1>} : bool[]\n"
        "Assert = Assert(Assert/condition, Cast, AddN) {T=[bf16,f32], summarize=7}\n");
}

TEST_CASE("ops: a call remembers its line, and a mistake names it") {
  const Scope s = Scope::Root();
  const Output a = ops::Placeholder(s, {.dtype = DType::kFloat32, .shape = {4, 3072}});
  const Output b = ops::Placeholder(s, {.dtype = DType::kFloat32, .shape = {256, 4}});
  const int line = __LINE__ + 1;
  ops::MatMul(s.SubScope("fc"), a, b);
  CHECK(std::string(s.status().message()) ==
        std::string(__FILE__) + ":" + std::to_string(line) +
            ": node 'fc/MatMul' (MatMul): inner dimensions must agree, got [4,3072] x [256,4]");
}

TEST_CASE("ops: a call that fails has as many outputs as one that does not") {
  const Scope s = Scope::Root();
  const Output bad = ops::MatMul(s, Const(s, 1.0f), Const(s, 2.0f));  // no matrices
  CHECK(ops::Split(s, 0, bad, {.num_split = 3})[2].valid() == false);
  CHECK(ops::Unique(s, bad)[1].valid() == false);
  CHECK(ops::ShapeN(s, {bad, bad})[1].valid() == false);
  CHECK(ops::QueueDequeueV2(s, bad, {.component_types = {DType::kFloat32, DType::kInt32}})[1].valid() == false);
  CHECK(ops::Split(s, 0, bad, {.num_split = -1}).empty());
  CHECK(!s.ok());
}

TEST_CASE("ops: text of functions for one's own ops") {
  const absl::StatusOr<OpDef> op = ParseSignature(
      "Mine(class: N * T, at: resource) -> (y: T, z: f32) {N: int >= 2; T: type; delete: int; names: list(string) = "
      "['a\\\"b']; scale: float = 2; kind: type = bf16; shape: shape = [1,?]}");
  REQUIRE(op.ok());
  const OpDef* const list[] = {&*op};
  const OpFunctionsOptions options{"my-ops.h", "mine"};
  const std::string header = OpFunctionsHeader(list, options);
  const size_t begin = header.find("struct"), end = header.find("\n}  // namespace mine");
  CHECK(header.substr(begin, end - begin) ==
        "struct MineAttrs {\n"
        "  int64_t delete_ = {};  // required\n"
        "  std::vector<std::string> names = {\"a\\\"b\"};\n"
        "  float scale = 2.0f;\n"
        "  DType kind = static_cast<DType>(14);\n"
        "  PartialShape shape = PartialShape({1, -1});\n"
        "};\n"
        "std::vector<Output> Mine(const Scope& scope, absl::Span<const Output> class_, const Operand& at_, "
        "const MineAttrs& attrs, CallSite at = CallSite::Here());\n");
  const std::string source = OpFunctionsSource(list, options);
  CHECK(source.substr(source.find("namespace")) ==
        "namespace mine {\n\n"
        "std::vector<Output> Mine(const Scope& scope, absl::Span<const Output> class_, const Operand& at_, "
        "const MineAttrs& attrs, CallSite at) {\n"
        "  Call call(\"Mine\");\n"
        "  call.Input(class_);\n"
        "  call.Input(at_);\n"
        "  call.Attr(\"delete\", attrs.delete_);\n"
        "  call.Attr(\"names\", attrs.names, MineAttrs().names);\n"
        "  call.Attr(\"scale\", attrs.scale, MineAttrs().scale);\n"
        "  call.Attr(\"kind\", attrs.kind, MineAttrs().kind);\n"
        "  call.Attr(\"shape\", attrs.shape, MineAttrs().shape);\n"
        "  return call.MakeAll(scope, at, 2);\n"
        "}\n\n"
        "}  // namespace mine\n");
}

}  // namespace
}  // namespace berth
