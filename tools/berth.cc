// The program berth: everything is in the verbs' libraries.

#include <iostream>
#include <string>
#include <vector>

#include "tools/command_line.h"

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  berth::Io io{std::cin, std::cout, std::cerr};
  return berth::RunCommandLine(std::vector<std::string>(argv + 1, argv + argc), io);
}
