// Partitions of random graphs under random placements: joined again they are the graph, nothing is sent twice, and devices that
// run their nodes in order never wait in a circle.

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/graph_builder.h"
#include "graph/op_table.h"
#include "placement/machine.h"
#include "runtime/partition.h"
#include "tests/testing.h"

namespace berth {
namespace {

using Random = std::mt19937_64;

int Below(Random& random, int bound) { return static_cast<int>(random() % bound); }

// A graph of constants, variables and arithmetic with control edges. Variables and their updates carry `loc:@` and must share a
// device, which Place respects.
Graph RandomGraph(Random& random) {
  const std::pair<absl::string_view, AttrValue> type{"T", AttrValue(DType::kFloat32)};
  const std::pair<absl::string_view, AttrValue> dtype{"dtype", AttrValue(DType::kFloat32)};
  GraphBuilder builder(StandardOps());
  std::vector<Input> values;
  std::vector<Input> variables;
  const int size = 1 + Below(random, 60);
  for (int n = 0; n < size; ++n) {
    std::vector<Input> inputs;
    std::vector<std::pair<absl::string_view, AttrValue>> attrs;
    absl::string_view op = "Const";
    const int kind = values.empty() ? 0 : Below(random, 10);
    const auto any = [&] { return values[Below(random, static_cast<int>(values.size()))]; };
    if (kind < 2) {
      attrs = {dtype, {"value", AttrValue(Literal::Scalar(static_cast<float>(n)))}};
    } else if (kind < 3) {
      op = "VariableV2";
      attrs = {dtype, {"shape", AttrValue(PartialShape::Scalar())}};
      variables.push_back({n, 0});
    } else if (kind < 4 && !variables.empty()) {
      op = "AssignAdd";
      inputs = {variables[Below(random, static_cast<int>(variables.size()))], any()};
      attrs = {type};
    } else if (kind < 7) {
      op = "Neg";
      inputs = {any()};
      attrs = {type};
    } else {
      op = "Add";
      inputs = {any(), any()};
      attrs = {type};
    }
    std::set<NodeId> controls;
    while (n > 0 && Below(random, 4) == 0) controls.insert(Below(random, n));
    for (NodeId c : controls) inputs.push_back({c, kControlSlot});
    const std::string name = absl::StrCat("n", n);
    NodeSpec spec;
    spec.name = name;
    spec.op = op;
    spec.inputs = inputs;
    spec.attrs = attrs;
    REQUIRE(builder.AddNode(spec).ok());
    values.push_back({n, 0});
  }
  absl::StatusOr<Graph> graph = std::move(builder).Build();
  INFO(graph.status());
  REQUIRE(graph.ok());
  return *std::move(graph);
}

// Any device for any node, but an update's is its variable's.
Placement RandomPlacementOf(const Graph& graph, const Machine& machine, Random& random) {
  Placement placement;
  for (NodeId n = 0; n < graph.num_nodes(); ++n) {
    const Node node = graph.node(n);
    placement.device_of.push_back(node.op() == "AssignAdd" ? placement.device_of[node.input(0).id()]
                                                           : Below(random, machine.num_devices()));
  }
  return placement;
}

// A partition seen as the graph it came from.
class Joined {
 public:
  explicit Joined(const Partition& partition) : partition_(partition) {
    for (const Partition::Part& part : partition.parts) {
      for (NodeId n = 0; n < part.graph.num_nodes(); ++n) {
        const Node node = part.graph.node(n);
        if (node.op() == "_Send") sends_.emplace(Channel(node), node);
      }
    }
  }

  static int Channel(const Node& node) {
    int channel = -1;
    CHECK(absl::SimpleAtoi(*node.AttrOrDefault<std::string>("tensor_name"), &channel));
    return channel;
  }

  // What the value is in the graph before: pairs, tokens and copies of constants are seen through.
  std::string Original(const Graph& graph, Input in) const {
    const Node node = graph.node(in.node);
    if (node.op() == "_Recv") {
      const Node send = sends_.at(Channel(node));
      const Input sent = send.inputs()[0];
      const Node token = send.graph().node(sent.node);
      if (in.is_control()) {
        CHECK(token.op() == "Const");
        return Original(send.graph(), token.inputs()[0]);
      }
      return Original(send.graph(), sent);
    }
    std::string name(node.name());
    if (const size_t copy = name.find("/replicate/_"); copy != std::string::npos) name.resize(copy);
    return in.is_control() ? absl::StrCat("^", name) : absl::StrCat(name, ":", in.slot);
  }

