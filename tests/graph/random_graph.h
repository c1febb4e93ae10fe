// Random graphs for property tests: one seed, one graph, on every machine. Print the seed when a check fails.
//
//   for (uint64_t seed = 0; seed < 200; ++seed) {
//     INFO("seed " << seed);
//     Graph graph = RandomGraph(seed, {.nodes = 30, .loops = true});
#ifndef BERTH_TESTS_GRAPH_RANDOM_GRAPH_H_
#define BERTH_TESTS_GRAPH_RANDOM_GRAPH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace berth {

struct RandomGraphOptions {
  int nodes = 20;         // about so many
  bool variables = true;  // VariableV2 with Assign, VarHandleOp with reads and writes
  bool control_edges = true;
  bool loops = false;                // a while loop now and then: Enter Merge Switch NextIteration Exit
  bool opaque_ops = false;           // ops that no table knows
  bool shuffled = false;             // nodes in any order, not inputs first
  std::vector<std::string> devices;  // requests to draw from; empty: none
  bool colocation = false;           // `_class` attributes
};

// Values are float32 vectors [4] and scalars, so that the graphs without opaque ops can run: Const Identity Neg Relu Add Mul
// Split ConcatV2 and the above. Passes VerifyGraph. Ops are those of StandardOps().
Graph RandomGraph(uint64_t seed, const RandomGraphOptions& options = {});

}  // namespace berth

#endif  // BERTH_TESTS_GRAPH_RANDOM_GRAPH_H_
