// The first program: one module, connected in two towers whose results are summed; variables once, on the cpu.
//
// The model names intent (a module, towers) and no device. Where things go is one expression, given when it runs.
#ifndef BERTH_TOOLS_EXAMPLES_FIRST_PROGRAM_H_
#define BERTH_TOOLS_EXAMPLES_FIRST_PROGRAM_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "graph/graph.h"
#include "graph/module.h"
#include "graph/scope.h"
#include "placement/machine.h"
#include "placement/placement.h"
#include "placement/policy.h"
#include "runtime/kernel.h"

namespace berth {

// The model: BatchFlatten, Linear(256), Relu, Linear(4).
Module RcnnOutput(const Scope& scope);

// Node "Const" is the input ones[8,32,32,3], node "AddN" the result, node "init" initialises the variables.
absl::StatusOr<Graph> BuildFirstProgram();

// Variables to the cpu, tower i to gpu i, the rest to the cpu.
Policy FirstProgramPolicy();

// Those of the model's ops.
std::shared_ptr<const KernelTable> FirstProgramKernels();

// Builds, places and runs it; the report is text: the result, the place of every node with its reason, the transfers.
absl::StatusOr<std::string> RunFirstProgram(const Machine& machine, PlacementMode mode);

}  // namespace berth

#endif  // BERTH_TOOLS_EXAMPLES_FIRST_PROGRAM_H_