  // "n3 = Add(n1:0, n2:0, ^n0)" for every node that was there before.
  std::set<std::string> Nodes() const {
    std::set<std::string> nodes;
    for (const Partition::Part& part : partition_.parts) {
      for (NodeId n = 0; n < part.graph.num_nodes(); ++n) {
        const Node node = part.graph.node(n);
        if (node.name()[0] != 'n' || absl::StrContains(node.name(), "/_") || absl::StrContains(node.name(), "/ctrl"))
          continue;
        nodes.insert(Line(part.graph, node));
      }
    }
    return nodes;
  }

  std::string Line(const Graph& graph, const Node& node) const {
    std::vector<std::string> inputs;
    for (Input in : node.inputs()) inputs.push_back(Original(graph, in));
    return absl::StrCat(node.name(), " = ", node.op(), "(", absl::StrJoin(inputs, ", "), ")");
  }

  // Devices take their nodes in the order of ids; a _Recv waits for its _Send. True when all come to an end.
  bool RunsInOrder() const {
    std::set<int> sent;
    std::vector<NodeId> next(partition_.parts.size());
    bool moved = true;
    while (moved) {
      moved = false;
      for (size_t p = 0; p < partition_.parts.size(); ++p) {
        const Graph& graph = partition_.parts[p].graph;
        for (; next[p] < graph.num_nodes(); ++next[p], moved = true) {
          const Node node = graph.node(next[p]);
          for (Input in : node.inputs()) CHECK(in.node < next[p]);
          if (node.op() == "_Recv" && !sent.contains(Channel(node))) break;
          if (node.op() == "_Send") sent.insert(Channel(node));
        }
      }
    }
    for (size_t p = 0; p < next.size(); ++p) {
      if (next[p] < partition_.parts[p].graph.num_nodes()) return false;
    }
    return true;
  }

