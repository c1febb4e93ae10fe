// A small tensor that is known at graph time, perhaps only in part: what shapes depend on.
//
//   Pack(StridedSlice(Shape(x), 0), -1) over x of shape [?,7]  gives  i32[2] {?,-1}
//
// Integers of every width, floats and booleans; floats are held as double, rounded to their type after each step.
#ifndef BERTH_GRAPH_SMALL_TENSOR_H_
#define BERTH_GRAPH_SMALL_TENSOR_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/dtype.h"
#include "graph/literal.h"
#include "graph/shape.h"

namespace berth {

// One element. `i` holds integers and booleans (0, 1; uint64 by bits), `f` floats.
struct SmallElement {
  bool known = false;
  int64_t i = 0;
  double f = 0;
};

struct SmallTensor {
  // Larger tensors are never evaluated.
  static constexpr int64_t kMaxElements = 4096;

  DType dtype = DType::kInvalid;
  std::vector<int64_t> dims;
  std::vector<SmallElement> elements;  // as many as `dims` says, row-major

  int64_t size() const { return static_cast<int64_t>(elements.size()); }
  bool is_float() const { return IsFloating(dtype); }
  bool fully_known() const;
  // Element k as an integer; nullopt when unknown or not an integer.
  std::optional<int64_t> Int(int64_t k) const;
  // "i32[2] {?,-1}".
  std::string ToString() const;

  // True for the types that can be evaluated: integers, floats, bool.
  static bool Holds(DType dtype);
  // Every element unknown; nullopt when the shape is not fully defined or too large, or the type cannot be held.
  static std::optional<SmallTensor> Unknown(DType dtype, const PartialShape& shape);
  // Nullopt when too large, opaque or of a type that cannot be held.
  static std::optional<SmallTensor> FromLiteral(const Literal& literal);
  static SmallTensor OfInts(DType dtype, std::vector<int64_t> dims, const std::vector<int64_t>& values);
};

}  // namespace berth

#endif  // BERTH_GRAPH_SMALL_TENSOR_H_
