// The partition stage: one graph a device, joined by _Send/_Recv pairs, for the run of the given fetches and targets.
//
// One transfer per (value, target device), listed even where two devices share a memory. Control edges cross as empty
// tokens.
#ifndef BERTH_RUNTIME_PARTITION_H_
#define BERTH_RUNTIME_PARTITION_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/graph.h"
#include "placement/machine.h"
#include "placement/placement.h"

namespace berth {

struct PartitionOptions {
  std::vector<std::string> feeds, fetches, targets;
  bool replicate_constants = true;
  // Transfers and replication follow TensorFlow 2.21's rule (TensorFlowTransfers) instead of Berth's: the policy
  // `tensorflow`.
  bool tensorflow_rule = false;
};

struct Transfer {
  std::string value;  // "node:k"; the bare node name for a control edge
  DeviceId from = kNoDevice;
  DeviceId to = kNoDevice;
  DType dtype = DType::kFloat32;
  std::optional<int64_t> bytes;  // nullopt: unknown; 0 for a control edge
};

struct Partition {
  struct Part {
    DeviceId device;
    Graph graph;
  };
  std::vector<Part> parts;          // by device id ascending; only devices with nodes
  std::vector<Transfer> transfers;  // by value's node id, slot, then target device
};

// The run cut into parts. What holds of them:
//   - Nodes of the graph keep name, op, attributes, tags and source; their request is the full name of the device they
//   are on.
//     `_class` keeps only names of the same part. Shapes are kept.
//   - Fed tensors come from _Arg nodes (attribute `index`: position in `feeds`) on Machine::Client(), unless nothing
//   needs them;
//     fetched tensors end in _Retval nodes there (`index`: position in `fetches`; a fetched op without outputs has
//     none).
//   - _Send and _Recv have TensorFlow's attributes; `tensor_name` is the decimal index of their row in `transfers`,
//   `_src` its
//     value. A control edge is sent as an empty float Const after its source; the _Recv is then a control input.
//   - Ids are in one order for all parts: every node comes after its inputs (the back edges of loops excepted), a _Recv
//   after its
//     _Send. So devices that run their nodes in this order never wait for each other in a circle.
//   - A _Send of a reference output reads the variable; it waits for the writes that its reader waits for, and what it
//   sends must
//     not change with later writes.
// Errors: InvalidArgument for a reference or resource edge between devices, naming both ends; NotFound for names.
absl::StatusOr<Partition> PartitionGraph(const Graph& graph, const Placement& placement, const Machine& machine,
                                         const PartitionOptions& options);

// The transfers of that partition alone, by the rule the options name; works where PartitionGraph has to refuse (opaque
// ops). By TensorFlow's rule a fetch without `:k` is an op that is run, and no send waits, so that the table is
// TensorFlow's to the row.
absl::StatusOr<std::vector<Transfer>> ListTransfers(const Graph& graph, const Placement& placement,
                                                    const Machine& machine, const PartitionOptions& options);

// TensorFlow 2.21's rule for what is sent (facts: _Retval on the client, its constant replication, control flow moved,
// loops).
absl::StatusOr<std::vector<Transfer>> TensorFlowTransfers(const Graph& graph, const Placement& placement,
                                                          const Machine& machine, const PartitionOptions& options);

}  // namespace berth

#endif  // BERTH_RUNTIME_PARTITION_H_
