// Tables of {op, inputs, attributes, expected text} for shape functions.
//
//   {"MatMul", "f32[4,?] f32[8,3]", "transpose_b=true", "error: inner dimensions must agree, ..."}
//
// Inputs, separated by blanks: `f32[4,?]` and `f32?` are placeholders, `i32[2]{3,4}` a constant, `f32&[2]` a variable,
// `var:f32[2]` the handle of a variable.
#ifndef BERTH_TESTS_GRAPH_SHAPE_CASE_H_
#define BERTH_TESTS_GRAPH_SHAPE_CASE_H_

#include <string>

#include "absl/types/span.h"

namespace berth {

struct ShapeCase {
  const char* op;
  const char* inputs;
  const char* attrs;     // "a=1, b=[2,3]"
  const char* expected;  // the outputs' shapes, separated by blanks; or "error: " and the message without node and line
};

// What inference makes of the case.
std::string ShapesOf(const ShapeCase& c);

// Checks every case, naming those that fail.
void CheckShapes(absl::Span<const ShapeCase> cases);

}  // namespace berth

#endif  // BERTH_TESTS_GRAPH_SHAPE_CASE_H_
