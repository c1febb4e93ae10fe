// Placing a million nodes: nodes a second and extra bytes a node, for three rules and first-fit, and for the default policy.
//   bazel run //tests/bench:place_bench [NODES [REPEATS]]
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/graph_builder.h"
#include "placement/place.h"
#include "placement/placement_state.h"
#include "placement/policy.h"

namespace berth {
namespace {

// Of this process, so that other work on the machine does not count.
double CpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

size_t ResidentBytes() {
  size_t pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%*u %zu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return pages * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

// Towers of chains that read a shared variable now and then: two inputs a node.
Graph MakeGraph(int num_nodes) {
  GraphBuilder builder(StandardOps());
  const auto add = [&](const NodeSpec& spec) {
    const absl::StatusOr<NodeId> id = builder.AddNode(spec);
    if (!id.ok()) std::printf("%s\n", id.status().ToString().c_str());
    return id.ok() ? *id : 0;
  };
  const DType types[] = {DType::kFloat32};
  std::vector<NodeId> variables;
  NodeId last = 0;
  for (int i = 0; i < num_nodes; ++i) {
    NodeSpec spec;
    const std::string name = absl::StrCat("tower_", i % 8, "/layer_", i / 100, "/node_", i);
    spec.name = name;
    const std::vector<Tag> tags = {{"tower", absl::StrCat(i % 8)}};
    std::vector<Input> inputs;
    const std::vector<std::pair<absl::string_view, AttrValue>> attrs = {{"dtype", AttrValue(DType::kFloat32)},
                                                                        {"shape", AttrValue(PartialShape({16, 16}))}};
    if (i % 100 == 0) {
      spec.op = "VariableV2";
      spec.attrs = attrs;
    } else {
      spec.op = i % 10 == 1 ? "MyMatMul" : "MyAdd";
      if (i % 5 != 0) spec.tags = tags;
      inputs = {{last, 0}, {variables.back(), 0}};
      spec.inputs = inputs;
      spec.opaque_outputs = 1;
      spec.opaque_dtypes = types;
    }
    last = add(spec);
    if (i % 100 == 0) variables.push_back(last);
  }
  return *std::move(builder).Build();
}

void Measure(const char* title, const Graph& graph, const Machine& machine, const Policy& policy,
             const OpSupport& support, int repeats) {
  std::vector<double> seconds;
  const size_t resident = ResidentBytes();
  size_t bytes = 0;
  for (int i = 0; i < repeats; ++i) {
    const size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    const double begin = CpuSeconds();
    const absl::StatusOr<Placement> placement = PlaceGraph(graph, machine, policy, support);
    seconds.push_back(CpuSeconds() - begin);
    if (!placement.ok()) std::printf("%s\n", placement.status().ToString().c_str());
    bytes = mallinfo2().uordblks + mallinfo2().hblkhd - before;
  }
  std::sort(seconds.begin(), seconds.end());
  const double nodes = graph.num_nodes();
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const size_t peak = static_cast<size_t>(usage.ru_maxrss) * 1024;
  std::printf("%-28s min %6.1f ms, median %6.1f ms, %5.2f M nodes/s, bytes a node: result %zu, at most %zu\n", title,
              seconds[0] * 1e3, seconds[seconds.size() / 2] * 1e3, nodes / seconds[0] / 1e6,
              bytes / static_cast<size_t>(nodes), (peak - std::min(peak, resident)) / static_cast<size_t>(nodes));
}

}  // namespace
}  // namespace berth

int main(int argc, char** argv) {
  using namespace berth;  // NOLINT
  const int num_nodes = argc > 1 ? std::atoi(argv[1]) : 1000000;
  const int repeats = argc > 2 ? std::atoi(argv[2]) : 5;
  const Graph graph = MakeGraph(num_nodes);
  malloc_trim(0);
  OpSupport support;
  for (const char* kind : {"CPU", "GPU"}) {
    for (const char* op : {"MyMatMul", "MyAdd", "VariableV2"}) support.Add({.op = op, .kind = kind});
  }
  const Machine machine = *ParseMachine("cpu:1,gpu:8");
  const Policy three = Pins() | VariablesOn("/cpu:0") | TowersOn("/gpu:*") | FirstFit();
  Measure("three rules and first-fit", graph, machine, three, support, repeats);
  if (argc > 3) return 0;
  Measure("default", graph, machine, DefaultPolicy(), support, repeats);
  Measure("match and else", graph, machine, Match("name=tower_*/layer_1*").On("/gpu:1") | Else("/cpu:0"), support,
          repeats);
  const double begin = CpuSeconds();
  const uint64_t hash = graph.Fingerprint();
  std::printf("of that, graph hash %.1f ms (%llx)\n", (CpuSeconds() - begin) * 1e3,
              static_cast<unsigned long long>(hash));
  return 0;
}
