// Explanations: they tell the placement that was made, and what they say of other devices comes true.
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/infer.h"
#include "graph/text.h"
#include "placement/estimate.h"
#include "placement/explain.h"
#include "placement/groups.h"
#include "placement/place.h"
#include "placement/policy.h"
#include "placement/report.h"
#include "proto/placement.pb.h"
#include "tests/graph/random_graph.h"
#include "tests/placement/every_policy.h"
#include "tests/placement/place_text.h"
#include "tests/testing.h"

namespace berth {
namespace {

constexpr auto kSoft = PlacementMode::kSoft;

Graph Inferred(uint64_t seed, const RandomGraphOptions& options) {
  auto inferred = InferShapes(RandomGraph(seed, options));
  if (!inferred.ok()) FAIL(inferred.status().ToString());
  return *std::move(inferred);
}

// "" or what a choice lacks.
std::string Fault(const Machine& machine, const Placement& placed, const Choice& choice, NodeId n) {
  if (choice.winner != placed.device(n)) return "another winner";
  for (DeviceId d = 0; d < machine.num_devices(); ++d) {
    const auto vetoes = std::count_if(choice.vetoes.begin(), choice.vetoes.end(), [&](const Veto& veto) {
      return std::count(veto.devices.begin(), veto.devices.end(), d) > 0;
    });
    const auto candidates = std::count(choice.candidates.begin(), choice.candidates.end(), d);
    if (vetoes + candidates != 1) return absl::StrCat("device ", d, " is neither candidate nor vetoed, or both");
    if (d == choice.winner && candidates == 0) return "the winner is no candidate";
  }
  for (const Veto& veto : choice.vetoes) {
    if (veto.author.empty() || veto.reason.empty()) return "a veto without author or reason";
  }
  if (choice.runner_up != kNoDevice && choice.candidates.size() < 2) return "a runner-up out of nowhere";
  return "";
}

TEST_CASE("R103 R104 every policy, explained: the same placement, and an answer for every node and device") {
  int explained = 0;
  for (int seed = 0; seed < 8; ++seed) {
    RandomGraphOptions options;
    options.nodes = 8 + 2 * seed;
    options.loops = seed % 3 == 0;
    options.opaque_ops = seed % 2 == 0;
    options.colocation = seed % 4 == 0;
    if (seed % 2 == 1) options.devices = {"/gpu:0", "/cpu:0", "/gpu:5"};
    const Graph graph = Inferred(seed, options);
    const OpSupport support = SupportOf(seed % 2 == 0 ? "" : "Const:cpu,gpu Identity:cpu,gpu Neg:gpu Relu:cpu");
    const Machine machine = MachineOf(seed % 3 == 0 ? "cpu:1,gpu:3" : "cpu:1,gpu:2");
    for (const PolicyExample& example : EveryPolicy(TestFile("some.tsv"))) {
      const std::string& text = example.text;
      for (const std::string& policy_text :
           {text, example.kind == "rule" ? absl::StrCat("match \"op=N*\" prefer gpu:1 | ", text, " | greedy-locality")
                                         : text}) {
        INFO("seed " << seed << ", policy " << policy_text);
        const auto policy = ParsePolicy(policy_text);
        REQUIRE(policy.ok());
        const auto placed = PlaceGraph(graph, machine, *policy, support, {.mode = kSoft});
        const auto told = ExplainPlacement(graph, machine, *policy, support, {.mode = kSoft});
        REQUIRE(placed.ok() == told.ok());
        if (!placed.ok()) continue;
        CHECK(PrintPlacement(graph, machine, told->placement) == PrintPlacement(graph, machine, *placed));
        for (NodeId n = 0; n < graph.num_nodes(); ++n) {
          CHECK(Fault(machine, *placed, told->explainer->Explain(n), n) == "");
          ++explained;
        }
      }
    }
  }
  CHECK(explained > 2000);
}

TEST_CASE("R103 a device is a candidate exactly if asking for it before the solver puts the node there") {
  int yes = 0, no = 0;
  const std::vector<std::pair<std::string, std::string>> policies = {
      {"pins", "first-fit"},
      {"match \"name=*1\" forbid gpu:0 | match \"op=Neg\" on gpu:* | pins", "round-robin"},
      {"match \"op=Relu\" prefer gpu:1 | pins", "greedy-locality"},
      {"variables-on cpu:0", "random:3"},
  };
  for (int seed = 0; seed < 12; ++seed) {
    RandomGraphOptions options;
    options.nodes = 10;
    options.colocation = seed % 2 == 0;
    options.loops = seed % 3 == 0;
    options.devices = {"/gpu:0", "/cpu:0"};
    const Graph graph = Inferred(seed, options);
    const OpSupport support = SupportOf("Const:cpu,gpu Identity:cpu,gpu Neg:gpu Relu:cpu Add:cpu,gpu");
    const Machine machine = MachineOf("cpu:1,gpu:2");
    for (const auto& [rules, solver] : policies) {
      const auto told =
          ExplainPlacement(graph, machine, *ParsePolicy(rules + " | " + solver), support, {.mode = kSoft});
      if (!told.ok()) continue;
      for (NodeId n = 0; n < graph.num_nodes(); ++n) {
        const Choice choice = told->explainer->Explain(n);
        for (DeviceId d = 0; d < machine.num_devices(); ++d) {
          const std::string asked = absl::StrCat(rules, " | match \"name=", graph.node(n).name(), "\" on ",
                                                 machine.device(d).name.ShortName(), " | ", solver);
          INFO("seed " << seed << ", " << asked);
          const auto placed = PlaceGraph(graph, machine, *ParsePolicy(asked), support, {.mode = kSoft});
          REQUIRE(placed.ok());
          const bool is_candidate = choice.VetoOf(d) == nullptr;
          CHECK((placed->device(n) == d) == is_candidate);
          (is_candidate ? yes : no) += 1;
        }
      }
    }
  }
  CHECK(yes > 200);
  CHECK(no > 200);
}

TEST_CASE("what would be elsewhere is the difference of two estimates") {
  const Graph graph = Inferred(5, {.nodes = 14});
  const Machine machine = MachineOf("cpu:1,gpu:2");
  const auto placed = PlaceGraph(graph, machine, *ParsePolicy("random:4"), OpSupport());
  REQUIRE(placed.ok());
  const Groups groups = FindGroups(graph);
  const PlacementEstimate before = EstimatePlacement(graph, machine, *placed);
  for (NodeId n = 0; n < graph.num_nodes(); ++n) {
    const DeviceId here = placed->device(n);
    for (DeviceId d = 0; d < machine.num_devices(); ++d) {
      Placement moved = *placed;
      for (NodeId m = 0; m < graph.num_nodes(); ++m) {
        if (groups.root[m] == groups.root[n]) moved.device_of[m] = d;
      }
      const PlacementEstimate after = EstimatePlacement(graph, machine, moved);
      const WhatIf what = MoveTo(graph, machine, *placed, n, d);
      const double noise = 1e-6 * before.total_seconds;
      CHECK(std::abs(what.total_seconds - (after.total_seconds - before.total_seconds)) <= noise);
      CHECK((what.total_seconds == 0 || std::abs(what.total_seconds) >= noise));
      CHECK((what.busy_seconds == 0 || std::abs(what.busy_seconds) >= noise));
      CHECK(what.peak_here == after.devices[here].peak_bytes - before.devices[here].peak_bytes);
      CHECK(what.peak_there == after.devices[d].peak_bytes - before.devices[d].peak_bytes);
    }
  }
}

// The choice of node `name`, printed.
std::string Told(const std::string& text, const std::string& machine_text, const std::string& policy,
                 const std::string& support_text, const std::string& name, PlacementMode mode = kSoft) {
  const Graph graph = GraphOf(text);
  const Machine machine = MachineOf(machine_text);
  const OpSupport support = SupportOf(support_text);
  const auto told = ExplainPlacement(graph, machine, *ParsePolicy(policy), support, {.mode = mode});
  if (!told.ok()) return told.status().ToString();
  const NodeId n = graph.Find(name)->id();
  return "\n" + PrintChoice(graph, machine, told->placement, told->explainer->Explain(n), n);
}

TEST_CASE("choices in words") {
  CHECK(Told("a = Foo() : f32[4] @gpu:1\nb = Foo(a) : f32[4]\n", "cpu:1,gpu:2",
             "match \"op=Foo\" forbid cpu:0 | pins | greedy-locality", "", "b") == R"(
node 'b' (Foo at g:2) is on gpu:1
  greedy-locality: most input bytes on gpu:1 (16)
  candidates: gpu:0, gpu:1
  not cpu:0: match "op=Foo" forbid cpu:0 (policy): denied by op=Foo: not cpu:0
  scores: gpu:1 16, gpu:0 0
  runner-up: gpu:0, behind by 16
)");
  CHECK(Told("a = Foo()\n", "cpu:1,gpu:2",
             "match \"op=Foo\" prefer gpu:1 weight=2 | match \"op=Foo\" prefer cpu:0 | "
             "first-fit",
             "", "a") == R"(
node 'a' (Foo at g:1) is on gpu:1
  match "op=Foo" prefer gpu:1 weight=2: preferred by op=Foo -> gpu:1
  candidates: cpu:0, gpu:0, gpu:1
  scores: gpu:1 preferred 2, cpu:0 preferred 1, gpu:0
  runner-up: cpu:0, behind by 1
)");
  CHECK(Told("v = Handle() : resource @cpu:0\na = Foo(v)\n", "cpu:1,gpu:2", "pins | first-fit", "Foo:cpu,gpu", "a") ==
        R"(
node 'a' (Foo at g:2) is on cpu:0
  fact: colocated with 'v': requested -> cpu:0
  group: 2 nodes, with 'v' by resource edge 'v' -> 'a'
  candidates: cpu:0
  not gpu:0, gpu:1: pins (the node's own request): requested -> cpu:0, which came with node 'v' (Handle at g:1) by resource edge 'v' -> 'a'
)");
  CHECK(Told("a = Foo() @gpu:1\nb = Bar()\n", "cpu:1,gpu:2", "match \"name=?\" together | pins", "", "b") == R"(
node 'b' (Bar at g:2) is on gpu:1
  match "name=?" together: together with 'a'
  group: 2 nodes, with 'a' by 'match "name=?" together' (policy)
  candidates: gpu:1
  not cpu:0, gpu:0: pins (the node's own request): requested -> gpu:1, which came with node 'a' (Foo at g:1) by 'match "name=?" together' (policy)
)");
}

TEST_CASE("R044 a group of ten, one of which has a kernel on cpu only") {
  std::string graph = "n0 = Foo() @gpu:0\n";
  for (int i = 1; i < 10; ++i) {
    graph += absl::StrCat("n", i, " = ", i == 6 ? "Odd" : "Foo", "() {_class=[\"loc:@n0\"]} @gpu:0\n");
  }
  CHECK(Told(graph, "cpu:2,gpu:2", "pins | first-fit", "Foo:cpu,gpu Odd:cpu", "n0") == R"(
node 'n0' (Foo at g:1) is on cpu:0
  first-fit: first candidate
  requested: /device:GPU:0
  group: 10 nodes, with 'n1' by _class loc:@n0
  candidates: cpu:0, cpu:1
  not gpu:0, gpu:1: fact: kernel: a kernel on cpu only, which came with node 'n6' (Odd at g:7) by _class loc:@n0
  runner-up: cpu:1, chosen without scores
  fallback: asked for gpu:0 (pins): node 'n6' (Odd at g:7), which is colocated with it, with a kernel on cpu only; gave up all
)");
}

TEST_CASE("a report with every choice reads back, and is the same written in pieces") {
  for (int seed = 0; seed < 10; ++seed) {
    RandomGraphOptions options;
    options.nodes = 15;
    options.opaque_ops = true;
    options.devices = {"/gpu:0", "/gpu:7", ""};
    const Graph graph = Inferred(seed, options);
    const Machine machine = MachineOf("cpu:1,gpu:2");
    const OpSupport support = SupportOf("Neg:cpu Relu:gpu Const:cpu,gpu");
    const auto told = ExplainPlacement(
        graph, machine,
        *ParsePolicy("match \"op=Neg\" together | pins | match \"op=*\" prefer gpu:1 | greedy-locality"), support,
        {.mode = kSoft});
    if (!told.ok()) continue;
    std::string pieces;
    WritePlacementJson(graph, machine, told->placement, told->explainer.get(),
                       [&](absl::string_view piece) { pieces.append(piece.data(), piece.size()); });
    const pb::PlacementDef def = PlacementToProto(graph, machine, told->placement, told->explainer.get());
    CHECK(def.choice_size() > 0);
    const auto read = PlacementFromJson(pieces, graph, machine);
    if (!read.ok()) FAIL(read.status().ToString());
    CHECK(PrintPlacement(graph, machine, *read) == PrintPlacement(graph, machine, told->placement));
    pb::PlacementDef reread;
    REQUIRE(google::protobuf::util::JsonStringToMessage(pieces, &reread).ok());
    CHECK(reread.SerializeAsString() == def.SerializeAsString());
  }
}

}  // namespace
}  // namespace berth
