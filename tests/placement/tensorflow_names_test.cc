// Merges of device names as TensorFlow has them: rows D18 to D22 of the catalog.

#include <string>
#include <vector>

#include "placement/tensorflow_names.h"
#include "tests/testing.h"

namespace berth {
namespace {

struct Case {
  const char *a, *b;
  const char *strict, *soft, *override_;  // "": refused
};

std::string Merge(const std::string& a, const std::string& b, NameMerge mode) {
  const auto merged = MergeNames(*ParseTensorFlowName(a), *ParseTensorFlowName(b), mode);
  return merged.ok() ? merged->ToString() : std::string(merged.status().message());
}

TEST_CASE("D18 D19 D21 names merge field by field") {
  const std::vector<Case> cases = {
      {"", "", "", "", ""},
      {"/job:a", "", "/job:a", "/job:a", "/job:a"},
      {"/job:a/cpu:1", "/job:a/cpu:1", "/job:a/device:CPU:1", "/job:a/device:CPU:1", "/job:a/device:CPU:1"},
      {"/job:a", "/task:2/gpu:*", "/job:a/task:2/device:GPU:*", "/job:a/task:2/device:GPU:*",
       "/job:a/task:2/device:GPU:*"},
      {"/gpu:*", "/gpu:3", "/device:GPU:3", "/device:GPU:3", "/device:GPU:3"},
      {"/cpu:1", "/cpu:2", "different ids, 1 and 2", "/device:CPU:*", "/device:CPU:2"},
      {"/task:1/gpu:1", "/cpu:2", "different types, GPU and CPU", "/task:1", "/task:1/device:CPU:2"},
      {"/gpu:1", "/cpu:*", "different types, GPU and CPU", "", "/device:CPU:1"},
      {"/job:a", "/job:b", "different jobs, a and b", "different jobs, a and b", "different jobs, a and b"},
      {"/replica:1", "/replica:2", "different replicas, 1 and 2", "different replicas, 1 and 2",
       "different replicas, 1 and 2"},
      {"/task:1/cpu:0", "/task:2", "different tasks, 1 and 2", "different tasks, 1 and 2", "different tasks, 1 and 2"},
      {"/device:*:1", "/device:*:2", "different ids, 1 and 2", "", "/device:*:2"},
  };
  for (const Case& c : cases) {
    INFO(c.a << " and " << c.b);
    CHECK(Merge(c.a, c.b, NameMerge::kStrict) == c.strict);
    CHECK(Merge(c.a, c.b, NameMerge::kSoft) == c.soft);
    CHECK(Merge(c.b, c.a, NameMerge::kSoft).substr(0, 9) == std::string(c.soft).substr(0, 9));
    CHECK(Merge(c.a, c.b, NameMerge::kOverride) == c.override_);
  }
}

TEST_CASE("soft merges depend on their order") {
  const auto ids = [](const std::string& a, const std::string& b, const std::string& c) {
    return Merge(Merge("/cpu:" + a, "/cpu:" + b, NameMerge::kSoft), "/cpu:" + c, NameMerge::kSoft);
  };
  CHECK(ids("1", "2", "3") == "/device:CPU:3");
  CHECK(ids("1", "1", "3") == "/device:CPU:*");
}

TEST_CASE("D22 filling what is open never fails") {
  const auto fill = [](const char* a, const char* b) {
    return FillUnset(*ParseTensorFlowName(a), *ParseTensorFlowName(b)).ToString();
  };
  CHECK(fill("/job:a", "/job:b/task:3") == "/job:a/task:3");
  CHECK(fill("/gpu:*", "/cpu:2") == "/device:GPU:2");
  CHECK(fill("", "/cpu:2") == "/device:CPU:2");
}

}  // namespace
}  // namespace berth
