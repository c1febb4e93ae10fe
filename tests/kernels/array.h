// What tables of kernel cases are made of: small arrays of doubles, the references that they are compared with, and calls
// that must be refused.
//
//   const Array x = Counting({2, 3});                                    // 1 2 3; 4 5 6
//   const Array t = Generate({3, 2}, [&](const Index& i) { return x.At({i[1], i[0]}); });
//   CheckCall({.op = "Transpose", .inputs = {x.As(DType::kString), Ints({1, 0})}}, {t});
#ifndef BERTH_TESTS_KERNELS_ARRAY_H_
#define BERTH_TESTS_KERNELS_ARRAY_H_

#include <functional>
#include <string>
#include <vector>

#include "runtime/kernel_runner.h"
#include "runtime/tensor.h"

namespace berth {

using Index = std::vector<int64_t>;

struct Array {
  Dims dims;
  std::vector<double> values;

  double At(const Index& index) const;
  // In any dtype; a string is the number's decimal text.
  Tensor As(DType dtype) const;
};

Array Counting(Dims dims);          // 1, 2, 3, ... 250, 1, ...: fits every dtype
Array Random(Dims dims, int seed);  // of float32 precision, around 0
Array Generate(Dims dims, const std::function<double(const Index&)>& value);
Array ArrayOf(const Tensor& t);

Tensor Ints(std::vector<int32_t> values);
Tensor Int(int32_t value);
AttrValue List(std::vector<int64_t> values);
AttrValue Text(const std::string& text);

// Fails the test unless the call gives exactly these outputs: shapes, and values within `tolerance` of the larger of 1
// and the value. NaN equals NaN.
void CheckCall(const KernelCall& call, const std::vector<Array>& expected, double tolerance = 0);

struct Refusal {
  KernelCall call;
  std::string text;
};
// Fails the test unless each call is an InvalidArgument error of that text.
void CheckRefusals(const std::vector<Refusal>& table);

}  // namespace berth

#endif  // BERTH_TESTS_KERNELS_ARRAY_H_
