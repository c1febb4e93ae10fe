// The op table against the signatures that TensorFlow states, and the notation it is written in.
#include <chrono>
#include <fstream>
#include <sstream>
#include <string>

#include <google/protobuf/text_format.h>

#include "graph/attr_proto.h"
#include "graph/op_table.h"
#include "graph/ops/signature.h"
#include "proto/op_def.pb.h"
#include "tests/testing.h"

namespace berth {
namespace {

ArgDef ArgFromProto(const pb::OpDef::ArgDef& proto) {
  ArgDef arg;
  arg.name = proto.name();
  arg.type = static_cast<DType>(proto.type());
  arg.type_attr = proto.type_attr();
  arg.number_attr = proto.number_attr();
  arg.type_list_attr = proto.type_list_attr();
  arg.is_ref = proto.is_ref();
  return arg;
}

AttrDef AttrDefFromProto(const pb::OpDef::AttrDef& proto) {
  AttrDef attr;
  attr.name = proto.name();
  attr.type = proto.type();
  if (proto.has_default_value()) {
    pb::AttrValue value = proto.default_value();
    absl::StatusOr<AttrValue> read = AttrFromProto(value);
    REQUIRE(read.ok());
    attr.default_value = *read;
  }
  if (proto.has_minimum()) attr.minimum = proto.minimum();
  for (const int type : proto.allowed_values().list().type()) attr.allowed_types.push_back(static_cast<DType>(type));
  for (const std::string& s : proto.allowed_values().list().s()) attr.allowed_strings.push_back(s);
  return attr;
}

OpDef OpFromProto(const pb::OpDef& proto) {
  OpDef op;
  op.name = proto.name();
  for (const auto& arg : proto.input_arg()) op.inputs.push_back(ArgFromProto(arg));
  for (const auto& arg : proto.output_arg()) op.outputs.push_back(ArgFromProto(arg));
  for (const auto& attr : proto.attr()) op.attrs.push_back(AttrDefFromProto(attr));
  op.stateful = proto.is_stateful();
  op.aggregate = proto.is_aggregate();
  op.commutative = proto.is_commutative();
  op.allows_uninitialized_input = proto.allows_uninitialized_input();
  op.distributed_communication = proto.is_distributed_communication();
  op.deprecated_since = proto.deprecation().version();
  return op;
}

TEST_CASE("op table: every op of TensorFlow's list, field by field") {
  if (!HasShared()) BERTH_SKIP("no shared data");
  std::ifstream file(SharedPath("data/op_defs.pbtxt"));
  std::stringstream text;
  text << file.rdbuf();
  pb::OpList list;
  REQUIRE(google::protobuf::TextFormat::ParseFromString(text.str(), &list));
  CHECK(list.op_size() == 262);
  const std::shared_ptr<const OpTable> ops = StandardOps();
  for (const pb::OpDef& proto : list.op()) {
    INFO(proto.name());
    const OpDef* have = ops->Find(proto.name());
    REQUIRE(have != nullptr);
    OpDef want = OpFromProto(proto);
    want.host_only = have->host_only;  // Berth's own column
    CHECK(FormatSignature(*have) == FormatSignature(want));
    // What the text does not tell apart: kinds of empty lists, and floats that print alike.
    for (size_t i = 0; i < want.attrs.size(); ++i) CHECK(have->attrs[i].default_value == want.attrs[i].default_value);
  }
}

TEST_CASE("op table: every row reads back from its text") {
  for (const OpDef* op : StandardOps()->All()) {
    const std::string text = FormatSignature(*op);
    INFO(text);
    absl::StatusOr<OpDef> again = ParseSignature(text);
    REQUIRE(again.ok());
    CHECK(FormatSignature(*again) == text);
  }
}

TEST_CASE("op table: ops that can only run on the host") {
  std::string names;
  for (const OpDef* op : StandardOps()->All()) {
    if (op->host_only) names += op->name + " ";
  }
  CHECK(names == "Assert MatchingFiles MergeV2Checkpoints Print PrintV2 ReadFile RestoreV2 SaveV2 WriteFile ");
}

TEST_CASE("signature: what is wrong, and where") {
  const struct {
    const char* text;
    const char* error;
  } cases[] = {
      {"", "signature '' (column 1): expected an op name, got the end"},
      {"Op", "signature 'Op' (column 3): expected '(', got the end"},
      {"Op(x)", "signature 'Op(x' (column 5): expected ':', got ')'"},
      {"Op(x: f32) (y: f32)", "signature 'Op(x: f32) ' (column 12): expected '->', got '('"},
      {"Op(x: f31) -> ()",
       "signature 'Op(x: f31) -> ()' (column 17): expected 'f31' to be a dtype or an attribute, got the end"},
      {"Op(x: N * f32) -> ()",
       "signature 'Op(x: N * f32) -> ()' (column 21): expected an int attribute 'N', got the end"},
      {"Op(x: n) -> () {n: int}",
       "signature 'Op(x: n) -> () {n: int}' (column 24): expected 'n' to be of type 'type' or 'list(type)', got the "
       "end"},
      {"Op() -> () {a: int = x}", "signature 'Op() -> () {a: int = x' (column 23): expected an integer, got '}'"},
      {"Op() -> () {a: string = 'x}",
       "signature ') -> () {a: string = 'x}' (column 28): expected the string's closing quote, got the end"},
      {"Op() -> () {T: type in [f32, real, foo]}",
       "signature ' type in [f32, real, foo' (column 39): expected 'foo' to be a dtype or a set of dtypes, got ']'"},
      {"Op() -> () {a: bool = 1}", "signature 'Op() -> () {a: bool = 1' (column 24): expected true or false, got '}'"},
      {"Op() -> () statefull",
       "signature 'Op() -> () statefull' (column 21): expected a flag instead of 'statefull', got the end"},
      {"Op() -> () {a: tensor = 1}",
       "signature 'Op() -> () {a: tensor = ' (column 25): expected no default, as this type has none in a signature, "
       "got '1'"},
  };
  for (const auto& c : cases) {
    INFO(c.text);
    const absl::StatusOr<OpDef> op = ParseSignature(c.text);
    REQUIRE(!op.ok());
    CHECK(std::string(op.status().message()) == c.error);
  }
}

TEST_CASE("signature: a user's own op") {
  const absl::StatusOr<OpDef> op = ParseSignature(
      "Mine(x: N * T, h: resource, s: types) -> (y: T&) {N: int >= 2; T: type in floating = bf16; types: list(type);"
      " names: list(string) = ['a', \"b\"]; shape: shape = [1,?]; shapes: list(shape) = [?, []]; on: bool = true} "
      "stateful");
  REQUIRE(op.ok());
  CHECK(FormatSignature(*op) ==
        "Mine(x: N * T, h: resource, s: types) -> (y: T&) {N: int >= 2; T: type in [f32, f64, bf16, f16] = bf16; "
        "types: list(type); names: list(string) = [\"a\",\"b\"]; shape: shape = [1,?]; shapes: list(shape) = [?,[]]; "
        "on: bool = true} stateful");
  OpTable table;
  CHECK(table.Add(*op).ok());
  CHECK(!table.Add(*op).ok());
}

}  // namespace
}  // namespace berth
