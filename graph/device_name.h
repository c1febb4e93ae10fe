// Device names: a request names some fields of a place, an assignment names all.
//
//   /job:localhost/replica:0/task:0/device:GPU:1   full, the one canonical spelling
//   /gpu:1   gpu:1   GPU:1                         shorthand for /device:GPU:1
//   /job:ps/cpu:*   gpu:*   gpu                    partial: `*` and absent mean the same
//
// Two grammars: ParseTensorFlowName is TensorFlow's own C++ parser, exactly (facts: a graph file's `device` strings);
// ParseDeviceName is Berth's for flags, policies and scopes: the former plus shorthand without a slash, lower or upper
// case `cpu`/`gpu` always upper-cased, and overflow refused.
#ifndef BERTH_GRAPH_DEVICE_NAME_H_
#define BERTH_GRAPH_DEVICE_NAME_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace berth {

// A value. A field that is not set matches anything.
struct DeviceName {
  std::optional<std::string> job;
  std::optional<int> replica;
  std::optional<int> task;
  std::optional<std::string> type;  // "CPU", "GPU", or a kind of one's own, case-sensitive
  std::optional<int> id;

  bool empty() const { return !job && !replica && !task && !type && !id; }
  bool full() const { return job && replica && task && type && id; }
  // Fields in fixed order; a type without id prints `:*`; nothing set prints "". An id without type prints
  // `/device:*:3`.
  std::string ToString() const;
  // "gpu:1" when only type and id are set or the rest is /job:localhost/replica:0/task:0, else ToString().
  std::string ShortName() const;

  friend bool operator==(const DeviceName&, const DeviceName&) = default;
};

// Numeric order: job, replica, task, type, id; unset before set.
bool operator<(const DeviceName& a, const DeviceName& b);

// The grammar of TensorFlow's DeviceNameUtils::ParseFullName. Error: InvalidArgument with the position and what was
// expected.
absl::StatusOr<DeviceName> ParseTensorFlowName(absl::string_view text);

// Berth's grammar (above). Errors give text (cut to 64 bytes), column, and the grammar in one line.
absl::StatusOr<DeviceName> ParseDeviceName(absl::string_view text);

// Every field set in `pattern` is set and equal in `name`.
bool Matches(const DeviceName& pattern, const DeviceName& name);
// No field is set in both with different values.
bool Compatible(const DeviceName& a, const DeviceName& b);
// `under` with every set field of `over` written over it (TensorFlow's EnsureSpecification).
DeviceName Overlay(DeviceName under, const DeviceName& over);
// The merge of nested scopes: `inner` wins field by field; an inner type that differs from the outer one drops the
// outer id, the same type keeps it.
DeviceName MergeScopes(const DeviceName& outer, const DeviceName& inner);

}  // namespace berth

#endif  // BERTH_GRAPH_DEVICE_NAME_H_
