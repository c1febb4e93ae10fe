// Selectors: what they pick, and every kind of mistake with its whole message.
#include <string>

#include "graph/graph.h"
#include "placement/selector.h"
#include "tests/testing.h"

namespace berth {
namespace {

struct Row {
  std::string text;
  std::string expected;
};

TEST_CASE("bad selectors") {
  const Row rows[] = {
      {"", R"~(
INVALID_ARGUMENT: selector:1:1: expected bytes>, device=, dtype=, in-degree>, name=, op=, scope=, tag=, "!" or "(", got nothing
  
  ^
)~"},
      {"name", R"~(
INVALID_ARGUMENT: selector:1:5: expected "=" after 'name', got nothing
  name
      ^
)~"},
      {"name=", R"~(
INVALID_ARGUMENT: selector:1:6: expected a pattern after 'name=', got none
  name=
       ^
)~"},
      {"colour=red", R"~(
INVALID_ARGUMENT: selector:1:1: expected bytes>, device=, dtype=, in-degree>, name=, op=, scope=, tag=, "!" or "(", got "colour"
  colour=red
  ^
)~"},
      {"name=a name=b", R"~(
INVALID_ARGUMENT: selector:1:8: expected "&", "|" or the end, got "n"
  name=a name=b
         ^
)~"},
      {"(name=a", R"~(
INVALID_ARGUMENT: selector:1:8: expected ")", got nothing
  (name=a
         ^
)~"},
      {"name=a)", R"~(
INVALID_ARGUMENT: selector:1:7: expected "&", "|" or the end, got ")"
  name=a)
        ^
)~"},
      {"!", R"~(
INVALID_ARGUMENT: selector:1:2: expected bytes>, device=, dtype=, in-degree>, name=, op=, scope=, tag=, "!" or "(", got nothing
  !
   ^
)~"},
      {"dtype=float33", R"~(
INVALID_ARGUMENT: selector:1:7: expected an element type such as f32 or int64, got "float33"
  dtype=float33
        ^
)~"},
      {"name=a &", R"~(
INVALID_ARGUMENT: selector:1:9: expected bytes>, device=, dtype=, in-degree>, name=, op=, scope=, tag=, "!" or "(", got nothing
  name=a &
          ^
)~"},
      {"bytes=big", R"~(
INVALID_ARGUMENT: selector:1:7: expected a size such as 64, 4KiB or 1MB (B, KiB, MiB, GiB, TiB, KB, MB, GB, TB), got "big"
  bytes=big
        ^
)~"},
      {"bytes>1mib", R"~(
INVALID_ARGUMENT: selector:1:7: expected a size such as 64, 4KiB or 1MB (B, KiB, MiB, GiB, TiB, KB, MB, GB, TB), got "1mib"
  bytes>1mib
        ^
)~"},
      {"bytes>9000000TiB", R"~(
INVALID_ARGUMENT: selector:1:7: expected a size such as 64, 4KiB or 1MB (B, KiB, MiB, GiB, TiB, KB, MB, GB, TB), got "9000000TiB"
  bytes>9000000TiB
        ^
)~"},
      {"bytes & op=a", R"~(
INVALID_ARGUMENT: selector:1:6: expected =, >, >=, < or <= after 'bytes', got " "
  bytes & op=a
       ^
)~"},
      {"bytes>=", R"~(
INVALID_ARGUMENT: selector:1:8: expected a size such as 64, 4KiB or 1MB (B, KiB, MiB, GiB, TiB, KB, MB, GB, TB), got nothing
  bytes>=
         ^
)~"},
      {"in-degree>2KiB", R"~(
INVALID_ARGUMENT: selector:1:11: expected a number of inputs, got "2KiB"
  in-degree>2KiB
            ^
)~"},
      {"indegree=2", R"~(
INVALID_ARGUMENT: selector:1:1: expected bytes>, device=, dtype=, in-degree>, name=, op=, scope=, tag=, "!" or "(", got "indegree"; did you mean 'in-degree'?
  indegree=2
  ^
)~"},
      {"scope>a", R"~(
INVALID_ARGUMENT: selector:1:6: expected "=" after 'scope', got ">"
  scope>a
       ^
)~"},
      {"name=\"\"", R"~(
INVALID_ARGUMENT: selector:1:8: expected a pattern after 'name=', got none
  name=""
         ^
)~"},
      {"device=\"gpu", R"~(
INVALID_ARGUMENT: selector:1:8: expected a closing quote, got the end
  device="gpu
         ^
)~"},
      {"& name=a", R"~(
INVALID_ARGUMENT: selector:1:1: expected bytes>, device=, dtype=, in-degree>, name=, op=, scope=, tag=, "!" or "(", got "&"
  & name=a
  ^
)~"},
  };
  for (const Row& row : rows) {
    INFO(row.text);
    CHECK("\n" + Selector::Parse(row.text).status().ToString() + "\n" == row.expected);
  }
  CHECK(Selector::Parse(std::string(100000, '!') + "op=a").status().ToString().substr(0, 91) ==
        "INVALID_ARGUMENT: selector:1:66: expected at most 64 levels of \"!\" and \"(\", got more\n  !!!!");
}

TEST_CASE("selectors pick") {
  const DType outputs[] = {DType::kFloat32, RefOf(DType::kInt64)};
  const Tag tags[] = {{"part", "head"}, {"tower", "1"}};
  NodeFacts node;
  node.name = "encoder/layer_1/kernel";
  node.op = "VariableV2";
  node.output_dtypes = outputs;
  node.tags = tags;
  node.in_degree = 2;
  node.bytes = 1 << 20;
  node.request = "/job:ps/device:GPU:1";
  const struct {
    const char* text;
    bool expected;
  } rows[] = {
      {"name=encoder/*", true},
      {"name=encoder", false},
      {"name=*kernel", true},
      {"name=*layer_?/*", true},
      {"name=*layer_?x/*", false},
      {"name=*", true},
      {"name=**e*r*el", true},
      {"op=Variable*", true},
      {"op=variablev2", false},
      {"dtype=int64", true},
      {"dtype=DT_FLOAT", true},
      {"dtype=f64", false},
      {"tag=part", true},
      {"tag=part:he*", true},
      {"tag=part:tail", false},
      {"tag=parts", false},
      {"!op=Const & name=enc*", true},
      {"op=Const | op=VariableV2 & name=enc*", true},
      {"(op=Const | op=VariableV2) & name=dec*", false},
      {"op=VariableV2 | op=Const & name=dec*", true},
      {"!(op=VariableV2 & name=enc*)", false},
      {"!!op=VariableV2", true},
      {"bytes>1MB", true},
      {"bytes>1MiB", false},
      {"bytes>=1MiB", true},
      {"bytes=1024KiB", true},
      {"bytes<1048577", true},
      {"bytes<1048576B", false},
      {"bytes<=1GiB & bytes>1000KB", true},
      {"in-degree=2", true},
      {"in-degree>2", false},
      {"in-degree>=2 & in-degree<3", true},
      {"scope=encoder", true},
      {"scope=encoder/layer_1", true},
      {"scope=enc*", true},
      {"scope=layer_1", false},
      {"scope=encoder/layer_1/kernel", false},
      {"scope=*/layer_?", true},
      {"scope=\"\"", false},
      {"device=/job:ps/*", true},
      {"device=*GPU:?", true},
      {"device=\"\"", false},
      {"device=\"/job:ps/device:GPU:1\" & name=\"encoder/layer_1/kernel\"", true},
  };
  for (const auto& row : rows) {
    INFO(row.text);
    const absl::StatusOr<Selector> selector = Selector::Parse(row.text);
    REQUIRE(selector.ok());
    CHECK(selector->Matches(node) == row.expected);
  }
}

TEST_CASE("what is not known never matches") {
  NodeFacts node;
  node.name = "kernel";
  const struct {
    const char* text;
    bool expected;
  } rows[] = {
      {"bytes>0", false},     {"bytes>=0", false},  {"bytes<1TiB", false}, {"!bytes>1MiB", true},
      {"in-degree=0", false}, {"scope=\"\"", true}, {"scope=*", true},     {"scope=kernel", false},
      {"device=\"\"", true},  {"device=*", true},   {"device=?*", false},
  };
  for (const auto& row : rows) {
    INFO(row.text);
    CHECK(Selector::Parse(row.text)->Matches(node) == row.expected);
  }
}

TEST_CASE("sizes as text") {
  CHECK(ParseByteSize("64") == 64);
  CHECK(ParseByteSize("64B") == 64);
  CHECK(ParseByteSize("2KB") == 2000);
  CHECK(ParseByteSize("2TiB") == int64_t{2} << 40);
  CHECK(ParseByteSize("9223372036854775807") == INT64_MAX);
  for (const char* bad : {"", "B", "-1", "1.5KiB", "1 KiB", "1kb", "9223372036854775808", "9007199254740993KiB"}) {
    INFO(bad);
    CHECK(!ParseByteSize(bad));
  }
}

}  // namespace
}  // namespace berth
