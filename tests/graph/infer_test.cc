// Inference over whole graphs: values that shapes depend on, handles, loops, feeds, functions, errors, hostile graphs.
#include "graph/infer.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "graph/graph_builder.h"
#include "graph/graphdef.h"
#include "graph/op_table.h"
#include "graph/ops.h"
#include "graph/text.h"
#include "tests/testing.h"

namespace berth {
namespace {

// The text of a vector's value, as Fill makes it visible: "[?,7]".
std::string Value(const Scope& s, const Output& v) { return ops::Fill(s, v, 0.0f).shape().ToString(); }

TEST_CASE("infer: values of small tensors") {
  const Scope s = Scope::Root();
  const Output x = ops::Placeholder(s, {.dtype = DType::kFloat32, .shape = {kUnknownDim, 7, 5}});
  const Output shape = ops::Shape(s, x);
  const Output v = Const(s, {4, 5, 6});
  const auto at = [&](int i) { return ops::StridedSlice(s, shape, {i}, {i + 1}, {1}, {.shrink_axis_mask = 1}); };
  const auto i32 = [&](const Output& f) { return ops::Cast(s, f, {.DstT = DType::kInt32}); };
  const struct {
    const char* what;
    Output value;
    const char* expected;
  } cases[] = {
      {"Const", v, "[4,5,6]"},
      {"Shape", shape, "[?,7,5]"},
      {"ShapeN", ops::ShapeN(s, {shape, v})[1], "[3]"},
      {"Size", ops::ExpandDims(s, ops::Size(s, v), 0), "[3]"},
      {"Rank", ops::ExpandDims(s, ops::Rank(s, x), 0), "[3]"},
      {"Pack", ops::Pack(s, {at(0), at(1), at(2)}), "[?,7,5]"},
      {"Unpack", ops::Pack(s, {ops::Unpack(s, v, {.num = 3})[2]}), "[6]"},
      {"Identity", ops::Identity(s, v), "[4,5,6]"},
      {"Reshape", ops::Reshape(s, ops::Reshape(s, v, {1, 3}), {-1}), "[4,5,6]"},
      {"Squeeze", ops::Squeeze(s, ops::ExpandDims(s, v, 1)), "[4,5,6]"},
      {"ConcatV2", ops::ConcatV2(s, {shape, v}, 0), "[?,7,5,4,5,6]"},
      {"ConcatOffset", ops::ConcatOffset(s, 0, {v, v, v})[2], "[8,0,0]"},
      {"Slice", ops::Slice(s, v, {1}, {2}), "[5,6]"},
      {"StridedSlice", ops::StridedSlice(s, v, {-1}, {0}, {-2}, {.end_mask = 1}), "[6,4]"},
      {"Split", ops::Split(s, 0, ops::Slice(s, v, {0}, {2}), {.num_split = 2})[1], "[5]"},
      {"SplitV", ops::SplitV(s, v, {1, 2}, 0, {.num_split = 2})[1], "[5,6]"},
      {"Gather", ops::Gather(s, v, {2, 0}), "[6,4]"},
      {"GatherV2", ops::GatherV2(s, shape, {2, 0}, 0), "[5,?]"},
      {"ReverseV2", ops::ReverseV2(s, v, {0}), "[6,5,4]"},
      {"Transpose", ops::Reshape(s, ops::Transpose(s, ops::Reshape(s, {1, 2, 3, 4}, {2, 2}), {1, 0}), {-1}),
       "[1,3,2,4]"},
      {"Tile", ops::Tile(s, ops::Slice(s, v, {0}, {2}), {2}), "[4,5,4,5]"},
      {"BroadcastTo", ops::BroadcastTo(s, 3, {2}), "[3,3]"},
      {"Fill", ops::Fill(s, {2}, 9), "[9,9]"},
      {"ZerosLike", ops::ZerosLike(s, v), "[0,0,0]"},
      {"OnesLike", ops::OnesLike(s, shape), "[1,1,1]"},
      {"Range", ops::Range(s, 2, 9, 3), "[2,5,8]"},
      {"InvertPermutation", ops::InvertPermutation(s, {2, 0, 1}), "[1,2,0]"},
      {"Add", ops::AddV2(s, v, 1), "[5,6,7]"},
      {"Add, in part", ops::AddV2(s, shape, 1), "[?,8,6]"},
      {"Sub", ops::Sub(s, v, 1), "[3,4,5]"},
      {"Mul", ops::Mul(s, v, v), "[16,25,36]"},
      {"FloorDiv", ops::FloorDiv(s, v, 2), "[2,2,3]"},
      {"FloorDiv by zero", ops::FloorDiv(s, v, 0), "[?,?,?]"},
      {"FloorMod", ops::FloorMod(s, ops::Neg(s, v), 4), "[0,3,2]"},
      {"Maximum", ops::Maximum(s, v, 5), "[5,5,6]"},
      {"Minimum", ops::Minimum(s, v, 5), "[4,5,5]"},
      {"Pow", ops::Pow(s, v, 2), "[16,25,36]"},
      {"Square", ops::Square(s, v), "[16,25,36]"},
      {"Select", ops::SelectV2(s, ops::Greater(s, v, 4), v, 0), "[0,5,6]"},
      {"Equal", i32(ops::Equal(s, v, 5)), "[0,1,0]"},
      {"AddN", ops::AddN(s, {v, v, v}), "[12,15,18]"},
      {"Prod", ops::Prod(s, v, {0}, {.keep_dims = true}), "[120]"},
      {"Sum, in part", ops::Sum(s, shape, {0}, {.keep_dims = true}), "[?]"},
      {"Max", ops::Max(s, v, {0}, {.keep_dims = true}), "[6]"},
      {"through floats", i32(ops::Floor(s, ops::Mul(s, ops::Cast(s, v, {.DstT = DType::kFloat32}), 1.5f))), "[6,7,9]"},
      {"RealDiv", i32(ops::RealDiv(s, ops::Cast(s, v, {.DstT = DType::kFloat64}), Const(s, Literal::Scalar(2.0)))),
       "[2,2,3]"},
      {"Unique", ops::Unique(s, {3, 3, 1})[0], "[3,1]"},
      {"OneHot", ops::OneHot(s, 1, 3, 8, 2), "[2,8,2]"},
      {"DynamicStitch", ops::DynamicStitch(s, {Const(s, {0, 2}), Const(s, {1})}, {Const(s, {7, 9}), Const(s, {8})}),
       "[7,8,9]"},
      {"BroadcastGradientArgs", ops::BroadcastGradientArgs(s, {2, 1, 4}, {4})[1], "[0,1]"},
  };
  for (const auto& c : cases) {
    INFO(c.what);
    CHECK(Value(s, c.value) == c.expected);
  }
  CHECK((s.ok() ? "" : std::string(s.status().message())) == "");
}

// The shapes of every output of the named nodes, or the error.
std::string ShapesOf(Graph graph, std::initializer_list<const char*> nodes, const InferOptions& options = {}) {
  const absl::StatusOr<Graph> shaped = InferShapes(std::move(graph), options);
  if (!shaped.ok()) return std::string(shaped.status().message());
  std::vector<std::string> out;
  for (const char* name : nodes) {
    const Node node = *shaped->Find(name);
    for (int k = 0; k < node.num_outputs(); ++k) out.push_back(node.output_shape(k).ToString());
  }
  return absl::StrJoin(out, " ");
}
std::string Shapes(const std::string& text, std::initializer_list<const char*> nodes,
                   const InferOptions& options = {}) {
  absl::StatusOr<Graph> graph = ParseGraphText(text, StandardOps());
  return graph.ok() ? ShapesOf(*std::move(graph), nodes, options) : std::string(graph.status().message());
}

// A loop whose variable begins as [2,3] and whose body is `next`, a function of `body`.
std::string Loop(const std::string& next) {
  return absl::StrReplaceAll(R"(zero = Const() {dtype=f32, value=tensor<f32[2,3] 0.0,...>}
pred = Placeholder() {dtype=bool, shape=shape []}
enter = Enter(zero) {T=f32, frame_name="loop"}
merge = Merge(enter, again) {N=2, T=f32}
cond = LoopCond(pred)
switch = Switch(merge, cond) {T=f32}
body = Identity(switch:1) {T=f32}
axis = Const() {dtype=i32, value=tensor<i32[] 0>}
next = NEXT
again = NextIteration(next) {T=f32}
exit = Exit(switch) {T=f32}
)",
                             {{"NEXT", next}});
}

TEST_CASE("infer: a loop keeps of its variables' shapes what every iteration keeps") {
  CHECK(Shapes(Loop("Relu(body) {T=f32}"), {"exit", "next"}) == "[2,3] [2,3]");
  CHECK(Shapes(Loop("ConcatV2(body, body, axis) {N=2, T=f32, Tidx=i32}"), {"exit", "next"}) == "[?,3] [?,3]");
  CHECK(Shapes(Loop("Sum(body, axis) {T=f32, Tidx=i32}"), {"exit", "next"}) == "? ?");
}

TEST_CASE("infer: what handles refer to goes through loops and branches") {
  const std::string text = R"(v = VarHandleOp() {dtype=f32, shape=shape [2,3]}
pred = Placeholder() {dtype=bool, shape=shape []}
enter = Enter(v) {T=resource, frame_name="loop", is_constant=true}
switch = Switch(enter, pred) {T=resource}
read = ReadVariableOp(switch:1) {dtype=f32}
shape = Const() {dtype=i32, value=tensor<i32[2] 4,-1>}
n = Const() {dtype=i32, value=tensor<i32[] 5>}
list = TensorListReserve(shape, n) {element_dtype=f32, shape_type=i32}
item = Placeholder() {dtype=f32, shape=shape [4,7]}
set = TensorListSetItem(list, n, item) {element_dtype=f32}
any = Const() {dtype=i32, value=tensor<i32[] -1>}
got = TensorListGetItem(set, n, any) {element_dtype=f32}
queue = FIFOQueueV2() {component_types=[f32,i32], shapes=[shape [2],shape []]}
out = QueueDequeueV2(queue) {component_types=[f32,i32]}
)";
  CHECK(Shapes(text, {"read", "got", "out"}) == "[2,3] [4,?] [2] []");
}