 private:
  const Partition& partition_;
  std::map<int, Node> sends_;
};

std::set<std::string> Lines(const Graph& graph, bool with_consts) {
  std::set<std::string> lines;
  for (NodeId n = 0; n < graph.num_nodes(); ++n) {
    const Node node = graph.node(n);
    if (!with_consts && node.op() == "Const") continue;
    std::vector<std::string> inputs;
    for (Input in : node.inputs()) {
      const absl::string_view name = graph.node(in.node).name();
      inputs.push_back(in.is_control() ? absl::StrCat("^", name) : absl::StrCat(name, ":", in.slot));
    }
    lines.insert(absl::StrCat(node.name(), " = ", node.op(), "(", absl::StrJoin(inputs, ", "), ")"));
  }
  return lines;
}

TEST_CASE("partitions of random graphs join to the graph, send nothing twice and run in order") {
  const Machine machine = *ParseMachine("cpu:2,gpu:2");
  for (int seed = 0; seed < 2000; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    const Graph graph = RandomGraph(random);
    const Placement placement = RandomPlacementOf(graph, machine, random);
    PartitionOptions options;
    options.replicate_constants = Below(random, 2) == 0;
    options.tensorflow_rule = Below(random, 4) == 0;
    const absl::StatusOr<Partition> partition = PartitionGraph(graph, placement, machine, options);
    INFO(partition.status());
    REQUIRE(partition.ok());
    const Joined joined(*partition);
    // A constant that has only copies left is not there under its own name.
    std::set<std::string> nodes = joined.Nodes();
    if (options.replicate_constants) {
      std::erase_if(nodes, [](const std::string& line) { return absl::StrContains(line, " = Const("); });
    }
    CHECK(nodes == Lines(graph, !options.replicate_constants));
    CHECK(joined.RunsInOrder());
    // Only ordered reads of a variable are sent more than once.
    std::set<std::pair<std::string, DeviceId>> sent;
    for (const Transfer& t : partition->transfers) {
      CHECK(t.from != t.to);
      const std::string node = t.value.substr(0, t.value.find(':'));
      const bool is_variable = IsRef(graph.node(graph.Find(node).value_or(graph.node(0)).id()).output_dtype(0));
      CHECK((sent.emplace(t.value, t.to).second || is_variable));
    }
  }
}

TEST_CASE("a run keeps what its fetches need, and every fetch ends on the client") {
  const Machine machine = *ParseMachine("cpu:1,gpu:2");
  for (int seed = 0; seed < 500; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    const Graph graph = RandomGraph(random);
    const Placement placement = RandomPlacementOf(graph, machine, random);
    PartitionOptions options;
    options.fetches = {absl::StrCat("n", Below(random, graph.num_nodes()), ":0"),
                       absl::StrCat("n", Below(random, graph.num_nodes()), ":0")};
    options.targets = {absl::StrCat("n", Below(random, graph.num_nodes()))};
    const absl::StatusOr<Partition> partition = PartitionGraph(graph, placement, machine, options);
    INFO(partition.status());
    REQUIRE(partition.ok());
    CHECK(Joined(*partition).RunsInOrder());
    std::vector<std::string> ends;
    for (const Partition::Part& part : partition->parts) {
      for (NodeId n = 0; n < part.graph.num_nodes(); ++n) {
        const Node node = part.graph.node(n);
        if (node.op() != "_Retval") continue;
        CHECK(part.device == machine.Client());
        ends.push_back(absl::StrCat(*node.AttrOrDefault<int64_t>("index"), " ",
                                    Joined(*partition).Original(part.graph, node.inputs()[0])));
      }
    }
    std::sort(ends.begin(), ends.end());
    CHECK(ends == std::vector<std::string>{"0 " + options.fetches[0], "1 " + options.fetches[1]});
  }
}

// `size` nodes in a chain, node i on device i mod `devices`.
size_t TransfersOfChain(int size, int devices) {
  const std::pair<absl::string_view, AttrValue> type{"T", AttrValue(DType::kFloat32)};
  const std::pair<absl::string_view, AttrValue> dtype{"dtype", AttrValue(DType::kFloat32)};
  GraphBuilder builder(StandardOps());
  Placement placement;
  for (int n = 0; n < size; ++n) {
    const std::string name = absl::StrCat("n", n);
    const Input before{n - 1, 0};
    NodeSpec spec;
    spec.name = name;
    spec.op = n == 0 ? "Placeholder" : "Neg";
    spec.attrs = absl::MakeConstSpan(n == 0 ? &dtype : &type, 1);
    if (n > 0) spec.inputs = absl::MakeConstSpan(&before, 1);
    REQUIRE(builder.AddNode(spec).ok());
    placement.device_of.push_back(n % devices);
  }
  const absl::StatusOr<Graph> graph = std::move(builder).Build();
  REQUIRE(graph.ok());
  const Machine machine = *ParseMachine(absl::StrCat("gpu:", devices));
  const absl::StatusOr<Partition> partition = PartitionGraph(*graph, placement, machine, {});
  INFO(partition.status());
  REQUIRE(partition.ok());
  size_t nodes = 0;
  for (const Partition::Part& part : partition->parts) nodes += part.graph.num_nodes();
  CHECK(nodes == size + 2 * partition->transfers.size());
  return partition->transfers.size();
}

TEST_CASE("R112: a long chain that changes its device at every node") { CHECK(TransfersOfChain(100000, 2) == 99999); }

TEST_CASE("R128: the cut grows with the graph, not with the devices") {
  CHECK(TransfersOfChain(64, 1) == 0);
  for (int devices = 2; devices <= 16; ++devices) CHECK(TransfersOfChain(64, devices) == 63);
}

TEST_CASE("R113: one part with 5,000 distinct remote inputs") {
  const std::pair<absl::string_view, AttrValue> dtype{"dtype", AttrValue(DType::kFloat32)};
  GraphBuilder builder(StandardOps());
  Placement placement;
  std::vector<Input> inputs;
  for (int n = 0; n < 5000; ++n) {
    const std::string name = absl::StrCat("n", n);
    NodeSpec spec;
    spec.name = name;
    spec.op = "Placeholder";
    spec.attrs = absl::MakeConstSpan(&dtype, 1);
    REQUIRE(builder.AddNode(spec).ok());
    placement.device_of.push_back(1);
    inputs.push_back({n, 0});
  }
  const std::vector<std::pair<absl::string_view, AttrValue>> attrs = {{"N", AttrValue(int64_t{5000})},
                                                                      {"T", AttrValue(DType::kFloat32)}};
  NodeSpec sum;
  sum.name = "sum";
  sum.op = "AddN";
  sum.attrs = attrs;
  sum.inputs = inputs;
  REQUIRE(builder.AddNode(sum).ok());
  placement.device_of.push_back(0);
  const absl::StatusOr<Graph> graph = std::move(builder).Build();
  REQUIRE(graph.ok());
  const absl::StatusOr<Partition> partition = PartitionGraph(*graph, placement, *ParseMachine("cpu:2"), {});
  INFO(partition.status());
  REQUIRE(partition.ok());
  CHECK(partition->transfers.size() == 5000);
}

}  // namespace
}  // namespace berth
