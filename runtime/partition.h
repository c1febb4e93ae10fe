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

absl::StatusOr<Partition> PartitionGraph(const Graph& graph, const Placement& placement, const Machine& machine,
                                         const PartitionOptions& options);

// The transfers of that partition alone, by the rule the options name; works where PartitionGraph has to refuse (opaque
// ops).
absl::StatusOr<std::vector<Transfer>> ListTransfers(const Graph& graph, const Placement& placement,
                                                    const Machine& machine, const PartitionOptions& options);

// TensorFlow 2.21's rule for what is sent (facts: _Retval on the client, its constant replication, control flow moved,
// loops).
absl::StatusOr<std::vector<Transfer>> TensorFlowTransfers(const Graph& graph, const Placement& placement,
                                                          const Machine& machine, const PartitionOptions& options);

}  // namespace berth

#endif  // BERTH_RUNTIME_PARTITION_H_
