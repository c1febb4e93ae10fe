// When an output is right: near enough, NaN where NaN, and infinities the same.
#include <algorithm>
#include <limits>
#include <vector>

#include "tests/testing.h"
#include "tools/golden.h"

namespace berth {
namespace {

Tensor Floats(const std::vector<float>& values) {
  Tensor tensor = *AllocateHostTensor(DType::kFloat32, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), tensor.kernel<float>());
  return tensor;
}

TEST_CASE("what is near enough") {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  struct Case {
    std::vector<float> want, got;
    double spread;
    bool right;
  };
  const std::vector<Case> cases = {
      {{1, 2}, {1, 2}, 0, true},         {{1, 2}, {1.0001f, 2}, 0, true},  {{1, 2}, {1.001f, 2}, 0, false},
      {{1, 2}, {1.001f, 2}, 0.01, true}, {{kInf, 5}, {kInf, 5}, 0, true},  {{kInf, 5}, {1, 5}, 0, false},
      {{kInf, 5}, {-kInf, 5}, 0, false}, {{kInf, 5}, {kInf, 6}, 0, false}, {{1, 5}, {kInf, 5}, 0.5, false},
      {{kNan, 5}, {kNan, 5}, 0, true},   {{kNan, 5}, {1, 5}, 0, false},    {{1, 2}, {1}, 0, false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.want, c.got, c.spread);
    CHECK(CompareGolden({"y", Floats(c.want), c.spread}, Floats(c.got)).right == c.right);
  }
}

}  // namespace
}  // namespace berth
