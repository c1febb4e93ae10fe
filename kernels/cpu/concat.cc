// Joining tensors along an axis, and taking them apart: ConcatV2, Split, SplitV, Pack, Unpack.
#include <algorithm>

#include "graph/status_macros.h"
#include "kernels/cpu/args.h"
#include "kernels/cpu/families.h"
#include "kernels/cpu/strided.h"

namespace berth::cpu {
namespace {

// A tensor as [outer, middle, inner] around one axis; `middle` counts along it.
struct Around {
  int64_t outer, inner;
};

Around AroundAxis(const Dims& dims, int axis) {
  return {CountOf(dims, 0, axis), CountOf(dims, axis + 1, static_cast<int>(dims.size()))};
}

// Copies `count` rows of the axis between a tensor that has `from_rows` of them and one that has `to_rows`.
void CopyRows(const KernelArgs& args, const Around& around, Elements from, int64_t from_rows, Elements to,
              int64_t to_rows, int64_t count) {
  const int64_t block = Product(count, around.inner);
  CopyStrided(args.threads(), {around.outer, block}, from, {Product(from_rows, around.inner), 1}, to,
              {Product(to_rows, around.inner), 1});
}

absl::Status Concat(KernelArgs& args, int first, int axis_input) {
  const int count = args.num_inputs() - 1;
  BERTH_ASSIGN_OR_RETURN(const int64_t given, IntOf(args.input(axis_input), "axis"));
  const Tensor& head = args.input(first);
  BERTH_ASSIGN_OR_RETURN(const int axis, AxisOf(given, head.rank(), "axis"));
  Dims dims = head.dims();
  for (int i = 1; i < count; ++i) {
    const Tensor& x = args.input(first + i);
    Dims expected = head.dims();
    if (x.rank() == head.rank()) expected[axis] = x.dim(axis);
    if (x.dims() != expected) {
      return Refuse("expected input ", i, " to have the shape of input 0, ", head.ShapeString(), ", but along axis ",
                    axis, ", got ", x.ShapeString());
    }
    if (__builtin_add_overflow(dims[axis], x.dim(axis), &dims[axis])) {
      return Refuse("expected sizes along axis ", axis, " that add up to an integer, got more");
    }
  }
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, dims));
  const Around around = AroundAxis(dims, axis);
  const Elements to = ElementsOf(*y);
  int64_t row = 0;
  for (int i = 0; i < count; ++i) {
    const Tensor& x = args.input(first + i);
    CopyRows(args, around, ElementsOf(x), x.dim(axis), to.At(Product(row, around.inner)), dims[axis], x.dim(axis));
    row += x.dim(axis);
  }
  return absl::OkStatus();
}

absl::Status ConcatV2(KernelArgs& args) { return Concat(args, 0, args.num_inputs() - 1); }
absl::Status ConcatV1(KernelArgs& args) { return Concat(args, 1, 0); }

// Gives each output its part of `x`. REQUIRES: sizes of at least 0 that add up to the dimension.
absl::Status SplitInto(KernelArgs& args, const Tensor& x, int axis, const std::vector<int64_t>& sizes) {
  if (sizes.size() == 1) return args.SetOutput(0, x);
  const Around around = AroundAxis(x.dims(), axis);
  const int64_t rows = x.dim(axis);
  int64_t row = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    Dims dims = x.dims();
    dims[axis] = sizes[i];
    BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(static_cast<int>(i), dims));
    CopyRows(args, around, ElementsOf(x).At(Product(row, around.inner)), rows, ElementsOf(*y), sizes[i], sizes[i]);
    row += sizes[i];
  }
  return absl::OkStatus();
}

absl::Status Split(KernelArgs& args) {
  const Tensor& x = args.input(1);
  BERTH_ASSIGN_OR_RETURN(const int64_t given, IntOf(args.input(0), "split_dim"));
  BERTH_ASSIGN_OR_RETURN(const int axis, AxisOf(given, x.rank(), "split_dim"));
  const int64_t parts = args.num_outputs();
  if (parts == 0 || x.dim(axis) % parts != 0) {
    return Refuse("expected dimension ", axis, " to be divisible by ", parts, ", got ", x.dim(axis));
  }
  return SplitInto(args, x, axis, std::vector<int64_t>(parts, x.dim(axis) / parts));
}

