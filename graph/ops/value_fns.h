// How the values of small outputs follow from the inputs': the third column of the op table.
//
// A value function runs after the op's shape function. It sets what it can say and leaves the rest unknown; it never
// fails on values that a kernel would refuse, it only says nothing. Elements that depend on unknown ones are unknown.
#ifndef BERTH_GRAPH_OPS_VALUE_FNS_H_
#define BERTH_GRAPH_OPS_VALUE_FNS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/shape_args.h"

namespace berth {

absl::Status ConstValue(ShapeArgs& args);
absl::Status CopyValue(ShapeArgs& args);  // the input's elements in the output's shape
absl::Status FillLikeValue(ShapeArgs& args);
absl::Status FillValue(ShapeArgs& args);
absl::Status RankValue(ShapeArgs& args);
absl::Status ShapeValue(ShapeArgs& args);
absl::Status SizeValue(ShapeArgs& args);

// Moved elements (value_moves.cc).
absl::Status BroadcastToValue(ShapeArgs& args);
absl::Status ConcatOffsetValue(ShapeArgs& args);
absl::Status ConcatValue(ShapeArgs& args);
absl::Status GatherValue(ShapeArgs& args);
absl::Status InvertPermutationValue(ShapeArgs& args);
absl::Status PackValue(ShapeArgs& args);
absl::Status ReverseValue(ShapeArgs& args);
absl::Status SliceValue(ShapeArgs& args);
absl::Status SplitValue(ShapeArgs& args);
absl::Status SplitVValue(ShapeArgs& args);
absl::Status StridedSliceValue(ShapeArgs& args);
absl::Status TileValue(ShapeArgs& args);
absl::Status TransposeValue(ShapeArgs& args);
absl::Status UnpackValue(ShapeArgs& args);

// Found elements (value_search.cc).
absl::Status DynamicStitchValue(ShapeArgs& args);
absl::Status OneHotValue(ShapeArgs& args);
absl::Status UniqueValue(ShapeArgs& args);
absl::Status WhereValue(ShapeArgs& args);

// Computed elements (value_arithmetic.cc); which function it is follows from the op's name.
absl::Status AddNValue(ShapeArgs& args);
absl::Status BinaryValue(ShapeArgs& args);
absl::Status BroadcastGradientArgsValue(ShapeArgs& args);
absl::Status CastValue(ShapeArgs& args);
absl::Status RangeValue(ShapeArgs& args);
absl::Status ReductionValue(ShapeArgs& args);
absl::Status SelectValue(ShapeArgs& args);
absl::Status UnaryValue(ShapeArgs& args);

// How many different elements input 0 has, and how many that are not 0; unknown when one is unknown.
int64_t UniqueCount(ShapeArgs& args);
int64_t NonZeroCount(ShapeArgs& args);

// The elements of Range(start, limit, delta); unknown when an input is. Errors: a delta of 0, or of the wrong sign.
absl::StatusOr<int64_t> RangeSize(ShapeArgs& args);

// The axes over which the gradients of two broadcast inputs are summed.
struct GradientAxes {
  bool known = false;
  std::vector<int64_t> first, second;
};
// Error: the shapes do not broadcast.
absl::StatusOr<GradientAxes> BroadcastGradientAxes(ShapeArgs& args);

}  // namespace berth

#endif  // BERTH_GRAPH_OPS_VALUE_FNS_H_
