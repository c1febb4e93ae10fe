// Placing and planning change no result: random graphs, on one cpu and on random devices, agree to the bit.

#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/placement/every_policy.h"
#include "tests/runtime/run_testing.h"
#include "tests/testing.h"

namespace berth {
namespace {

struct RandomGraph {
  std::string text;
  std::vector<std::string> fetches;
};

// Values are [4,4] or [16]. `placed`: each node asks for a random device of cpu:1,gpu:3. `size` 0: 5 to 44 nodes.
RandomGraph Make(uint32_t seed, bool placed, int size = 0) {
  std::mt19937 random(seed), place(seed + 1000);
  RandomGraph g;
  g.text =
      "x = Placeholder() {dtype=f32, shape=shape [4,4]}\nflat = Const() {dtype=i32, value=tensor<i32[1] 16>}\n"
      "square = Const() {dtype=i32, value=tensor<i32[2] 4,4>}\n"
      "zero = Const() {dtype=i32, value=tensor<i32[] 0>}\n"
      "w = Const() {dtype=f32, value=tensor<f32[4,4] 0.5,-0.25,0.125,1.0,0.75,...>}\n"
      "v = VariableV2() {dtype=f32, shape=shape [4,4]}\n";
  std::vector<std::string> squares = {"x", "w"}, flats;
  const auto any = [&](const std::vector<std::string>& from) { return from[random() % from.size()]; };
  if (size == 0) size = 5 + static_cast<int>(random() % 40);
  for (int i = 0; i < size; ++i) {
    const std::string name = absl::StrCat("n", i);
    std::string node;
    bool is_flat = false;
    switch (random() % 10) {
      case 0:
        node = absl::StrCat("Add(", any(squares), ", ", any(squares), ")");
        break;
      case 1:
        node = absl::StrCat("Mul(", any(squares), ", w)");
        break;
      case 2:
        node = absl::StrCat("Sub(", any(squares), ", ", any(squares), ")");
        break;
      case 3:
        node = absl::StrCat("Relu(", any(squares), ")");
        break;
      case 4:
        node = absl::StrCat("MatMul(", any(squares), ", w)");
        break;
      case 5:
        node = absl::StrCat("Tanh(", any(squares), ")");
        break;
      case 6:
        node = absl::StrCat("Identity(", any(squares), ")");
        break;
      case 7:
        node = absl::StrCat("Reshape(", any(squares), ", flat)");
        is_flat = true;
        break;
      case 8:
        if (flats.empty()) continue;
        node = absl::StrCat("Reshape(", any(flats), ", square)");
        break;
      case 9:
        if (flats.empty()) continue;
        node = absl::StrCat("Neg(", any(flats), ")");
        is_flat = true;
        break;
    }
    absl::StrAppend(&g.text, name, " = ", node);
    const int device = static_cast<int>(place() % 4);
    if (placed) absl::StrAppend(&g.text, device == 3 ? " @cpu:0" : absl::StrCat(" @gpu:", device));
    g.text += "\n";
    (is_flat ? flats : squares).push_back(name);
    if (random() % 4 == 0) g.fetches.push_back(name);
  }
  g.fetches.push_back(squares.back());
  absl::StrAppend(&g.text, "set = Assign(v, ", squares.back(), ")\n");
  g.fetches.push_back("set");
  return g;
}

TEST_CASE("random graphs agree to the bit on one cpu and on random devices") {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    const RandomGraph one = Make(seed, false), many = Make(seed, true);
    INFO("seed " << seed << "\n" << many.text);
    auto a = TestSession(one.text, "cpu:1"), b = TestSession(many.text, "cpu:1,gpu:3");
    REQUIRE(a.ok());
    REQUIRE(b.ok());
    for (float scale : {1.0f, -3.0f}) {
      std::vector<float> x(16);
      for (int i = 0; i < 16; ++i) x[i] = scale * (static_cast<float>(i) - 7.3f);
      const RunOptions run{.feeds = {{"x", Floats({4, 4}, x)}}, .fetches = one.fetches};
      const auto ra = (*a)->Run(run), rb = (*b)->Run(run);
      REQUIRE(ra.ok());
      REQUIRE(rb.ok());
      for (size_t i = 0; i < ra->size(); ++i) {
        INFO(one.fetches[i]);
        CHECK(std::memcmp((*ra)[i].data(), (*rb)[i].data(), 64) == 0);
      }
      CHECK(Show((*a)->GetVariable("v")) == Show((*b)->GetVariable("v")));
    }
  }
}

// 10,000 seeds take minutes: that many by hand (--test_env=BERTH_SEEDS=10000), 200 each time. Partitions alone are made of
// 2,000 graphs in partition_property_test.
TEST_CASE("R109 graphs of 200 nodes under random placements over three devices run as on one") {
  const char* given = std::getenv("BERTH_SEEDS");
  const uint32_t seeds = given == nullptr ? 200 : static_cast<uint32_t>(std::atoi(given));
  std::vector<float> x(16);
  for (int i = 0; i < 16; ++i) x[i] = 0.1f * static_cast<float>(i) - 0.7f;
  for (uint32_t seed = 0; seed < seeds; ++seed) {
    const RandomGraph random = Make(20000 + seed, false, 200);
    INFO("seed " << seed << "\n" << random.text);
    const auto graph = std::make_shared<const Graph>(*TestGraph(random.text));
    std::vector<std::string> results;
    for (const char* machine : {"cpu:1", "cpu:1,gpu:2"}) {
      SessionOptions options;
      options.machine = *ParseMachine(machine);
      options.policy = RandomPlacement(seed);
      options.kernels = TestKernels();
      auto session = Session::Create(graph, std::move(options));
      REQUIRE(session.ok());
      results.push_back(Show((*session)->Run({.feeds = {{"x", Floats({4, 4}, x)}}, .fetches = random.fetches})));
    }
    CHECK(results[0].substr(0, 4) == "f32[");
    CHECK(results[0] == results[1]);
  }
}

// Machines of every kind of device there is: one line here for a new kind.
constexpr const char* kMachines[] = {"cpu:2", "cpu:1,gpu:3", "gpu:2,cpu:1,NPU:1"};

TEST_CASE("random graphs agree to the bit under every policy and 20 seeds, on every kind of device") {
  const std::vector<std::string> policies = EveryPolicyAndSeeds(TestFile("replayed.tsv"));
  for (uint32_t seed = 100; seed < 108; ++seed) {
    const RandomGraph random = Make(seed, seed % 2 == 0);
    std::vector<float> x(16);
    for (int i = 0; i < 16; ++i) x[i] = 0.37f * static_cast<float>(i) - 2;
    const RunOptions run{.feeds = {{"x", Floats({4, 4}, x)}}, .fetches = random.fetches};
    const auto graph = std::make_shared<const Graph>(*TestGraph(random.text));
    std::vector<Tensor> first;
    const auto check = [&](const std::string& machine, const std::string& policy) {
      INFO("seed " << seed << ", machine " << machine << ", policy " << policy << "\n" << random.text);
      SessionOptions options;
      options.machine = *ParseMachine(machine);
      options.policy = *ParsePolicy(policy);
      options.mode = PlacementMode::kSoft;
      options.kernels = TestKernels();
      auto session = Session::Create(graph, std::move(options));
      INFO(session.status().ToString());
      REQUIRE(session.ok());
      const auto values = (*session)->Run(run);
      INFO(values.status().ToString());
      REQUIRE(values.ok());
      if (first.empty()) first = *values;
      for (size_t i = 0; i < values->size(); ++i) {
        INFO(random.fetches[i]);
        CHECK(std::memcmp(first[i].data(), (*values)[i].data(), 64) == 0);
      }
    };
    check("cpu:1", "first-fit");
    for (const char* machine : kMachines) {
      for (const std::string& policy : policies) check(machine, policy);
    }
  }
}

}  // namespace
}  // namespace berth
