#include "graph/module.h"

#include <memory>
#include <string>
#include <vector>

#include "graph/modules/modules.h"
#include "graph/ops.h"
#include "tests/graph/building.h"
#include "tests/testing.h"

namespace berth {
namespace {

using ops::Relu;

// A float32 input of that shape, -1 where open.
Output Placeholder(const Scope& scope, const PartialShape& shape) {
  return ops::Placeholder(scope.WithName("x"), {.dtype = DType::kFloat32, .shape = shape});
}

TEST_CASE("Linear: Sonnet's variables, initialisers and nodes") {
  const Scope root = Scope::Root();
  const Output x = Placeholder(root, {8, 3});
  const Output y = Linear(root, 2)(root, x);
  CHECK(y.shape().ToString() == "[8,2]");
  CHECK(StructureOrError(root.Finish()) ==
        "x = Placeholder()\n"
        "linear/w = VariableV2()\n"
        "linear/w/Initializer/truncated_normal/shape = Const()\n"
        "linear/w/Initializer/truncated_normal/mean = Const()\n"
        "linear/w/Initializer/truncated_normal/stddev = Const()\n"
        "linear/w/Initializer/truncated_normal/TruncatedNormal = "
        "TruncatedNormal(linear/w/Initializer/truncated_normal/shape)\n"
        "linear/w/Initializer/truncated_normal/mul = Mul(linear/w/Initializer/truncated_normal/TruncatedNormal, "
        "linear/w/Initializer/truncated_normal/stddev)\n"
        "linear/w/Initializer/truncated_normal = Add(linear/w/Initializer/truncated_normal/mul, "
        "linear/w/Initializer/truncated_normal/mean)\n"
        "linear/w/Assign = Assign(linear/w, linear/w/Initializer/truncated_normal)\n"
        "linear/w/read = Identity(linear/w)\n"
        "linear/MatMul = MatMul(x, linear/w/read)\n"
        "linear/b = VariableV2()\n"
        "linear/b/Initializer/zeros = Const()\n"
        "linear/b/Assign = Assign(linear/b, linear/b/Initializer/zeros)\n"
        "linear/b/read = Identity(linear/b)\n"
        "linear/add = AddV2(linear/MatMul, linear/b/read)\n");
}

// Names of all nodes but those that belong to variables.
std::string NodeNames(const absl::StatusOr<Graph>& graph) {
  if (!graph.ok()) return std::string(graph.status().message());
  std::string text;
  for (NodeId id = 0; id < graph->num_nodes(); ++id) {
    const Node node = graph->node(id);
    if (!node.colocation().empty() && node.op() != "VariableV2") continue;
    absl::StrAppend(&text, node.name(), "\n");
  }
  return text;
}

TEST_CASE("names of modules and connections are Sonnet's") {
  const Scope root = Scope::Root();
  const Output x = Placeholder(root, {8, 3});
  const Module m = Linear(root, 2, {.use_bias = false, .name = "m"});
  const Module m_1 = Linear(root, 2, {.use_bias = false, .name = "m"});
  CHECK(m.name() == "m");
  CHECK(m_1.name() == "m_1");
  m(root, x);
  m(root, x);
  m_1(root, x);
  const Module mlp = Mlp(root, {4, 5, 6}, {.use_bias = false});
  mlp(root, x);
  const Module a = Linear(root, 3, {.use_bias = false, .name = "a"});
  const Module seq = Sequential(root, {a, Relu, a, Relu}, {.name = "seq"});
  const Output y = seq(root.SubScope("outer"), x);
  y + 1;
  CHECK(NodeNames(root.Finish()) ==
        "x\n"
        "m/w\nm/MatMul\n"
        "m_1/MatMul\n"
        "m_1/w\nm_1_1/MatMul\n"
        "mlp/linear_0/w\nmlp_1/linear_0/MatMul\nmlp_1/Relu\n"
        "mlp/linear_1/w\nmlp_1/linear_1/MatMul\nmlp_1/Relu_1\n"
        "mlp/linear_2/w\nmlp_1/linear_2/MatMul\n"
        "a/w\nouter/seq/a/MatMul\nouter/seq/Relu\nouter/seq/a_1/MatMul\nouter/seq/Relu_1\n"
        "outer/add/y\nouter/add\n");
}

TEST_CASE("two modules of one name whose parts are made in constructors") {
  const Scope root = Scope::Root();
  const Output x = Placeholder(root, {8, 3});
  const auto make = [&] {
    return MakeModule(root, "m", [](const Scope& own) -> Layer { return Linear(own, 3, {.use_bias = false}); });
  };
  make()(root, x);
  make()(root, x);
  CHECK(NodeNames(root.Finish()) == "x\nm/linear/w\nm_1/linear/MatMul\nm_1/linear/w\nm_1_2/linear/MatMul\n");
}

TEST_CASE("BatchFlatten keeps the batch") {
  struct Case {
    PartialShape input;
    const char* output;
  };
  const Case cases[] = {
      {{8, 32, 32, 3}, "[8,3072]"},    {{8}, "[8,1]"},       {{8, 3}, "[8,3]"},
      {{kUnknownDim, 4, 5}, "[?,20]"}, {{8, 0, 5}, "[8,0]"},
  };
  for (const Case& c : cases) {
    const Scope root = Scope::Root();
    const Output y = BatchFlatten(root)(root, Placeholder(root, c.input));
    INFO(c.input.ToString());
    CHECK(y.shape().ToString() == c.output);
    CHECK(root.Finish().ok());
  }
  const Scope root = Scope::Root();
  BatchFlatten(root, {.name = "bf"})(root, Placeholder(root, {4, 32, 32, 3}));
  CHECK(StructureOrError(root.Finish()) ==
        "x = Placeholder()\n"
        "bf/Shape = Const()\n"
        "bf/strided_slice/stack = Const()\n"
        "bf/strided_slice/stack_1 = Const()\n"
        "bf/strided_slice/stack_2 = Const()\n"
        "bf/strided_slice = StridedSlice(bf/Shape, bf/strided_slice/stack, bf/strided_slice/stack_1, "
        "bf/strided_slice/stack_2)\n"
        "bf/concat/values_1 = Const()\n"
        "bf/concat/axis = Const()\n"
        "bf/concat = ConcatV2(bf/strided_slice, bf/concat/values_1, bf/concat/axis)\n"
        "bf/Reshape = Reshape(x, bf/concat)\n");
}

TEST_CASE("a module keeps the scope it was made in; a connection takes the caller's") {
  const Scope root = Scope::Root();
  const Output x = Placeholder(root, {8, 3});
  const Scope made = root.SubScope("model").WithDevice("/cpu:0").WithTag("owner", "model");
  const Module linear = Linear(made, 2);
  const Scope call = root.SubScope("step").WithDevice("/gpu:1").Tower(1);
  linear(call, x);
  const absl::StatusOr<Graph> graph = root.Finish();
  REQUIRE(graph.ok());
  CHECK(Requests(*graph, "linear/w") ==
        "model/linear/w cpu:0\n"
        "model/linear/w/Initializer/truncated_normal/shape cpu:0\n"
        "model/linear/w/Initializer/truncated_normal/mean cpu:0\n"
        "model/linear/w/Initializer/truncated_normal/stddev cpu:0\n"
        "model/linear/w/Initializer/truncated_normal/TruncatedNormal cpu:0\n"
        "model/linear/w/Initializer/truncated_normal/mul cpu:0\n"
        "model/linear/w/Initializer/truncated_normal cpu:0\n"
        "model/linear/w/Assign cpu:0\n"
        "model/linear/w/read cpu:0\n");
  CHECK(Requests(*graph, "step/") == "step/linear/MatMul gpu:1\nstep/linear/add gpu:1\n");
  CHECK(graph->Find("model/linear/w")->tag("tower") == nullptr);
  CHECK(*graph->Find("model/linear/w")->tag("owner") == "model");
  CHECK(*graph->Find("step/linear/add")->tag("tower") == "1");
}

TEST_CASE("library modules remember the line that connected them, user's own each call") {
  const Scope root = Scope::Root();
  const Output x = Placeholder(root, {8, 3});
  const Module linear = Linear(root, 2);
  const Module own(root, "own", [](Connection& here, const Output& v) { return Relu(here, v) * 2; });
  const int line = __LINE__;
  linear(root, x);              // line + 1
  own(root, x);                 // in the lambda: line - 1
  Sequential(root, {Relu, own,  // Relu: line + 3
                    [](const Scope& here, const Output& v) { return Relu(here, v); }})(root, x);
  const absl::StatusOr<Graph> graph = root.Finish();
  REQUIRE(graph.ok());
  const std::vector<std::pair<const char*, int>> expected = {{"linear/MatMul", 1},
                                                             {"linear/w", 1},
                                                             {"linear/w/Initializer/truncated_normal/mul", 1},
                                                             {"own/Relu", -1},
                                                             {"own/mul", -1},
                                                             {"sequential/Relu", 4},
                                                             {"sequential/own/Relu", -1},
                                                             {"sequential/Relu_1", 4}};
  for (const auto& [name, offset] : expected) {
    INFO(name);
    REQUIRE(graph->Find(name).has_value());
    CHECK(graph->Find(name)->source().line == line + offset);
  }
}

TEST_CASE("user's own modules make variables and parts once") {
  const Scope root = Scope::Root();
  const Output x = Placeholder(root, {8, 3});
  const Module scale(root, "scale", [](Connection& here, const Output& v) -> Output {
    const Output gain = here.Variable("gain", {3}, DType::kFloat32, Initializer::Ones());
    const Output wide = Linear(here, 3, {.use_bias = false})(here, v);
    return Linear(here, 3, {.use_bias = false})(here, wide) * gain;
  });
  scale(root.WithDevice("/gpu:0"), x);
  scale(root.WithDevice("/gpu:1"), x);
  CHECK(scale.num_connections() == 2);
  CHECK(scale.Variables().size() == 1);
  const absl::StatusOr<Graph> graph = root.Finish();
  REQUIRE(graph.ok());
  CHECK(NodeNames(graph) ==
        "x\n"
        "scale/gain\nscale/linear/w\nscale/linear/MatMul\nscale/linear_1/w\nscale/linear_1/MatMul\nscale/mul\n"
        "scale_1/linear/MatMul\nscale_1/linear_1/MatMul\nscale_1/mul\n");
  CHECK(Requests(*graph, "/w").find("gpu") == std::string::npos);
}

TEST_CASE("a module of several inputs and outputs") {
  const Scope root = Scope::Root();
  const Output x = Placeholder(root, {8, 3});
  const Module swap(root, "swap", BuildFn([](Connection& here, absl::Span<const Output> in) -> std::vector<Output> {
                      return {Relu(here, in[1]), Relu(here, in[0])};
                    }),
                    {});
  const Output y = Relu(root, x);
  const std::vector<Output> out = swap.Connect(root, {x, y});
  REQUIRE(out.size() == 2);
  CHECK(StructureOrError(root.Finish()) ==
        "x = Placeholder()\nRelu = Relu(x)\nswap/Relu = Relu(Relu)\nswap/Relu_1 = Relu(x)\n");
}

TEST_CASE("initialisers are given by the variable's key") {
  const Scope root = Scope::Root();
  Linear(root, 2, {.initializers = {{"w", Initializer::Constant(0.5)}, {"b", Initializer::RandomUniform({})}}})(
      root, Placeholder(root, {8, 3}));
  const absl::StatusOr<Graph> graph = root.Finish();
  REQUIRE(graph.ok());
  CHECK(graph->Find("linear/w/Initializer/Const").has_value());
  CHECK(graph->Find("linear/b/Initializer/random_uniform").has_value());
}

TEST_CASE("InitOp runs every Assign, in the order of names") {
  const Scope root = Scope::Root();
  Linear(root, 2)(root, Placeholder(root, {8, 3}));
  MakeVariable(root, "a", PartialShape::Scalar(), DType::kInt32, Initializer::Zeros());
  InitOp(root);
  const absl::StatusOr<Graph> graph = root.Finish();
  REQUIRE(graph.ok());
  const std::string text = Structure(*graph);
  CHECK(text.substr(text.find("init =")) == "init = NoOp(^a/Assign, ^linear/b/Assign, ^linear/w/Assign)\n");
}

TEST_CASE("bad modules: each mistake has its message, with the line of the call") {
  struct Case {
    const char* what;
    void (*build)(const Scope& root);
    const char* expected;
  };
  static constexpr CallSite kMade{"model.cc", 7};
  static constexpr CallSite kFirst{"model.cc", 8};
  static constexpr CallSite kSecond{"model.cc", 9};
  const Case cases[] = {
      {"another width at the second connection",
       [](const Scope& s) {
         const Module linear = Linear(s, 2);
         linear(s, Placeholder(s, {8, 3}), kFirst);
         linear(s, Placeholder(s, {8, 4}), kSecond);
       },
       "model.cc:9: module 'linear': expected an input like f32[8,3] of its first connection at model.cc:8, where "
       "variable "
       "'w' became f32[3,2], got f32[8,4], which wants f32[4,2]"},
      {"rank",
       [](const Scope& s) {
         Linear(s, 2)(s, Placeholder(s, {8, 2, 3}), kFirst);
       },
       "model.cc:8: module 'linear': expected an input of rank 2, got rank 3 [8,2,3]"},
      {"unknown rank", [](const Scope& s) { Linear(s, 2)(s, Placeholder(s, PartialShape::Unknown()), kFirst); },
       "model.cc:8: module 'linear': expected an input of rank 2, got unknown rank"},
      {"unknown width",
       [](const Scope& s) {
         Linear(s, 2)(s, Placeholder(s, {8, kUnknownDim}), kFirst);
       },
       "model.cc:8: module 'linear': expected an input of known width, got [8,?]"},
      {"a scalar to flatten",
       [](const Scope& s) { BatchFlatten(s)(s, Placeholder(s, PartialShape::Scalar()), kFirst); },
       "model.cc:8: module 'batch_flatten': expected an input of rank 1 or more, got a scalar"},
      {"variables before the first connection", [](const Scope& s) { Linear(s, 2).Variable("w", kFirst); },
       "model.cc:8: module 'linear': expected a connection before its variables are read, got none; connect it first"},
      {"all variables before the first connection", [](const Scope& s) { Linear(s, 2).Variables(kFirst); },
       "model.cc:8: module 'linear': expected a connection before its variables are read, got none; connect it first"},
      {"an unknown variable",
       [](const Scope& s) {
         const Module linear = Linear(s, 2);
         linear(s, Placeholder(s, {8, 3}));
         linear.Variable("c", kSecond);
       },
       "model.cc:9: module 'linear': expected one of its variables 'w', 'b', got 'c'"},
      {"an unknown initialiser key",
       [](const Scope& s) {
         Linear(s, 2, {.initializers = {{"bias", Initializer::Zeros()}}}, kMade);
       },
       "model.cc:7: module 'linear': expected initializers of 'w', 'b', got one of 'bias'"},
      {"an initialiser of a bias that is not there",
       [](const Scope& s) {
         Linear(s, 2, {.use_bias = false, .initializers = {{"b", Initializer::Zeros()}}}, kMade);
       },
       "model.cc:7: module 'linear': expected initializers of 'w', got one of 'b'"},
      {"a negative size", [](const Scope& s) { Linear(s, -1, {}, kMade); },
       "model.cc:7: module 'linear': expected an output size of 0 or more, got -1"},
      {"no sizes", [](const Scope& s) { Mlp(s, {}, {}, kMade); },
       "model.cc:7: module 'mlp': expected at least one output size, got none"},
      {"another graph",
       [](const Scope& s) {
         const Scope other = Scope::Root();
         Linear(other, 2)(s, Placeholder(s, {8, 3}), kFirst);
       },
       "model.cc:8: module 'linear': expected a scope of the module's graph, got one of another"},
      {"no input", [](const Scope& s) { Linear(s, 2)(s, Output(), kFirst); },
       "model.cc:8: module 'linear': expected an output as input, got none"},
      {"two inputs",
       [](const Scope& s) {
         Linear(s, 2).Connect(s, {Placeholder(s, {8, 3}), Placeholder(s, {8, 3})}, kFirst);
       },
       "model.cc:8: module 'linear': expected 1 input, got 2"},
      {"no name", [](const Scope& s) { Linear(s, 2, {.name = ""}, kMade); },
       "model.cc:7: module: expected a name, got ''"},
  };
  for (const Case& c : cases) {
    INFO(c.what);
    const Scope root = Scope::Root();
    c.build(root);
    CHECK(std::string(root.Finish().status().message()) == c.expected);
  }
}

}  // namespace
}  // namespace berth
