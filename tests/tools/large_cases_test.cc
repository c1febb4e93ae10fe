// Cases of the list of what goes wrong that are about size, or about what a run needs of a graph.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/graph_builder.h"
#include "graph/graphdef.h"
#include "graph/prune.h"
#include "graph/scope.h"
#include "graph/text.h"
#include "kernels/kernels.h"
#include "kernels/op_support.h"
#include "placement/place.h"
#include "runtime/session.h"
#include "tests/bench/bench.h"
#include "tests/placement/every_policy.h"
#include "tests/testing.h"
#include "tests/tools/berth_command.h"

namespace berth {
namespace {

namespace fs = std::filesystem;

fs::path Folder(const std::string& name) {
  const fs::path folder = fs::path(TestFile("large_cases")) / name;
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

TEST_CASE("R028 weights on gpu:0 or on cpu:0 under four towers: bytes for each pair of devices, without running") {
  std::string graph = "x = Placeholder() : f32[8,4]\nw = VariableV2() {dtype=f32, shape=shape [4,2]}\n";
  for (int t = 0; t < 4; ++t) graph += absl::StrCat("y", t, " = MatMul(x, w) <tower=", t, ">\n");
  graph += "sum = AddN(y0, y1, y2, y3)\n";
  const std::string rest = " | towers-on gpu:* | else cpu:0";
  const auto rows = [&](const std::string& weights) {  // one word changes
    const CommandResult result = Berth({"sweep", "-", "--policies", "variables-on " + weights + rest, "--machine",
                                        "cpu:1,gpu:4", "--links", "--format", "csv"},
                                       graph);
    CHECK(result.exit == 0);
    std::string table = result.out;
    const std::string head = "variables-on " + weights + rest + ",\"cpu:1,gpu:4\",";
    for (size_t at; (at = table.find(head)) != std::string::npos;) table.erase(at, head.size());
    return table;
  };
  CHECK(rows("cpu:0") ==
        "policy,machine,from,to,transfers,bytes\n"
        "cpu:0,gpu:0,2,160\ncpu:0,gpu:1,2,160\ncpu:0,gpu:2,2,160\ncpu:0,gpu:3,2,160\n"
        "gpu:0,cpu:0,1,64\ngpu:1,cpu:0,1,64\ngpu:2,cpu:0,1,64\ngpu:3,cpu:0,1,64\n");
  CHECK(rows("gpu:0") ==
        "policy,machine,from,to,transfers,bytes\n"
        "cpu:0,gpu:0,1,128\ncpu:0,gpu:1,1,128\ncpu:0,gpu:2,1,128\ncpu:0,gpu:3,1,128\n"
        "gpu:0,cpu:0,1,64\ngpu:0,gpu:1,1,32\ngpu:0,gpu:2,1,32\ngpu:0,gpu:3,1,32\n"
        "gpu:1,cpu:0,1,64\ngpu:2,cpu:0,1,64\ngpu:3,cpu:0,1,64\n");
}

TEST_CASE("R107 50000 nodes in 300 scopes and a chain of 10000: dumped in 10 s, folded to scopes, a file a scope") {
  constexpr int kNodes = 50000, kScopes = 300, kChain = 10000;
  std::string graph = "x = Placeholder() : f32[2]\n";
  for (int i = 0; i < kNodes; ++i) {
    absl::StrAppend(&graph, "scope_", i % kScopes, "/part/n", i, " = Neg(x) @gpu:", i % kScopes % 2, "\n");
  }
  for (int i = 0; i < kChain; ++i) {
    absl::StrAppend(&graph, "chain/n", i, " = Neg(", i == 0 ? "x" : absl::StrCat("chain/n", i - 1), ")\n");
  }
  const double start = SecondsOf(Clock::kProcessor);
  const CommandResult placed = Berth({"place", "-", "--machine", "cpu:1,gpu:2"}, graph);
  REQUIRE(placed.exit == 0);
  CHECK(std::count(placed.out.begin(), placed.out.end(), '\n') == kNodes + kChain + 1);
  const CommandResult folded = Berth({"show", "-", "--collapse", "1"}, placed.out);
  REQUIRE(folded.exit == 0);
  CHECK(std::count(folded.out.begin(), folded.out.end(), '\n') == 1 + 1 + 1 + kScopes);
  CHECK(folded.out.find("\nscope_1/      167  gpu:1 167\n") != std::string::npos);
  CHECK(folded.out.find("\nchain/      10000  gpu:0 10000\n") != std::string::npos);
  const fs::path folder = Folder("R107");
  const CommandResult split =
      Berth({"show", "-", "--collapse", "1", "--per-scope", "--out", folder.string()}, placed.out);
  REQUIRE(split.exit == 0);
  std::ifstream file(folder / "scope_299.txt");
  const std::string lines{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  CHECK(std::count(lines.begin(), lines.end(), '\n') == kNodes / kScopes);
  CHECK(lines.find("scope_299/part/n299 = Neg(x)") == 0);
  CHECK(SecondsOf(Clock::kProcessor) - start < 10);
}

TEST_CASE("R173 300 MB of constants that 8 towers read are in a file once") {
  constexpr int kConstants = 30, kTowers = 8;
  constexpr int64_t kElements = 2500000;  // 10 MB each
  GraphBuilder builder(StandardOps());
  std::string bytes(kElements * 4, 'c');
  for (int i = 0; i < kConstants; ++i) {
    bytes[0] = static_cast<char>(i);
    const Literal value = Literal::FromBytes(DType::kFloat32, {&kElements, 1}, bytes);
    const std::string name = absl::StrCat("weights_", i);
    const std::pair<absl::string_view, AttrValue> attrs[] = {{"dtype", AttrValue(DType::kFloat32)},
                                                             {"value", AttrValue(value)}};
    REQUIRE(builder.AddNode({.name = name, .op = "Const", .attrs = attrs}).ok());
  }
  for (int t = 0; t < kTowers; ++t) {
    const Tag tags[] = {{"tower", absl::StrCat(t)}};
    for (int i = 0; i < kConstants; ++i) {
      const std::string name = absl::StrCat("tower_", t, "/read_", i);
      const Input inputs[] = {{i, 0}};
      const std::pair<absl::string_view, AttrValue> attrs[] = {{"T", AttrValue(DType::kFloat32)}};
      REQUIRE(builder.AddNode({.name = name, .op = "Neg", .inputs = inputs, .attrs = attrs, .tags = tags}).ok());
    }
  }
  const absl::StatusOr<Graph> graph = std::move(builder).Build();
  REQUIRE(graph.ok());
  const Machine machine = *ParseMachine("cpu:1,gpu:8");
  const auto placed = PlaceGraph(*graph, machine, TowersOn("/gpu:*") | Else("/cpu:0"), OpSupport());
  REQUIRE(placed.ok());
  const auto device = [&](const Node& node) { return machine.device(placed->device(node.id())).name.ToString(); };
  absl::FunctionRef<std::string(const Node&)> device_ref = device;
  const size_t size = ExportGraphDef(*graph, {.device = &device_ref, .attrs = nullptr}).size();
  CHECK(size > 300000000);
  CHECK(size < 300100000);
}

std::unique_ptr<Session> Made(Graph graph, std::vector<std::string> fetches, std::vector<std::string> feeds,
                              const std::string& policy) {
  SessionOptions options;
  const absl::StatusOr<Policy> parsed = ParsePolicy(policy);
  if (!parsed.ok()) FAIL(parsed.status().ToString());
  options.machine = *ParseMachine("cpu:1,gpu:2");
  options.kernels = CpuKernels();
  options.support = SupportFrom(*options.kernels);
  options.policy = *parsed;
  options.mode = PlacementMode::kSoft;
  options.fetches = std::move(fetches);
  options.feeds = std::move(feeds);
  auto session = Session::Create(std::make_shared<const Graph>(std::move(graph)), std::move(options));
  if (!session.ok()) FAIL(session.status().ToString());
  return *std::move(session);
}

// A constant and a chain of ten from it, then as many nodes more as to make `nodes`.
Graph TenAndMore(int nodes) {
  GraphBuilder builder(StandardOps());
  const std::pair<absl::string_view, AttrValue> value[] = {{"dtype", AttrValue(DType::kFloat32)},
                                                           {"value", AttrValue(Literal::Filled(1.0f, {4}))}};
  const std::pair<absl::string_view, AttrValue> type[] = {{"T", AttrValue(DType::kFloat32)}};
  REQUIRE(builder.AddNode({.name = "c", .op = "Const", .attrs = value}).ok());
  for (int i = 1; i < nodes; ++i) {
    const std::string name = absl::StrCat("n", i);
    const Input inputs[] = {{i < 11 ? i - 1 : 10 + i % 2 * (i - 11), 0}};
    REQUIRE(builder.AddNode({.name = name, .op = "Neg", .inputs = inputs, .attrs = type}).ok());
  }
  auto graph = std::move(builder).Build();
  REQUIRE(graph.ok());
  return *std::move(graph);
}

double FastestRun(Session& session) {
  double fastest = 1e9;
  for (int i = 0; i < 300; ++i) {
    const double start = SecondsOf(Clock::kWall);
    REQUIRE(session.Run({.fetches = {"n10"}}).ok());
    if (i > 0) fastest = std::min(fastest, SecondsOf(Clock::kWall) - start);
  }
  return fastest;
}

TEST_CASE("R175 adding to a sealed graph fails, and ten nodes of a million run like ten nodes") {
  const Scope root = Scope::Root();
  const Output c = Const(root, 1.0f);
  REQUIRE(root.Finish().ok());
  root.Op("Neg", {c});
  CHECK(root.status().message().find("graph already sealed") != absl::string_view::npos);

  auto small = Made(TenAndMore(11), {"n10"}, {}, "else cpu:0");
  auto large = Made(TenAndMore(1000000), {"n10"}, {}, "else cpu:0");
  CHECK(large->graph().num_nodes() == 11);
  double ratio = 9;
  for (int attempt = 0; attempt < 5 && ratio > 2; ++attempt) ratio = FastestRun(*large) / FastestRun(*small);
  CHECK(ratio <= 2);
}

constexpr char kTwoSteps[] =
    "a = Placeholder() {dtype=f32, shape=shape [2]}\n"
    "b = Placeholder() {dtype=f32, shape=shape [2]}\n"
    "c = Placeholder() {dtype=f32, shape=shape [2]}\n"
    "k = Const() {dtype=f32, value=tensor<f32[2] 2,3>}\n"
    "r1 = Add(a, b) <tower=0> @gpu:1\n"
    "s = Mul(r1, k) <tower=1>\n"
    "r2 = Sub(s, c)\n"
    "unused = Neg(r2) @gpu:0\n";

Graph TwoSteps() {
  auto graph = ParseGraphText(kTwoSteps, StandardOps(), "g");
  if (!graph.ok()) FAIL(graph.status().ToString());
  return *std::move(graph);
}

Tensor Pair(float x, float y) {
  Tensor tensor = *AllocateHostTensor(DType::kFloat32, {2});
  tensor.kernel<float>()[0] = x;
  tensor.kernel<float>()[1] = y;
  return tensor;
}

TEST_CASE("R178 a run in two steps has equal values under every policy, whether it is pruned or placed first") {
  for (const std::string& policy : EveryPolicyAndSeeds(TestFile("some.tsv"), 4)) {
    INFO(policy);
    auto session = Made(TwoSteps(), {"r1", "r2"}, {"a", "b", "c"}, policy);
    const auto first = session->Run({.feeds = {{"a", Pair(1, 2)}, {"b", Pair(10, 20)}}, .fetches = {"r1"}});
    if (!first.ok()) FAIL(first.status().ToString());
    const auto second = session->Run({.feeds = {{"r1", (*first)[0]}, {"c", Pair(5, 5)}}, .fetches = {"r2"}});
    if (!second.ok()) FAIL(second.status().ToString());
    const float* r2 = (*second)[0].kernel<float>();
    CHECK(r2[0] == 17);
    CHECK(r2[1] == 61);
  }
}

TEST_CASE("R178 rules that look at one node, and first-fit, place a pruned graph as they place the whole") {
  const Graph whole = TwoSteps();
  const auto pruned = PruneGraph(whole, {.fetches = {"r1", "r2"}, .targets = {}, .feeds = {"a", "b", "c"}});
  REQUIRE(pruned.ok());
  REQUIRE(pruned->num_nodes() == whole.num_nodes() - 1);
  const Machine machine = *ParseMachine("cpu:1,gpu:2");
  for (const char* text : {"pins", "variables-on gpu:0 | else gpu:1", "towers-on gpu:* | else cpu:0",
                           "match \"op=Add | name=s\" on gpu:0", "first-fit", "first-fit gpu:1", "pins | first-fit"}) {
    INFO(text);
    const Policy policy = *ParsePolicy(text);
    const auto all = PlaceGraph(whole, machine, policy, OpSupport());
    const auto some = PlaceGraph(*pruned, machine, policy, OpSupport());
    REQUIRE(all.ok());
    REQUIRE(some.ok());
    for (NodeId n = 0; n < pruned->num_nodes(); ++n) {
      CHECK(some->device(n) == all->device(whole.Find(pruned->node(n).name())->id()));
    }
  }
}

}  // namespace
}  // namespace berth
