// Whole files that a user names: graphs, policies, machines, dumps, values.
#ifndef BERTH_GRAPH_READ_FILE_H_
#define BERTH_GRAPH_READ_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace berth {

// What a GraphDef may have at most; a longer file, or one without end, is an error.
inline constexpr size_t kMaxFileBytes = (size_t{1} << 31) - 1;

// The bytes of `path`. Errors: NotFound when it cannot be opened, Unavailable when it
// cannot be read or has more than `most` bytes; both say "file 'PATH': expected a file that can be read, got ...".
absl::StatusOr<std::string> ReadWholeFile(const std::string& path, size_t most = kMaxFileBytes);

// What errno means, in lower case: "no such file or directory".
std::string SystemError(int number);

// Whether a flag that takes text or a file names a file: it has a `.` or a `/` and either none of the characters that
// texts are made of (blank, colon, bar, quote) or a file of that name is there.
bool NamesFile(absl::string_view flag);

}  // namespace berth

#endif  // BERTH_GRAPH_READ_FILE_H_
