// Building graphs by hand, verifying and pruning them; graphs are written as text.

#include "graph/graph_builder.h"

#include <string>
#include <vector>

#include "graph/prune.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "tests/testing.h"

namespace berth {
namespace {

struct Row {
  std::string text;
  std::string want;
};

std::string FirstLine(const absl::Status& status) {
  const std::string message(status.message());
  return status.ok() ? "ok" : message.substr(0, message.find('\n'));
}

// "ok", or the first line of the error of building, else of verifying.
std::string Verdict(absl::string_view text) {
  const absl::StatusOr<Graph> graph = ParseGraphText(text, StandardOps(), "g");
  if (!graph.ok()) return FirstLine(graph.status());
  return FirstLine(VerifyGraph(*graph));
}

void CheckVerdicts(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    INFO(row.text);
    CHECK(Verdict(row.text) == row.want);
  }
}

constexpr char kConst[] = "c = Const() {dtype=f32, value=tensor<f32[2] 1.0,...>}\n";

std::string WithConst(absl::string_view text) { return kConst + std::string(text); }

TEST_CASE("nodes that contradict their op") {
  CheckVerdicts({
      {"a = NoOp()\na = NoOp()", "g:2: node 'a' (NoOp): expected a new name, got one that node 0 (NoOp) has"},
      {"-a = NoOp()", "g:1: node '-a' (NoOp): expected a name of letters, digits and _.\\/->, got '-' at byte 0"},
      {WithConst("y = Relu(c, c) {T=f32}"), "g:2: node 'y' (Relu): expected 1 input (features), got 2"},
      {WithConst("y = Relu() {T=f32}"), "g:2: node 'y' (Relu): expected at least 1 inputs (features), got 0"},
      {WithConst("y = AddN(c, c) {T=f32, N=3}"),
       "g:2: node 'y' (AddN): expected at least 3 inputs (inputs * N), got 2"},
      {WithConst("y = AddN(c) {T=f32, N=-1}"), "g:2: node 'y' (AddN): expected attribute 'N' of at least 0, got -1"},
      {WithConst("y = AddN(c) {T=f32, N=4611686018427387904}"),
       "g:2: node 'y' (AddN): expected at least 4611686018427387904 inputs (inputs * N), got 1"},
      {WithConst("y = Split(c, c) {T=f32, num_split=4611686018427387904}"),
       "g:2: node 'y' (Split): expected at most 1000000 outputs, got 4611686018427387904"},
      {WithConst("y = Relu(c) {T=f32, U=1}"), "g:2: node 'y' (Relu): expected attributes of the op, got 'U'; it has T"},
      {WithConst("y = Relu(c) {T=f32, T=f32}"), "g:2: node 'y' (Relu): expected attribute 'T' once, got it twice"},
      {WithConst("y = Relu(c) {T=1}"), "g:2: node 'y' (Relu): expected attribute 'T' of type type, got 1"},
      {WithConst("y = Relu(c) {T=i32}"), "g:2: node 'y' (Relu): expected i32 for input 0, got f32 from 'c' (Const)"},
      {WithConst("y = Relu(c:1) {T=f32}"),
       "g:2: node 'y' (Relu): expected input 0 to be an output of node 'c' (Const), got c:1; it has 1 output"},
      {WithConst("y = Relu(^c, c) {T=f32}"),
       "g:2: node 'y' (Relu): expected only control inputs after the first one, "
       "got a data input at 1"},
      {"n = NoOp()\ny = Relu(n) {T=f32}",
       "g:2: node 'y' (Relu): expected input 0 to be an output of node 'n' (NoOp), got n; it has 0 outputs"},
      // A reference feeds where a value is wanted, not the other way round.
      {"v = VariableV2() {dtype=f32, shape=shape [2]}\ny = Relu(v) {T=f32}", "ok"},
      {WithConst("y = Assign(c, c) {T=f32}"),
       "g:2: node 'y' (Assign): expected f32& for input 0, got f32 from 'c' (Const)"},
      {WithConst("y = Relu(c) {T=f32, _note=1, _other=none}"), "ok"},
      {"o = Fancy()\ny = Relu(o:2100000) {T=f32}",
       "g:1: node 'o' (Fancy): expected an output that the graph has room for, got one numbered 2100000"},
  });
}

TEST_CASE("graphs that cannot be") {
  CheckVerdicts({
      {std::string("y = Relu(c)\n") + kConst, "g:1: node 'y' (Relu): expected attribute 'T' of type type, got none"},
      {WithConst("y = Relu(c) {T=f32, _class=[\"loc:@z\"]}"),
       "g:2: node 'y' (Relu): expected attribute '_class' to name nodes of the graph, got 'loc:@z'; bring these "
       "nodes, or drop the ties (--ties drop)"},
      {WithConst("y = Relu(c) {T=f32, _class=[\"loc:@y\", \"loc:@c\", \"other\"]}"), "ok"},
      {"y = Relu(y) {T=f32}", "g:1: node 'y' (Relu): expected cycles only from NextIteration to Merge, got y -> y"},
      {"a = NoOp(^b)\nb = NoOp(^c)\nc = NoOp(^a)",
       "g:1: node 'a' (NoOp): expected cycles only from NextIteration to Merge, got a -> c -> b -> a"},
      {WithConst("m = Merge(c, n) {T=f32, N=2}\nn = NextIteration(m) {T=f32}"), "ok"},
      {WithConst("m = Merge(c, c, ^n) {T=f32, N=2}\nn = NextIteration(m) {T=f32}"),
       "g:2: node 'm' (Merge): expected cycles only from NextIteration to Merge, got m -> n -> m"},
      {WithConst("m = Merge(c, n) {T=f32, N=2}\nn = Identity(m) {T=f32}"),
       "g:2: node 'm' (Merge): expected cycles only from NextIteration to Merge, got m -> n -> m"},
      {"s = Const() {dtype=string, value=tensor<string[] \"a\">}\ny = Relu(s) {T=string}",
       "g:2: node 'y' (Relu): expected attribute 'T' to be a dtype of "
       "{f32,f64,i32,u8,i16,i8,i64,bf16,u16,f16,u32,u64,qi8}, "
       "got string"},
      {WithConst("y = MaxPool(c) {T=f32, ksize=[1,1,1,1], strides=[1,1,1,1], padding=\"FULL\"}"),
       "g:2: node 'y' (MaxPool): expected attribute 'padding' to be one of {SAME,VALID,EXPLICIT}, got \"FULL\""},
      {WithConst("y = AddN() {T=f32, N=0}"), "g:2: node 'y' (AddN): expected attribute 'N' to be at least 1, got 0"},
      {WithConst("y = MaxPool(c) {T=f32, ksize=[], strides=[1,1,1,1], padding=\"SAME\"}"),
       "g:2: node 'y' (MaxPool): expected attribute 'ksize' to be a list of at least 4, got one of 0"},
      {WithConst("y = Placeholder() {dtype=dtype77}"),
       "g:2: node 'y' (Placeholder): expected attribute 'dtype' to be a dtype, got dtype 77"},
  });
}

TEST_CASE("a long cycle is named in part") {
  std::string text;
  for (int i = 0; i < 100; ++i) {
    text += "n" + std::to_string(i) + " = NoOp(^n" + std::to_string((i + 99) % 100) + ")\n";
  }
  CHECK(Verdict(text) ==
        "g:1: node 'n0' (NoOp): expected cycles only from NextIteration to Merge, got n0 -> n1 -> n2 -> n3 -> n4 -> n5 "
        "-> n6 -> n7 -> ... 92 more ... -> n0");
}

TEST_CASE("opaque outputs: as many as are used, of the dtype a consumer takes") {
  const absl::StatusOr<Graph> graph = ParseGraphText(
      "c = Const() {dtype=f32, value=tensor<f32[2]>}\n"
      "o = Fancy(c)\n"
      "y = Relu(o:2) {T=f32}\n"
      "z = Cast(o) {SrcT=i32, DstT=f32}\n"
      "p = Fancy(o:1)\n"
      "w = Assign(p, c) {T=f32}\n"
      "q = Fancy(o)\n",
      StandardOps());
  INFO(graph.status());
  REQUIRE(graph.ok());
  CHECK(PrintGraph(*graph) ==
        "c = Const() {dtype=f32, value=tensor<f32[2]>} : f32?\n"
        "o = Fancy(c) : i32?, ?, f32?\n"
        "y = Relu(o:2) {T=f32} : f32?\n"
        "z = Cast(o) {DstT=f32, SrcT=i32} : f32?\n"
        "p = Fancy(o:1) : f32&?\n"
        "w = Assign(p, c) {T=f32} : f32&?\n"
        "q = Fancy(o)\n");
  CHECK(graph->node(1).op_def() == nullptr);
}

TEST_CASE("a known op without its type attribute takes the dtype of its input") {
  const absl::StatusOr<Graph> graph =
      ParseGraphText(std::string("y = Relu(c)\nw = AddN(c, c)\n") + kConst, StandardOps());
  INFO(graph.status());
  REQUIRE(graph.ok());
  CHECK(graph->node(0).output_dtype(0) == DType::kFloat32);
  CHECK(graph->node(0).input_dtype(0) == DType::kInvalid);
  CHECK(graph->node(1).output_dtype(0) == DType::kFloat32);
}

TEST_CASE("a node remembers what it was made of") {
  GraphBuilder builder(StandardOps());
  RequestNote note;
  note.origin = "scope 'a'";
  note.wishes.push_back({Opinion::Verb::kForbid, *ParseDeviceName("gpu:1"), std::nullopt, 1.0});
  const std::vector<Tag> tags = {{"tower", "1"}};
  NodeSpec spec;
  spec.name = "a/x";
  spec.op = "Fancy";
  spec.device = "/gpu:1";
  spec.tags = tags;
  spec.note = &note;
  spec.source = {"model.cc", 12};
  spec.extras = "extra";
  spec.opaque_outputs = 2;
  REQUIRE(builder.AddNode(spec).ok());
  builder.set_output_shape(0, 1, PartialShape({3, kUnknownDim}));
  spec = {.name = "b", .op = "NoOp"};
  REQUIRE(builder.AddNode(spec).ok());
  CHECK(builder.FindName("a/x") == 0);
  CHECK(builder.FindName("a") == kNoNode);
  const absl::StatusOr<Graph> graph = std::move(builder).Build();
  REQUIRE(graph.ok());
  const Node node = *graph->Find("a/x");
  CHECK(node.Label() == "model.cc:12: node 'a/x' (Fancy)");
  CHECK(node.device() == "/gpu:1");
  CHECK(*node.tag("tower") == "1");
  CHECK(node.tag("other") == nullptr);
  CHECK(node.note().origin == "scope 'a'");
  CHECK(node.note().wishes.size() == 1);
  CHECK(graph->node_extras(0) == "extra");
  CHECK(node.output_shape(1).ToString() == "[3,?]");
  CHECK(node.output_shape(7).ToString() == "?");
  CHECK(node.output_dtype(0) == DType::kInvalid);
  const Node plain = graph->node(1);
  CHECK(plain.device().empty());
  CHECK(plain.tags().empty());
  CHECK(plain.source().ToString().empty());
  CHECK(plain.note().origin.empty());
  CHECK(graph->node_extras(1).empty());
  CHECK_FALSE(graph->Find("a").has_value());
}

TEST_CASE("SetInput replaces a data input, and nothing else") {
  const auto made = [](int index, Input input) {
    GraphBuilder builder(StandardOps());
    const std::vector<Input> inputs = {{0, 0}, {0, kControlSlot}};
    (void)builder.AddNode({.name = "a", .op = "Fancy", .opaque_outputs = 1});
    (void)builder.AddNode({.name = "b", .op = "Fancy", .inputs = inputs});
    const absl::Status set = builder.SetInput(1, index, input);
    if (!set.ok()) return std::string(set.message());
    const absl::StatusOr<Graph> graph = std::move(builder).Build();
    return graph.ok() ? "ok" : std::string(graph.status().message());
  };
  CHECK(made(0, {0, 0}) == "ok");
  CHECK(made(0, {1, 0}) == "ok");  // a loop, for the verifier to refuse
  CHECK(made(1, {0, kControlSlot}) == "ok");
  CHECK(made(2, {0, 0}) == "node 'b' (Fancy): expected one of its 1 data inputs to replace, got input 2");
  CHECK(made(-1, {0, 0}) == "node 'b' (Fancy): expected one of its 1 data inputs to replace, got input -1");
  CHECK(made(1, {0, 0}) == "node 'b' (Fancy): expected one of its 1 data inputs to replace, got input 1");
  CHECK(made(0, {7, 0}) == "node 'b' (Fancy): expected a node for input 0, got none");
  CHECK(made(0, {0, 1}) ==
        "node 'b' (Fancy): expected input 0 to be an output of node 'a' (Fancy), got a:1; it has 1 output");
}

// Pruning.

Graph Parsed(absl::string_view text) {
  absl::StatusOr<Graph> graph = ParseGraphText(text, StandardOps());
  INFO(graph.status());
  REQUIRE(graph.ok());
  return *std::move(graph);
}

constexpr char kDiamond[] =
    "x = Placeholder() {dtype=f32} : f32[2,?]\n"
    "init = NoOp()\n"
    "l = Relu(x, ^init) {T=f32} <tower=0> : f32[2,?] @gpu:0\n"
    "r = Neg(x) {T=f32} <tower=1> : f32[2,?] @gpu:1\n"
    "u = Unique(l) {T=f32} : f32[?], i32[2]\n"
    "sum = Add(l, r) {T=f32} : f32[2,?]\n"
    "done = NoOp(^sum)\n";

std::string Pruned(const PruneOptions& options) {
  const absl::StatusOr<Graph> graph = PruneGraph(Parsed(kDiamond), options);
  return graph.ok() ? PrintGraph(*graph) : FirstLine(graph.status());
}

TEST_CASE("pruning keeps what the fetches need, as it was") {
  CHECK(Pruned({}) == kDiamond);
  CHECK(Pruned({.fetches = {"r"}}) ==
        "x = Placeholder() {dtype=f32} : f32[2,?]\n"
        "r = Neg(x) {T=f32} <tower=1> : f32[2,?] @gpu:1\n");
  CHECK(Pruned({.targets = {"init"}}) == "init = NoOp()\n");
  CHECK(Pruned({.fetches = {"done"}}) ==
        "x = Placeholder() {dtype=f32} : f32[2,?]\n"
        "init = NoOp()\n"
        "l = Relu(x, ^init) {T=f32} <tower=0> : f32[2,?] @gpu:0\n"
        "r = Neg(x) {T=f32} <tower=1> : f32[2,?] @gpu:1\n"
        "sum = Add(l, r) {T=f32} : f32[2,?]\n"
        "done = NoOp(^sum)\n");
}

TEST_CASE("a fed node becomes a placeholder, unless it is needed for more") {
  CHECK(Pruned({.fetches = {"sum"}, .feeds = {"l", "r:0"}}) ==
        "l = Placeholder() {dtype=f32, shape=shape [2,?]} <tower=0> : f32[2,?] @gpu:0\n"
        "r = Placeholder() {dtype=f32, shape=shape [2,?]} <tower=1> : f32[2,?] @gpu:1\n"
        "sum = Add(l, r) {T=f32} : f32[2,?]\n");
  // Fetched as it is fed.
  CHECK(Pruned({.fetches = {"r"}, .feeds = {"r"}}) ==
        "r = Placeholder() {dtype=f32, shape=shape [2,?]} <tower=1> : f32[2,?] @gpu:1\n");
  // A control edge wants the node itself.
  CHECK(Pruned({.targets = {"done"}, .feeds = {"sum"}}) == Pruned({.targets = {"done"}}));
  // The second output of a fed first one.
  CHECK(Pruned({.fetches = {"u:1"}, .feeds = {"u:0"}}) == Pruned({.fetches = {"u"}}));
  CHECK(Pruned({.fetches = {"sum"}, .feeds = {"x"}}) == Pruned({.fetches = {"sum"}}));
}

TEST_CASE("names of tensors that are none") {
  const std::vector<Row> rows = {
      {"summ", "tensor 'summ': expected a node of the graph, got no such name; the nearest is 'sum'"},
      {"nothing/like/it", "tensor 'nothing/like/it': expected a node of the graph, got no such name; it has 7 nodes"},
      {"sum:1", "graph:6: node 'sum' (Add): expected one of its 1 outputs, got output 1"},
      {"init:0", "graph:2: node 'init' (NoOp): expected one of its 0 outputs, got output 0"},
      {"^sum", "tensor '^sum': expected a tensor or an op, got a control input; leave out the ^"},
      {"sum:", "tensor 'sum:': expected NODE or NODE:OUTPUT, got ':' after the node"},
      {"sum:-1", "tensor 'sum:-1': expected NODE or NODE:OUTPUT, got ':-1' after the node"},
      {"sum:99999999999", "tensor 'sum:99999999999': expected NODE or NODE:OUTPUT, got ':99999999999' after the node"},
      {"", "tensor '': expected a node of the graph, got no such name; it has 7 nodes"},
  };
  for (const Row& row : rows) CHECK(Pruned({.fetches = {row.text}}) == row.want);
  CHECK(PruneGraph(Parsed(kDiamond), {.fetches = {"summ"}}).status().code() == absl::StatusCode::kNotFound);
  CHECK(FindTensor(Parsed(kDiamond), "init")->slot == -1);
  CHECK(FindTensor(Parsed(kDiamond), "u")->slot == 0);
  CHECK(FindTensor(Parsed(kDiamond), "u:1")->slot == 1);
}

TEST_CASE("groups by name outlive the node that named them") {
  const std::string text =
      "x = NoOp()\n"
      "a = NoOp() {_class=[\"loc:@x\"]}\n"
      "b = NoOp() {_class=[\"loc:@x\", \"loc:@a\"]}\n"
      "c = NoOp() {_class=[\"loc:@x\"]}\n";
  const auto pruned = [&](const PruneOptions& options) { return PrintGraph(*PruneGraph(Parsed(text), options)); };
  CHECK(pruned({.targets = {"b", "c"}}) == "b = NoOp()\nc = NoOp() {_class=[\"loc:@b\"]}\n");
  CHECK(pruned({.targets = {"a", "b"}}) == "a = NoOp()\nb = NoOp() {_class=[\"loc:@a\",\"loc:@a\"]}\n");
  CHECK(pruned({.targets = {"c", "x"}}) == "x = NoOp()\nc = NoOp() {_class=[\"loc:@x\"]}\n");
}

}  // namespace
}  // namespace berth
