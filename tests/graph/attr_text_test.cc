// Attribute values as text: what is printed reads back as itself.

#include "graph/attr_text.h"

#include <string>
#include <vector>

#include "tests/testing.h"

namespace berth {
namespace {

TEST_CASE("every kind of value prints, reads back equal and prints the same") {
  const std::vector<std::string> rows = {
      "none",
      "3",
      "-9223372036854775808",
      "0.5",
      "1.0",
      "-0.0",
      "1e+20",
      "inf",
      "-inf",
      "nan",
      "nan:0x7fc00001",
      "true",
      "false",
      "\"SAME\"",
      "\"\"",
      R"("a\"b\\c\n\000\xff")",
      "f32",
      "f32&",
      "?",
      "dtype77",
      "resource",
      "shape ?",
      "shape []",
      "shape [1,?,3]",
      "$\"N\"",
      "[]",
      "[1,2]",
      "[0.5,1.0]",
      "[true,false]",
      R"(["a","b"])",
      "[f32,i32]",
      "[shape ?,shape [2]]",
      "func \"f\"{}",
      "func \"f\"{T=f32, \"odd name\"=[1]}",
      "func \"f\"{g=func \"h\"{x=1}}",
      "[func \"f\"{},func \"g\"{a=1}]",
      "[tensor<i32[] 1>,tensor<f32[2]>]",
      "tensor<f32[2] 1.0,nan:0x7fc00001>",
      "tensor<i32[4]>",
      "tensor<i32[4] 1,2,...>",
      "tensor<bool[2] 1,0>",
      "tensor<f16[3] 1.0,65504.0,nan:0x7e01>",
      "tensor<bf16[1] -0.0>",
      "tensor<f64[1] 0.1>",
      "tensor<i8[2] -128,127>",
      "tensor<u64[] 18446744073709551615>",
      "tensor<c64[1] 1.0|-2.0>",
      "tensor<c128[1] 1.0|nan>",
      R"(tensor<string[3] "a","b>,",...>)",
      "tensor<string[2]>",
      "tensor<f32[1000] #00c0ffee00c0ffee 4000B>",
      R"(tensor<variant? proto "\010\025">)",
      "tensor<?[]>",
      "tensor<qi8[2] -1,5>",
      "tensor<f8e5m2[1] 60>",
  };
  for (const std::string& text : rows) {
    INFO(text);
    const absl::StatusOr<AttrValue> value = ParseAttrValue(text);
    INFO(value.status().message());
    REQUIRE(value.ok());
    const std::string printed = value->ToString();
    const absl::StatusOr<AttrValue> again = ParseAttrValue(printed);
    REQUIRE(again.ok());
    CHECK(*again == *value);
    CHECK(again->ToString() == printed);
    CHECK(again->Fingerprint() == value->Fingerprint());
    // Escapes have more than one spelling; all else is as written.
    if (text.find('\\') == std::string::npos) CHECK(printed == text);
  }
}

TEST_CASE("large literals print as size and fingerprint, unless all values are asked for") {
  const AttrValue large(AttrValue::Kind(Literal::FromBytes(DType::kUint8, {1025}, std::string(1025, 'x'))));
  CHECK(large.ToString().substr(0, 17) == "tensor<u8[1025] #");
  CHECK(large.ToString().size() < 60);
  CHECK(large.ToString(true).size() > 4000);
  CHECK(*ParseAttrValue(large.ToString(true)) == large);
  CHECK(*ParseAttrValue(large.ToString()) != large);
  CHECK(ParseAttrValue(large.ToString())->Fingerprint() == large.Fingerprint());
  const AttrValue small(AttrValue::Kind(Literal::FromBytes(DType::kUint8, {1024}, std::string(1024, 'x'))));
  CHECK(*ParseAttrValue(small.ToString()) == small);
}

TEST_CASE("bad values are refused where they go wrong") {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"", "value:1:1: expected the value of an attribute, got the end of the line"},
      {"1 2", "value:1:3: expected the end, got '2'"},
      {"99999999999999999999", "value:1:1: expected an integer of 64 bits, got '9999999999999999'"},
      {"1e999", "value:1:1: expected the value of an attribute, got '1e999'"},
      {"\"abc", "value:1:1: expected the end of a string in quotes, got the end of the line"},
      {"[1,[2]]", "value:1:4: expected an element that is no list, got '[2]]'"},
      {"[1", "value:1:3: expected ',' or ']', got the end of the line"},
      {"[none]", "value:1:2: expected a value that a list can hold, got 'none]'"},
      {"shape [1,-2]", "value:1:7: expected a dimension of at least 0 or ?, got '-2'"},
      {"tensor<i32[2] 1>", "value:1:16: expected 2 elements, or fewer with ... at the end, got '>'"},
      {"tensor<i32[1] 1,2>", "value:1:17: expected at most 1 elements, got '2>'"},
      {"tensor<i8[1] 300>", "value:1:14: expected an element of i8, got '300>'"},
      {"tensor<i32[?] 1>", "value:1:11: expected a known shape whose elements can be counted, got '[?] 1>'"},
      {"tensor<i32[4611686018427387904,4]>",
       "value:1:11: expected a known shape whose elements can be counted, got '[461168601842738'"},
      {"tensor<variant[]>", "value:1:15: expected proto and bytes for a tensor of variant, got '[]>'"},
      {"tensor<f32[2] #12>",
       "value:1:16: expected the fingerprint and size of an elided tensor, such as "
       "00c0ffee00c0ffee 4000B, got '12>'"},
      {"func f{}", "value:1:6: expected a string in quotes, got 'f{}'"},
      {"func \"f\"{=2}", "value:1:10: expected the name of an attribute, got '=2}'"},
      {"hello", "value:1:1: expected the value of an attribute, got 'hello'"},
  };
  for (const auto& [text, want] : rows) {
    INFO(text);
    const absl::StatusOr<AttrValue> value = ParseAttrValue(text);
    REQUIRE_FALSE(value.ok());
    const std::string message(value.status().message());
    CHECK(message.substr(0, message.find('\n')) == want);
  }
}

TEST_CASE("functions cannot nest without end") {
  std::string text = "1";
  for (int i = 0; i < 10000; ++i) text = "func \"f\"{a=" + text + "}";
  CHECK_FALSE(ParseAttrValue(text).ok());
}

}  // namespace
}  // namespace berth
