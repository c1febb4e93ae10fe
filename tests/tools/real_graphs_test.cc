// Every real graph is read, placed, dumped, and the dump read back into the same placement.

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/placement/every_policy.h"
#include "tests/testing.h"
#include "tests/tools/berth_command.h"

namespace berth {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> Graphs() {
  std::vector<std::string> files;
  for (const char* folder : {"data/graphs", "data/models", "data/opaque", "data/topologies"}) {
    for (const auto& entry : fs::directory_iterator(SharedPath(folder))) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string WriteTemporary(const std::string& name, const std::string& bytes) {
  const std::string path = TestFile(name);
  FILE* file = fopen(path.c_str(), "wb");
  REQUIRE(file != nullptr);
  REQUIRE(fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size());
  fclose(file);
  return path;
}

const std::vector<std::string> kPlacing = {"--machine", "cpu:1,gpu:2", "--soft"};

CommandResult PlaceAs(const std::string& file, const std::string& policy, const std::string& format) {
  std::vector<std::string> args = {"place", file, "--policy", policy, "--format", format};
  args.insert(args.end(), kPlacing.begin(), kPlacing.end());
  return Berth(args);
}

TEST_CASE("every real graph is placed, and each form of its dump replays to the same devices") {
  if (!HasShared()) BERTH_SKIP("no shared data");
  for (const std::string& file : Graphs()) {
    INFO(file);
    const CommandResult tsv = PlaceAs(file, "pins | greedy-locality", "tsv");
    INFO(tsv.err);
    REQUIRE(tsv.exit == 0);
    for (const std::string format : {"text", "pbtxt", "json"}) {
      INFO(format);
      const CommandResult dump = PlaceAs(file, "pins | greedy-locality", format);
      REQUIRE(dump.exit == 0);
      const std::string path = WriteTemporary("dump." + format, dump.out);
      const CommandResult replayed = PlaceAs(file, "replay:" + path, "tsv");
      INFO(replayed.err);
      CHECK(replayed.exit == 0);
      CHECK(replayed.out == tsv.out);
      if (format == "json") continue;
      const CommandResult read_back = PlaceAs(path, "pins", "tsv");
      INFO(read_back.err);
      CHECK(read_back.exit == 0);
      CHECK(read_back.out == tsv.out);
    }
  }
}

TEST_CASE("every real graph passes check and prints in every form of show") {
  if (!HasShared()) BERTH_SKIP("no shared data");
  for (const std::string& file : Graphs()) {
    INFO(file);
    CHECK(Berth({"check", file}).exit == 0);
    for (const std::string format : {"text", "pbtxt", "pb", "dot"}) {
      INFO(format);
      const CommandResult shown = Berth({"show", file, "--format", format});
      CHECK(shown.exit == 0);
      CHECK(shown.out.size() > 100);
    }
  }
}

}  // namespace
}  // namespace berth
