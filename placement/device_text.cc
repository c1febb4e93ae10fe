#include "placement/device_text.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace berth {

std::string DeviceText(const DeviceName& pattern) {
  if (pattern.empty()) return "any device";
  if (pattern.job || pattern.replica || pattern.task || !pattern.type) {
    return pattern.id ? pattern.ShortName() : pattern.ToString();
  }
  if (pattern.type != "CPU" && pattern.type != "GPU") return pattern.ToString();
  return absl::StrCat(absl::AsciiStrToLower(*pattern.type), ":", pattern.id ? absl::StrCat(*pattern.id) : "*");
}

DevicePattern::DevicePattern(absl::string_view text) : text_(text) {
  absl::StatusOr<DeviceName> name = ParseDeviceName(text);
  if (!name.ok()) {
    status_ = name.status();
  } else if (name->empty()) {
    status_ = absl::InvalidArgumentError(absl::StrCat("expected a device, got '", text, "', which is any"));
  } else {
    name_ = *std::move(name);
    text_ = DeviceText(name_);
  }
}

}  // namespace berth
