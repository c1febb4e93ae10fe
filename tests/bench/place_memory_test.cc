// How much memory placing takes at most, beside the graph: every allocation of this program is counted.
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string>

#include "absl/strings/str_cat.h"
#include "graph/graph_builder.h"
#include "placement/place.h"
#include "tests/testing.h"

namespace {

size_t in_use = 0, most_in_use = 0;  // one thread

}  // namespace

void* operator new(size_t size) {
  void* const p = std::malloc(size);
  if (p == nullptr) std::abort();
  in_use += malloc_usable_size(p);
  most_in_use = std::max(most_in_use, in_use);
  return p;
}
void* operator new(size_t size, const std::nothrow_t&) noexcept { return operator new(size); }
void* operator new[](size_t size) { return operator new(size); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return operator new(size); }
void operator delete(void* p) noexcept {
  if (p != nullptr) in_use -= malloc_usable_size(p);
  std::free(p);
}
void operator delete(void* p, size_t) noexcept { operator delete(p); }
void operator delete[](void* p) noexcept { operator delete(p); }
void operator delete[](void* p, size_t) noexcept { operator delete(p); }

namespace berth {
namespace {

constexpr int kNodes = 200000;

// Chains of eight towers over a variable for each hundred nodes.
Graph Towers() {
  GraphBuilder builder(StandardOps());
  const std::pair<absl::string_view, AttrValue> variable[] = {{"dtype", AttrValue(DType::kFloat32)},
                                                              {"shape", AttrValue(PartialShape({16, 16}))}};
  const std::pair<absl::string_view, AttrValue> type[] = {{"T", AttrValue(DType::kFloat32)}};
  for (int i = 0; i < kNodes; ++i) {
    const std::string name = absl::StrCat("tower_", i % 8, "/layer_", i / 100, "/node_", i);
    const Tag tags[] = {{"tower", absl::StrCat(i % 8)}};
    const Input inputs[] = {{i - 1, 0}, {i / 100 * 100, 0}};
    NodeSpec spec{.name = name, .op = "Add", .inputs = inputs, .attrs = type, .tags = tags};
    if (i % 100 == 0) spec = {.name = name, .op = "VariableV2", .attrs = variable};
    REQUIRE(builder.AddNode(spec).ok());
  }
  auto graph = std::move(builder).Build();
  if (!graph.ok()) FAIL(graph.status().ToString());
  return *std::move(graph);
}

TEST_CASE("three rules and a solver take at most 150 bytes a node at any time") {
  const Graph graph = Towers();
  const Machine machine = *ParseMachine("cpu:1,gpu:8");
  for (const char* text : {"pins | variables-on cpu:0 | towers-on gpu:* | first-fit", "default", "round-robin"}) {
    const Policy policy = *ParsePolicy(text);
    const size_t before = in_use;
    most_in_use = in_use;
    const auto placed = PlaceGraph(graph, machine, policy, OpSupport());
    REQUIRE(placed.ok());
    const double peak = static_cast<double>(most_in_use - before) / kNodes;
    const double kept = static_cast<double>(in_use - before) / kNodes;
    INFO(text << ": at most " << peak << " bytes a node, of which " << kept << " are the placement");
    CHECK(kept < 32);
    CHECK(peak <= 150);
    CHECK(peak > 20);  // the counting counts
  }
}

}  // namespace
}  // namespace berth
