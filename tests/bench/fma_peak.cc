// The most fused multiply-adds that one thread does, float32, on the widest vectors of this machine.
#include <cmath>

#include "tests/bench/families.h"

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/bench/fma_peak.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace berth::fma_peak::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// x = x * a + b, `rounds` times in each of twelve chains, enough to hide the latency; gives the sum of one lane of each
// and sets the number of floating-point operations.
float Chains(int64_t rounds, float a, float b, double* operations) {
  const hn::ScalableTag<float> d;
  const auto va = hn::Set(d, a), vb = hn::Set(d, b);
  auto x0 = hn::Set(d, 0.0f), x1 = x0, x2 = x0, x3 = x0, x4 = x0, x5 = x0;
  auto x6 = x0, x7 = x0, x8 = x0, x9 = x0, x10 = x0, x11 = x0;
  for (int64_t i = 0; i < rounds; ++i) {
    x0 = hn::MulAdd(x0, va, vb);
    x1 = hn::MulAdd(x1, va, vb);
    x2 = hn::MulAdd(x2, va, vb);
    x3 = hn::MulAdd(x3, va, vb);
    x4 = hn::MulAdd(x4, va, vb);
    x5 = hn::MulAdd(x5, va, vb);
    x6 = hn::MulAdd(x6, va, vb);
    x7 = hn::MulAdd(x7, va, vb);
    x8 = hn::MulAdd(x8, va, vb);
    x9 = hn::MulAdd(x9, va, vb);
    x10 = hn::MulAdd(x10, va, vb);
    x11 = hn::MulAdd(x11, va, vb);
  }
  *operations = 2.0 * 12 * static_cast<double>(hn::Lanes(d)) * static_cast<double>(rounds);
  const auto sum =
      hn::Add(hn::Add(hn::Add(x0, x1), hn::Add(x2, x3)),
              hn::Add(hn::Add(hn::Add(x4, x5), hn::Add(x6, x7)), hn::Add(hn::Add(x8, x9), hn::Add(x10, x11))));
  return hn::GetLane(sum);
}

}  // namespace berth::fma_peak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace berth {
namespace fma_peak {

HWY_EXPORT(Chains);

absl::StatusOr<std::vector<Row>> Run(const Effort& effort) {
  const int64_t rounds = effort.small ? 1000 : 1000000;
  double operations = 0;
  const auto times = TakeTimes(effort, Clock::kProcessor, {[&](Stopwatch& watch) {
                                 watch.Start();
                                 const float sum = HWY_DYNAMIC_DISPATCH(Chains)(rounds, 0.5f, 1.0f, &operations);
                                 watch.Stop();
                                 return ExpectEqual("fixed point of x / 2 + 1, twelve times", 24, std::round(sum));
                               }});
  if (!times.ok()) return times.status();
  return std::vector<Row>{RateRow("fma-peak", "GFLOP/s", (*times)[0], operations * 1e-9)};
}

}  // namespace fma_peak

void AddFmaPeakBenchmarks(std::vector<Benchmark>& list) { list.push_back({"fma-peak", fma_peak::Run}); }

}  // namespace berth
#endif
