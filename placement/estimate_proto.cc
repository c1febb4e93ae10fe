#include "placement/estimate_proto.h"

#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "graph/device_name.h"
#include "graph/status_macros.h"
#include "proto/placement.pb.h"

namespace berth {
namespace {

// So that sums print with few digits.
double Rounded(double seconds) { return std::round(seconds * 1e15) / 1e15; }

void DeviceToProto(const PlacementEstimate::Device& device, pb::DeviceEstimate* out) {
  out->set_nodes(device.nodes);
  out->set_flops(device.flops);
  out->set_busy_seconds(Rounded(device.busy_seconds));
  out->set_finish_seconds(Rounded(device.finish_seconds));
  out->set_peak_bytes(device.peak_bytes);
  out->set_variable_bytes(device.variable_bytes);
  out->set_constant_bytes(device.constant_bytes);
  out->set_unknown_sizes(device.unknown_sizes);
}

absl::StatusOr<DeviceId> FindDevice(const std::string& name, const Machine& machine) {
  const absl::StatusOr<DeviceName> parsed = ParseDeviceName(name);
  const std::optional<DeviceId> d = parsed.ok() ? machine.Find(*parsed) : std::nullopt;
  if (d) return *d;
  return absl::InvalidArgumentError(
      absl::StrCat("estimate: expected a device of ", machine.DeviceList(), ", got '", name, "'"));
}

}  // namespace

void EstimateToProto(const Machine& machine, const PlacementEstimate& estimate, pb::PlacementDef* def) {
  const auto name = [&machine](DeviceId d) { return machine.device(d).name.ToString(); };
  DeviceToProto(estimate.total(), def->mutable_total());
  for (DeviceId d = 0; d < machine.num_devices(); ++d) {
    pb::DeviceEstimate* out = def->add_device();
    out->set_device(name(d));
    DeviceToProto(estimate.devices[d], out);
  }
  for (const PlacementEstimate::Link& link : estimate.links) {
    pb::LinkEstimate* out = def->add_link();
    out->set_from(name(link.from));
    out->set_to(name(link.to));
    out->set_transfers(link.transfers);
    out->set_bytes(link.bytes);
    out->set_busy_seconds(Rounded(link.busy_seconds));
    out->set_unknown_sizes(link.unknown_sizes);
    for (const DeviceId host : link.via) out->add_via(name(host));
    out->set_hops(link.hops);
    out->set_hop_bytes(link.hop_bytes);
  }
}

absl::StatusOr<PlacementEstimate> EstimateFromProto(const pb::PlacementDef& def, const Machine& machine) {
  PlacementEstimate estimate;
  estimate.devices.resize(machine.num_devices());
  for (const pb::DeviceEstimate& row : def.device()) {
    BERTH_ASSIGN_OR_RETURN(const DeviceId d, FindDevice(row.device(), machine));
    PlacementEstimate::Device& device = estimate.devices[d];
    device.nodes = row.nodes();
    device.flops = row.flops();
    device.busy_seconds = row.busy_seconds();
    device.finish_seconds = row.finish_seconds();
    device.peak_bytes = row.peak_bytes();
    device.variable_bytes = row.variable_bytes();
    device.constant_bytes = row.constant_bytes();
    device.unknown_sizes = row.unknown_sizes();
  }
  for (const pb::LinkEstimate& row : def.link()) {
    PlacementEstimate::Link link;
    BERTH_ASSIGN_OR_RETURN(link.from, FindDevice(row.from(), machine));
    BERTH_ASSIGN_OR_RETURN(link.to, FindDevice(row.to(), machine));
    link.transfers = row.transfers();
    link.bytes = row.bytes();
    link.busy_seconds = row.busy_seconds();
    link.unknown_sizes = row.unknown_sizes();
    for (const std::string& host : row.via()) {
      BERTH_ASSIGN_OR_RETURN(link.via.emplace_back(), FindDevice(host, machine));
    }
    link.hops = row.hops();
    link.hop_bytes = row.hop_bytes();
    estimate.links.push_back(std::move(link));
  }
  estimate.total_seconds = def.total().finish_seconds();
  return estimate;
}

}  // namespace berth