TEST_CASE("infer: feeds take the place of what was known") {
  const std::string text = R"(x = Placeholder() {dtype=f32, shape=shape [?,3]}
s = Const() {dtype=i32, value=tensor<i32[2] 3,-1>}
y = Reshape(x, s) {T=f32, Tshape=i32}
)";
  CHECK(Shapes(text, {"x", "y"}) == "[?,3] [3,?]");
  CHECK(Shapes(text, {"x", "y"}, {.feeds = {{"x:0", {6, 3}}}}) == "[6,3] [3,6]");
  CHECK(Shapes(text, {"y"}, {.feeds = {{"s", {2}}}}) == "[?,?]");
  CHECK(Shapes(text, {"y"}, {.feeds = {{"z:0", {2}}}}) == "feed 'z:0': expected a tensor of the graph, got none such");
}

TEST_CASE("infer: calls of functions have the shapes of their bodies' results; old graphs write unknown shapes as []") {
  const std::string text = R"(node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { dim { size: 2 } dim { size: -1 } } } } }
node { name: "s" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { } } } }
node { name: "v" op: "VarHandleOp" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { dim { size: 5 } dim { size: 3 } } } } }
node { name: "direct" op: "Twice" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "call" op: "PartitionedCall" input: "x" input: "v"
  attr { key: "Tin" value { list { type: DT_FLOAT type: DT_RESOURCE } } } attr { key: "Tout" value { list { type: DT_FLOAT type: DT_FLOAT } } }
  attr { key: "f" value { func { name: "Both" } } } }
