#include "tools/examples/first_program.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "graph/modules/modules.h"
#include "graph/ops.h"
#include "graph/status_macros.h"
#include "graph/variable.h"
#include "kernels/cpu/families.h"
#include "kernels/op_support.h"
#include "runtime/partition.h"
#include "runtime/session.h"

namespace berth {
// ---- The model ----

Module RcnnOutput(const Scope& scope) {
  return MakeModule(scope, "rcnn_output", [](const Scope& own) -> Layer {
    return Sequential(own,
                      {BatchFlatten(own, {.name = "bf"}), Linear(own, 256, {.name = "fc0"}), ops::Relu,
                       Linear(own, 4, {.name = "fc1"})},
                      {.name = "seq"});
  });
}

absl::StatusOr<Graph> BuildFirstProgram() {
  const Scope root = Scope::Root({.seed = 1234});
  const Output images = Const(root, Literal::Filled(1.0f, {8, 32, 32, 3}));
  const std::vector<Output> halves = ops::Split(root.WithName("split"), 0, images, {.num_split = 2});
  const Module output = RcnnOutput(root);
  std::vector<Output> sums;
  for (int i = 0; i < 2; ++i) sums.push_back(output(root.Tower(i), halves[i]));
  ops::AddN(root, sums);
  InitOp(root);
  return root.Finish();
}

// ---- Where it goes ----

Policy FirstProgramPolicy() { return VariablesOn("/cpu:0") | TowersOn("/gpu:*") | Else("/cpu:0"); }

// ---- Running it ----

namespace {

std::string ResultText(const Tensor& sum) {
  std::string text = absl::StrCat("AddN:0 f32", sum.ShapeString(), "\n");
  for (int64_t row = 0; row < sum.dim(0); ++row) {
    for (int64_t i = 0; i < sum.dim(1); ++i) {
      absl::StrAppendFormat(&text, " %9.6f", sum.kernel<float>()[row * sum.dim(1) + i]);
    }
    absl::StrAppend(&text, "\n");
  }
  return text;
}

std::string PlacementText(const Graph& graph, const Placement& placement, const Machine& machine) {
  std::string text;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    absl::StrAppendFormat(&text, "%-60s %-6s %s: %s\n", std::string(graph.node(id).name()),
                          machine.device(placement.device(id)).name.ShortName(), placement.author(id),
                          placement.reason(id));
  }
  for (const Fallback& fallback : placement.fallbacks) {
    absl::StrAppend(&text, "fallback: ", graph.node(fallback.node).name(), " asked for ", fallback.asked, ", got ",
                    fallback.got, ": ", fallback.why, "\n");
  }
  return text;
}

std::string TransfersText(const std::vector<Transfer>& transfers, const Machine& machine) {
  std::string text;
  for (const Transfer& transfer : transfers) {
    absl::StrAppendFormat(&text, "%-60s %s -> %s  %s bytes\n", transfer.value,
                          machine.device(transfer.from).name.ShortName(), machine.device(transfer.to).name.ShortName(),
                          transfer.bytes ? absl::StrCat(*transfer.bytes) : "?");
  }
  return text;
}

}  // namespace

// A program links the kernels that it names; CpuKernels() has all there are.
std::shared_ptr<const KernelTable> FirstProgramKernels() {
  auto table = std::make_shared<KernelTable>();
  cpu::AddBinaryKernels(*table);
  cpu::AddConcatKernels(*table);
  cpu::AddConstantKernels(*table);
  cpu::AddFlowKernels(*table);
  cpu::AddMatMulKernels(*table);
  cpu::AddRandomKernels(*table);
  cpu::AddShapeKernels(*table);
  cpu::AddSliceKernels(*table);
  cpu::AddUnaryKernels(*table);
  cpu::AddVariableKernels(*table);
  return table;
}

absl::StatusOr<std::string> RunFirstProgram(const Machine& machine, PlacementMode mode) {
  BERTH_ASSIGN_OR_RETURN(Graph graph, BuildFirstProgram());
  SessionOptions options;
  options.machine = machine;
  options.policy = FirstProgramPolicy();
  options.mode = mode;
  options.kernels = FirstProgramKernels();
  options.support = SupportFrom(*options.kernels);
  BERTH_ASSIGN_OR_RETURN(const std::unique_ptr<Session> session,
                         Session::Create(std::make_shared<const Graph>(std::move(graph)), options));
  BERTH_RETURN_IF_ERROR(session->Run({.targets = {"init"}}).status());
  BERTH_ASSIGN_OR_RETURN(const std::vector<Tensor> values, session->Run({.fetches = {"AddN"}}));
  BERTH_ASSIGN_OR_RETURN(const Partition partition,
                         PartitionGraph(session->graph(), session->placement(), machine, {.fetches = {"AddN"}}));
  return absl::StrCat("result\n", ResultText(values[0]), "\nplacement: ", session->placement().policy, " on ",
                      machine.ToString(), "\n", PlacementText(session->graph(), session->placement(), machine),
                      "\ntransfers of a run\n", TransfersText(partition.transfers, machine));
}

}  // namespace berth
