// What becomes of the devices that a graph asks for when it is read from a file.
#ifndef BERTH_GRAPH_IMPORT_DEVICES_H_
#define BERTH_GRAPH_IMPORT_DEVICES_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "graph/device_name.h"
#include "graph/graphdef.h"
#include "graph/request.h"

namespace berth {

struct ImportedDevice {
  std::string request;
  std::optional<DeviceName> hint;
};

// The device string of one node as ImportOptions has it; counts what it did. Errors (InvalidArgument): a device that the
// map does not list, a hint that is no device name. The caller says which node it is about.
absl::StatusOr<ImportedDevice> ImportDevice(absl::string_view device, const ImportOptions& options,
                                            ImportCounts& counts);

// Adds to `note` the wish that a hint is.
void AddHint(const DeviceName& device, const ImportOptions& options, RequestNote& note);

}  // namespace berth

#endif  // BERTH_GRAPH_IMPORT_DEVICES_H_
