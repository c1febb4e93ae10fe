// What a line of graph text may leave out because the rest of it says so: types and counts.
//
//   y = MatMul(x, w)                        T is what x is
//   c = Const() {value=tensor<f32[2] 1.0,2.0>}   dtype is the value's
//   p = Placeholder() : f32[8]              dtype is the output's
#ifndef BERTH_GRAPH_TEXT_ATTRS_H_
#define BERTH_GRAPH_TEXT_ATTRS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "graph/attr_value.h"
#include "graph/dtype.h"
#include "graph/op_def.h"

namespace berth {

// Adds to `attrs` those of `op` that are missing, have no default, and follow from the dtypes of data inputs and
// declared outputs (kInvalid where unknown) or from a tensor attribute. What does not follow stays missing.
void CompleteAttrs(const OpDef& op, absl::Span<const DType> inputs, absl::Span<const DType> outputs,
                   std::vector<std::pair<std::string, AttrValue>>& attrs);

}  // namespace berth

#endif  // BERTH_GRAPH_TEXT_ATTRS_H_
