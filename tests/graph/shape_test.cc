#include "graph/shape.h"

#include <string>
#include <vector>

#include "tests/testing.h"

namespace berth {
namespace {

PartialShape Shape(absl::string_view text) {
  const absl::StatusOr<PartialShape> shape = ParseShape(text);
  REQUIRE(shape.ok());
  return *shape;
}

std::string Text(const absl::StatusOr<PartialShape>& shape) {
  return shape.ok() ? shape->ToString() : std::string(shape.status().message());
}

TEST_CASE("shapes print and parse") {
  for (const char* text : {"?", "[]", "[0]", "[1,?,3]", "[9223372036854775807]"}) {
    CHECK(Text(ParseShape(text)) == text);
  }
  for (const char* text : {"", "[", "[1", "1,2", "[-1]", "[1,]", "[,]", "[1 2]", "[9223372036854775808]", "??"}) {
    INFO(text);
    CHECK_FALSE(ParseShape(text).ok());
  }
}

TEST_CASE("elements are counted, and not where they cannot be") {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"[]", "1"},
      {"[2,3]", "6"},
      {"[0,?]", "none"},
      {"[0,4611686018427387904,4]", "0"},
      {"[4611686018427387904,4]", "none"},
      {"?", "none"},
      {"[?]", "none"},
  };
  for (const auto& [shape, want] : rows) {
    INFO(shape);
    const std::optional<int64_t> n = Shape(shape).num_elements();
    CHECK((n ? std::to_string(*n) : "none") == want);
  }
}

TEST_CASE("merged shapes know what either knows") {
  const std::vector<std::vector<std::string>> rows = {
      {"?", "[1,2]", "[1,2]"},
      {"[1,?]", "[?,2]", "[1,2]"},
      {"[?,?]", "[?,?]", "[?,?]"},
      {"[2,3]", "[2,4]", "shapes [2,3] and [2,4] differ in dimension 1"},
      {"[2]", "[2,4]", "shapes [2] and [2,4] differ in rank"},
      {"[]", "[]", "[]"},
  };
  for (const auto& row : rows) {
    INFO(row[0] + " " + row[1]);
    const absl::StatusOr<PartialShape> merged = MergeShapes(Shape(row[0]), Shape(row[1]));
    CHECK(Text(merged) == row[2]);
    CHECK(Compatible(Shape(row[0]), Shape(row[1])) == merged.ok());
    CHECK(MergeShapes(Shape(row[1]), Shape(row[0])).ok() == merged.ok());
  }
}

TEST_CASE("broadcast shapes") {
  const std::vector<std::vector<std::string>> rows = {
      {"[2,3]", "[3]", "[2,3]"},
      {"[2,1]", "[1,3]", "[2,3]"},
      {"[]", "[4]", "[4]"},
      {"?", "[4]", "?"},
      {"[?]", "[4]", "[4]"},
      {"[?]", "[1]", "[?]"},
      {"[?]", "[?]", "[?]"},
      {"[?]", "[0]", "[0]"},
      {"[0]", "[1]", "[0]"},
      {"[1]", "[?,5]", "[?,5]"},
      {"[2]", "[3]", "shapes [2] and [3] do not broadcast: 2 against 3 in dimension 0 of the result"},
      {"[4,2]", "[3]", "shapes [4,2] and [3] do not broadcast: 2 against 3 in dimension 1 of the result"},
  };
  for (const auto& row : rows) {
    INFO(row[0] + " " + row[1]);
    const absl::StatusOr<PartialShape> result = BroadcastShapes(Shape(row[0]), Shape(row[1]));
    CHECK(Text(result) == row[2]);
    const absl::StatusOr<PartialShape> swapped = BroadcastShapes(Shape(row[1]), Shape(row[0]));
    CHECK(swapped.ok() == result.ok());
    if (result.ok()) CHECK(*swapped == *result);
  }
}

}  // namespace
}  // namespace berth
