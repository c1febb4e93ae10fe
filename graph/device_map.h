// What the devices that a file asks for are called here.
#ifndef BERTH_GRAPH_DEVICE_MAP_H_
#define BERTH_GRAPH_DEVICE_MAP_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace berth {

// Device string in the file -> request; "" for none, on either side.
using DeviceMap = absl::flat_hash_map<std::string, std::string>;

// Reads the file of `--import map=FILE`: lines `FROM<TAB or spaces>TO`, `#` comments; "-" stands for no device. Errors
// (InvalidArgument) are `file:line:column`: other than two words, a TO that is no device name, a FROM that was there.
absl::StatusOr<DeviceMap> ParseDeviceMap(absl::string_view text, absl::string_view file);

}  // namespace berth

#endif  // BERTH_GRAPH_DEVICE_MAP_H_
