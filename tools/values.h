// Tensors as text and as files, for flags and for people.
//
//   x=3   x=[1,2.5]   x=[[1,2],[3,4]]   x=true   x="text"   x=@file.npy
#ifndef BERTH_TOOLS_VALUES_H_
#define BERTH_TOOLS_VALUES_H_

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/tensor.h"
#include "tools/io.h"

namespace berth {

// Splits `NAME=VALUE` of a flag and reads VALUE: `@FILE` is an .npy file, anything else text of type `dtype`. Errors
// carry kExitUsage for text and kExitUnreadable for files.
struct NamedValue {
  std::string name;
  std::string value;  // as given
};
absl::StatusOr<NamedValue> SplitNamedValue(absl::string_view flag, absl::string_view text);
absl::StatusOr<Tensor> ReadValue(absl::string_view flag, const NamedValue& value, DType dtype, Io& io);

// The elements as nested lists, rows on lines of their own; above `limit` elements the first ones and
// their number. Floats print as the shortest text that reads back equal.
std::string PrintTensor(const Tensor& host, int64_t limit = 1024);

}  // namespace berth

#endif  // BERTH_TOOLS_VALUES_H_
