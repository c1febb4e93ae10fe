// bench [NAME-GLOB] [--seconds S] [--json]: runs the benchmarks whose names match and prints one table.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "tests/bench/families.h"
#include "tests/bench/table.h"

namespace berth {
namespace {

constexpr char kUsage[] =
    "usage: bench [NAME-GLOB] [--seconds S] [--json]\n"
    "  --seconds S   of each benchmark, at least (1)\n"
    "  --json        instead of the table\n"
    "Models are read from the folder of shared data that BERTH_SHARED names.\n";

struct Flags {
  std::string glob = "*";
  Effort effort;
  bool json = false;
};

bool ParseFlags(const std::vector<std::string>& args, Flags& flags) {
  bool has_glob = false;
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "--json") {
      flags.json = true;
    } else if (args[i] == "--seconds" && i + 1 < args.size()) {
      if (!absl::SimpleAtod(args[++i], &flags.effort.seconds) || !(flags.effort.seconds > 0)) return false;
    } else if (!has_glob && !absl::StartsWith(args[i], "-")) {
      has_glob = true;
      flags.glob = args[i];
    } else {
      return false;
    }
  }
  return true;
}

// `*` any characters, `?` one.
bool Matches(const char* glob, const char* name) {
  if (*glob == '\0') return *name == '\0';
  if (*glob == '*') return Matches(glob + 1, name) || (*name != '\0' && Matches(glob, name + 1));
  return *name != '\0' && (*glob == '?' || *glob == *name) && Matches(glob + 1, name + 1);
}

int Run(const Flags& flags) {
  const BenchMachine machine = ThisMachine();
  std::vector<Row> rows;
  int matched = 0, failed = 0;
  for (const Benchmark& benchmark : AllBenchmarks()) {
    if (!Matches(flags.glob.c_str(), benchmark.name.c_str())) continue;
    ++matched;
    absl::StatusOr<std::vector<Row>> made = benchmark.run(flags.effort);
    if (!made.ok()) {
      std::fprintf(stderr, "%s: %s\n", benchmark.name.c_str(), made.status().ToString().c_str());
      ++failed;
      continue;
    }
    if (made->empty()) std::fprintf(stderr, "%s: left out, it needs BERTH_SHARED\n", benchmark.name.c_str());
    rows.insert(rows.end(), made->begin(), made->end());
  }
  std::fputs((flags.json ? PrintJson(machine, rows) : PrintTable(machine, rows)).c_str(), stdout);
  if (matched > 0) return failed == 0 ? 0 : 1;
  std::fprintf(stderr, "bench '%s': expected the name of a benchmark or a glob, got another; they are\n",
               flags.glob.c_str());
  for (const Benchmark& benchmark : AllBenchmarks()) std::fprintf(stderr, "  %s\n", benchmark.name.c_str());
  return 2;
}

}  // namespace
}  // namespace berth

int main(int argc, char** argv) {
  berth::Flags flags;
  if (!berth::ParseFlags({argv + 1, argv + argc}, flags)) {
    std::fputs(berth::kUsage, stderr);
    return 2;
  }
  if (const char* shared = std::getenv("BERTH_SHARED")) flags.effort.shared = shared;
  return berth::Run(flags);
}