absl::Status SplitV(KernelArgs& args) {
  const Tensor& x = args.input(0);
  BERTH_ASSIGN_OR_RETURN(std::vector<int64_t> sizes, IntsOf(args.input(1), "size_splits"));
  BERTH_ASSIGN_OR_RETURN(const int64_t given, IntOf(args.input(2), "split_dim"));
  BERTH_ASSIGN_OR_RETURN(const int axis, AxisOf(given, x.rank(), "split_dim"));
  if (static_cast<int>(sizes.size()) != args.num_outputs()) {
    return Refuse("expected ", args.num_outputs(), " sizes, got ", sizes.size());
  }
  if (sizes.size() == 1 && sizes[0] != x.dim(axis)) {
    return Refuse("expected one size of ", x.dim(axis), ", got ", sizes[0]);
  }
  int64_t known = 0;
  int64_t* open = nullptr;
  for (int64_t& size : sizes) {
    if (size == -1 && open == nullptr) {
      open = &size;
    } else if (size < 0 || size > x.dim(axis) - known) {
      return Refuse("expected sizes of at least 0 (one may be -1) that add up to ", x.dim(axis), ", got ", size);
    } else {
      known += size;
    }
  }
  if (open != nullptr) *open = x.dim(axis) - known;
  if (open == nullptr && known != x.dim(axis)) {
    return Refuse("expected sizes that add up to ", x.dim(axis), ", got ", known);
  }
  return SplitInto(args, x, axis, sizes);
}

absl::Status Pack(KernelArgs& args) {
  const Tensor& head = args.input(0);
  BERTH_ASSIGN_OR_RETURN(const int axis, AxisOf(AttrOr<int64_t>(args, "axis", 0), head.rank() + 1, "axis"));
  for (int i = 1; i < args.num_inputs(); ++i) {
    if (args.input(i).dims() != head.dims()) {
      return Refuse("expected inputs of one shape, got ", head.ShapeString(), " and ", args.input(i).ShapeString());
    }
  }
  Dims dims = head.dims();
  dims.insert(dims.begin() + axis, args.num_inputs());
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, dims));
  const Around around = AroundAxis(dims, axis);
  for (int i = 0; i < args.num_inputs(); ++i) {
    CopyRows(args, around, ElementsOf(args.input(i)), 1, ElementsOf(*y).At(i * around.inner), args.num_inputs(), 1);
  }
  return absl::OkStatus();
}

absl::Status Unpack(KernelArgs& args) {
  const Tensor& x = args.input(0);
  BERTH_ASSIGN_OR_RETURN(const int axis, AxisOf(AttrOr<int64_t>(args, "axis", 0), x.rank(), "axis"));
  if (x.dim(axis) != args.num_outputs()) {
    return Refuse("expected dimension ", axis, " to be ", args.num_outputs(), ", got shape ", x.ShapeString());
  }
  Dims dims = x.dims();
  dims.erase(dims.begin() + axis);
  const Around around = AroundAxis(x.dims(), axis);
  for (int i = 0; i < args.num_outputs(); ++i) {
    BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(i, dims));
    CopyRows(args, around, ElementsOf(x).At(i * around.inner), x.dim(axis), ElementsOf(*y), 1, 1);
  }
  return absl::OkStatus();
}

}  // namespace

void AddConcatKernels(KernelTable& table) {
  const TypeConstraint all{"T", AllTypes()};
  table.Add({.op = "Concat", .types = {all}, .host_args = {"concat_dim"}, .run = ConcatV1});
  table.Add({.op = "ConcatV2", .types = {all}, .host_args = {"axis"}, .run = ConcatV2});
  table.Add({.op = "Pack", .types = {all}, .run = Pack});
  table.Add({.op = "Split", .types = {all}, .host_args = {"split_dim"}, .run = Split});
  table.Add({.op = "SplitV", .types = {all}, .host_args = {"size_splits", "split_dim"}, .run = SplitV});
  table.Add({.op = "Unpack", .types = {all}, .run = Unpack});
}

}  // namespace berth::cpu
