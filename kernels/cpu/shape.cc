// Shapes as values, and the same elements under another shape.
#include <algorithm>

#include "graph/status_macros.h"
#include "kernels/cpu/args.h"
#include "kernels/cpu/families.h"

namespace berth::cpu {
namespace {

absl::Status StoreInts(Tensor& to, absl::Span<const int64_t> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (to.dtype() == DType::kInt64) {
      to.kernel<int64_t>()[i] = values[i];
    } else if (values[i] > INT32_MAX) {
      return Refuse("expected sizes that fit int32, got ", values[i]);
    } else {
      to.kernel<int32_t>()[i] = static_cast<int32_t>(values[i]);
    }
  }
  return absl::OkStatus();
}

absl::Status Shapes(KernelArgs& args) {
  for (int i = 0; i < args.num_outputs(); ++i) {
    const Dims dims = args.input(i).dims();
    BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(i, {static_cast<int64_t>(dims.size())}));
    BERTH_RETURN_IF_ERROR(StoreInts(*y, dims));
  }
  return absl::OkStatus();
}

absl::Status Size(KernelArgs& args) {
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, {}));
  return StoreInts(*y, {args.input(0).num_elements()});
}

absl::Status Rank(KernelArgs& args) {
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, {}));
  return StoreInts(*y, {args.input(0).rank()});
}

// The product of the sizes other than 0.
int64_t WithoutZeros(const Dims& dims) {
  int64_t product = 1;
  for (int64_t d : dims) product = Product(product, std::max<int64_t>(d, 1));
  return product;
}

absl::Status Reshape(KernelArgs& args) {
  const Tensor& x = args.input(0);
  BERTH_RETURN_IF_ERROR(ExpectRank(args.input(1), 1, "shape"));
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> shape, IntsOf(args.input(1), "shape"));
  Dims dims(shape.begin(), shape.end());
  const int64_t elements = x.num_elements();
  const bool zeros = std::find(dims.begin(), dims.end(), 0) != dims.end();
  int64_t known = 1;
  int open = -1;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == -1 && open < 0) {
      open = static_cast<int>(i);
    } else if (dims[i] < 0) {
      return Refuse("expected a shape with sizes of at least 0 and at most one -1, got ", DimsString(dims));
    } else if (dims[i] != 0 && __builtin_mul_overflow(known, dims[i], &known)) {
      return Refuse("expected a shape of ", elements, " elements, got ", DimsString(dims));
    }
  }
  if (open >= 0) {
    // Beside a 0, -1 takes what the other sizes leave of the input's own sizes other than 0, rounded down.
    const int64_t filled = zeros ? WithoutZeros(x.dims()) : elements;
    if (!zeros && filled % known != 0) {
      return Refuse("expected a shape that ", elements, " elements fill, got ", DimsString(dims));
    }
    dims[open] = filled / known;
    known *= dims[open];
  }
  if ((zeros ? 0 : known) != elements) {
    return Refuse("expected a shape of ", elements, " elements, got ", DimsString(dims));
  }
  return args.SetOutput(0, x.WithDims(dims));
}

absl::Status ExpandDims(KernelArgs& args) {
  const Tensor& x = args.input(0);
  BERTH_ASSIGN_OR_RETURN(const int64_t given, IntOf(args.input(1), "dim"));
  BERTH_ASSIGN_OR_RETURN(const int axis, AxisOf(given, x.rank() + 1, "dim"));
  Dims dims = x.dims();
  dims.insert(dims.begin() + axis, 1);
  return args.SetOutput(0, x.WithDims(dims));
}

absl::Status Squeeze(KernelArgs& args) {
  const Tensor& x = args.input(0);
  std::vector<bool> drop(x.rank(), false);
  const std::vector<int64_t> axes = IntListAttr(args.node(), "squeeze_dims");
  for (int64_t given : axes) {
    BERTH_ASSIGN_OR_RETURN(const int axis, AxisOf(given, x.rank(), "squeeze_dims"));
    if (x.dim(axis) != 1) {
      return Refuse("expected dimension ", axis, " to be 1, got shape ", x.ShapeString());
    }
    drop[axis] = true;
  }
  Dims dims;
  for (int i = 0; i < x.rank(); ++i) {
    if (axes.empty() ? x.dim(i) != 1 : !drop[i]) dims.push_back(x.dim(i));
  }
  return args.SetOutput(0, x.WithDims(dims));
}

}  // namespace

void AddShapeKernels(KernelTable& table) {
  table.Add({.op = "ExpandDims", .host_args = {"dim"}, .run = ExpandDims, .cheap = true, .shares_input = true});
  table.Add({.op = "Rank", .host_args = {"output"}, .run = Rank, .cheap = true});
  table.Add({.op = "Reshape", .host_args = {"shape"}, .run = Reshape, .cheap = true, .shares_input = true});
  table.Add(
      {.op = "Shape", .types = {{"out_type", IndexTypes()}}, .host_args = {"output"}, .run = Shapes, .cheap = true});
  table.Add(
      {.op = "ShapeN", .types = {{"out_type", IndexTypes()}}, .host_args = {"output"}, .run = Shapes, .cheap = true});
  table.Add({.op = "Size", .types = {{"out_type", IndexTypes()}}, .host_args = {"output"}, .run = Size, .cheap = true});
  table.Add({.op = "Squeeze", .run = Squeeze, .cheap = true, .shares_input = true});
}

}  // namespace berth::cpu
