// Ops that the table does not have, but whose signatures are known.
#include "graph/ops/known_signatures.h"

#include "graph/infer.h"
#include "graph/op_table.h"
#include "graph/text.h"
#include "tests/testing.h"

namespace berth {
namespace {

TEST_CASE("every known signature reads, and none is of an op of the table") {
  const std::vector<absl::string_view> names = KnownSignatures();
  CHECK(names.size() > 850);
  for (const absl::string_view name : names) {
    INFO(name);
    const OpDef* op = KnownSignature(name);
    REQUIRE(op != nullptr);
    CHECK(op->name == name);
    CHECK(StandardOps()->Find(name) == nullptr);
  }
  CHECK(KnownSignature("Foo") == nullptr);
}

TEST_CASE("an op of a known signature stays opaque, with the types that it takes and gives") {
  const auto graph = ParseGraphText(
      "v = VariableV2() {dtype=f32, shape=shape [4]}\ni = Const() {dtype=i32, value=tensor<i32[1] 0>}\n"
      "x = Const() {dtype=f32, value=tensor<f32[1] 2.0>}\n"
      "s = ScatterUpdate(v, i, x) {T=f32, Tindices=i32, anything=3}\n"
      "h = HashTableV2() {key_dtype=string, value_dtype=i64}\n"
      "f = LookupTableFindV2(h, k, d) {Tin=string, Tout=i64}\nk = Foo()\nd = Foo()\n"
      "odd = ScatterUpdate(v) {T=f32}\n",
      StandardOps());
  INFO(graph.status());
  REQUIRE(graph.ok());
  const Node s = *graph->Find("s");
  CHECK(s.op_def() == nullptr);
  CHECK(s.num_outputs() == 1);
  CHECK(s.output_dtype(0) == RefOf(DType::kFloat32));
  CHECK(s.input_dtype(0) == RefOf(DType::kFloat32));
  CHECK(s.input_dtype(1) == DType::kInt32);
  CHECK(graph->Find("h")->output_dtype(0) == DType::kResource);
  CHECK(graph->Find("f")->input_dtype(0) == DType::kResource);
  CHECK(graph->Find("f")->output_dtype(0) == DType::kInt64);
  CHECK(graph->Find("k")->output_dtype(0) == DType::kString);
  // What does not fit the signature is as if nothing were known.
  CHECK(graph->Find("odd")->num_outputs() == 0);
  CHECK(graph->Find("odd")->input_dtype(0) == DType::kInvalid);
}

TEST_CASE("shapes follow through an op of a known signature where the list says how") {
  absl::StatusOr<Graph> graph = ParseGraphText(
      "v = VariableV2() {dtype=f32, shape=shape [4,2]}\n"
      "i = Placeholder() {dtype=i32, shape=shape [1]}\nx = Placeholder() {dtype=f32, shape=shape [1,2]}\n"
      "s = ScatterUpdate(v, i, x) {T=f32, Tindices=i32}\n"
      "t = HashTableV2() {key_dtype=string, value_dtype=i64}\nn = LookupTableSizeV2(t)\n"
      "a = Placeholder() {dtype=i32, shape=shape [4,1]}\nb = Placeholder() {dtype=i32, shape=shape [?,3]}\n"
      "c = BitwiseAnd(a, b) {T=i32}\n"
      "p = Placeholder() {dtype=f32, shape=shape [?,3]}\nq = Placeholder() {dtype=f32, shape=shape [2,?]}\n"
      "r = Placeholder() {dtype=f32, shape=shape [5]}\n"
      "m = Cross(p, q) {T=f32}\nodd = Cross(p, r) {T=f32}\n"
      "k = StatelessRandomGetKeyCounter(i) {Tseed=i32}\n"
      "size = Const() {dtype=i32, value=tensor<i32[2] 6, 7>}\n"
      "z = StatelessRandomUniform(size, i) {dtype=f32, T=i32, Tseed=i32}\n"
      "z2 = StatelessRandomUniform(p, i) {dtype=f32, T=f32, Tseed=i32}\n"
      "it = IteratorV2() {}\n"
      "e = IteratorGetNextSync(it) {output_types=[f32, i32], output_shapes=[shape [3], shape ?]}\n"
      "w = TemporaryVariable() {dtype=f32, shape=shape [8]}\n",
      StandardOps());
  INFO(graph.status());
  REQUIRE(graph.ok());
  const absl::StatusOr<Graph> shaped = InferShapes(*std::move(graph));
  INFO(shaped.status());
  REQUIRE(shaped.ok());
  const auto shape = [&](absl::string_view name, int k = 0) { return shaped->Find(name)->output_shape(k).ToString(); };
  CHECK(shape("s") == "[4,2]");  // as its input `ref`
  CHECK(shape("t") == "[]");     // as written
  CHECK(shape("n") == "[]");
  CHECK(shape("c") == "[4,3]");  // broadcast
  CHECK(shape("m") == "[2,3]");  // what either input knows
  CHECK(shape("odd") == "?");    // an opaque op refuses nothing
  CHECK(shape("k", 0) == "[1]");
  CHECK(shape("k", 1) == "[2]");
  CHECK(shape("z") == "[6,7]");   // what its input `shape` holds
  CHECK(shape("z2") == "?");      // which is no list of integers here
  CHECK(shape("e", 0) == "[3]");  // as the attribute says, one an output
  CHECK(shape("e", 1) == "?");
  CHECK(shape("w") == "[8]");
}

}  // namespace
}  // namespace berth