library {
  function { signature { name: "Twice" input_arg { name: "a" type_attr: "T" } output_arg { name: "y" type_attr: "T" }
      attr { name: "T" type: "type" } }
    node_def { name: "pack" op: "Pack" input: "a" input: "a" attr { key: "N" value { i: 2 } } attr { key: "T" value { placeholder: "T" } } }
    ret { key: "y" value: "pack:output:0" } }
  function { signature { name: "Both" input_arg { name: "a" type: DT_FLOAT } input_arg { name: "v" type: DT_RESOURCE }
      output_arg { name: "y" type: DT_FLOAT } output_arg { name: "w" type: DT_FLOAT } }
    node_def { name: "twice" op: "Twice" input: "a" attr { key: "T" value { type: DT_FLOAT } } }
    node_def { name: "read" op: "ReadVariableOp" input: "v" attr { key: "dtype" value { type: DT_FLOAT } } }
    ret { key: "y" value: "twice:y:0" } ret { key: "w" value: "read:value:0" } }
}
versions { producer: VERSION }
)";
  const auto shapes = [&](const char* version) {
    absl::StatusOr<Graph> graph = ImportGraphDef(absl::StrReplaceAll(text, {{"VERSION", version}}), StandardOps());
    return graph.ok() ? ShapesOf(*std::move(graph), {"direct", "call", "s"}) : std::string(graph.status().message());
  };
  CHECK(shapes("26") == "[2,2,?] [2,2,?] [5,3] []");
  CHECK(shapes("21") == "[2,2,?] [2,2,?] [5,3] ?");
}

