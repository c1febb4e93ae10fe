// Values made from nothing much: Cast between dtypes, Range, Fill, ZerosLike.
#include <limits>

#include "kernels/kernels.h"
#include "tests/kernels/array.h"
#include "tests/testing.h"

namespace berth {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST_CASE("casting small whole numbers keeps them, between every two dtypes") {
  const DType types[] = {DType::kFloat16, DType::kBfloat16, DType::kFloat32, DType::kFloat64,
                         DType::kInt8,    DType::kInt16,    DType::kInt32,   DType::kInt64,
                         DType::kUint8,   DType::kUint16,   DType::kUint32,  DType::kUint64};
  for (const Dims& dims : {Dims{}, Dims{0}, Dims{1}, Dims{3, 33}}) {
    for (DType from : types) {
      for (DType to : types) {
        const Array x = Counting(dims);
        CheckCall({.op = "Cast", .inputs = {x.As(from)}, .attrs = {{"DstT", AttrValue(to)}}}, {x});
      }
    }
  }
}

TEST_CASE("casting cuts fractions, and only 0 is false") {
  const Array x{{6}, {-1.75, -0.5, 0, 0.5, 1.75, 100.9}};
  const AttrValue i32(DType::kInt32), boolean(DType::kBool), f32(DType::kFloat32);
  CheckCall({.op = "Cast", .inputs = {x.As(DType::kFloat32)}, .attrs = {{"DstT", i32}}},
            {{{6}, {-1, 0, 0, 0, 1, 100}}});
  CheckCall({.op = "Cast", .inputs = {x.As(DType::kFloat64)}, .attrs = {{"DstT", boolean}}},
            {{{6}, {1, 1, 0, 1, 1, 1}}});
  CheckCall({.op = "Cast", .inputs = {Array{{2}, {0, 1}}.As(DType::kBool)}, .attrs = {{"DstT", f32}}}, {{{2}, {0, 1}}});
  const Array special{{3}, {kInf, -kInf, kNan}};
  CheckCall({.op = "Cast", .inputs = {special.As(DType::kFloat64)}, .attrs = {{"DstT", f32}}}, {special});
  const double least = std::numeric_limits<int32_t>::min();  // what x86 makes of what does not fit
  CheckCall({.op = "Cast", .inputs = {special.As(DType::kFloat32)}, .attrs = {{"DstT", i32}}},
            {{{3}, {least, least, least}}});
}

TEST_CASE("ranges and fills") {
  CheckCall({.op = "Range", .inputs = {Int(2), Int(9), Int(3)}}, {{{3}, {2, 5, 8}}});
  CheckCall({.op = "Range", .inputs = {Int(9), Int(2), Int(-3)}}, {{{3}, {9, 6, 3}}});
  CheckCall({.op = "Range", .inputs = {Int(2), Int(2), Int(1)}}, {{{0}, {}}});
  const auto scalar = [](double value) { return Array{{}, {value}}.As(DType::kFloat32); };
  CheckCall({.op = "Range", .inputs = {scalar(0), scalar(1), scalar(0.25)}}, {{{4}, {0, 0.25, 0.5, 0.75}}});
  // The size is counted in float32: 86, where doubles of the same values give 87.
  const auto count = RunKernel(*CpuKernels(), {.op = "Range", .inputs = {scalar(9.3), scalar(0.7), scalar(-0.1)}});
  REQUIRE(count.ok());
  CHECK((*count)[0].dims() == Dims{86});
  // Each value is a product, not the end of a row of sums, which would be 1.0000033.
  const auto values = RunKernel(*CpuKernels(), {.op = "Range", .inputs = {scalar(-19.7), scalar(2.7), scalar(0.1)}});
  REQUIRE(values.ok());
  CHECK((*values)[0].kernel<float>()[157] == -19.7f + 157.0f * 0.1f);
  for (DType dtype : {DType::kUint8, DType::kUint16, DType::kUint32, DType::kUint64, DType::kFloat32, DType::kString}) {
    CheckCall({.op = "Fill", .inputs = {Ints({2, 3}), Array{{}, {7}}.As(dtype)}}, {{{2, 3}, {7, 7, 7, 7, 7, 7}}});
    CheckCall({.op = "Fill", .inputs = {Ints({0, 3}), Array{{}, {7}}.As(dtype)}}, {{{0, 3}, {}}});
    CheckCall({.op = "Fill", .inputs = {Ints({}), Array{{}, {7}}.As(dtype)}}, {{{}, {7}}});
  }
  CheckCall({.op = "ZerosLike", .inputs = {Counting({2, 2}).As(DType::kUint64)}}, {{{2, 2}, {0, 0, 0, 0}}});
}

TEST_CASE("ranges without end are refused") {
  const std::string text = "expected delta other than 0, got 0";
  CheckRefusals({{{.op = "Range", .inputs = {Int(0), Int(5), Int(0)}}, text}});
}

}  // namespace
}  // namespace berth
