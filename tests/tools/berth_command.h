// Runs the tool inside a test, as a shell would: arguments in, exit code and both outputs back.
#ifndef BERTH_TESTS_TOOLS_BERTH_COMMAND_H_
#define BERTH_TESTS_TOOLS_BERTH_COMMAND_H_

#include <sstream>
#include <string>
#include <vector>

#include "tools/command_line.h"

namespace berth {

struct CommandResult {
  int exit = 0;
  std::string out, err;
};

inline CommandResult Berth(const std::vector<std::string>& args, const std::string& input = "") {
  std::istringstream in(input);
  std::ostringstream out, err;
  Io io{in, out, err};
  CommandResult result;
  result.exit = RunCommandLine(args, io);
  result.out = out.str();
  result.err = err.str();
  return result;
}

}  // namespace berth

#endif  // BERTH_TESTS_TOOLS_BERTH_COMMAND_H_
