#include "runtime/verify_placement.h"

#include "absl/strings/str_cat.h"
#include "graph/function_bodies.h"

namespace berth {

absl::Status VerifyPlacement(const Graph& graph, const Placement& placement, const Machine& machine) {
  if (placement.device_of.size() != static_cast<size_t>(graph.num_nodes())) {
    return absl::InvalidArgumentError(absl::StrCat("placement: expected a device for each of ", graph.num_nodes(),
                                                   " nodes, got ", placement.device_of.size()));
  }
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    const DeviceId d = placement.device(id);
    if (d >= 0 && d < machine.num_devices()) continue;
    return absl::InvalidArgumentError(absl::StrCat("node '", graph.node(id).name(), "' (", graph.node(id).op(),
                                                   "): expected a device of the machine, got none; the devices are ",
                                                   machine.DeviceList()));
  }
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    const Node node = graph.node(id);
    for (int i = 0; i < static_cast<int>(node.data_inputs().size()); ++i) {
      const Input in = node.data_inputs()[i];
      const Node producer = graph.node(in.node);
      if (CallsFunction(node) || CallsFunction(producer)) continue;
      const bool shared = IsRef(node.input_dtype(i)) || producer.output_dtype(in.slot) == DType::kResource;
      if (!shared || placement.device(in.node) == placement.device(id)) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("node '", node.name(), "' (", node.op(), " on ",
                       machine.device(placement.device(id)).name.ShortName(), "): expected the device of '",
                       producer.name(), "' (", producer.op(), "), whose state it shares, got another one; that is on ",
                       machine.device(placement.device(in.node)).name.ShortName()));
    }
  }
  return absl::OkStatus();
}

}  // namespace berth
