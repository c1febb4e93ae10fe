// The signature of one use of an op: the op's formal inputs and outputs, with its attributes' values put in.
//
//   Split(split_dim: i32, value: T) -> num_split * T, with {T=f32, num_split=2}:  (i32, f32) -> (f32, f32)
#ifndef BERTH_GRAPH_SIGNATURE_H_
#define BERTH_GRAPH_SIGNATURE_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "graph/op_def.h"

namespace berth {

struct Signature {
  std::vector<DType> inputs;   // kInvalid where a missing attribute would say
  std::vector<DType> outputs;  // with reference flag
  bool complete = true;        // no attribute without default is missing
};

// Null for an attribute that the node does not have.
using AttrLookup = absl::FunctionRef<const AttrValue*(absl::string_view name)>;

// `num_inputs`: data inputs that the node has. A missing attribute without default leaves dtypes unknown; a missing
// count is what the number of inputs says. Error (InvalidArgument, "expected ..., got ..."): wrong number of inputs, a
// count below 0, more than a million outputs. O(inputs + outputs).
absl::StatusOr<Signature> ResolveSignature(const OpDef& op, AttrLookup attr, int64_t num_inputs);

// The value's kind is what `type` (an AttrDef's) names; an empty list is any list.
bool HasAttrType(const AttrValue& value, absl::string_view type);

}  // namespace berth

#endif  // BERTH_GRAPH_SIGNATURE_H_
