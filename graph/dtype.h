// Element types, with TensorFlow's numbers and names.
//
//   DType::kFloat32   number 1   name "float32"   short "f32"   4 bytes
//   RefOf(kFloat32)   number 101 name "float32_ref" short "f32&"
//
// Every TensorFlow type is named; those of HasValues() can also be carried as tensors.
#ifndef BERTH_GRAPH_DTYPE_H_
#define BERTH_GRAPH_DTYPE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace berth {

enum class DType : uint8_t {
  kInvalid = 0,
  kFloat32 = 1,
  kFloat64 = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kString = 7,
  kComplex64 = 8,
  kInt64 = 9,
  kBool = 10,
  kQint8 = 11,
  kQuint8 = 12,
  kQint32 = 13,
  kBfloat16 = 14,
  kQint16 = 15,
  kQuint16 = 16,
  kUint16 = 17,
  kComplex128 = 18,
  kFloat16 = 19,
  kResource = 20,
  kVariant = 21,
  kUint32 = 22,
  kUint64 = 23,
  kFloat8E5m2 = 24,
  kFloat8E4m3fn = 25,
  kFloat8E4m3fnuz = 26,
  kFloat8E4m3b11fnuz = 27,
  kFloat8E5m2fnuz = 28,
  kInt4 = 29,
  kUint4 = 30,
  kInt2 = 31,
  kUint2 = 32,
};

// A reference type's number is the base type's plus 100.
constexpr bool IsRef(DType t) { return static_cast<uint8_t>(t) > 100; }
constexpr DType RefOf(DType t) { return IsRef(t) ? t : static_cast<DType>(static_cast<uint8_t>(t) + 100); }
constexpr DType BaseOf(DType t) { return IsRef(t) ? static_cast<DType>(static_cast<uint8_t>(t) - 100) : t; }

// False for numbers that name no type; GraphDefs may hold any number.
bool IsKnown(DType t);

// TensorFlow's name: "float32", "float32_ref", "resource", "?" for kInvalid, "dtype 77" for an unknown number.
std::string DTypeName(DType t);

// The text form's name: "f32", "f32&", "bf16", "i64", "u8", "bool", "string", "resource", "?" for kInvalid.
std::string ShortDTypeName(DType t);

// Reads either spelling, and TensorFlow's "DT_FLOAT"; nullopt for anything else.
std::optional<DType> ParseDType(absl::string_view text);

// Bytes of one element; 0 where elements have no fixed size in memory (string, resource, variant, 4- and 2-bit types).
int DTypeSize(DType t);

// True for the types that Berth carries as tensor values: float32/64/16, bfloat16, (u)int8/16/32/64, bool, string,
// resource.
bool HasValues(DType t);

bool IsFloating(DType t);  // float16, bfloat16, float32, float64
bool IsInteger(DType t);   // (u)int8/16/32/64

}  // namespace berth

#endif  // BERTH_GRAPH_DTYPE_H_
