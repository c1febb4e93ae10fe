// A device as a policy's text gives it: the pattern, or what is wrong with it.
#ifndef BERTH_PLACEMENT_DEVICE_TEXT_H_
#define BERTH_PLACEMENT_DEVICE_TEXT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "graph/device_name.h"

namespace berth {

// How reports and policies spell a pattern: gpu:1, gpu:*, /job:ps/replica:0/task:1/device:GPU:0; "any device" for none.
std::string DeviceText(const DeviceName& pattern);

// An argument of a rule. A value.
class DevicePattern {
 public:
  // Reads ParseDeviceName's grammar; a pattern that says nothing is an error.
  explicit DevicePattern(absl::string_view text);
  const absl::Status& status() const { return status_; }
  const DeviceName& name() const { return name_; }  // empty on error
  // As DeviceText spells it; on error what was given.
  const std::string& text() const { return text_; }

 private:
  absl::Status status_;
  DeviceName name_;
  std::string text_;
};

}  // namespace berth

#endif  // BERTH_PLACEMENT_DEVICE_TEXT_H_
