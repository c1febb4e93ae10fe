#include "graph/scope.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "graph/variable.h"
#include "tests/graph/building.h"
#include "tests/testing.h"

namespace berth {
namespace {

// Requires a device of the ops in `ops`, "" for every op.
class OpRule : public Rule {
 public:
  OpRule(std::string op, std::string device, bool else_only = false)
      : op_(std::move(op)), device_(std::move(device)), else_only_(else_only) {}
  std::string text() const override { return absl::StrCat("op ", op_, " on ", device_); }
  Opinion Decide(const NodeFacts& node) const override {
    if (!op_.empty() && node.op != op_) return Opinion::Abstain();
    return Opinion::Require(*ParseDeviceName(device_));
  }
  bool only_where_open() const override { return else_only_; }
  absl::Status status() const override { return ParseDeviceName(device_).status(); }

 private:
  std::string op_, device_;
  bool else_only_;
};

Rules On(std::string op, std::string device) { return Rules(std::make_shared<OpRule>(op, device)); }
Rules ElseOn(std::string device) { return Rules(std::make_shared<OpRule>("", device, true)); }

Output Neg(const Scope& scope, const Operand& x, CallSite at = CallSite::Here()) {
  return scope.Op("Neg", {x}, {}, at);
}

TEST_CASE("names are made unique as TensorFlow makes them") {
  const Scope root = Scope::Root();
  const Output x = Const(root, 1.0f);
  Const(root, 2.0f);
  Const(root.WithName("const"), 3.0f);
  const Scope a = root.SubScope("a");
  Neg(a, x);
  Neg(a, x);
  Neg(a.WithName("Neg_1"), x);
  Neg(root.SubScope("a"), x);
  Neg(root.SubScope("A"), x);
  Neg(root.WithName("a"), x);
  Neg(a.SubScope("b"), x);
  CHECK(StructureOrError(root.Finish()) ==
        "Const = Const()\n"
        "Const_1 = Const()\n"
        "const_2 = Const()\n"
        "a/Neg = Neg(Const)\n"
        "a/Neg_1 = Neg(Const)\n"
        "a/Neg_1_1 = Neg(Const)\n"
        "a_1/Neg = Neg(Const)\n"
        "A_2/Neg = Neg(Const)\n"
        "a_3 = Neg(Const)\n"
        "a/b/Neg = Neg(Const)\n");
}

TEST_CASE("a node can be named after the scope of its helpers") {
  const Scope root = Scope::Root();
  const Scope sum = root.SubScope("total");
  const Output x = Const(sum.WithName("x"), 1.0f);
  const Output y = Neg(sum.Itself(), x);
  Neg(root, y) + y;
  CHECK(y.name() == "total");
  CHECK(y.scope().prefix().empty());
  CHECK(root.ok());
}

TEST_CASE("plain numbers become constants of the type that is asked for") {
  const Scope root = Scope::Root();
  const Output half = Const(root.WithName("half"), Literal::FromBytes(DType::kFloat16, {}, std::string(2, 0)));
  const Output i64 = Const(root.WithName("i64"), Literal::Scalar<int64_t>(1));
  const Output f32 = Const(root.WithName("f32"), 1.0f);
  CHECK(Const(root, 7).dtype() == DType::kInt32);
  CHECK(Const(root, 7.5).dtype() == DType::kFloat32);
  CHECK(Const(root, true).dtype() == DType::kBool);
  CHECK((half * 2).dtype() == DType::kFloat16);
  CHECK((i64 + 2).dtype() == DType::kInt64);
  CHECK((2.5 - f32).dtype() == DType::kFloat32);
  CHECK((f32 / 2).dtype() == DType::kFloat32);
  const Output flat = root.Op("Reshape", {f32, {-1, 1}});
  CHECK(flat.dtype() == DType::kFloat32);
  const absl::StatusOr<Graph> graph = root.Finish();
  REQUIRE(graph.ok());
  std::string constants;
  for (const char* name : {"mul/y", "add/y", "sub/x", "truediv/y", "Reshape/shape"}) {
    const std::optional<Node> node = graph->Find(name);
    REQUIRE(node.has_value());
    absl::StrAppend(&constants, name, " ", node->attr("value")->ToString(), "\n");
  }
  CHECK(constants ==
        "mul/y tensor<f16[] 2.0>\n"
        "add/y tensor<i64[] 2>\n"
        "sub/x tensor<f32[] 2.5>\n"
        "truediv/y tensor<f32[] 2.0>\n"
        "Reshape/shape tensor<i32[2] -1,1>\n");
}

TEST_CASE("every node remembers the line that made it, operators and helpers included") {
  const Scope root = Scope::Root();
  const int line = __LINE__;
  const Output x = Const(root, 1.0f);                                   // line + 1
  const Output y = Neg(root, x);                                        // line + 2
  y + x;                                                                // line + 3
  y * 2;                                                                // line + 4
  2 - y;                                                                // line + 5
  MakeVariable(root, "v", {2}, DType::kFloat32, Initializer::Zeros());  // line + 6
  Neg(root.WithCallSite({"elsewhere.cc", 3}), x);
  const absl::StatusOr<Graph> graph = root.Finish();
  REQUIRE(graph.ok());
  const std::vector<std::pair<const char*, int>> expected = {
      {"Const", 1}, {"Neg", 2}, {"add", 3},    {"mul", 4},      {"mul/y", 4},
      {"sub", 5},   {"v", 6},   {"v/read", 6}, {"v/Assign", 6}, {"v/Initializer/zeros", 6}};
  for (const auto& [name, offset] : expected) {
    INFO(name);
    CHECK(graph->Find(name)->source().line == line + offset);
  }
  CHECK(graph->Find("Neg_1")->source().ToString() == "elsewhere.cc:3");
}

TEST_CASE("requests merge field by field, the nearer scope winning") {
  struct Case {
    const char* outer;
    const char* inner;
    const char* expected;
  };
  const Case cases[] = {
      {"", "", ""},
      {"/gpu:1", "", "/device:GPU:1"},
      {"/gpu:1", "/gpu:0", "/device:GPU:0"},
      {"/gpu:1", "gpu", "/device:GPU:1"},
      {"/gpu:1", "cpu", "/device:CPU:*"},
      {"/job:ps/task:1", "/gpu:0", "/job:ps/task:1/device:GPU:0"},
      {"/job:ps/task:1/gpu:0", "/task:2", "/job:ps/task:2/device:GPU:0"},
      {"/job:ps/task:1/gpu:0", "/job:worker/cpu:0", "/job:worker/task:1/device:CPU:0"},
  };
  for (const Case& c : cases) {
    const Scope scope = Scope::Root().WithDevice(c.outer).WithDevice(c.inner);
    INFO(c.outer << " then " << c.inner);
    CHECK(scope.device("Neg", "x") == c.expected);
    CHECK(scope.ok());
  }
}

TEST_CASE("scopes and rules have one order of precedence, and what is overruled is noted") {
  struct Case {
    const char* what;
    Scope scope;
    const char* device;
    std::string note;
  };
  const Scope root = Scope::Root();
  const CallSite at{"m.cc", 1};
  const CallSite in{"m.cc", 2};
  const Case cases[] = {
      {"nothing", root, "-", ""},
      {"a rule that abstains", root.WithRules(On("Relu", "/gpu:1"), at), "-", ""},
      {"a rule", root.WithRules(On("Neg", "/gpu:1"), at), "gpu:1", "rule 'op Neg on /gpu:1' of scope at m.cc:1"},
      {"device over rule on one scope", root.With("/gpu:0", On("Neg", "/gpu:1"), at), "gpu:0",
       "scope at m.cc:1; rule 'op Neg on /gpu:1' of scope at m.cc:1 asked for gpu:1, overruled by scope at m.cc:1: "
       "gpu:0"},
      {"device over rule, by fields", root.With("/job:a", On("Neg", "/job:b/gpu:1"), at), "/job:a/device:GPU:1",
       "scope at m.cc:1 and rule 'op Neg on /job:b/gpu:1' of scope at m.cc:1; rule 'op Neg on /job:b/gpu:1' of scope "
       "at "
       "m.cc:1 asked for /job:b/device:GPU:1, overruled by scope at m.cc:1: /job:a"},
      {"earlier rule over later", root.WithRules(On("Neg", "/gpu:0") | On("", "/job:x/gpu:1"), at),
       "/job:x/device:GPU:0",
       "rule 'op  on /job:x/gpu:1' of scope at m.cc:1 and rule 'op Neg on /gpu:0' of scope at m.cc:1"},
      {"nearer rule over farther device", root.WithDevice("/cpu:0", at).WithRules(On("Neg", "/gpu:1"), in), "gpu:1",
       "rule 'op Neg on /gpu:1' of scope at m.cc:2; scope at m.cc:1 asked for cpu:0, overruled by rule 'op Neg on "
       "/gpu:1' "
       "of scope at m.cc:2: gpu:1"},
      {"nearer device over farther rule", root.WithRules(On("Neg", "/gpu:1"), at).WithDevice("/cpu:0", in), "cpu:0",
       "scope at m.cc:2; rule 'op Neg on /gpu:1' of scope at m.cc:1 asked for gpu:1, overruled by scope at m.cc:2: "
       "cpu:0"},
      {"else, where nothing spoke", root.WithRules(On("Relu", "/gpu:1") | ElseOn("/cpu:0"), at), "cpu:0",
       "rule 'op  on /cpu:0' of scope at m.cc:1"},
      {"else, where a rule spoke", root.WithRules(On("Neg", "/job:x") | ElseOn("/cpu:0"), at), "/job:x",
       "rule 'op Neg on /job:x' of scope at m.cc:1"},
      {"the same wish twice", root.WithDevice("/gpu:1", at).WithDevice("/gpu:1", in), "gpu:1", "scope at m.cc:2"},
  };
  const Output x = Const(root, 1.0f);
  std::vector<std::string> names;
  for (const Case& c : cases) names.push_back(Neg(c.scope, x).name());
  const absl::StatusOr<Graph> graph = root.Finish();
  REQUIRE(graph.ok());
  for (size_t i = 0; i < names.size(); ++i) {
    INFO(cases[i].what);
    const Node node = *graph->Find(names[i]);
    std::string note = node.note().origin;
    for (const std::string& line : node.note().overruled) absl::StrAppend(&note, "; ", line);
    CHECK(ShortRequest(node.device()) == cases[i].device);
    CHECK(note == cases[i].note);
  }
}

TEST_CASE("colocation takes the other node's request, and nothing from farther out") {
  const Scope root = Scope::Root({.device = "/cpu:0"});
  const Output x = Const(root.WithDevice("/gpu:1"), 1.0f);
  const Scope far = root.WithRules(On("", "/gpu:3"));
  const Scope with = far.WithColocation(x.operation());
  Neg(with, x);
  Neg(with.WithDevice("/gpu:2").WithName("nearer"), x);
  Neg(with.WithColocation(Neg(far.WithName("other"), x).operation()).WithName("two"), x);
  const absl::StatusOr<Graph> graph = root.Finish();
  REQUIRE(graph.ok());
  CHECK(Requests(*graph) == "Const gpu:1\nNeg gpu:1\nnearer gpu:2\nother gpu:3\ntwo gpu:3\n");
  CHECK(graph->Find("Neg")->colocation() == std::vector<absl::string_view>{"Const"});
  CHECK(graph->Find("two")->colocation() == std::vector<absl::string_view>{"Const", "other"});
  CHECK(graph->Find("Neg")->note().origin == "colocation with 'Const'");
}

TEST_CASE("tags and towers label nodes, the nearer value replacing the farther") {
  const Scope root = Scope::Root();
  const Output x = Const(root.Tower(0).WithTag("part", "encoder").Tower(1), 1.0f);
  const absl::StatusOr<Graph> graph = root.Finish();
  REQUIRE(graph.ok());
  const Node node = *graph->Find(x.name());
  REQUIRE(node.tags().size() == 2);
  CHECK(*node.tag("part") == "encoder");
  CHECK(*node.tag("tower") == "1");
}

TEST_CASE("control dependencies add up, and constants wait for nobody") {
  const Scope root = Scope::Root();
  const Output x = Const(root, 1.0f);
  const Operation a = root.NamedOp("a", "NoOp", {});
  const Operation b = root.NamedOp("b", "NoOp", {});
  const Scope after = root.WithControlDependencies({a}).WithControlDependencies({b, a});
  after.NamedOp("y", "Mul", {x, 2.0f});
  after.WithoutControlDependencies().NamedOp("z", "Neg", {x});
  CHECK(StructureOrError(root.Finish()) ==
        "Const = Const()\na = NoOp()\nb = NoOp()\ny/y = Const()\ny = Mul(Const, y/y, ^a, ^b)\nz = Neg(Const)\n");
}

TEST_CASE("bad building: the first error is kept with its line, the rest are counted") {
  struct Case {
    const char* what;
    void (*build)(const Scope& root);
    const char* expected;
  };
  // Each is made on line 0 of a file of its own, so that the message is the same wherever this table stands.
  static constexpr CallSite kAt{"model.cc", 7};
  const Case cases[] = {
      {"an unknown op", [](const Scope& s) { s.Op("Nothing", {}, {}, kAt); },
       "model.cc:7: node 'Nothing' (Nothing): expected an op of the graph's op table, got none"},
      {"too few inputs", [](const Scope& s) { s.Op("MatMul", {1.0f}, {}, kAt); },
       "model.cc:7: node 'MatMul' (MatMul): expected 2 inputs (a, b), got 1"},
      {"another type",
       [](const Scope& s) {
         s.Op("Add", {Const(s, 1), Const(s, 1.0f)}, {}, kAt);
       },
       "model.cc:7: node 'Add' (Add): input 1 (y): expected i32 as input 0 (x), got f32"},
      {"a value that does not fit",
       [](const Scope& s) {
         s.Op("Add", {Const(s, 1), 2.5}, {}, kAt);
       },
       "model.cc:7: node 'Add' (Add): input 'y': expected a value of type i32, got 2.5"},
      {"a missing attribute", [](const Scope& s) { s.Op("Placeholder", {}, {}, kAt); },
       "model.cc:7: node 'Placeholder' (Placeholder): attribute 'dtype': expected a value of type type, got none"},
      {"a node of another graph", [](const Scope& s) { s.Op("Neg", {Const(Scope::Root(), 1.0f)}, {}, kAt); },
       "model.cc:7: node 'Neg' (Neg): input 0: expected an output of this graph, got one of another"},
      {"no output at all", [](const Scope& s) { s.Op("Neg", {Output()}, {}, kAt); },
       "model.cc:7: node 'Neg' (Neg): input 0: expected an output of this graph, got none"},
      {"a scope without a name", [](const Scope& s) { s.SubScope("", kAt); },
       "model.cc:7: scope: expected a name, got ''"},
      {"a bad rule", [](const Scope& s) { s.WithRules(On("Neg", "/gpu:x"), kAt); },
       "model.cc:7: rule 'op Neg on /gpu:x': "},
      {"a bad device", [](const Scope& s) { s.WithDevice("/gpu:x", kAt); }, "model.cc:7: "},
      {"an open shape of a variable",
       [](const Scope& s) {
         MakeVariable(s, "v", {2, kUnknownDim}, DType::kFloat32, Initializer::Zeros(), kAt);
       },
       "model.cc:7: variable 'v': expected a fully defined shape, got [2,?]"},
      {"an initialiser's value",
       [](const Scope& s) { MakeVariable(s, "v", {2}, DType::kInt32, Initializer::Constant(0.5), kAt); },
       "model.cc:7: initializer of variable 'v': expected a value of type i32, got 0.5"},
      {"shapes that do not fit",
       [](const Scope& s) {
         s.Op("MatMul",
              {Const(s, Literal::FromBytes(DType::kFloat32, {2, 3}, "")),
               Const(s, Literal::FromBytes(DType::kFloat32, {4, 2}, ""))},
              {}, kAt);
       },
       "model.cc:7: node 'MatMul' (MatMul): "},
  };
  for (const Case& c : cases) {
    INFO(c.what);
    const Scope root = Scope::Root();
    c.build(root);
    const absl::Status first = root.status();
    CHECK_FALSE(first.ok());
    CHECK(std::string(first.message()).substr(0, std::string(c.expected).size()) == c.expected);
    root.Op("Neg", {Output()});  // a consequence: not counted
    CHECK(root.status() == first);
    root.Op("Nothing", {});
    CHECK(root.Finish().status().message() == absl::StrCat(first.message(), " (and 1 more error)"));
  }
}

TEST_CASE("R083 a sealed graph takes no more nodes") {
  const Scope root = Scope::Root();
  const Output x = Const(root, 1.0f);
  REQUIRE(root.Finish().ok());
  CHECK(x.name() == "Const");
  CHECK_FALSE(Neg(root, x).valid());
  CHECK(absl::StrContains(root.status().message(), "graph already sealed"));
  CHECK_FALSE(root.Finish().ok());
}

TEST_CASE("random initialisers draw from the graph's seed and the variable's whole name") {
  const auto seeds = [](int64_t seed, std::vector<const char*> names, std::optional<Seeds> given = std::nullopt) {
    const Scope m = Scope::Root({.seed = seed}).SubScope("m");
    for (const char* name : names) {
      MakeVariable(m, name, {2}, DType::kFloat32, Initializer::TruncatedNormal({.stddev = 0.5, .seeds = given}));
    }
    const absl::StatusOr<Graph> graph = m.Finish();
    REQUIRE(graph.ok());
    std::string text;
    for (const char* name : {"a", "b"}) {
      const Node node = *graph->Find(absl::StrCat("m/", name, "/Initializer/truncated_normal/TruncatedNormal"));
      absl::StrAppend(&text, *node.AttrOrDefault<int64_t>("seed"), "/", *node.AttrOrDefault<int64_t>("seed2"), " ");
    }
    return text;
  };
  const Seeds a = SeedsFor(1, "m/a");
  const Seeds b = SeedsFor(1, "m/b");
  CHECK(seeds(1, {"a", "b"}) == absl::StrCat("1/", a.seed2, " 1/", b.seed2, " "));
  CHECK(seeds(1, {"b", "a"}) == seeds(1, {"a", "b"}));
  CHECK(seeds(2, {"a", "b"}) == absl::StrCat("2/", a.seed2, " 2/", b.seed2, " "));
  CHECK(seeds(1, {"a", "b"}, Seeds{1234, 16}) == "1234/16 1234/16 ");
  CHECK(SeedsFor(7, "a").seed == 7);
  CHECK(SeedsFor(7, "a").seed2 == 0x2f63dc4c8601ec8c);  // FNV-1a of "a" is af63dc4c8601ec8c
  CHECK(SeedsFor(7, "a").seed2 != SeedsFor(7, "b").seed2);
}

}  // namespace
}  // namespace berth
