// TensorFlow's own placer tests, restated: rows P1 to P110 of the catalog, by id, with its outcomes.
//
// What Berth decided otherwise, or has not (XLA and composite devices, the passes around the placer), is said row by row in
// tests/catalog/decisions.txt.

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "graph/op_table.h"
#include "graph/text.h"
#include "placement/machine.h"
#include "placement/op_support.h"
#include "placement/tensorflow_groups.h"
#include "placement/tensorflow_placer.h"
#include "tests/testing.h"

namespace berth {
namespace {

constexpr DType kFloat = DType::kFloat32;
constexpr DType kHandle = DType::kResource;

// An op, and the priority of its kernel on each kind; -1 for none.
struct TestOp {
  const char* name;
  std::vector<DType> inputs, outputs;
  int cpu, gpu;
};

const std::vector<TestOp>& Ops() {
  static const auto& ops = *new std::vector<TestOp>{
      {"Source", {}, {kFloat, kFloat}, 0, -1},
      {"SourceGpu", {}, {kFloat, kFloat}, -1, 0},
      {"Relu", {kFloat}, {kFloat}, 0, 0},
      {"ReluCpu", {kFloat}, {kFloat}, 0, -1},
      {"ReluGpu", {kFloat}, {kFloat}, -1, 0},
      {"ReluPrefersCpu", {kFloat}, {kFloat}, 2, 1},
      {"Identity", {kFloat}, {kFloat}, 0, 0},
      {"Shape", {kFloat}, {DType::kInt32}, 0, 0},
      {"Make", {}, {kFloat}, 0, 0},
      {"MakeGpu", {}, {kFloat}, -1, 0},
      {"Variable", {}, {RefOf(kFloat)}, 0, 0},
      {"VariableCpu", {}, {RefOf(kFloat)}, 0, -1},
      {"VariableGpu", {}, {RefOf(kFloat)}, -1, 0},
      {"Assign", {RefOf(kFloat), kFloat}, {RefOf(kFloat)}, 0, 0},
      {"AssignCpu", {RefOf(kFloat), kFloat}, {RefOf(kFloat)}, 0, -1},
      {"AssignGpu", {RefOf(kFloat), kFloat}, {RefOf(kFloat)}, -1, 0},
      {"Handle", {}, {kHandle}, 0, 0},
      {"HandleCpu", {}, {kHandle}, 0, -1},
      {"HandleGpu", {}, {kHandle}, -1, 0},
      {"HandlePrefersCpu", {}, {kHandle}, 2, 1},
      {"HandlePrefersGpu", {}, {kHandle}, 1, 2},
      {"Use", {kHandle}, {kFloat}, 0, 0},
      {"UseCpu", {kHandle}, {kFloat}, 0, -1},
      {"UseGpu", {kHandle}, {kFloat}, -1, 0},
      {"UsePrefersCpu", {kHandle}, {kFloat}, 2, 1},
      {"UsePrefersGpu", {kHandle}, {kFloat}, 1, 2},
      {"NoKernel", {}, {kFloat}, -1, -1},
  };
  return ops;
}

std::shared_ptr<const OpTable> TestOps() {
  auto table = std::make_shared<OpTable>();
  for (const TestOp& test : Ops()) {
    OpDef op;
    op.name = test.name;
    const auto arg = [](const char* stem, size_t i, DType type) {
      ArgDef def;
      def.name = absl::StrCat(stem, i);
      def.type = BaseOf(type);
      def.is_ref = IsRef(type);
      return def;
    };
    for (size_t i = 0; i < test.inputs.size(); ++i) op.inputs.push_back(arg("in", i, test.inputs[i]));
    for (size_t i = 0; i < test.outputs.size(); ++i) op.outputs.push_back(arg("out", i, test.outputs[i]));
    const absl::Status added = table->Add(std::move(op));
    REQUIRE(added.ok());
  }
  return table;
}

OpSupport TestSupport() {
  OpSupport support;
  for (const TestOp& test : Ops()) {
    const auto add = [&](const char* kind, int priority) {
      KernelSupport kernel;
      kernel.op = test.name;
      kernel.kind = kind;
      kernel.priority = priority;
      kernel.listed_without_kernel = priority < 0;
      support.Add(kernel);
    };
    if (test.cpu >= 0) add("CPU", test.cpu);
    if (test.gpu >= 0) add("GPU", test.gpu);
    if (test.cpu < 0 && test.gpu < 0) add("CPU", -1);
  }
  return support;
}

struct Case {
  const char* id;
  const char* graph;
  const char* want;  // "in=cpu:0 n1=gpu:0", or "error: words; more words"
  bool soft = true;
  const char* machine = "cpu:10,gpu:10";
  const char* assigned = "";  // "in=/device:..., ..."
};

// Where the nodes that `want` names went.
std::string Where(const Case& c, const Graph& graph, const Machine& machine, const Placement& placement) {
  std::string got;
  for (const std::string& word : std::vector<std::string>(absl::StrSplit(c.want, ' '))) {
    const std::string name = word.substr(0, word.find('='));
    const std::optional<Node> node = graph.Find(name);
    absl::StrAppend(&got, got.empty() ? "" : " ", name, "=",
                    node ? machine.device(placement.device(node->id())).name.ShortName() : "?");
  }
  return got;
}

void Run(const Case& c) {
  INFO(c.id << "\n" << c.graph);
  const absl::StatusOr<Graph> graph = ParseGraphText(c.graph, TestOps());
  INFO(graph.status());
  REQUIRE(graph.ok());
  Machine machine;
  if (*c.machine != '\0') machine = *ParseMachine(c.machine);
  TensorFlowPlacerOptions options;
  options.soft = c.soft;
  if (*c.assigned != '\0') {
    options.assigned.resize(graph->num_nodes());
    for (const std::string& word : std::vector<std::string>(absl::StrSplit(c.assigned, ' '))) {
      const size_t equals = word.find('=');
      options.assigned[graph->Find(word.substr(0, equals))->id()] = word.substr(equals + 1);
    }
  }
  const absl::StatusOr<Placement> placement = PlaceAsTensorFlow(*graph, machine, TestSupport(), options);
  INFO(placement.status());
  absl::string_view want = c.want;
  if (!absl::ConsumePrefix(&want, "error: ")) {
    REQUIRE(placement.ok());
    CHECK(Where(c, *graph, machine, *placement) == want);
    return;
  }
  REQUIRE_FALSE(placement.ok());
  for (const std::string& words : std::vector<std::string>(absl::StrSplit(want, "; "))) {
    INFO("expected in the message: " << words);
    CHECK(absl::StrContains(placement.status().message(), words));
  }
}

#define CPU0 "/job:localhost/replica:0/task:0/device:CPU:0"

TEST_CASE("kernels and their priorities") {
  const std::vector<Case> cases = {
      {"P1", "in = Source()\nn1 = Relu(in)\nn2 = Relu(in:1)", "in=cpu:0 n1=gpu:0 n2=gpu:0"},
      {"P2", "in = Source()\nn1 = ReluPrefersCpu(in)\nn2 = ReluPrefersCpu(in:1)", "in=cpu:0 n1=cpu:0 n2=cpu:0"},
      {"P5", "in = SourceGpu()\nn1 = ReluPrefersCpu(in) {_class=[\"loc:@in\"]}\nn2 = ReluPrefersCpu(in:1)",
       "in=gpu:0 n1=gpu:0 n2=cpu:0"},
      {"P6", "h = HandlePrefersCpu()\nu = Use(h)", "h=cpu:0 u=cpu:0"},
      {"P7", "h = HandlePrefersGpu()\nu = Use(h)", "h=gpu:0 u=gpu:0"},
      {"P9", "h = Handle()\nu = UsePrefersGpu(h)", "h=gpu:0 u=gpu:0"},
      {"P10", "h = HandlePrefersCpu()\nu = UseGpu(h)", "h=gpu:0 u=gpu:0"},
      {"P11", "h = HandleCpu()\nu = UsePrefersGpu(h)", "h=cpu:0 u=cpu:0"},
      {"P13", "h = HandlePrefersGpu()\nu = UsePrefersGpu(h)", "h=gpu:0 u=gpu:0"},
      {"P14", "h = HandlePrefersCpu()\nu = UsePrefersGpu(h)", "h=gpu:0 u=gpu:0"},
      {"P15", "h = HandlePrefersGpu()\nu = UsePrefersCpu(h)", "h=gpu:0 u=gpu:0"},
      {"P54", "n = NoKernel()", "error: node 'n' (NoKernel); there is none on any kind", true},
      {"P55", "n = NoKernel() @cpu:0", "error: node 'n' (NoKernel)", false},
      {"P57", "n = SourceGpu()", "error: node 'n' (SourceGpu); kernels exist on GPU", false, "cpu:2"},
  };
  for (const Case& c : cases) Run(c);
}

TEST_CASE("metadata ops, generators and identities follow") {
  const std::vector<Case> cases = {
      {"P17", "v = VariableCpu()\ns = Shape(v)", "v=cpu:0 s=cpu:0"},
      {"P18", "v = VariableCpu()\ng = Make()\na = Assign(v, g)", "v=cpu:0 g=cpu:0 a=cpu:0"},
      {"P19", "v = VariableCpu()\ng = MakeGpu()\na = Assign(v, g)", "v=cpu:0 g=gpu:0 a=cpu:0"},
      {"P70", "v1 = VariableCpu()\nv2 = VariableCpu()\ng = Make()\na1 = Assign(v1, g)\na2 = Assign(v2, g)",
       "v1=cpu:0 v2=cpu:0 g=cpu:0 a1=cpu:0 a2=cpu:0"},
      {"P71", "v1 = VariableCpu()\nv2 = VariableCpu()\ng = Make()\na1 = Assign(v1, g)\na2 = Assign(v2, g)",
       "v1=cpu:1 v2=cpu:2 g=gpu:0 a1=cpu:1 a2=cpu:2", true, "cpu:10,gpu:10",
       "v1=/job:localhost/replica:0/task:0/device:CPU:1 v2=/job:localhost/replica:0/task:0/device:CPU:2"},
      {"P97", "a = Source() @\"/task:1\"\ni = Identity(a)\nb = Relu(i) @\"/task:1\"",
       "a=/job:w/replica:0/task:1/device:CPU:0 i=/job:w/replica:0/task:1/device:CPU:0", true, "w*2(cpu:1)"},
      {"P98", "a = Source() @\"/task:1\"\ni = Identity(a)", "i=/job:w/replica:0/task:0/device:CPU:0", true,
       "w*2(cpu:1)"},
      {"P99", "a = Source() @\"/task:1\"\ni = Identity(a)\nb = Relu(i) @\"/task:1\"\nc = Relu(i) @\"/task:1\"",
       "i=/job:w/replica:0/task:0/device:CPU:0", true, "w*2(cpu:1)"},
  };
  for (const Case& c : cases) Run(c);
}

TEST_CASE("requests, partial, soft and impossible") {
  const std::vector<Case> cases = {
      {"P21", "in = Source() @\"/job:localhost\"\nv = Variable() @\"/job:localhost\"", "in=cpu:0 v=gpu:0"},
      {"P23", "in = Source() @gpu:0\nv = Variable() @gpu:0", "in=cpu:0 v=gpu:0"},
      {"P49", "in = Source()", "error: expected at least one device", true, ""},
      {"P51", "in = Source() @\"/job:foo\"", "error: node 'in' (Source); /job:foo"},
      {"P58", "in = Source() @\"/foo:bar\"", "error: node 'in' (Source): expected a device name, got '/foo:bar'"},
      {"P61", "n = Variable() @\"/device:GPU:11\"", "n=gpu:0", true},
      {"P62", "n = Variable() @\"/device:GPU:11\"", "error: node 'n' (Variable); /device:GPU:11", false},
      {"P63", "n = Variable() @\"/device:GPU:11\"", "error: node 'n' (Variable): expected a device", false},
      {"P65", "n = Variable() @\"/job:foo/replica:17\"", "error: /job:foo/replica:17; the devices are cpu:0", false},
      {"P66", "n = Variable() @\"/device:gpu:0\"", "error: expected a device '/device:gpu:0'", false},
      {"P67", "n = Source() @gpu:0", "n=cpu:0", true},
      {"P67 strict", "n = Source() @gpu:0", "error: expected a kernel on '/device:GPU:0'", false},
  };
  for (const Case& c : cases) Run(c);
}

TEST_CASE("assigned devices") {
  const char* machine = "cpu:10,gpu:10";
  const std::vector<Case> cases = {
      {"P22", "in = Source()", "in=cpu:7", true, machine, "in=/job:localhost/replica:0/task:0/device:CPU:7"},
      {"P25", "in = Source()", "error: node 'in' (Source): expected a kernel on its assigned device gpu:0", true,
       machine, "in=/job:localhost/replica:0/task:0/device:GPU:0"},
      {"P53", "in = Source()", "error: expected an assigned device of the machine, got '/job:foo'", true, machine,
       "in=/job:foo"},
      {"P59", "in = Source()", "error: got '/foo:bar'", true, machine, "in=/foo:bar"},
      {"P74", "h = Handle()\nu = UseGpu(h)", "error: node 'u' (UseGpu); CPU:0", true, machine, "h=" CPU0},
  };
  for (const Case& c : cases) Run(c);
}

TEST_CASE("references and handles tie their ends") {
  // Owner and user, each with kernels on both kinds, on the cpu or on the gpu. Row P35 is the same over handles.
  struct Row {
    const char* id;
    const char* owner;
    const char* user;
    const char* want;
  };
  const std::vector<Row> rows = {
      {"P26 P35", "", "", "gpu:0"},    {"P27 P35", "", "Cpu", "cpu:0"},    {"P28 P35", "", "Gpu", "gpu:0"},
      {"P29 P35", "Cpu", "", "cpu:0"}, {"P30 P35", "Cpu", "Cpu", "cpu:0"}, {"P31 P35", "Cpu", "Gpu", nullptr},
      {"P32 P35", "Gpu", "", "gpu:0"}, {"P33 P35", "Gpu", "Cpu", nullptr}, {"P34 P35", "Gpu", "Gpu", "gpu:0"},
  };
  for (const Row& row : rows) {
    const std::string refs =
        absl::StrCat("v = Variable", row.owner, "()\nin = Source()\na = Assign", row.user, "(v, in)");
    const std::string handles = absl::StrCat("v = Handle", row.owner, "()\na = Use", row.user, "(v)");
    for (const std::string& graph : {refs, handles}) {
      const std::string want = row.want == nullptr ? "error: node 'v'; node 'a'; no device type"
                                                   : absl::StrCat("v=", row.want, " a=", row.want);
      for (const bool soft : {true, false}) Run({row.id, graph.c_str(), want.c_str(), soft});
    }
  }
  const std::vector<Case> cases = {
      {"P37", "v = Variable() @gpu:0\nin = Source()\na = Assign(v, in) @cpu:0", "v=gpu:0 a=gpu:0", false},
      {"P38", "v = Variable() @\"/job:localhost/task:0\"\nin = Source()\na = Assign(v, in) @cpu:0", "v=cpu:0 a=cpu:0",
       false},
      {"P39", "v = Variable()\nin = Source()\na = Assign(v, in) @cpu:0", "v=cpu:0 a=cpu:0", false},
      {"P50", "v = VariableGpu()\nin = Source()\na = Assign(v, in) @\"/job:b/cpu:0\"", "error: colocated; /job:b", true,
       "a(gpu:1),b(cpu:1)"},
      {"P69", "v = VariableGpu()\nin = Source()\na = AssignCpu(v, in)", "error: 'v' (VariableGpu); 'a' (AssignCpu)",
       true},
  };
  for (const Case& c : cases) Run(c);
}

TEST_CASE("colocation by name") {
  const char* two_groups =
      "in = Source()\nfoo = ReluCpu(in) {_class=[\"loc:@in\"]}\nbar = ReluGpu(in) {_class=[\"loc:@in\", \"loc:@foo\"]}";
  const char* unsatisfiable =
      "in = Source()\nv1 = VariableCpu()\nv2 = VariableCpu()\nv3 = VariableGpu()\n"
      "a1 = Assign(v1, in) {_class=[\"loc:@v1\"]}\na2 = Assign(v2, in) {_class=[\"loc:@v2\"]}\n"
      "a3 = Assign(v3, in) {_class=[\"loc:@v2\"]}";
  const std::vector<Case> cases = {
      {"P42", "in = Source()\nn1 = Relu(in) {_class=[\"loc:@in\"]}\nn2 = Relu(in)", "in=cpu:0 n1=cpu:0 n2=gpu:0"},
      {"P43", "in = Source()\nn1 = Relu(in) {_class=[\"loc:@in\"]}\nn2 = Relu(in) {_class=[\"loc:@in\", \"loc:@n1\"]}",
       "in=cpu:0 n1=cpu:0 n2=cpu:0"},
      {"P45 strict", two_groups, "error: 'bar' (ReluGpu); 'in' (Source); no device type", false},
      {"P45 soft", two_groups, "in=cpu:0 foo=cpu:0 bar=gpu:0", true},
      {"P46",
       "in = Source()\nv1 = VariableCpu()\nv2 = VariableCpu()\na1 = Assign(v1, in) {_class=[\"loc:@g1\"]}\n"
       "a2 = Assign(v2, in) {_class=[\"loc:@g2\"]}",
       "in=cpu:0 v1=cpu:0 v2=cpu:0 a1=cpu:0 a2=cpu:0"},
      {"P47 strict", unsatisfiable, "error: 'a3' (Assign)", false},
      {"P47 soft", unsatisfiable, "v1=cpu:0 a1=cpu:0 v2=cpu:0 a2=cpu:0 v3=gpu:0 a3=gpu:0", true},
  };
  for (const Case& c : cases) Run(c);
}

// What soft mode gave up is listed, and every node has a reason.
TEST_CASE("fallbacks and reasons") {
  const absl::StatusOr<Graph> graph = ParseGraphText(
      "a = Source() @gpu:0\nb = Relu(a) @\"/device:GPU:11\"\nv = Variable() @gpu:1\nw = Assign(v, a) @cpu:2\n"
      "i = Identity(b)\ns = Shape(a)\nm = Make()\nn = Relu(m) @gpu:3\n",
      TestOps());
  INFO(graph.status());
  REQUIRE(graph.ok());
  const Machine machine = *ParseMachine("cpu:4,gpu:4");
  TensorFlowPlacerOptions options;
  options.soft = true;
  const absl::StatusOr<Placement> placement = PlaceAsTensorFlow(*graph, machine, TestSupport(), options);
  INFO(placement.status());
  REQUIRE(placement.ok());
  std::string text;
  for (NodeId n = 0; n < graph->num_nodes(); ++n) {
    absl::StrAppend(&text, graph->node(n).name(), " ", machine.device(placement->device(n)).name.ShortName(), ": ",
                    placement->reason(n), "\n");
  }
  for (const Fallback& f : placement->fallbacks) {
    absl::StrAppend(&text, graph->node(f.node).name(), " asked ", f.asked, ": ", f.why, "\n");
  }
  CHECK(text == R"(a cpu:0: first of 4 candidates in place of '/device:GPU:0'
b gpu:0: first of 8 candidates in place of '/device:GPU:11'
v gpu:1: only candidate for '/device:GPU:1'
w gpu:1: colocated with 'v'
i gpu:0: first of 8 candidates
s cpu:0: follows its input 'a'
m gpu:3: generator: follows its consumers
n gpu:3: only candidate for '/device:GPU:3'
a asked /device:GPU:0: no kernel of Source there
b asked /device:GPU:11: no such device on cpu:4,gpu:4
w asked /device:CPU:2: colocated with 'v'
)");
}

// What a node of kinds with these priorities may have, in order.
std::string CandidatesOf(const std::string& machine_text, TypeList types) {
  const absl::StatusOr<Graph> graph = ParseGraphText("n = Make()", TestOps());
  const Machine machine = *ParseMachine(machine_text);
  TensorFlowGroups groups(*graph, machine, true, false);
  SortTypes(types);
  groups.Init(0, DeviceName(), false, std::move(types));
  std::string text;
  for (const DeviceId d : groups.Candidates(0)) absl::StrAppend(&text, machine.device(d).name.ShortName(), " ");
  return text;
}

TEST_CASE("P109 candidates sort by kernel priority, then kind, then name as text") {
  CHECK(CandidatesOf("cpu:2,gpu:2", {{"CPU", 0}, {"GPU", 0}}) == "gpu:0 gpu:1 cpu:0 cpu:1 ");
  CHECK(CandidatesOf("cpu:2,gpu:2", {{"CPU", 1}, {"GPU", 0}}) == "cpu:0 cpu:1 gpu:0 gpu:1 ");
  CHECK(CandidatesOf("gpu:11", {{"GPU", 0}}) == "gpu:0 gpu:1 gpu:10 gpu:2 gpu:3 gpu:4 gpu:5 gpu:6 gpu:7 gpu:8 gpu:9 ");
}

TEST_CASE("P107 kinds added one by one are in order at each point") {
  TypeList types;
  const auto order = [&](const char* added) {
    types.push_back({added, 0});
    SortTypes(types);
    std::string text;
    for (const auto& [type, priority] : types) absl::StrAppend(&text, type, " ");
    return text;
  };
  CHECK(order("CPU") == "CPU ");
  CHECK(order("GPU") == "GPU CPU ");
  CHECK(order("FPGA") == "GPU CPU FPGA ");
}

TEST_CASE("P110 types sort by kernel priority, then gpu before cpu, then name") {
  TypeList types = {{"CPU", 0}, {"B", 0}, {"GPU", 0}, {"A", 0}, {"TPU", 3}};
  SortTypes(types);
  std::string text;
  for (const auto& [type, priority] : types) absl::StrAppend(&text, type, ":", priority, " ");
  CHECK(text == "TPU:3 GPU:0 CPU:0 A:0 B:0 ");
}

}  // namespace
}  // namespace berth
