// Placement inside bodies of functions: called by name, through PartitionedCall, If and While.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/function_bodies.h"
#include "graph/function_library.h"
#include "graph/graphdef.h"
#include "graph/text.h"
#include "placement/explain.h"
#include "placement/place.h"
#include "placement/policy.h"
#include "tests/graph/random_graph.h"
#include "tests/placement/place_text.h"
#include "tests/testing.h"

namespace berth {
namespace {

// A GraphDef in text: nodes of Berth's text form, and functions.
Graph Imported(const std::string& nodes, const std::string& functions) {
  const std::string graph = ExportGraphDefText(GraphOf(nodes));
  absl::StatusOr<Graph> imported = ImportGraphDef(absl::StrCat(graph, "library {", functions, "}"), StandardOps());
  INFO(imported.status());
  REQUIRE(imported.ok());
  return *std::move(imported);
}

// "f/add gpu:0\n", of nodes in bodies; or the error.
std::string Bodies(const Graph& graph, const std::string& policy = "default",
                   PlacementMode mode = PlacementMode::kStrict, const std::string& support = "") {
  const absl::StatusOr<Graph> whole = WithFunctionBodies(graph);
  INFO(whole.status());
  REQUIRE(whole.ok());
  const Machine machine = MachineOf("cpu:1,gpu:2");
  const auto placed = PlaceGraph(*whole, machine, *ParsePolicy(policy), SupportOf(support), {mode});
  if (!placed.ok()) return placed.status().ToString();
  std::string text;
  for (NodeId n = graph.num_nodes(); n < whole->num_nodes(); ++n) {
    absl::StrAppend(&text, whole->node(n).name(), " ", machine.device(placed->device(n)).name.ShortName(), "\n");
  }
  return text;
}

constexpr char kFloatArg[] = "input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } ";
constexpr char kHandleArg[] = "input_arg { name: 'v' type: DT_RESOURCE } output_arg { name: 'y' type: DT_FLOAT } ";

std::string Neg(const std::string& name, const std::string& input, const std::string& device = "") {
  return absl::StrCat("node_def { name: '", name, "' op: 'Neg' input: '", input, "' device: '", device,
                      "' attr { key: 'T' value { type: DT_FLOAT } } } ");
}

std::string Read(const std::string& name, const std::string& input, const std::string& device = "") {
  return absl::StrCat("node_def { name: '", name, "' op: 'ReadVariableOp' input: '", input, "' device: '", device,
                      "' attr { key: 'dtype' value { type: DT_FLOAT } } } ");
}

std::string Function(const std::string& name, const std::string& args, const std::string& body,
                     const std::string& result) {
  return absl::StrCat("function { signature { name: '", name, "' ", args, "} ", body, "ret { key: 'y' value: '", result,
                      "' } }\n");
}

constexpr char kX[] = "x = Placeholder() {dtype=f32, shape=shape [4]} : f32[4]\n";

TEST_CASE("nodes of a body are placed by what they ask for and where their inputs are") {
  const Graph graph =
      Imported(absl::StrCat(kX, "y = PartitionedCall(x) {Tin=[f32], Tout=[f32], f=func \"f\"{}} @gpu:0\n"),
               Function("f", kFloatArg,
                        Neg("a", "x", "/device:GPU:1") + Neg("b", "a:y:0") + Neg("c", "b:y:0", "/cpu:0"), "c:y:0"));
  // The call's own device says nothing about its body.
  CHECK(Bodies(graph) == "f/x gpu:0\nf/a gpu:1\nf/b gpu:1\nf/c cpu:0\nf/y_RetVal cpu:0\n");
}

// D90b: nodes of a body carry the device of where the function was defined, wherever it is called.
TEST_CASE("D90b two functions with devices of their own, called on one device") {
  const Graph graph = Imported(absl::StrCat(kX, "y = f(x) @cpu:0\nz = g(x) @cpu:0\n"),
                               Function("f", kFloatArg, Neg("a", "x", "/device:GPU:0"), "a:y:0") +
                                   Function("g", kFloatArg, Neg("a", "x", "/device:GPU:1"), "a:y:0"));
  const std::string bodies = Bodies(graph);
  CHECK(absl::StrContains(bodies, "f/a gpu:0\n"));
  CHECK(absl::StrContains(bodies, "g/a gpu:1\n"));
}

TEST_CASE("a body's reads are with the variable whose handle the call passes; the call is not") {
  const std::string functions =
      Function("f", kHandleArg, Read("r", "v") + Neg("n", "r:value:0", "/device:GPU:1"), "n:y:0");
  const Graph graph = Imported(
      "v = VarHandleOp() {dtype=f32, shape=shape [4]} @cpu:0\nw = VarHandleOp() {dtype=f32, shape=shape [4]} @cpu:0\n"
      "y = PartitionedCall(v) {Tin=[resource], Tout=[f32], f=func \"f\"{}} @gpu:0\n"
      "z = PartitionedCall(w) {Tin=[resource], Tout=[f32], f=func \"f\"{}} @gpu:0\n",
      functions);
  CHECK(Bodies(graph) == "f/v cpu:0\nf/r cpu:0\nf/n gpu:1\nf/y_RetVal gpu:1\n");
  // A body is there once: callers whose variables are apart cannot share it.
  const Graph apart = Imported(
      "v = VarHandleOp() {dtype=f32, shape=shape [4]} @cpu:0\nw = VarHandleOp() {dtype=f32, shape=shape [4]} @gpu:1\n"
      "y = f(v)\nz = f(w)\n",
      functions);
  CHECK(absl::StrContains(Bodies(apart), "node 'w' (VarHandleOp"));
  CHECK(absl::StrContains(Bodies(apart), "expected gpu:1, as 'pins' asks"));
  const std::string soft = Bodies(apart, "default", PlacementMode::kSoft);
  CHECK(absl::StrContains(soft, "f/r cpu:0\n"));
}

TEST_CASE("a demand of a body that cannot be met is refused, or relaxed, with its name") {
  const Graph graph = Imported(absl::StrCat(kX, "y = f(x)\n"),
                               Function("f", kFloatArg, Neg("a", "x", "/job:worker/task:7/gpu:0"), "a:y:0"));
  const std::string strict = Bodies(graph);
  CHECK(absl::StartsWith(strict, "FAILED_PRECONDITION: node 'f/a' (Neg): expected /job:worker/task:7/device:GPU:0"));
  CHECK(absl::StrContains(Bodies(graph, "default", PlacementMode::kSoft), "f/a gpu:"));
  // The same verdict where the caller does not ask for bodies.
  const Machine machine = MachineOf("cpu:1,gpu:2");
  CHECK(PlaceGraph(graph, machine, DefaultPolicy(), OpSupport()).status().ToString() == strict);
  const auto soft = PlaceGraph(graph, machine, DefaultPolicy(), OpSupport(), {PlacementMode::kSoft});
  REQUIRE(soft.ok());
  CHECK(soft->device_of.size() == 2);
  CHECK(soft->fallbacks.empty());
  REQUIRE(soft->notes.size() == 1);
  CHECK(absl::StartsWith(soft->notes[0],
                         "fallback in a body: node 'f/a' asked for /job:worker/task:7/device:GPU:0, got "));
  // A kernel that is missing in a body is a fact there too.
  const Graph host =
      Imported(absl::StrCat(kX, "y = f(x)\n"), Function("f", kFloatArg, Neg("a", "x", "/device:GPU:0"), "a:y:0"));
  CHECK(absl::StrContains(
      Bodies(host, "default", PlacementMode::kStrict, "Neg:cpu"),
      "node 'f/a' (Neg): expected gpu:0, as 'pins' asks (the node's own request), got a kernel on cpu"));
}

TEST_CASE("branches and loops: each body by its own requests, handles where they come from") {
  const std::string branch_args =
      "input_arg { name: 'v' type: DT_RESOURCE } input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: "
      "DT_FLOAT } ";
  const Graph graph =
      Imported(absl::StrCat(kX, "p = Placeholder() {dtype=bool, shape=shape []}\n",
                            "v = VarHandleOp() {dtype=f32, shape=shape [4]} @gpu:1\n",
                            "y = If(p, v, x) {Tcond=bool, Tin=[resource,f32], Tout=[f32], then_branch=func \"t\"{}, "
                            "else_branch=func \"e\"{}} "
                            "@cpu:0\n"),
               Function("t", branch_args, Read("r", "v") + Neg("n", "r:value:0", "/device:GPU:0"), "n:y:0") +
                   Function("e", branch_args, Neg("n", "x", "/device:GPU:1"), "n:y:0"));
  CHECK(Bodies(graph, "pins | else cpu:0") ==
        "t/v gpu:1\nt/x cpu:0\nt/r gpu:1\nt/n gpu:0\nt/y_RetVal cpu:0\ne/v gpu:1\ne/x cpu:0\ne/n gpu:1\ne/y_RetVal "
        "cpu:0\n");
  const Graph loop =
      Imported(absl::StrCat(kX, "v = VarHandleOp() {dtype=f32, shape=shape [4]} @gpu:1\n",
                            "y = While(v, x) {T=[resource,f32], cond=func \"c\"{}, body=func \"b\"{}} @cpu:0\n"),
               "function { signature { name: 'c' input_arg { name: 'v' type: DT_RESOURCE } input_arg { "
               "name: 'x' type: DT_FLOAT } "
               "output_arg { name: 'y' type: DT_BOOL } } node_def { name: 'i' op: 'VarIsInitializedOp' "
               "input: 'v' } ret { key: 'y' "
               "value: 'i:is_initialized:0' } }\n"
               "function { signature { name: 'b' input_arg { name: 'v' type: DT_RESOURCE } input_arg { "
               "name: 'x' type: DT_FLOAT } "
               "output_arg { name: 'w' type: DT_RESOURCE } output_arg { name: 'y' type: DT_FLOAT } } " +
                   Read("r", "v") + Neg("n", "x", "/device:GPU:0") +
                   "ret { key: 'w' value: 'v' } ret { key: 'y' value: 'n:y:0' } }\n");
  CHECK(Bodies(loop, "pins | else cpu:0") ==
        "c/v gpu:1\nc/x cpu:0\nc/i gpu:1\nc/y_RetVal cpu:0\nb/v gpu:1\nb/x cpu:0\nb/r gpu:1\nb/n gpu:0\nb/w_RetVal "
        "gpu:1\nb/y_RetVal_1 cpu:0\n");
}

TEST_CASE("calls in bodies, of each other and of themselves; handles that come out of calls") {
  const std::string through = "input_arg { name: 'v' type: DT_RESOURCE } output_arg { name: 'y' type: DT_RESOURCE } ";
  const Graph graph = Imported(
      "v = VarHandleOp() {dtype=f32, shape=shape [4]} @gpu:1\nh = f(v)\nr = ReadVariableOp(h) {dtype=f32}\ny = g(h)\n",
      Function("f", through, "", "v") +
          Function("g", kHandleArg, "node_def { name: 'c' op: 'g' input: 'v' } " + Read("r", "v"), "r:value:0"));
  CHECK(Bodies(graph, "pins | else cpu:0") ==
        "f/v gpu:1\nf/y_RetVal gpu:1\ng/v gpu:1\ng/c cpu:0\ng/r gpu:1\ng/y_RetVal cpu:0\n");
  const auto placed = PlaceGraph(graph, MachineOf("cpu:1,gpu:2"), *ParsePolicy("pins | else cpu:0"), OpSupport());
  REQUIRE(placed.ok());
  CHECK(placed->device_of == std::vector<DeviceId>{2, 0, 2, 0});
}

TEST_CASE("tags of the call are those of its body; names that are taken are not taken twice") {
  absl::StatusOr<Graph> graph =
      ImportGraphDef(absl::StrCat(ExportGraphDefText(GraphOf(absl::StrCat(kX, "f/a = NoOp()\ny = f(x)\n"))),
                                  "library {", Function("f", kFloatArg, Neg("a", "x"), "a:y:0"), "}"),
                     StandardOps());
  REQUIRE(graph.ok());
  CHECK(absl::StartsWith(Bodies(*graph, "else cpu:0"), "f_/x cpu:0\nf_/a cpu:0\n"));
}

TEST_CASE("a body that cannot be written out is left out, and said") {
  const Graph graph = Imported(
      absl::StrCat(kX, "y = f(x)\n"),
      Function("f", kFloatArg, "node_def { name: 'a' op: 'Fancy' input: 'x' } " + Neg("b", "a:out:0"), "b:y:0"));
  std::vector<std::string> left_out;
  const absl::StatusOr<Graph> whole = WithFunctionBodies(graph, {}, &left_out);
  REQUIRE(whole.ok());
  CHECK(whole->num_nodes() == 2);
  REQUIRE(left_out.size() == 1);
  CHECK(absl::StartsWith(left_out[0], "function 'f' is not placed: function 'f': expected the name of an argument"));
  const auto placed = PlaceGraph(graph, MachineOf("cpu:1"), DefaultPolicy(), OpSupport());
  REQUIRE(placed.ok());
  CHECK(placed->notes.back() == left_out[0]);
}

// Nodes of bodies, and of loops, as `berth explain` tells them: "" or what an answer lacks.
std::string Unexplained(const Graph& graph, const std::string& rules, const std::string& solver,
                        const std::string& support_text, int* candidates, int* vetoed) {
  const Machine machine = MachineOf("cpu:1,gpu:2");
  const OpSupport support = SupportOf(support_text);
  const auto placed = [&](const std::string& policy) {
    return ExplainPlacement(graph, machine, *ParsePolicy(policy), support, {PlacementMode::kSoft});
  };
  const auto told = placed(absl::StrCat(rules, " | ", solver));
  if (!told.ok()) return told.status().ToString();
  for (NodeId n = 0; n < graph.num_nodes(); ++n) {
    const std::string name(graph.node(n).name());
    const Choice choice = told->explainer->Explain(n);
    if (choice.winner != told->placement.device(n)) return absl::StrCat(name, ": another winner");
    if ((choice.members > 1) != (choice.with != kNoNode && !choice.tie.empty())) return absl::StrCat(name, ": no tie");
    for (const Veto& veto : choice.vetoes) {
      if (veto.author.empty() || veto.reason.empty()) return absl::StrCat(name, ": a veto of nobody");
      if ((veto.node == kNoNode) != veto.tie.empty()) return absl::StrCat(name, ": a veto from nowhere");
    }
    for (DeviceId d = 0; d < machine.num_devices(); ++d) {
      const bool is_candidate = choice.VetoOf(d) == nullptr;
      (is_candidate ? *candidates : *vetoed) += 1;
      const auto asked = placed(
          absl::StrCat(rules, " | match \"name=", name, "\" on ", machine.device(d).name.ShortName(), " | ", solver));
      if (!asked.ok()) return asked.status().ToString();
      if ((asked->placement.device(n) == d) != is_candidate) return absl::StrCat(name, ": not so on device ", d);
    }
  }
  return "";
}

constexpr char kBranchArgs[] =
    "input_arg { name: 'v' type: DT_RESOURCE } input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: "
    "DT_FLOAT } ";

TEST_CASE("R103 nodes of bodies and of loops are explained like all others") {
  const std::vector<Graph> graphs = [] {
    std::vector<Graph> list;
    list.push_back(Imported(
        absl::StrCat(kX, "v = VarHandleOp() {dtype=f32, shape=shape [4]} @cpu:0\n",
                     "w = VarHandleOp() {dtype=f32, shape=shape [4]} @gpu:1\n",
                     "y = PartitionedCall(v) {Tin=[resource], Tout=[f32], f=func \"f\"{}} @gpu:0\n",
                     "z = StatefulPartitionedCall(w) {Tin=[resource], Tout=[f32], f=func \"f\"{}}\nu = g(y)\n"),
        Function("f", kHandleArg, Read("r", "v") + Neg("n", "r:value:0", "/device:GPU:1"), "n:y:0") +
            Function("g", kFloatArg, Neg("a", "x", "/device:GPU:0") + Neg("b", "a:y:0"), "b:y:0")));
    list.push_back(
        Imported(absl::StrCat(kX, "p = Placeholder() {dtype=bool, shape=shape []}\n",
                              "v = VarHandleOp() {dtype=f32, shape=shape [4]} @gpu:1\n",
                              "y = If(p, v, x) {Tcond=bool, Tin=[resource,f32], Tout=[f32], then_branch=func \"t\"{}, "
                              "else_branch=func \"e\"{}} @cpu:0\n"),
                 Function("t", kBranchArgs, Read("r", "v") + Neg("n", "r:value:0", "/device:GPU:0"), "n:y:0") +
                     Function("e", kBranchArgs, Neg("n", "x", "/device:GPU:1"), "n:y:0")));
    list.push_back(Imported(
        absl::StrCat(kX, "v = VarHandleOp() {dtype=f32, shape=shape [4]} @gpu:1\n",
                     "y = While(v, x) {T=[resource,f32], cond=func \"c\"{}, body=func \"b\"{}} @cpu:0\n"),
        absl::StrCat(
            "function { signature { name: 'c' input_arg { name: 'v' type: DT_RESOURCE } input_arg { name: 'x' "
            "type: DT_FLOAT } output_arg { name: 'y' type: DT_BOOL } } node_def { name: 'i' op: "
            "'VarIsInitializedOp' input: 'v' } ret { key: 'y' value: 'i:is_initialized:0' } }\n",
            "function { signature { name: 'b' input_arg { name: 'v' type: DT_RESOURCE } input_arg { name: 'x' "
            "type: DT_FLOAT } output_arg { name: 'w' type: DT_RESOURCE } output_arg { name: 'y' type: DT_FLOAT "
            "} } ",
            Read("r", "v"), Neg("n", "x", "/device:GPU:0"),
            "ret { key: 'w' value: 'v' } ret { key: 'y' value: 'n:y:0' } }\n")));
    for (Graph& graph : list) {
      absl::StatusOr<Graph> whole = WithFunctionBodies(graph);
      REQUIRE(whole.ok());
      graph = *std::move(whole);
    }
    list.push_back(RandomGraph(3, {.nodes = 40, .loops = true, .devices = {"/gpu:0", "/cpu:0"}}));
    return list;
  }();
  int candidates = 0, vetoed = 0;
  for (const Graph& graph : graphs) {
    for (const char* support : {"", "Neg:cpu ReadVariableOp:cpu,gpu Merge:cpu,gpu Switch:cpu"}) {
      INFO(PrintGraph(graph) << support);
      CHECK(Unexplained(graph, "pins | match \"op=Neg\" forbid gpu:1", "first-fit", support, &candidates, &vetoed) ==
            "");
      CHECK(Unexplained(graph, "match \"op=Identity\" together | pins", "greedy-locality", support, &candidates,
                        &vetoed) == "");
    }
  }
  CHECK(candidates > 200);
  CHECK(vetoed > 200);
}

TEST_CASE("an explanation of a node in a body names the call's handle; one from outside, what is in the body") {
  const Graph graph = Imported(
      "v = VarHandleOp() {dtype=f32, shape=shape [4]}\nw = VarHandleOp() {dtype=f32, shape=shape [4]} @gpu:1\n"
      "y = f(v)\nz = f(w)\n",
      Function("f", kHandleArg, Read("r", "v"), "r:value:0"));
  const absl::StatusOr<Graph> whole = WithFunctionBodies(graph);
  REQUIRE(whole.ok());
  const Machine machine = MachineOf("cpu:1,gpu:2");
  const OpSupport support = SupportOf("ReadVariableOp:cpu,gpu");
  const auto told = [&](const Graph& placed, const std::string& name) {
    const auto explained = ExplainPlacement(placed, machine, *ParsePolicy("pins | first-fit"), support);
    if (!explained.ok()) return explained.status().ToString();
    const NodeId n = placed.Find(name)->id();
    return "\n" + PrintChoice(placed, machine, explained->placement, explained->explainer->Explain(n), n);
  };
  CHECK(told(*whole, "f/r") == R"(
node 'f/r' (ReadVariableOp) is on gpu:1
  fact: colocated with 'w': requested -> gpu:1
  group: 4 nodes, with 'v' by resource edge 'f/v' -> 'f/r'
  candidates: gpu:1
  not cpu:0, gpu:0: pins (the node's own request): requested -> gpu:1, which came with node 'w' (VarHandleOp at graph:21) by resource edge 'f/v' -> 'f/r'
)");
  CHECK(told(*whole, "f/v") == R"(
node 'f/v' (Identity) is on gpu:1
  fact: colocated with 'w': requested -> gpu:1
  group: 4 nodes, with 'v' by resource edge 'v' -> 'f/v'
  candidates: gpu:1
  not cpu:0, gpu:0: pins (the node's own request): requested -> gpu:1, which came with node 'w' (VarHandleOp at graph:21) by the handle 'w' given to function 'f'
)");
  // What is in bodies is told to those who look from outside, too.
  CHECK(told(graph, "v") == R"(
node 'v' (VarHandleOp at graph:1) is on gpu:1
  fact: colocated with 'w': requested -> gpu:1
  group: 4 nodes, with 'w' by resource edge 'v' -> 'f/v'
  candidates: gpu:1
  not cpu:0, gpu:0: pins (the node's own request): requested -> gpu:1, which came with node 'w' (VarHandleOp at graph:21) by resource edge 'v' -> 'f/v'
)");
}

TEST_CASE("devices of bodies go into the library of a GraphDef") {
  const Graph graph = Imported(absl::StrCat(kX, "y = f(x)\n"), Function("f", kFloatArg, Neg("a", "x"), "a:y:0"));
  const std::string extras =
      WithPlacesInLibrary(graph.extras(), {{"f", {{"f/x", "/device:CPU:0"}, {"f/a", "/device:GPU:1"}}}});
  const std::string text = ExportGraphDefText(graph, {.extras = &extras});
  CHECK(absl::StrContains(text, "device: \"/device:GPU:1\""));
  CHECK(absl::StartsWith(Bodies(*ImportGraphDef(text, StandardOps())), "f/x cpu:0\nf/a gpu:1\n"));
}

}  // namespace
}  // namespace berth
