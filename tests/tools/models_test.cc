// Real models against their goldens, on every machine, policy, seed and number of threads: right by the data's rule,
// equal to the bit.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "tests/placement/every_policy.h"
#include "tests/testing.h"
#include "tests/tools/berth_command.h"

namespace berth {
namespace {

namespace fs = std::filesystem;

// File name -> bytes of every .npy in a folder.
std::map<std::string, std::string> Values(const fs::path& folder) {
  std::map<std::string, std::string> values;
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::ifstream in(entry.path(), std::ios::binary);
    values[entry.path().filename()] = std::string(std::istreambuf_iterator<char>(in), {});
  }
  return values;
}

void CheckModel(const std::string& model, const std::string& case_name) {
  const fs::path out = TestFile("values_" + model + case_name);
  const auto run = [&](const std::string& machine, const std::string& policy, int threads = 1) {
    INFO(model << " " << case_name << " on " << machine << " under " << policy << " on " << threads << " threads");
    fs::remove_all(out);
    const CommandResult result =
        Berth({"run", SharedPath("data/models/" + model + ".pb"), "--golden",
               SharedPath("data/goldens/" + model + "/" + case_name), "--machine", machine, "--policy", policy,
               "--soft", "--threads", std::to_string(threads), "--out", out.string()});
    INFO(result.err);
    CHECK(result.exit == 0);
    return Values(out);
  };
  const auto reference = run("cpu:1", "default");
  CHECK(!reference.empty());
  for (int threads : {2, 4}) CHECK((run("cpu:1", "default", threads) == reference));
  for (const std::string& policy : EveryPolicyAndSeeds(TestFile("replayed.tsv"))) {
    INFO(policy);
    CHECK((run("cpu:1,gpu:3", policy) == reference));
  }
}

#define BERTH_MODEL_TEST(model)                                                    \
  TEST_CASE(model " is right and placement never changes its results") {           \
    if (!HasShared()) BERTH_SKIP("no shared data");                                \
    for (const char* case_name : {"image", "noise"}) CheckModel(model, case_name); \
  }

BERTH_MODEL_TEST("basic-pitch")
BERTH_MODEL_TEST("blazeface-back")
BERTH_MODEL_TEST("emotion")
BERTH_MODEL_TEST("facemesh")
BERTH_MODEL_TEST("movenet-lightning")
BERTH_MODEL_TEST("posenet")
BERTH_MODEL_TEST("selfie")

}  // namespace
}  // namespace berth
