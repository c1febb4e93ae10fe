// Situations that people who place graphs have met at the program's doors, by the ids of the list of cases.

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "graph/graphdef.h"
#include "graph/infer.h"
#include "graph/text.h"
#include "graph/ties.h"
#include "graph/verify.h"
#include "kernels/kernels.h"
#include "kernels/op_support.h"
#include "placement/place.h"
#include "placement/policy.h"
#include "runtime/session.h"
#include "tests/testing.h"
#include "tests/tools/berth_command.h"

namespace berth {
namespace {

std::string ToGraphDef(const std::string& text) {
  const absl::StatusOr<Graph> graph = ParseGraphText(text, StandardOps());
  INFO(graph.status());
  REQUIRE(graph.ok());
  return ExportGraphDef(*graph);
}

// A subgraph whose nodes are tied to two that were left behind.
constexpr char kCutOut[] =
    "a = NoOp() {_class=[\"loc:@w\"]}\nb = NoOp() {_class=[\"loc:@a\",\"loc:@v\"]}\nc = NoOp() "
    "{_class=[\"loc:@w\"]}\n";

TEST_CASE("R049 ties to absent nodes: all refused at once, or dropped and counted; show opens the graph as it is") {
  const std::string file = ToGraphDef(kCutOut);
  const CommandResult strict = Berth({"place", "-"}, file);
  CHECK(strict.exit == 3);
  CHECK(
      strict.err ==
      "berth place: node 'a' (NoOp): expected attribute '_class' to name nodes of the graph, got 'loc:@w', 'loc:@v' of "
      "'b', 'loc:@w' of 'c'; bring these nodes, or drop the ties (--ties drop)\n");
  const CommandResult lenient = Berth({"place", "-", "--ties", "drop", "--format", "tsv"}, file);
  CHECK(lenient.exit == 0);
  CHECK(absl::StrContains(lenient.err, "ties to nodes that are not there: 3 dropped\n"));
  const CommandResult shown = Berth({"show", "-"}, file);
  CHECK(shown.exit == 0);
  CHECK(shown.out == kCutOut);

  const absl::StatusOr<Graph> graph = ImportGraphDef(file, StandardOps());
  REQUIRE(graph.ok());
  CHECK_FALSE(VerifyGraph(*graph).ok());
  int64_t dropped = 0;
  const absl::StatusOr<Graph> whole = DropDanglingTies(*ImportGraphDef(file, StandardOps()), &dropped);
  REQUIRE(whole.ok());
  CHECK(dropped == 3);
  CHECK(VerifyGraph(*whole).ok());
  CHECK(PrintGraph(*whole) == "a = NoOp()\nb = NoOp() {_class=[\"loc:@a\"]}\nc = NoOp()\n");
}

struct Verdict {
  std::string library, tool, session;
};

std::string Devices(const Graph& graph, const Machine& machine, const Placement& placement) {
  std::string text = "node\tdevice\n";
  for (NodeId n = 0; n < graph.num_nodes(); ++n) {
    absl::StrAppend(&text, graph.node(n).name(), "\t", machine.device(placement.device(n)).name.ToString(), "\n");
  }
  return text;
}

// The placement of an imported graph, or why it is refused, through each door.
Verdict ThroughAllDoors(const std::string& text, const std::string& machine_text, PlacementMode mode) {
  const std::string file = ToGraphDef(text);
  const Machine machine = *ParseMachine(machine_text);
  absl::StatusOr<Graph> graph = InferShapes(*ImportGraphDef(file, StandardOps()));
  REQUIRE(graph.ok());
  const OpSupport support = SupportFrom(*CpuKernels());
  Verdict verdict;
  const auto placed = PlaceGraph(*graph, machine, DefaultPolicy(), support, {mode});
  verdict.library = placed.ok() ? Devices(*graph, machine, *placed) : std::string(placed.status().message());

  std::vector<std::string> args = {"place", "-", "--machine", machine_text, "--format", "tsv"};
  if (mode == PlacementMode::kSoft) args.push_back("--soft");
  const CommandResult tool = Berth(args, file);
  CHECK(tool.exit == (placed.ok() ? 0 : 4));
  verdict.tool = tool.out;
  if (tool.exit != 0) {
    verdict.tool = tool.err.substr(tool.err.find("berth place: "));
    verdict.tool = std::string(absl::StripSuffix(absl::StripPrefix(verdict.tool, "berth place: "), "\n"));
  }

  SessionOptions options;
  options.machine = machine;
  options.mode = mode;
  options.kernels = CpuKernels();
  options.support = support;
  const auto session =
      Session::Create(std::make_shared<const Graph>(*ImportGraphDef(file, StandardOps())), std::move(options));
  verdict.session = session.ok() ? Devices((*session)->graph(), machine, (*session)->placement())
                                 : std::string(absl::StripPrefix(session.status().message(), "place: "));
  return verdict;
}

TEST_CASE("R053 the same verdict for an imported graph through the library, the tool and a session") {
  const std::string x = "x = Placeholder() {dtype=f32, shape=shape [4]}\n";
  const std::vector<std::string> graphs = {
      x + "y = Neg(x) {T=f32} @gpu:0\n",
      x + "y = Neg(x) {T=f32} @gpu:7\n",
      x + "y = Neg(x) {T=f32} @\"/job:worker/task:7/gpu:0\"\n",
      x + "y = Neg(x) {T=f32} @gpu:0\nz = Neg(x) {T=f32, _class=[\"loc:@y\"]} @cpu:0\n",
      x + "p = Print(x, x) {T=f32, U=[f32]} @gpu:0\n",
      "v = VariableV2() {dtype=f32, shape=shape [4]} @cpu:0\n" + x + "a = Assign(v, x) {T=f32} @gpu:1\n",
  };
  int refused = 0;
  for (const std::string& graph : graphs) {
    for (const PlacementMode mode : {PlacementMode::kStrict, PlacementMode::kSoft}) {
      INFO(graph << (mode == PlacementMode::kSoft ? "soft" : "strict"));
      const Verdict verdict = ThroughAllDoors(graph, "cpu:1,gpu:2", mode);
      CHECK(verdict.tool == verdict.library);
      CHECK(verdict.session == verdict.library);
      refused += !absl::StartsWith(verdict.library, "node\t");
    }
  }
  CHECK(refused == 4);
}

}  // namespace
}  // namespace berth
