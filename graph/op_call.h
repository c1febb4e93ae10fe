// From the inputs of a call to what the op's signature leaves to be inferred: types and numbers,
// and the type that plain numbers among the inputs take.
//
//   AddN(x: f32, y: f32)             N=2, T=f32
//   Mul(x: f64, 2)                   T=f64, and the 2 becomes a f64
//   Reshape(x: f32, {-1, 3})         T=f32, Tshape=i32, and {-1, 3} becomes an i32[2]
#ifndef BERTH_GRAPH_OP_CALL_H_
#define BERTH_GRAPH_OP_CALL_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "graph/attr_value.h"
#include "graph/dtype.h"
#include "graph/op_def.h"

namespace berth {

// One data input as the caller gives it. `weak`: a plain number of that dtype (int64 or float64),
// whose type is open.
struct CallInput {
  DType dtype = DType::kInvalid;  // kInvalid: unknown
  bool weak = false;
};

struct OpCall {
  // What one input is for.
  struct Slot {
    const ArgDef* arg = nullptr;
    int index = -1;                 // in a list; -1: not a list
    DType dtype = DType::kInvalid;  // what the input must be; kInvalid: anything
    std::string name() const;       // "x", "values_1"
  };
  absl::InlinedVector<Slot, 4> slots;  // one an input
  // Those inferred, in the signature's order; names point into the OpDef.
  absl::InlinedVector<std::pair<absl::string_view, AttrValue>, 3> inferred;
};

// Errors (InvalidArgument): "expected 2 inputs (x, y), got 3", "input 1 (y): expected f32 as input 0 (x), got i32",
// "attribute 'dtype': expected a value of type type, got none". Unknown attributes are left to the graph builder.
absl::StatusOr<OpCall> CompleteCall(const OpDef& op, absl::Span<const CallInput> inputs,
                                    absl::Span<const std::pair<absl::string_view, AttrValue>> given);

}  // namespace berth

#endif  // BERTH_GRAPH_OP_CALL_H_
