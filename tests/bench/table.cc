#include "tests/bench/table.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace berth {
namespace {

std::string Processor() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

// Three digits that count.
std::string Number(double value) {
  if (value == 0) return "0";
  if (value < 10) return absl::StrFormat("%.2f", value);
  return value < 100 ? absl::StrFormat("%.1f", value) : absl::StrFormat("%.0f", value);
}

}  // namespace

BenchMachine ThisMachine() {
  BenchMachine machine;
  machine.processor = Processor();
  machine.cores = static_cast<int>(std::thread::hardware_concurrency());
#if defined(__clang__)
  machine.compiler = absl::StrCat("clang ", __clang_version__);
#else
  machine.compiler = absl::StrCat("g++ ", __VERSION__);
#endif
#if defined(NDEBUG)
  machine.build = "optimised (--config=opt)";
#elif defined(__OPTIMIZE__)
  machine.build = "optimised, assertions on (not --config=opt)";
#else
  machine.build = "not optimised";
#endif
  double load[1] = {0};
  if (getloadavg(load, 1) == 1) machine.load = load[0];
  return machine;
}

std::string PrintTable(const BenchMachine& machine, const std::vector<Row>& rows) {
  std::vector<std::vector<std::string>> lines = {{"name", "unit", "min", "median", "floor", "floor min", "ratio"}};
  for (const Row& row : rows) {
    const bool has_floor = !row.floor.empty();
    lines.push_back({row.name, row.unit, Number(row.min), Number(row.median), has_floor ? row.floor : "-",
                     has_floor ? Number(row.floor_min) : "-", has_floor ? Number(row.ratio()) : "-"});
  }
  std::vector<int> width(lines[0].size());
  for (const auto& line : lines) {
    for (size_t c = 0; c < line.size(); ++c) width[c] = std::max(width[c], static_cast<int>(line[c].size()));
  }
  std::string text = absl::StrFormat(
      "%s, %d cores, load %.1f; %s, %s\nmin: of the fastest sample; ratio: our time over the floor's\n\n",
      machine.processor, machine.cores, machine.load, machine.compiler, machine.build);
  for (const auto& line : lines) {
    std::vector<std::string> cells;
    for (size_t c = 0; c < line.size(); ++c) {
      const bool is_text = c < 2 || c == 4;
      cells.push_back(absl::StrFormat("%*s", is_text ? -width[c] : width[c], line[c]));
    }
    std::string joined = absl::StrJoin(cells, "  ");
    joined.resize(joined.find_last_not_of(' ') + 1);
    absl::StrAppend(&text, joined, "\n");
  }
  return text;
}

std::string PrintJson(const BenchMachine& machine, const std::vector<Row>& rows) {
  nlohmann::ordered_json json = {{"processor", machine.processor}, {"cores", machine.cores},
                                 {"load", machine.load},           {"compiler", machine.compiler},
                                 {"build", machine.build},         {"rows", nlohmann::ordered_json::array()}};
  for (const Row& row : rows) {
    json["rows"].push_back({{"name", row.name},
                            {"unit", row.unit},
                            {"min", row.min},
                            {"median", row.median},
                            {"floor", row.floor},
                            {"floor_min", row.floor_min},
                            {"ratio", row.ratio()}});
  }
  return json.dump(2) + "\n";
}

}  // namespace berth
