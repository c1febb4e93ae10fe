#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/modules/modules.h"

namespace berth {
namespace {

std::vector<int64_t> DimsOf(const PartialShape& shape) { return {shape.dims().begin(), shape.dims().end()}; }

// The shape as a tensor: a constant where it is known, as TensorFlow folds it.
Output ShapeOf(const Scope& here, const Output& x) {
  if (x.shape().fully_defined()) return Const(here.WithName("Shape"), DimsOf(x.shape()));
  return here.Op("Shape", {x}, {{"out_type", AttrValue(DType::kInt32)}});
}

// shape[:1]
Output FirstDim(const Scope& here, const Output& shape) {
  const Scope slice = here.SubScope("strided_slice");
  const Output begin = Const(slice.WithName("stack"), {0});
  const Output end = Const(slice.WithName("stack_1"), {1});
  const Output strides = Const(slice.WithName("stack_2"), {1});
  return slice.Itself().Op("StridedSlice", {shape, begin, end, strides}, {{"begin_mask", AttrValue(int64_t{1})}});
}

Output ConnectBatchFlatten(Connection& here, const Output& x) {
  const PartialShape shape = x.shape();
  if (!shape.has_rank() || shape.rank() == 0) {
    here.Fail(absl::InvalidArgumentError(
        absl::StrCat("expected an input of rank 1 or more, got ", shape.has_rank() ? "a scalar" : "unknown rank")));
    return Output();
  }
  const std::optional<int64_t> rest = PartialShape(shape.dims().subspan(1)).num_elements();
  const Output batch = FirstDim(here, ShapeOf(here, x));
  const Scope concat = here.SubScope("concat");
  const Output flat = Const(concat.WithName("values_1"), {rest.value_or(-1)});
  const Output axis = Const(concat.WithName("axis"), 0);
  const Output new_shape = concat.Itself().Op("ConcatV2", {batch, flat, axis});
  return here.Op("Reshape", {x, new_shape});
}

}  // namespace

Module BatchFlatten(const Scope& scope, const BatchFlattenOptions& options, CallSite at) {
  return Module(scope, options.name, Module::OneToOne(ConnectBatchFlatten), {.lines_of_caller = true}, at);
}

}  // namespace berth
