// `berth sweep`: one graph placed by several policies on several machines, what came out in one table.
#ifndef BERTH_TOOLS_SWEEP_H_
#define BERTH_TOOLS_SWEEP_H_

#include <string>

#include "absl/status/status.h"
#include "tools/io.h"
#include "tools/placed_graph.h"

namespace berth {

struct SweepFlags {
  PlaceFlags place;      // its machine and policy count where the next two are empty
  std::string policies;  // separated by ; outside of double quotes
  std::string machines;
  bool links = false;           // the table of device pairs
  std::string format = "text";  // text | csv | json
};

// A combination that is refused is a row with the message, not an error. Fallbacks that the flags forbid are one,
// kExitNegative, after the table.
absl::Status Sweep(const SweepFlags& flags, Io& io);

}  // namespace berth

#endif  // BERTH_TOOLS_SWEEP_H_
