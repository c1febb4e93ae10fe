// `berth devices`: the devices of a machine, or of this computer, and what stands behind each.
#ifndef BERTH_TOOLS_DEVICES_H_
#define BERTH_TOOLS_DEVICES_H_

#include <string>

#include "absl/status/status.h"
#include "tools/io.h"

namespace berth {

struct DevicesFlags {
  std::string machine;  // empty: what was found here
  bool json = false;
};

absl::Status Devices(const DevicesFlags& flags, Io& io);

}  // namespace berth

#endif  // BERTH_TOOLS_DEVICES_H_
