// The command line of `berth`: every verb, its flags, its help.
#ifndef BERTH_TOOLS_COMMAND_LINE_H_
#define BERTH_TOOLS_COMMAND_LINE_H_

#include <string>
#include <vector>

#include "tools/io.h"

namespace berth {

// Runs `berth ARGS...` and returns its exit code. Never throws; every error is one message on io.err.
int RunCommandLine(const std::vector<std::string>& args, Io& io);

}  // namespace berth

#endif  // BERTH_TOOLS_COMMAND_LINE_H_
