// Whole files: what is read, what is refused, and which flags name one.

#include "graph/read_file.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/testing.h"

namespace berth {
namespace {

std::string TestFolder() {
  const char* folder = std::getenv("TEST_TMPDIR");
  return folder == nullptr ? std::filesystem::temp_directory_path().string() : folder;
}

std::string Read(const std::string& path, size_t most = kMaxFileBytes) {
  const absl::StatusOr<std::string> bytes = ReadWholeFile(path, most);
  return bytes.ok() ? *bytes : std::string(bytes.status().message());
}

TEST_CASE("files are read whole, and no further than they may be long") {
  const std::string path = TestFolder() + "/read_file_test.bytes";
  const std::string bytes = std::string("a\0\n", 3) + std::string(3'000'000, 'b');
  std::ofstream(path, std::ios::binary) << bytes;
  CHECK(Read(path) == bytes);
  CHECK(Read(path, bytes.size()) == bytes);
  CHECK(Read(path, 3'000'002) == "file '" + path + "': expected at most 3000002 bytes, got 3000003");
  CHECK(Read("/dev/null").empty());
  CHECK(Read("/dev/zero", 1000) == "file '/dev/zero': expected at most 1000 bytes, got more");
  CHECK(Read("/nowhere/x") == "file '/nowhere/x': expected a file that can be read, got no such file or directory");
  CHECK(Read("/") == "file '/': expected a file that can be read, got a directory");
}

TEST_CASE("flags that name a file") {
  for (const char* flag : {"m.pbtxt", "./m", "dir/m", "none.policy", "/dev/null"}) CHECK(NamesFile(flag));
  for (const char* flag : {"", "default", "cpu:1,gpu:2", "ps*2(cpu:1)", "variables-on /job:ps | else /gpu:0",
                           "match \"name=a/*\" on cpu:0", "replay:dir/x.json", "else /cpu:0"}) {
    CHECK_FALSE(NamesFile(flag));
  }
  const std::string path = TestFolder() + "/a name with blanks.policy";
  std::filesystem::remove(path);
  CHECK_FALSE(NamesFile(path));
  std::ofstream(path) << "pins\n";
  CHECK(NamesFile(path));
}

}  // namespace
}  // namespace berth
