// A large graph like those that models are: names of three parts, two inputs, four attributes a node, as Berth builds it
// and as protobuf does.
#ifndef BERTH_TESTS_BENCH_MIX_GRAPH_H_
#define BERTH_TESTS_BENCH_MIX_GRAPH_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/graph.h"
#include "graph/op_table.h"
#include "proto/graph.pb.h"

namespace berth {

// "tower_3/layer_12/node_1203".
std::vector<std::string> MixNames(int nodes);
// The ops of the graph: Source() -> f32, and Mix(a: T, b: T) -> T {mode: string, sizes: list(int), width: int}.
std::shared_ptr<const OpTable> MixOps();
absl::StatusOr<Graph> BuildMix(const std::vector<std::string>& names, std::shared_ptr<const OpTable> ops);
void BuildMixProto(const std::vector<std::string>& names, pb::GraphDef& graph);

}  // namespace berth

#endif  // BERTH_TESTS_BENCH_MIX_GRAPH_H_
