// Denormal floats count as zero while kernels compute, as in TensorFlow: results agree with its own, and no multiplication is
// a hundred times slower than the next.
#ifndef BERTH_KERNELS_CPU_DENORMALS_H_
#define BERTH_KERNELS_CPU_DENORMALS_H_

namespace berth::cpu {

// While one lives, the thread reads denormal operands as zero and writes zero for denormal results. Restores what it found.
// On machines other than x86: no effect.
class DenormalsAreZero {
 public:
  DenormalsAreZero();
  ~DenormalsAreZero();
  DenormalsAreZero(const DenormalsAreZero&) = delete;
  DenormalsAreZero& operator=(const DenormalsAreZero&) = delete;

 private:
  unsigned int before_ = 0;
};

}  // namespace berth::cpu

#endif  // BERTH_KERNELS_CPU_DENORMALS_H_
