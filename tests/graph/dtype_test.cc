#include "graph/dtype.h"

#include <cmath>
#include <cstring>

#include "graph/half.h"
#include "tests/testing.h"

namespace berth {
namespace {

TEST_CASE("every number has names that read back as it") {
  for (int number = 0; number < 256; ++number) {
    const DType type = static_cast<DType>(number);
    INFO(number);
    CHECK(ParseDType(DTypeName(type)) == type);
    CHECK(ParseDType(ShortDTypeName(type)) == type);
    const bool known = (number >= 1 && number <= 32) || (number >= 101 && number <= 132);
    CHECK(IsKnown(type) == known);
    if (!known) CHECK_FALSE(HasValues(type));
  }
}

TEST_CASE("names") {
  CHECK(DTypeName(DType::kFloat32) == "float32");
  CHECK(DTypeName(RefOf(DType::kFloat32)) == "float32_ref");
  CHECK(ShortDTypeName(RefOf(DType::kBfloat16)) == "bf16&");
  CHECK(DTypeName(DType::kInvalid) == "?");
  CHECK(DTypeName(static_cast<DType>(77)) == "dtype 77");
  CHECK(ParseDType("DT_FLOAT") == DType::kFloat32);
  CHECK(ParseDType("DT_FLOAT_REF") == RefOf(DType::kFloat32));
  CHECK(ParseDType("DT_HALF") == DType::kFloat16);
  CHECK(ParseDType("DT_INVALID") == DType::kInvalid);
  for (const char* text :
       {"", "float", "f33", "DT_float32", "&", "?&", "dtype", "dtype 256", "dtype -1", "_ref", "F32"}) {
    INFO(text);
    CHECK_FALSE(ParseDType(text).has_value());
  }
}

TEST_CASE("sizes and classes") {
  CHECK(DTypeSize(DType::kFloat32) == 4);
  CHECK(DTypeSize(RefOf(DType::kFloat64)) == 8);
  CHECK(DTypeSize(DType::kString) == 0);
  CHECK(DTypeSize(DType::kInt4) == 0);
  CHECK(DTypeSize(DType::kComplex128) == 16);
  CHECK(IsFloating(DType::kBfloat16));
  CHECK_FALSE(IsFloating(DType::kInt32));
  CHECK(IsInteger(DType::kUint8));
  CHECK_FALSE(IsInteger(DType::kBool));
  CHECK(HasValues(DType::kResource));
  CHECK_FALSE(HasValues(DType::kVariant));
}

TEST_CASE("all 16-bit floats go to float and back") {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const uint16_t half = static_cast<uint16_t>(bits);
    const float h = HalfToFloat(half);
    const float b = Bfloat16ToFloat(half);
    if (std::isnan(h)) {
      CHECK(std::isnan(HalfToFloat(FloatToHalf(h))));
    } else if (FloatToHalf(h) != half) {
      FAIL("half " << bits);
    }
    if (std::isnan(b)) {
      CHECK(std::isnan(Bfloat16ToFloat(FloatToBfloat16(b))));
    } else if (FloatToBfloat16(b) != half) {
      FAIL("bfloat16 " << bits);
    }
  }
}

TEST_CASE("rounding to 16 bits: nearest, ties to even") {
  CHECK(FloatToHalf(1.0f + 0x1p-11f) == 0x3c00);      // tie, to even below
  CHECK(FloatToHalf(1.0f + 3 * 0x1p-11f) == 0x3c02);  // tie, to even above
  CHECK(FloatToHalf(1.0f + 0x1p-11f + 0x1p-20f) == 0x3c01);
  CHECK(FloatToHalf(65519.0f) == 0x7bff);
  CHECK(FloatToHalf(65520.0f) == 0x7c00);  // rounds to infinity
  CHECK(FloatToHalf(1e10f) == 0x7c00);
  CHECK(FloatToHalf(-1e10f) == 0xfc00);
  CHECK(FloatToHalf(0x1p-25f) == 0);  // tie with zero
  CHECK(FloatToHalf(0x1.8p-25f) == 1);
  CHECK(FloatToHalf(-0.0f) == 0x8000);
  CHECK(FloatToBfloat16(1.0f + 0x1p-8f) == 0x3f80);
  CHECK(FloatToBfloat16(1.0f + 3 * 0x1p-8f) == 0x3f82);
  CHECK(FloatToBfloat16(3.4e38f) == 0x7f80);
}

}  // namespace
}  // namespace berth
