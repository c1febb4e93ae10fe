#include "graph/import_devices.h"

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "graph/graph_builder.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

// Where the map has the device, as it is spelled or in another spelling of the same.
const std::string* Mapped(const DeviceMap& map, absl::string_view device) {
  if (const auto found = map.find(std::string(device)); found != map.end()) return &found->second;
  const absl::StatusOr<DeviceName> name = ParseDeviceName(device);
  if (!name.ok() || device.empty()) return nullptr;
  const DeviceMap::value_type* first = nullptr;  // by spelling, where there are several
  for (const DeviceMap::value_type& entry : map) {
    const absl::StatusOr<DeviceName> other = ParseDeviceName(entry.first);
    const bool same = other.ok() && !entry.first.empty() && *other == *name;
    if (same && (first == nullptr || entry.first < first->first)) first = &entry;
  }
  return first == nullptr ? nullptr : &first->second;
}

absl::Status AtNodeOf(const Node& node, const ImportOptions& options, const absl::Status& status) {
  const std::string line = node.source().ToString();
  return absl::InvalidArgumentError(absl::StrCat(line.empty() ? options.file : line, ": ",
                                                 NodeLabel(node.name(), node.op()), ": ", status.message()));
}

}  // namespace

absl::StatusOr<ImportedDevice> ImportDevice(absl::string_view device, const ImportOptions& options,
                                            ImportCounts& counts) {
  ImportedDevice imported;
  if (device.empty() && options.devices != ImportDevices::kMap) return imported;
  switch (options.devices) {
    case ImportDevices::kKeep:
      ++counts.devices_kept;
      imported.request = std::string(device);
      return imported;
    case ImportDevices::kClear:
      ++counts.devices_cleared;
      return imported;
    case ImportDevices::kMap: {
      const std::string* to = Mapped(options.device_map, device);
      if (to == nullptr && device.empty()) return imported;
      if (to == nullptr) {
        const std::string map = options.device_map_file.empty() ? "" : absl::StrCat(" ", options.device_map_file);
        return absl::InvalidArgumentError(absl::StrCat("expected a device that the device map", map, " lists, got '",
                                                       absl::CHexEscape(device.substr(0, 256)), "'"));
      }
      ++counts.devices_mapped;
      imported.request = *to;
      return imported;
    }
    case ImportDevices::kHint: {
      BERTH_ASSIGN_OR_RETURN(imported.hint, ParseTensorFlowName(device));
      ++counts.devices_hinted;
      return imported;
    }
  }
  return imported;
}

void AddHint(const DeviceName& device, const ImportOptions& options, RequestNote& note) {
  note.origin = absl::StrCat("hint in ", options.file);
  note.wishes.push_back({Opinion::Verb::kPrefer, device, std::nullopt, 1.0});
}

absl::StatusOr<Graph> ImportDevicesOf(Graph graph, const ImportOptions& options, ImportCounts* counts) {
  GraphBuilder builder(graph.ops());
  ImportCounts count;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    const Node node = graph.node(id);
    const absl::StatusOr<ImportedDevice> imported = ImportDevice(node.device(), options, count);
    if (!imported.ok()) return AtNodeOf(node, options, imported.status());
    BERTH_RETURN_IF_ERROR(builder.AddCopy(node, node.inputs(), imported->request).status());
    if (!imported->hint.has_value()) continue;
    RequestNote note = node.note();
    AddHint(*imported->hint, options, note);
    builder.SetRequest(id, "", &note);
  }
  builder.CopyExtras(graph);
  count.nodes = graph.num_nodes();
  if (counts != nullptr) *counts = count;
  return std::move(builder).Build();
}

}  // namespace berth
