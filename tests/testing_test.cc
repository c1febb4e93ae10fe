#include "tests/testing.h"

namespace berth {

TEST_CASE("a test case without shared data skips and is counted as skipped") {
  if (!HasShared()) BERTH_SKIP("no shared data");
  CHECK(SharedPath("data").ends_with("/data"));
}

TEST_CASE("assertions are on in the ordinary build") {
#ifdef NDEBUG
  BERTH_SKIP("built without assertions");
#endif
  SUCCEED();
}

}  // namespace berth
