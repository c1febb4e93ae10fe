#include "graph/ops/strided_slice.h"

#include <algorithm>

#include "graph/ops/shape_fns.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

using Known = std::optional<int64_t>;

// One index as written: begin:end:stride, with what the masks say.
struct Index {
  Known begin, end, stride;
  bool begin_masked = false, end_masked = false, shrink = false;
};

// `x` brought into [low, high], where negative positions count from the end.
int64_t Clamp(int64_t x, int64_t dim, int64_t low, int64_t high) { return std::clamp(x < 0 ? dim + x : x, low, high); }

absl::StatusOr<SliceSpec::Dim> Resolve(const Index& index, int64_t dim, int d, const PartialShape& input) {
  SliceSpec::Dim out;
  if (index.stride == 0) return ShapeError("strides must not be 0, got 0 in dimension ", d);
  if (index.shrink) {
    if (index.stride.value_or(1) < 0) {
      return ShapeError("a dropped dimension must have stride 1, got ", *index.stride, " in dimension ", d);
    }
    out.size = 1;
    if (!index.begin.has_value() || dim == kUnknownDim) return out;
    out.first = *index.begin < 0 ? dim + *index.begin : *index.begin;
    if (out.first < 0 || out.first >= dim) {
      return ShapeError("index ", *index.begin, " must be in [", -dim, ",", dim, ") in dimension ", d, ", got ",
                        input.ToString());
    }
    out.known = true;
    return out;
  }
  if (!index.stride.has_value() || dim == kUnknownDim) {
    const bool whole = index.begin_masked && index.end_masked;
    if (whole && index.stride.has_value() && *index.stride == 1) out.size = dim;
    return out;
  }
  const int64_t stride = *index.stride;
  const int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? dim : dim - 1;
  if ((!index.begin_masked && !index.begin.has_value()) || (!index.end_masked && !index.end.has_value())) return out;
  const int64_t first = index.begin_masked ? (stride > 0 ? low : high) : Clamp(*index.begin, dim, low, high);
  const int64_t last = index.end_masked ? (stride > 0 ? high : low) : Clamp(*index.end, dim, low, high);
  const int64_t interval = last - first;
  const bool empty = interval == 0 || (interval < 0) != (stride < 0);
  out = {true, first, stride, empty ? 0 : interval / stride + (interval % stride != 0 ? 1 : 0)};
  return out;
}

// The length that the three index vectors share; unknown when none tells.
absl::StatusOr<int64_t> IndexCount(const ShapeArgs& args) {
  int64_t count = kUnknownDim;
  for (int i = 1; i < 4; ++i) {
    BERTH_ASSIGN_OR_RETURN(const PartialShape vector, args.WithRank(i, 1));
    absl::StatusOr<int64_t> merged = MergeDims(count, vector.dim(0));
    if (!merged.ok()) {
      return ShapeError("begin, end and strides must have one length, got ", count, " and ", vector.dim(0));
    }
    count = *merged;
  }
  if (count > 32) return ShapeError("at most 32 indices can be given, got ", count);
  return count;
}

}  // namespace

PartialShape SliceSpec::OutputShape() const {
  std::vector<int64_t> sizes;
  for (const int from : output) sizes.push_back(from == kNewAxis ? 1 : dims[from].size);
  return PartialShape(absl::MakeConstSpan(sizes));
}

absl::StatusOr<std::optional<SliceSpec>> StridedSliceSpec(ShapeArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const int64_t count, IndexCount(args));
  const PartialShape& input = args.input(0);
  if (count == kUnknownDim || !input.has_rank()) return std::nullopt;
  const auto mask = [&](const char* name, int i) { return (args.Attr<int64_t>(name) >> i & 1) != 0; };
  int ellipsis = static_cast<int>(count), used = 0;
  for (int i = 0; i < count; ++i) {
    if (mask("ellipsis_mask", i)) {
      if (ellipsis != count) return ShapeError("at most one ellipsis can be given, got two");
      ellipsis = i;
    } else if (!mask("new_axis_mask", i)) {
      ++used;
    }
  }
  const int rank = input.rank();
  if (used > rank) return ShapeError("at most ", rank, " indices can be given, got ", used, " for ", input.ToString());

  const auto begin = args.IntValues(1), end = args.IntValues(2), strides = args.IntValues(3);
  SliceSpec spec;
  const auto take_whole = [&] {
    const int d = static_cast<int>(spec.dims.size());
    spec.output.push_back(d);
    spec.dims.push_back({input.dim(d) != kUnknownDim, 0, 1, input.dim(d)});
  };
  for (int i = 0; i < count; ++i) {
    if (i == ellipsis) {
      for (int k = 0; k < rank - used; ++k) take_whole();
      continue;
    }
    if (mask("new_axis_mask", i)) {
      spec.output.push_back(SliceSpec::kNewAxis);
      continue;
    }
    const auto at = [i](const auto& list) { return list.has_value() ? (*list)[i] : Known(); };
    const Index index{
        at(begin), at(end), at(strides), mask("begin_mask", i), mask("end_mask", i), mask("shrink_axis_mask", i)};
    const int d = static_cast<int>(spec.dims.size());
    BERTH_ASSIGN_OR_RETURN(const SliceSpec::Dim dim, Resolve(index, input.dim(d), d, input));
    if (!index.shrink) spec.output.push_back(d);
    spec.dims.push_back(dim);
  }
  while (static_cast<int>(spec.dims.size()) < rank) take_whole();
  return spec;
}

}  // namespace berth
