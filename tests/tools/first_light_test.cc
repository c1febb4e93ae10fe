// The first program as TensorFlow wrote it, through the tool: its own seeds give its own numbers, under any policy.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/placement/every_policy.h"
#include "tests/testing.h"
#include "tests/tools/berth_command.h"

namespace berth {
namespace {

namespace fs = std::filesystem;

// Runs rcnn-seed on `machine` and compares AddN through a golden folder made for it.
CommandResult RunSeed(const std::string& machine, const std::vector<std::string>& more) {
  const fs::path folder = TestFile("first_light");
  fs::create_directories(folder);
  fs::copy_file(SharedPath("data/goldens/rcnn/AddN.npy"), folder / "AddN.npy", fs::copy_options::overwrite_existing);
  // The rule's 1e-4 of the largest value, tightened to 1e-5: the largest value is below 1, and the tool prints the error.
  std::ofstream(folder / "golden.tsv") << "role\ttensor\tfile\tdtype\tshape\tmin\tmax\tnan\tspread\n"
                                       << "output\tAddN:0\tAddN.npy\tfloat32\t[4, 4]\t\t\t0\t0\n";
  std::vector<std::string> args = {"run",      SharedPath("data/graphs/rcnn-seed.pbtxt"),
                                   "--target", "init",
                                   "--golden", folder.string(),
                                   "--json",   "--machine",
                                   machine};
  args.insert(args.end(), more.begin(), more.end());
  return Berth(args);
}

double ErrorIn(const std::string& json) {
  const size_t at = json.find("\"error\": ");
  return at == std::string::npos ? 1e30 : std::atof(json.c_str() + at + 9);
}

TEST_CASE("the first program from its own seeds") {
  if (!HasShared()) BERTH_SKIP("no shared data");
  const std::string policy = TestFile("first_light.policy");
  std::ofstream(policy)
      << "# overrides the pins of the file\nvariables-on gpu:0\nmatch \"op=MatMul\" on gpu:1\nelse cpu:0\n";
  struct Row {
    const char* machine;
    std::vector<std::string> flags;
  };
  const std::vector<Row> rows = {
      {"cpu:1", {"--soft"}},
      {"cpu:1,gpu:2", {}},
      {"cpu:1,gpu:2", {"--policy", "pins | first-fit"}},
      {"cpu:1,gpu:2", {"--policy", policy}},
      {"cpu:1,gpu:2", {"--import", "clear", "--policy", "random:3"}},
      {"cpu:3", {"--policy", "tensorflow", "--soft"}},
  };
  for (const Row& row : rows) {
    INFO(row.machine << (row.flags.empty() ? "" : " " + row.flags.back()));
    const CommandResult result = RunSeed(row.machine, row.flags);
    INFO(result.out << result.err);
    CHECK(result.exit == 0);
    CHECK(ErrorIn(result.out) <= 1e-5 * 1.5);  // the largest |AddN| is over 1.5
  }
}

TEST_CASE("the first program's pins need the gpus they name") {
  if (!HasShared()) BERTH_SKIP("no shared data");
  const CommandResult result = RunSeed("cpu:1", {});
  CHECK(result.exit == 4);
  CHECK(result.err.find("gpu:0") != std::string::npos);
}

}  // namespace
}  // namespace berth
