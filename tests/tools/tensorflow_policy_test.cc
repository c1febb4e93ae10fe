// `--policy tensorflow` through the tool: TensorFlow's own devices and transfers, file against file.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/testing.h"
#include "tests/tools/berth_command.h"

namespace berth {
namespace {

std::string Read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE(in.good());
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> Columns(const std::string& line) {
  std::vector<std::string> columns;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, '\t');) columns.push_back(cell);
  return columns;
}

std::vector<std::string> Flags(const std::string& program) {
  const std::string folder = SharedPath("data/placed/" + program);
  std::string machine = Lines(Read(folder + "/machine.txt")).front();
  std::vector<std::string> flags = {folder + "/graph.pb", "--machine", machine, "--soft"};
  const bool cluster = program == "parameter-servers";
  flags.insert(flags.end(), {"--policy", cluster ? "tensorflow order=name" : "tensorflow"});
  if (cluster) flags.insert(flags.end(), {"--session", "/job:worker/task:0"});
  return flags;
}

// The node of `value` as the partition table prints it, without the output index.
std::string Row(const std::vector<std::string>& c) {
  return c[0].substr(0, c[0].find(':')) + " " + c[1] + " -> " + c[2] + " " + c[3];
}

std::set<std::string> Transfers(const std::string& program, const std::string& replicate) {
  std::vector<std::string> args = {"partition"};
  const std::vector<std::string> flags = Flags(program);
  args.insert(args.end(), flags.begin(), flags.end());
  for (const std::string& fetch : Lines(Read(SharedPath("data/placed/" + program + "/fetches.txt")))) {
    args.insert(args.end(), {"--fetch", fetch});
  }
  args.insert(args.end(), {"--transfers", "--format", "tsv", "--replicate-constants", replicate});
  const CommandResult result = Berth(args);
  INFO(result.err);
  REQUIRE(result.exit == 0);
  std::set<std::string> rows;
  const std::vector<std::string> lines = Lines(result.out);
  for (size_t i = 1; i < lines.size(); ++i) rows.insert(Row(Columns(lines[i])));
  return rows;
}

std::set<std::string> Expected(const std::string& program, bool replicated) {
  std::set<std::string> rows;
  const std::vector<std::string> lines = Lines(Read(SharedPath("data/placed/" + program + "/transfers.tsv")));
  for (size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> columns = Columns(lines[i]);
    if (!replicated || columns.back() == "1") rows.insert(Row(columns));
  }
  return rows;
}

std::vector<std::string> Programs() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(SharedPath("data/placed"))) {
    names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

TEST_CASE("every program gets TensorFlow's devices, node for node") {
  if (!HasShared()) BERTH_SKIP("no shared data");
  for (const std::string& program : Programs()) {
    INFO(program);
    std::vector<std::string> args = {"place"};
    const std::vector<std::string> flags = Flags(program);
    args.insert(args.end(), flags.begin(), flags.end());
    args.insert(args.end(), {"--format", "tsv"});
    const CommandResult result = Berth(args);
    INFO(result.err);
    REQUIRE(result.exit == 0);
    std::vector<std::string> got = Lines(result.out);
    std::vector<std::string> want = Lines(Read(SharedPath("data/placed/" + program + "/placed.tsv")));
    CHECK(got.front() == "node\tdevice");
    std::sort(got.begin(), got.end());
    std::sort(want.begin(), want.end());
    CHECK((got == want));
  }
}

TEST_CASE("every program gets TensorFlow's transfers") {
  if (!HasShared()) BERTH_SKIP("no shared data");
  for (const std::string& program : Programs()) {
    INFO(program);
    CHECK(Transfers(program, "off") == Expected(program, false));
    if (program != "parameter-servers") CHECK(Transfers(program, "on") == Expected(program, true));
  }
}

// 2.21 keeps what nobody asks about on the session's own task, where 1.15, whose devices the data has, takes the first by name.
TEST_CASE("plain tensorflow sends free nodes of a cluster to the session's task") {
  if (!HasShared()) BERTH_SKIP("no shared data");
  std::vector<std::string> args = {"place"};
  for (const std::string& flag : Flags("parameter-servers")) {
    args.push_back(flag == "tensorflow order=name" ? "tensorflow" : flag);
  }
  args.insert(args.end(), {"--format", "tsv"});
  const CommandResult result = Berth(args);
  INFO(result.err);
  REQUIRE(result.exit == 0);
  const std::vector<std::string> got = Lines(result.out);
  const std::vector<std::string> want = Lines(Read(SharedPath("data/placed/parameter-servers/placed.tsv")));
  REQUIRE(got.size() == want.size());
  std::map<std::string, std::string> before;
  for (const std::string& line : want) before[Columns(line)[0]] = Columns(line)[1];
  int moved = 0;
  for (const std::string& line : got) {
    const std::string is = Columns(line)[1], was = before[Columns(line)[0]];
    if (is == was) continue;
    ++moved;
    INFO(line);
    CHECK(was == "/job:ps/replica:0/task:0/device:CPU:0");
    CHECK(is == "/job:worker/replica:0/task:0/device:CPU:0");
  }
  CHECK(moved > 0);
}

}  // namespace
}  // namespace berth
