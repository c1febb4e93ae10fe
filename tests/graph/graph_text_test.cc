// The text form of graphs: identity, and errors with line, column and caret.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/text.h"
#include "tests/testing.h"

namespace berth {
namespace {

Graph Parsed(absl::string_view text) {
  absl::StatusOr<Graph> graph = ParseGraphText(text, StandardOps());
  INFO(graph.status());
  REQUIRE(graph.ok());
  return *std::move(graph);
}

TEST_CASE("text that prints as it was written") {
  const std::string text =
      "v = VariableV2() {dtype=f32, shape=shape [4]} : f32&[4] @cpu:0\n"
      "c = Const() {dtype=f32, value=tensor<f32[4] 1.0,...>} : f32[4]\n"
      "init = Assign(v, c) {T=f32, use_locking=false} : f32&[4]\n"
      "read = Identity(v, ^init) {T=f32, _class=[\"loc:@v\"]} <tower=1, \"odd key\"=\"a b\"> : f32[4] @gpu:1\n"
      "big = Const() {dtype=f32, value=tensor<f32[1000] #00c0ffee00c0ffee 4000B>} : f32[1000]\n"
      "a.b/c-d\\e>f = \"Odd Op\"(read, init, ^c) {f=func \"g\"{T=f32}, \"odd attr\"=1} : f32[?,2], ?, ?[3] "
      "@/job:ps/device:CPU:*\n"
      "raw = NoOp() @\"/gpu:1\"\n"
      "bad = NoOp() @\"no device\"\n"
      "dots = NoOp() @/device:*:3\n"
      "e = Enter(c) {T=f32, frame_name=\"f\"} : f32?\n"
      "m = Merge(e, n) {N=2, T=f32} : f32?, i32?\n"
      "n = NextIteration(m) {T=f32} : f32?\n";
  CHECK(PrintGraph(Parsed(text)) == text);
}

TEST_CASE("what may be left out or spelt otherwise") {
  const Graph graph = Parsed(
      "# a comment\n"
      "\n"
      "  x=Placeholder( ){ dtype = f32 }:f32[2]@GPU:1 # seen\n"
      "y = Relu(x:0) {T=f32}   # the end");
  CHECK(PrintGraph(graph) ==
        "x = Placeholder() {dtype=f32} : f32[2] @gpu:1\n"
        "y = Relu(x) {T=f32} : f32?\n");
  CHECK(PrintGraph(Parsed("")).empty());
}

TEST_CASE("types and counts that the rest of the line says may be left out") {
  const Graph graph = Parsed(
      "x = Placeholder() : f32[2,2]\n"
      "c = Const() {value=tensor<i32[1] 7>}\n"
      "y = MatMul(x, x) {transpose_b=true}\n"
      "z = AddN(x, y, ^c)\n"
      "i = Cast(z) : i32\n"
      "n = ShapeN(x, y)\n"
      "late = Relu(later)\n"
      "later = Relu(z)\n");
  CHECK(PrintGraph(graph) ==
        "x = Placeholder() {dtype=f32} : f32[2,2]\n"
        "c = Const() {dtype=i32, value=tensor<i32[1] 7>} : i32?\n"
        "y = MatMul(x, x) {T=f32, transpose_b=true} : f32?\n"
        "z = AddN(x, y, ^c) {N=2, T=f32} : f32?\n"
        "i = Cast(z) {DstT=i32, SrcT=f32} : i32?\n"
        "n = ShapeN(x, y) {N=2, T=f32} : i32?, i32?\n"
        "late = Relu(later) {T=absent} : f32?\n"
        "later = Relu(z) {T=f32} : f32?\n");
}

TEST_CASE("requests: canonical ones are short, others stand in quotes byte for byte") {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"gpu:1", "/device:GPU:1"},
      {"\"/gpu:1\"", "/gpu:1"},
      {"/job:localhost/replica:0/task:0/device:GPU:1", "/job:localhost/replica:0/task:0/device:GPU:1"},
      {"\"a\\nb\"", "a\nb"},
      {"gpu", "/device:GPU:*"},
  };
  for (const auto& [text, want] : rows) {
    const std::string line = absl::StrCat("n = NoOp() @", text, "\n");
    const Graph graph = Parsed(line);
    CHECK(graph.node(0).device() == want);
    CHECK(Parsed(PrintGraph(graph)).node(0).device() == want);
  }
}

