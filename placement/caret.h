// Points at a place in a text that a user wrote, for messages of parsers:
//
//   policy:1:14: expected a device, got "|"
//     towers-on |
//               ^
#ifndef BERTH_PLACEMENT_CARET_H_
#define BERTH_PLACEMENT_CARET_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace berth {

// InvalidArgument `origin:line:column: message`, the line, and a caret under byte `offset` of
// `text` (its end: after the last byte). Lines and columns count from 1; a long line is cut to what
// is near the caret, bytes that do not print show as `?`.
absl::Status ErrorAt(absl::string_view origin, absl::string_view text, size_t offset, absl::string_view message);

// A user's bytes as a message shows them: in double quotes, escaped, cut to 64 bytes.
std::string Quoted(absl::string_view bytes);

}  // namespace berth

#endif  // BERTH_PLACEMENT_CARET_H_
