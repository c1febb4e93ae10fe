// What every verb of the tool has in common: where it reads and writes, and what its exit code says.
//
// A result goes to `out`, everything else to `err`. An error carries its exit code with it, so that a verb returns it
// from wherever it was noticed.
#ifndef BERTH_TOOLS_IO_H_
#define BERTH_TOOLS_IO_H_

#include <istream>
#include <ostream>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace berth {

enum ExitCode : int {
  kExitOk = 0,
  kExitNegative = 1,     // the answer is no: differs, violated, off
  kExitUsage = 2,        // a flag or an argument is wrong
  kExitUnreadable = 3,   // an input cannot be read, or is not what it should be
  kExitUnplaceable = 4,  // the policy cannot be met on the machine
  kExitRunFailed = 5,
};

struct Io {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
};

// The same error, with the exit code it stands for. An OK status stays OK; a code already there stays.
absl::Status WithExit(absl::Status status, ExitCode code);
// The code carried, kExitRunFailed when none is.
ExitCode ExitOf(const absl::Status& status);

// The whole of a file, or of io.in for "-". Error (kExitUnreadable): NotFound or Unavailable with the path and the
// reason, also for more than 2 GiB.
absl::StatusOr<std::string> ReadInput(const std::string& file, Io& io);
// Writes a file, or io.out for "" and "-".
absl::Status WriteOutput(const std::string& file, absl::string_view bytes, Io& io);
// The same for what is written piece by piece: write(sink) is called once.
using Sink = absl::FunctionRef<void(absl::string_view)>;
absl::Status WriteInPieces(const std::string& file, absl::FunctionRef<void(Sink)> write, Io& io);
// Makes a folder that results go to, with those it lies in, unless it is there.
absl::Status MakeFolder(const std::string& folder);
// Passes on what io.out still holds. Error: some of what was written to it was lost.
absl::Status FlushOutput(Io& io);

}  // namespace berth

#endif  // BERTH_TOOLS_IO_H_
