// Placement never changes results: random graphs under random policies on random machines give, to the bit, what one cpu gives.
// Ten thousand seeds, one case each (BERTH_SEEDS=N: N of them); properties of the placements alone are in tests/placement/properties_test.cc.

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "placement/policy.h"
#include "runtime/session.h"
#include "tests/graph/random_graph.h"
#include "tests/placement/random_policy.h"
#include "tests/runtime/run_testing.h"
#include "tests/testing.h"

namespace berth {
namespace {

// Everything that has a value; variables by reference only through what reads them.
std::vector<std::string> Fetches(const Graph& graph) {
  std::vector<std::string> names;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    const Node node = graph.node(id);
    for (int k = 0; k < node.num_outputs(); ++k) {
      if (node.output_dtype(k) == DType::kFloat32) names.push_back(absl::StrCat(node.name(), ":", k));
    }
  }
  return names;
}

// The values of a run, or the error.
std::string Run(uint64_t seed, const RandomGraphOptions& draw, const std::string& machine, const std::string& policy) {
  auto graph = std::make_shared<const Graph>(RandomGraph(seed, draw));
  SessionOptions options;
  options.machine = *ParseMachine(machine);
  options.policy = *ParsePolicy(policy);
  options.mode = PlacementMode::kSoft;
  options.kernels = TestKernels();
  auto session = Session::Create(graph, std::move(options));
  if (!session.ok()) return session.status().ToString();
  return Show((*session)->Run({.fetches = Fetches(*graph)}));
}

TEST_CASE("random graphs under random policies run as on one cpu") {
  std::vector<PolicyExample> words;
  for (const PolicyExample& word : EveryPolicy(TestFile("some.tsv"))) {
    if (word.kind == "rule" || word.kind == "solver") words.push_back(word);
  }
  const char* given = std::getenv("BERTH_SEEDS");
  const int seeds = given == nullptr ? 10000 : std::atoi(given);
  int ran = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    Draw draw(static_cast<uint64_t>(seed) * 7919 + 71);
    RandomGraphOptions options;
    options.nodes = 5 + draw.Below(20);
    options.shuffled = draw.Chance(20);
    options.colocation = draw.Chance(30);
    if (draw.Chance(60)) options.devices = {"/gpu:0", "/cpu:0", "/gpu:1", "/gpu:*"};
    static const auto& machines = *new std::vector<std::string>{"cpu:1,gpu:1", "cpu:1,gpu:2", "gpu:2,cpu:2", "cpu:2"};
    const std::string machine = draw.Of(machines), policy = RandomPolicy(words, draw);
    INFO("seed " << seed << ", machine " << machine << ", policy " << policy);
    const std::string one = Run(seed, options, "cpu:1", "first-fit");
    const std::string many = Run(seed, options, machine, policy);
    ran += one.find("f32[") == 0;
    REQUIRE(many == one);
  }
  CHECK(ran > seeds * 9 / 10);
}

}  // namespace
}  // namespace berth