TEST_CASE("devices and comments of the caller's") {
  const Graph graph = Parsed("n = NoOp() @cpu:0\n");
  const auto print = [&](const std::string& device, const std::string& comment) {
    return PrintGraph(graph,
                      {.device = [&](const Node&) { return device; }, .comment = [&](const Node&) { return comment; }});
  };
  CHECK(print("gpu:1", "tower 1 -> gpu:1") == "n = NoOp() @gpu:1  # tower 1 -> gpu:1\n");
  CHECK(print("/job:ps/replica:0/task:0/device:CPU:0", "") == "n = NoOp() @/job:ps/replica:0/task:0/device:CPU:0\n");
  CHECK(print("", "two\nlines") == "n = NoOp()  # two lines\n");
}

TEST_CASE("bad text is refused where it goes wrong") {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"= NoOp()", "g:1:1: expected the name of a node, got '= NoOp()'\n= NoOp()\n^"},
      {"x NoOp()", "g:1:3: expected '=', got 'NoOp()'\nx NoOp()\n  ^"},
      {"\nx = ()", "g:2:5: expected an op, got '()'\nx = ()\n    ^"},
      {"x = NoOp", "g:1:9: expected '(', got the end of the line\nx = NoOp\n        ^"},
      {"x = NoOp(", "g:1:10: expected an input, got the end of the line\nx = NoOp(\n         ^"},
      {"x = NoOp(^y", "g:1:12: expected ',' or ')', got the end of the line\nx = NoOp(^y\n           ^"},
      {"x = NoOp(^y)", "g:1:10: expected a node of the graph, got 'y'\nx = NoOp(^y)\n         ^"},
      {"x = F(x:a)", "g:1:9: expected the number of an output, got 'a)'\nx = F(x:a)\n        ^"},
      {"x = F(x:99999999999)",
       "g:1:9: expected the number of an output, got '99999999999)'\nx = F(x:99999999999)\n        ^"},
      {"x = NoOp() {a}", "g:1:14: expected '=', got '}'\nx = NoOp() {a}\n             ^"},
      {"x = NoOp() {a=1", "g:1:16: expected ',' or '}', got the end of the line\nx = NoOp() {a=1\n               ^"},
      {"x = NoOp() <a>", "g:1:14: expected '=', got '>'\nx = NoOp() <a>\n             ^"},
      {"x = F() : f99", "g:1:11: expected a dtype such as f32, got 'f99'\nx = F() : f99\n          ^"},
      {"x = F() : f32[2", "g:1:16: expected ']', got the end of the line\nx = F() : f32[2\n               ^"},
      {"x = NoOp() @", "g:1:13: expected a device, got the end of the line\nx = NoOp() @\n            ^"},
      {"x = NoOp() @tpu:0",
       "g:1:13: device 'tpu:0': column 1: expected job:, replica:, task:, device:, cpu: or gpu:, got 'tpu:0'; a device "
       "is "
       "written [/job:J][/replica:R][/task:T][/device:KIND[:N]], or short as cpu:N or gpu:N, where * or nothing means "
       "any\nx = NoOp() @tpu:0\n            ^"},
      {"x = NoOp() !", "g:1:12: expected the end of the line, got '!'\nx = NoOp() !\n           ^"},
      {"x = NoOp() : f32", "g:1:12: expected the 0 outputs of NoOp, got 1\nx = NoOp() : f32\n           ^"},
      {"x = Placeholder() {dtype=f32} : i32",
       "g:1:31: expected f32 as output 0 of Placeholder, got i32\nx = Placeholder() {dtype=f32} : i32\n"
       "                              ^"},
      {std::string("x = \xff()"), "g:1:5: expected an op, got '?()'\nx = ?()\n    ^"},
  };
  for (const auto& [text, want] : rows) {
    INFO(text);
    const absl::StatusOr<Graph> graph = ParseGraphText(text, StandardOps(), "g");
    REQUIRE_FALSE(graph.ok());
    CHECK(graph.status().message() == want);
  }
}

TEST_CASE("of a long line, the error shows the part around the fault") {
  const std::string text = absl::StrCat("x = NoOp(", std::string(100000, 'a'), " ", std::string(100000, 'b'), ")");
  const absl::StatusOr<Graph> graph = ParseGraphText(text, StandardOps(), "g");
  REQUIRE_FALSE(graph.ok());
  CHECK(graph.status().message() == absl::StrCat("g:1:100011: expected ',' or ')', got 'bbbbbbbbbbbbbbbb'\n",
                                                 std::string(59, 'a'), " ", std::string(60, 'b'), "\n",
                                                 std::string(60, ' '), "^"));
}

}  // namespace
}  // namespace berth