TEST_CASE("infer: the first fault in the order of the graph") {
  CHECK(Shapes(R"(a = Placeholder() {dtype=f32, shape=shape [4,3072]}
b = Placeholder() {dtype=f32, shape=shape [256,4]}
fc/MatMul = MatMul(a, b) {T=f32}
fc/Sub = Sub(a, b) {T=f32}
)",
               {}) == "graph:3: node 'fc/MatMul' (MatMul): inner dimensions must agree, got [4,3072] x [256,4]");
}

TEST_CASE("infer: hostile graphs end soon") {
  std::string text =
      "x0 = Placeholder() {dtype=f32, shape=shape [2]}\nd = Const() {dtype=i32, value=tensor<i32[] 0>}\n";
  for (int i = 0; i < 300; ++i) absl::StrAppend(&text, "x", i + 1, " = ExpandDims(x", i, ", d) {T=f32, Tdim=i32}\n");
  CHECK(Shapes(text, {}) == "graph:256: node 'x254' (ExpandDims): output 0 must have at most 254 dimensions, got 255");

  text =
      "x0 = Const() {dtype=i64, value=tensor<i64[1] 4611686018427387904>}\nf = Const() {dtype=f32, value=tensor<f32[] "
      "0.0>}\n"
      "big = Fill(x0, f) {T=f32, index_type=i64}\nd = Const() {dtype=i32, value=tensor<i32[] 0>}\n"
      "y = ConcatV2(big, big, d) {N=2, T=f32, Tidx=i32}\n";
  CHECK(Shapes(text, {}) ==
        "graph:5: node 'y' (ConcatV2): a dimension must fit 63 bits, got 4611686018427387904 + 4611686018427387904");

  // A long chain of small values is evaluated without recursion.
  text = "x0 = Const() {dtype=i32, value=tensor<i32[1] 0>}\none = Const() {dtype=i32, value=tensor<i32[] 1>}\n";
  for (int i = 0; i < 100000; ++i) absl::StrAppend(&text, "x", i + 1, " = Add(x", i, ", one) {T=i32}\n");
  absl::StrAppend(&text,
                  "f = Const() {dtype=f32, value=tensor<f32[] 0.0>}\ny = Fill(x100000, f) {T=f32, index_type=i32}\n");
  CHECK(Shapes(text, {"y"}) == "[100000]");
}

}  // namespace
}  // namespace berth
