// Parts of a tensor: Slice, and StridedSlice with its five masks.
#include <algorithm>

#include "graph/status_macros.h"
#include "kernels/cpu/args.h"
#include "kernels/cpu/families.h"
#include "kernels/cpu/strided.h"

namespace berth::cpu {
namespace {

absl::Status Slice(KernelArgs& args) {
  const Tensor& x = args.input(0);
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> begin, IntsOf(args.input(1), "begin"));
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> size, IntsOf(args.input(2), "size"));
  const size_t rank = x.dims().size();
  if (begin.size() != rank || size.size() != rank) {
    return Refuse("expected begin and size of ", rank, " elements, got ", begin.size(), " and ", size.size());
  }
  Dims dims(rank);
  const Strides strides = RowMajor(x.dims());
  int64_t start = 0;
  for (size_t i = 0; i < rank; ++i) {
    if (begin[i] < 0 || begin[i] > x.dim(i)) {
      return Refuse("expected begin ", i, " in [0,", x.dim(i), "], got ", begin[i]);
    }
    dims[i] = size[i] == -1 ? x.dim(i) - begin[i] : size[i];
    if (dims[i] < 0 || dims[i] > x.dim(i) - begin[i]) {
      return Refuse("expected size ", i, " in [0,", x.dim(i) - begin[i], "] or -1, got ", size[i]);
    }
    start += x.num_elements() == 0 ? 0 : begin[i] * strides[i];
  }
  if (dims == x.dims()) return args.SetOutput(0, x);
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, dims));
  CopyStrided(args.threads(), dims, ElementsOf(x).At(start), strides, ElementsOf(*y), RowMajor(dims));
  return absl::OkStatus();
}

// One range of the specification, spread over the input's axes; `open` ends come from the masks.
struct AxisRange {
  int64_t begin = 0, end = 0, step = 1;
  bool open_begin = true, open_end = true, shrink = false;
};

constexpr int kNewAxis = -1;

struct SliceSpec {
  std::vector<AxisRange> ranges;  // one for each axis of the input
  std::vector<int> output;        // each output axis: an input axis, or kNewAxis; shrunk axes are left out
};

bool Bit(int64_t mask, size_t i) { return i < 63 && ((mask >> i) & 1) != 0; }

// Spreads begin, end and strides over the axes, expanding the ellipsis (at the end where there is none).
absl::StatusOr<SliceSpec> Spread(KernelArgs& args, int rank, const std::vector<int64_t>& begin,
                                 const std::vector<int64_t>& end, const std::vector<int64_t>& step) {
  const int64_t begin_mask = AttrOr<int64_t>(args, "begin_mask", 0);
  const int64_t end_mask = AttrOr<int64_t>(args, "end_mask", 0);
  const int64_t ellipsis_mask = AttrOr<int64_t>(args, "ellipsis_mask", 0);
  const int64_t new_axis_mask = AttrOr<int64_t>(args, "new_axis_mask", 0);
  const int64_t shrink_mask = AttrOr<int64_t>(args, "shrink_axis_mask", 0);
  SliceSpec spec;
  size_t ellipsis = begin.size();
  size_t taken = 0;  // axes that entries other than the ellipsis take
  for (size_t i = 0; i < begin.size(); ++i) {
    if (Bit(ellipsis_mask, i)) {
      if (ellipsis != begin.size()) return Refuse("expected at most one ellipsis, got more");
      ellipsis = i;
    } else if (!Bit(new_axis_mask, i)) {
      ++taken;
    }
  }
  if (taken > static_cast<size_t>(rank)) {
    return Refuse("expected at most ", rank, " ranges for an input of rank ", rank, ", got ", taken);
  }
  const auto whole_axes = [&](size_t count) {
    for (; count > 0; --count) {
      spec.output.push_back(static_cast<int>(spec.ranges.size()));
      spec.ranges.emplace_back();
    }
  };
  for (size_t i = 0; i < begin.size(); ++i) {
    if (i == ellipsis) {
      whole_axes(rank - taken);
    } else if (Bit(new_axis_mask, i)) {
      spec.output.push_back(kNewAxis);
    } else {
      const bool shrink = Bit(shrink_mask, i);
      if (!shrink) spec.output.push_back(static_cast<int>(spec.ranges.size()));
      spec.ranges.push_back({begin[i], end[i], step[i], Bit(begin_mask, i), Bit(end_mask, i), shrink});
    }
  }
  if (ellipsis == begin.size()) whole_axes(rank - taken);
  return spec;
}

