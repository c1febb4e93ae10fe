// first_program [MACHINE [soft]]: builds, places and runs the first program. MACHINE is cpu:1,gpu:2 unless given.
#include <iostream>
#include <string>

#include "tools/examples/first_program.h"

int main(int argc, char** argv) {
  const std::string text = argc > 1 ? argv[1] : "cpu:1,gpu:2";
  const bool soft = argc > 2 && std::string(argv[2]) == "soft";
  const absl::StatusOr<berth::Machine> machine = berth::ParseMachine(text);
  if (!machine.ok()) {
    std::cerr << "first_program: " << machine.status().message() << "\n";
    return 2;
  }
  const absl::StatusOr<std::string> report =
      berth::RunFirstProgram(*machine, soft ? berth::PlacementMode::kSoft : berth::PlacementMode::kStrict);
  if (!report.ok()) {
    std::cerr << "first_program: " << report.status().message() << "\n";
    return 5;
  }
  std::cout << *report;
  return 0;
}
