// `berth run`: places a graph and runs it, once or many times.
#ifndef BERTH_TOOLS_RUN_H_
#define BERTH_TOOLS_RUN_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tools/io.h"
#include "tools/placed_graph.h"

namespace berth {

struct RunFlags {
  PlaceFlags place;               // fetches are run in each step, targets once before the steps, one run each
  std::vector<std::string> sets;  // VAR=VALUE or VAR=@FILE.npy, after the targets
  int steps = 1;
  int repeat = 0;  // runs to time after the steps; 0: none
  int threads = 1;
  int deadline_ms = 0;     // of one run; 0: none
  bool placement = false;  // print where every node went, and why, before the values
  std::string report;      // file for the placement as JSON; no values are in it
  std::string replicate_constants = "on";
  std::string trace;   // file for the Chrome trace
  std::string out;     // folder for .npy files in place of text
  std::string golden;  // folder with golden.tsv
  bool json = false;
};

absl::Status Run(const RunFlags& flags, Io& io);

}  // namespace berth

#endif  // BERTH_TOOLS_RUN_H_
