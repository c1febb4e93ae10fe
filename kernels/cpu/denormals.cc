#include "kernels/cpu/denormals.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace berth::cpu {

#if defined(__x86_64__)
namespace {
constexpr unsigned int kFlushResults = 0x8000, kZeroOperands = 0x0040;
}  // namespace

DenormalsAreZero::DenormalsAreZero() : before_(_mm_getcsr()) { _mm_setcsr(before_ | kFlushResults | kZeroOperands); }
DenormalsAreZero::~DenormalsAreZero() { _mm_setcsr(before_); }
#else
DenormalsAreZero::DenormalsAreZero() = default;
DenormalsAreZero::~DenormalsAreZero() = default;
#endif

}  // namespace berth::cpu
