// Ops that the table does not have, but whose signatures are known.
#include "graph/ops/known_signatures.h"

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

}  // namespace
}  // namespace berth