// Turns one range into a first index, a step and a count.
absl::Status Resolve(int axis, int64_t dim, AxisRange& range, int64_t* count) {
  if (range.step == 0) return Refuse("expected strides other than 0, got 0 for axis ", axis);
  const auto forward = [&](int64_t i) { return i < 0 ? i + dim : i; };
  if (range.shrink) {
    if (range.step < 0) return Refuse("expected a positive stride where an axis is shrunk, got ", range.step);
    range.begin = forward(range.begin);  // whatever the begin mask says
    if (range.begin < 0 || range.begin >= dim) {
      return Refuse("expected an index in [", -dim, ",", dim, ") for axis ", axis, ", got ",
                    range.begin < 0 ? range.begin - dim : range.begin);
    }
    range.step = 1;
    *count = 1;
    return absl::OkStatus();
  }
  const int64_t low = range.step > 0 ? 0 : -1;
  const int64_t high = range.step > 0 ? dim : dim - 1;
  range.begin = range.open_begin ? (range.step > 0 ? low : high) : std::clamp(forward(range.begin), low, high);
  range.end = range.open_end ? (range.step > 0 ? high : low) : std::clamp(forward(range.end), low, high);
  const int64_t span = range.end - range.begin;
  *count = span == 0 || (span < 0) != (range.step < 0) ? 0 : span / range.step + (span % range.step != 0 ? 1 : 0);
  return absl::OkStatus();
}

absl::Status StridedSlice(KernelArgs& args) {
  const Tensor& x = args.input(0);
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> begin, IntsOf(args.input(1), "begin"));
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> end, IntsOf(args.input(2), "end"));
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> step, IntsOf(args.input(3), "strides"));
  if (begin.size() != end.size() || begin.size() != step.size()) {
    return Refuse("expected begin, end and strides of one length, got ", begin.size(), ", ", end.size(), " and ",
                  step.size());
  }
  BERTH_ASSIGN_OR_RETURN(SliceSpec spec, Spread(args, x.rank(), begin, end, step));
  Strides strides = RowMajor(x.dims());
  Dims counts(x.rank());
  int64_t start = 0;
  for (int i = 0; i < x.rank(); ++i) {
    BERTH_RETURN_IF_ERROR(Resolve(i, x.dim(i), spec.ranges[i], &counts[i]));
    if (x.num_elements() == 0) continue;  // its steps may have wrapped
    start += spec.ranges[i].begin * strides[i];
    strides[i] = counts[i] > 1 ? strides[i] * spec.ranges[i].step : 0;
  }
  Dims dims;
  for (int axis : spec.output) dims.push_back(axis == kNewAxis ? 1 : counts[axis]);
  if (counts == x.dims() && start == 0) {
    bool whole = true;
    for (const AxisRange& range : spec.ranges) whole = whole && range.step > 0;
    if (whole) return args.SetOutput(0, x.WithDims(dims));
  }
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, dims));
  if (y->num_elements() == 0) return absl::OkStatus();
  CopyStrided(args.threads(), counts, ElementsOf(x).At(start), strides, ElementsOf(*y), RowMajor(counts));
  return absl::OkStatus();
}

}  // namespace

void AddSliceKernels(KernelTable& table) {
  const TypeConstraint all{"T", AllTypes()};
  table.Add({.op = "Slice", .types = {all}, .host_args = {"begin", "size"}, .run = Slice});
  table.Add({.op = "StridedSlice", .types = {all}, .host_args = {"begin", "end", "strides"}, .run = StridedSlice});
}

}  // namespace berth::cpu
