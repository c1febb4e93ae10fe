// Random ops give TensorFlow's own numbers: two consecutive runs of each golden case.
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "kernels/kernels.h"
#include "runtime/kernel_runner.h"
#include "runtime/npy.h"
#include "tests/testing.h"

namespace berth {
namespace {

struct Case {
  std::string file, op;
  int64_t seed = 0, seed2 = 0;
  std::vector<int64_t> shape;
  DType dtype = DType::kFloat32;
  std::string low, high;
};

int64_t Number(const std::string& text) {
  int64_t value = 0;
  REQUIRE(absl::SimpleAtoi(text, &value));
  return value;
}

std::vector<Case> ReadCases() {
  std::ifstream file(SharedPath("data/goldens/random/cases.tsv"));
  std::string line;
  std::getline(file, line);
  std::vector<Case> cases;
  while (std::getline(file, line)) {
    const std::vector<std::string> f = absl::StrSplit(line, '\t');
    Case c{f[0], f[1], Number(f[2]), Number(f[3]), {}, *ParseDType(f[5]), f[6], f[7]};
    for (const std::string& d : std::vector<std::string>(absl::StrSplit(f[4], 'x'))) c.shape.push_back(Number(d));
    cases.push_back(std::move(c));
  }
  return cases;
}

Tensor Scalar(DType dtype, int64_t value) {
  if (dtype == DType::kInt32) return *HostTensorOf<int32_t>({}, {static_cast<int32_t>(value)});
  return *HostTensorOf<int64_t>({}, {value});
}

KernelCall CallOf(const Case& c) {
  KernelCall call{.op = c.op, .attrs = {{"seed", AttrValue(c.seed)}, {"seed2", AttrValue(c.seed2)}}};
  const int64_t rank = static_cast<int64_t>(c.shape.size());
  if (c.op == "RandomShuffle") {
    std::vector<int32_t> values(c.shape[0]);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int32_t>(i);
    call.inputs = {*HostTensorOf<int32_t>({c.shape[0]}, values)};
    return call;
  }
  call.inputs = {*HostTensorOf<int64_t>({rank}, c.shape)};
  if (c.op == "RandomUniformInt") {
    call.inputs.push_back(Scalar(c.dtype, Number(c.low)));
    call.inputs.push_back(Scalar(c.dtype, Number(c.high)));
  } else {
    call.attrs.emplace_back("dtype", AttrValue(c.dtype));
  }
  return call;
}

// The largest distance in units in the last place.
template <typename T, typename Bits>
int64_t Distance(const T* got, const T* want, int64_t n) {
  const auto ordered = [](T x) {
    Bits bits;
    std::memcpy(&bits, &x, sizeof x);
    return bits < 0 ? std::numeric_limits<Bits>::min() - bits : bits;
  };
  int64_t most = 0;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t a = ordered(got[i]), b = ordered(want[i]);
    most = std::max(most, a > b ? a - b : b - a);
  }
  return most;
}

int64_t DistanceOf(const Tensor& got, const Tensor& want, int64_t run) {
  const int64_t n = got.num_elements();
  switch (got.dtype()) {
    case DType::kFloat32:
      return Distance<float, int32_t>(got.kernel<float>(), want.kernel<float>() + run * n, n);
    case DType::kFloat64:
      return Distance<double, int64_t>(got.kernel<double>(), want.kernel<double>() + run * n, n);
    default:
      return std::memcmp(got.kernel_data(), want.kernel<char>() + run * got.num_bytes(), got.num_bytes()) == 0 ? 0
                                                                                                               : 999;
  }
}

TEST_CASE("random ops give TensorFlow's numbers in the first and the second run") {
  if (!HasShared()) BERTH_SKIP("no shared data");
  for (const Case& c : ReadCases()) {
    for (int run = 0; run < 2; ++run) {
      for (int threads : {1, 4}) {
        CAPTURE(c.file, run, threads);
        KernelCall call = CallOf(c);
        call.threads = threads;
        const absl::StatusOr<KernelResult> result = CallKernel(*CpuKernels(), call, run + 1);
        REQUIRE(result.ok());
        const absl::StatusOr<Tensor> want = ReadNpyFile(SharedPath("data/goldens/random/" + c.file));
        REQUIRE(want.ok());
        REQUIRE(want->num_elements() == 2 * result->outputs[0].num_elements());
        const bool normal = c.op == "RandomStandardNormal" || c.op == "TruncatedNormal";
        CHECK(DistanceOf(result->outputs[0], *want, run) <= (normal ? 4 : 0));
      }
    }
  }
}

TEST_CASE("without seeds, two nodes draw different numbers") {
  const KernelCall call{.op = "RandomUniform",
                        .inputs = {*HostTensorOf<int32_t>({1}, {16})},
                        .attrs = {{"dtype", AttrValue(DType::kFloat32)}}};
  const auto a = RunKernel(*CpuKernels(), call), b = RunKernel(*CpuKernels(), call);
  REQUIRE((a.ok() && b.ok()));
  CHECK(std::memcmp((*a)[0].kernel_data(), (*b)[0].kernel_data(), 64) != 0);
}

}  // namespace
}  // namespace berth
