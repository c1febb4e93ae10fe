// The same elements in another order, or repeated: each op is one strided copy.
#include <algorithm>

#include "graph/status_macros.h"
#include "kernels/cpu/args.h"
#include "kernels/cpu/families.h"
#include "kernels/cpu/strided.h"

namespace berth::cpu {
namespace {

absl::Status Transpose(KernelArgs& args) {
  const Tensor& x = args.input(0);
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> perm, IntsOf(args.input(1), "perm"));
  if (static_cast<int>(perm.size()) != x.rank()) {
    return Refuse("expected perm of ", x.rank(), " values, got ", perm.size());
  }
  const Strides strides = RowMajor(x.dims());
  Dims dims;
  Strides from;
  std::vector<bool> seen(x.rank(), false);
  for (int64_t given : perm) {
    BERTH_ASSIGN_OR_RETURN(const int axis, AxisOf(given, x.rank(), "perm"));
    if (seen[axis]) return Refuse("expected perm to name each axis once, got ", given, " again");
    seen[axis] = true;
    dims.push_back(x.dim(axis));
    from.push_back(strides[axis]);
  }
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, dims));
  CopyStrided(args.threads(), dims, ElementsOf(x), from, ElementsOf(*y), RowMajor(dims));
  return absl::OkStatus();
}

absl::Status InvertPermutation(KernelArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> perm, IntsOf(args.input(0), "x"));
  BERTH_RETURN_IF_ERROR(ExpectRank(args.input(0), 1, "x"));
  std::vector<int64_t> inverse(perm.size(), -1);
  for (size_t i = 0; i < perm.size(); ++i) {
    if (perm[i] < 0 || perm[i] >= static_cast<int64_t>(perm.size()) || inverse[perm[i]] >= 0) {
      return Refuse("expected a permutation of [0,", perm.size(), "), got ", perm[i], " at ", i);
    }
    inverse[perm[i]] = static_cast<int64_t>(i);
  }
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, args.input(0).dims()));
  for (size_t i = 0; i < inverse.size(); ++i) {
    if (y->dtype() == DType::kInt32) y->kernel<int32_t>()[i] = static_cast<int32_t>(inverse[i]);
    if (y->dtype() == DType::kInt64) y->kernel<int64_t>()[i] = inverse[i];
  }
  return absl::OkStatus();
}

// An axis of size d repeated m times is two axes, [m, d], of which the first does not move the source.
absl::Status Tile(KernelArgs& args) {
  const Tensor& x = args.input(0);
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> multiples, IntsOf(args.input(1), "multiples"));
  if (static_cast<int>(multiples.size()) != x.rank()) {
    return Refuse("expected multiples of ", x.rank(), " values, got ", multiples.size());
  }
  const Strides strides = RowMajor(x.dims());
  Dims dims(x.rank()), split;
  Strides from;
  for (int i = 0; i < x.rank(); ++i) {
    if (multiples[i] < 0) return Refuse("expected multiples of at least 0, got ", multiples[i]);
    if (__builtin_mul_overflow(x.dim(i), multiples[i], &dims[i])) {
      return Refuse("expected multiples that fit, got ", multiples[i]);
    }
    split.push_back(multiples[i]);
    from.push_back(0);
    split.push_back(x.dim(i));
    from.push_back(strides[i]);
  }
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, dims));
  if (y->num_elements() == 0) return absl::OkStatus();
  CopyStrided(args.threads(), split, ElementsOf(x), from, ElementsOf(*y), RowMajor(split));
  return absl::OkStatus();
}

absl::Status BroadcastTo(KernelArgs& args) {
  const Tensor& x = args.input(0);
  BERTH_RETURN_IF_ERROR(ExpectRank(args.input(1), 1, "shape"));
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> shape, IntsOf(args.input(1), "shape"));
  const Dims dims(shape.begin(), shape.end());
  const int lead = static_cast<int>(dims.size()) - x.rank();
  const Strides strides = RowMajor(x.dims());
  Strides from(dims.size(), 0);
  bool fits = lead >= 0;
  for (int i = 0; fits && i < x.rank(); ++i) {
    fits = x.dim(i) == 1 || x.dim(i) == dims[lead + i];
    from[lead + i] = x.dim(i) == 1 ? 0 : strides[i];
  }
  if (!fits) return Refuse("expected a shape that ", x.ShapeString(), " broadcasts to, got ", DimsString(dims));
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, dims));
  if (y->num_elements() == 0) return absl::OkStatus();
  CopyStrided(args.threads(), dims, ElementsOf(x), from, ElementsOf(*y), RowMajor(dims));
  return absl::OkStatus();
}

absl::Status Reverse(KernelArgs& args) {
  const Tensor& x = args.input(0);
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> axes, IntsOf(args.input(1), "axis"));
  Strides from = RowMajor(x.dims());
  std::vector<bool> seen(x.rank(), false);
  int64_t start = 0;
  for (int64_t given : axes) {
    BERTH_ASSIGN_OR_RETURN(const int axis, AxisOf(given, x.rank(), "axis"));
    if (seen[axis]) return Refuse("expected each axis once, got ", given, " again");
    seen[axis] = true;
    if (x.num_elements() == 0) continue;  // its steps may have wrapped
    start += (x.dim(axis) - 1) * from[axis];
    from[axis] = -from[axis];
  }
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, x.dims()));
  if (y->num_elements() == 0) return absl::OkStatus();
  CopyStrided(args.threads(), x.dims(), ElementsOf(x).At(start), from, ElementsOf(*y), RowMajor(x.dims()));
  return absl::OkStatus();
}

// Copies x, seen as `split`, so that output axis i is axis order[i] of it.
absl::Status Permuted(KernelArgs& args, const Dims& split, const Dims& order, const Dims& out) {
  const Tensor& x = args.input(0);
  const Strides strides = RowMajor(split);
  Dims dims;
  Strides from;
  for (int64_t axis : order) {
    dims.push_back(split[axis]);
    from.push_back(strides[axis]);
  }
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, out));
  CopyStrided(args.threads(), dims, ElementsOf(x), from, ElementsOf(*y), RowMajor(dims));
  return absl::OkStatus();
}

struct BlockImage {
  int64_t batch, h, w, channels, block;
  bool nhwc;
};

absl::StatusOr<BlockImage> BlockImageOf(KernelArgs& args) {
  const Tensor& x = args.input(0);
  BERTH_RETURN_IF_ERROR(ExpectRank(x, 4, "input"));
  const std::string format = AttrOr<std::string>(args, "data_format", "NHWC");
  if (format != "NHWC" && format != "NCHW") return Refuse("expected data_format NHWC or NCHW, got '", format, "'");
  const int64_t block = AttrOr<int64_t>(args, "block_size", 0);
  if (block < 1 || block > INT32_MAX) return Refuse("expected block_size of at least 1, got ", block);
  const bool nhwc = format == "NHWC";
  return BlockImage{x.dim(0), x.dim(nhwc ? 1 : 2), x.dim(nhwc ? 2 : 3), x.dim(nhwc ? 3 : 1), block, nhwc};
}

absl::Status SpaceToDepth(KernelArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const BlockImage image, BlockImageOf(args));
  const auto& [n, h, w, c, b, nhwc] = image;
  if (h % b != 0 || w % b != 0) return Refuse("expected height and width divisible by ", b, ", got ", h, " and ", w);
  if (nhwc) return Permuted(args, {n, h / b, b, w / b, b, c}, {0, 1, 3, 2, 4, 5}, {n, h / b, w / b, c * b * b});
  return Permuted(args, {n, c, h / b, b, w / b, b}, {0, 3, 5, 1, 2, 4}, {n, c * b * b, h / b, w / b});
}

absl::Status DepthToSpace(KernelArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const BlockImage image, BlockImageOf(args));
  const auto& [n, h, w, c, b, nhwc] = image;
  if (c % (b * b) != 0) return Refuse("expected channels divisible by ", b * b, ", got ", c);
  const int64_t d = c / (b * b);
  if (nhwc) return Permuted(args, {n, h, w, b, b, d}, {0, 1, 3, 2, 4, 5}, {n, h * b, w * b, d});
  return Permuted(args, {n, b, b, d, h, w}, {0, 3, 4, 1, 5, 2}, {n, d, h * b, w * b});
}

// What SpaceToBatchND and BatchToSpaceND share: blocks, and how much is added to or taken from each end.
struct BlockSpec {
  std::vector<int64_t> block;
  std::vector<int64_t> low, high;
};

absl::StatusOr<BlockSpec> BlockSpecOf(KernelArgs& args, absl::string_view ends) {
  const Tensor& x = args.input(0);
  BlockSpec spec;
  BERTH_RETURN_IF_ERROR(ExpectRank(args.input(1), 1, "block_shape"));
  BERTH_ASSIGN_OR_RETURN(spec.block, IntsOf(args.input(1), "block_shape"));
  const int64_t count = static_cast<int64_t>(spec.block.size());
  if (x.rank() < count + 1) return Refuse("expected an input of rank above ", count, ", got shape ", x.ShapeString());
  BERTH_RETURN_IF_ERROR(ExpectDims(args.input(2), {count, 2}, ends));
  for (int64_t i = 0; i < count; ++i) {
    spec.low.push_back(IntAt(args.input(2), 2 * i));
    spec.high.push_back(IntAt(args.input(2), 2 * i + 1));
    if (spec.block[i] < 1) return Refuse("expected block_shape of at least 1, got ", spec.block[i]);
    for (int64_t end : {spec.low[i], spec.high[i]}) {
      if (end < 0 || end > INT32_MAX) return Refuse("expected ", ends, " of at least 0, got ", end);
    }
  }
  return spec;
}

// Output batch (block position, image) and spatial position s take input position s * block + block position - low.
absl::Status SpaceToBatch(KernelArgs& args) {
  const Tensor& x = args.input(0);
  BERTH_ASSIGN_OR_RETURN(const BlockSpec spec, BlockSpecOf(args, "paddings"));
  const int count = static_cast<int>(spec.block.size());
  Dims out = x.dims();
  int64_t blocks = 1;
  for (int i = 0; i < count; ++i) {
    const int64_t padded = x.dim(i + 1) + spec.low[i] + spec.high[i];
    if (padded % spec.block[i] != 0) {
      return Refuse("expected padded sizes divisible by block_shape ", spec.block[i], ", got ", padded);
    }
    out[i + 1] = padded / spec.block[i];
    if (__builtin_mul_overflow(blocks, spec.block[i], &blocks)) return Refuse("expected block_shape that fits");
  }
  if (__builtin_mul_overflow(out[0], blocks, &out[0])) return Refuse("expected block_shape that fits");
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, out));
  Clear(ElementsOf(*y), y->num_elements());
  if (x.num_elements() == 0 || y->num_elements() == 0) return absl::OkStatus();
  const Strides in_steps = RowMajor(x.dims()), out_steps = RowMajor(out);
  for (int64_t position = 0; position < blocks; ++position) {
    Dims dims = x.dims();
    Strides from = in_steps;
    int64_t rest = position, from_start = 0, to_start = position * x.dim(0) * out_steps[0];
    for (int i = count - 1; i >= 0; --i) {
      const int64_t at = rest % spec.block[i];
      rest /= spec.block[i];
      // The first and the end of the output positions whose source lies in the image.
      const int64_t first = std::max<int64_t>((spec.low[i] - at + spec.block[i] - 1) / spec.block[i], 0);
      const int64_t end = std::min((x.dim(i + 1) + spec.low[i] - at + spec.block[i] - 1) / spec.block[i], out[i + 1]);
      dims[i + 1] = std::max<int64_t>(end - first, 0);
      from_start += (first * spec.block[i] + at - spec.low[i]) * in_steps[i + 1];
      from[i + 1] *= spec.block[i];
      to_start += first * out_steps[i + 1];
    }
    CopyStrided(args.threads(), dims, ElementsOf(x).At(from_start), from, ElementsOf(*y).At(to_start), out_steps);
  }
  return absl::OkStatus();
}

absl::Status BatchToSpace(KernelArgs& args) {
  const Tensor& x = args.input(0);
  BERTH_ASSIGN_OR_RETURN(const BlockSpec spec, BlockSpecOf(args, "crops"));
  const int count = static_cast<int>(spec.block.size());
  Dims out = x.dims();
  int64_t blocks = 1;
  for (int i = 0; i < count; ++i) {
    int64_t whole = 0;
    if (__builtin_mul_overflow(blocks, spec.block[i], &blocks) ||
        __builtin_mul_overflow(x.dim(i + 1), spec.block[i], &whole)) {
      return Refuse("expected block_shape that fits, got ", spec.block[i]);
    }
    out[i + 1] = whole - spec.low[i] - spec.high[i];
    if (out[i + 1] < 0) return Refuse("expected crops of at most ", whole, ", got ", spec.low[i] + spec.high[i]);
  }
  if (x.dim(0) % blocks != 0) return Refuse("expected a batch divisible by ", blocks, ", got ", x.dim(0));
  out[0] = x.dim(0) / blocks;
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, out));
  if (y->num_elements() == 0) return absl::OkStatus();
  const Strides in_steps = RowMajor(x.dims()), out_steps = RowMajor(out);
  for (int64_t position = 0; position < blocks; ++position) {
    Dims dims = out;
    Strides to = out_steps;
    int64_t rest = position, to_start = 0, from_start = position * out[0] * in_steps[0];
    for (int i = count - 1; i >= 0; --i) {
      const int64_t at = rest % spec.block[i];
      rest /= spec.block[i];
      const int64_t first = std::max<int64_t>((spec.low[i] - at + spec.block[i] - 1) / spec.block[i], 0);
      const int64_t end = std::min((out[i + 1] + spec.low[i] - at + spec.block[i] - 1) / spec.block[i], x.dim(i + 1));
      dims[i + 1] = std::max<int64_t>(end - first, 0);
      to_start += (first * spec.block[i] + at - spec.low[i]) * out_steps[i + 1];
      to[i + 1] *= spec.block[i];
      from_start += first * in_steps[i + 1];
    }
    CopyStrided(args.threads(), dims, ElementsOf(x).At(from_start), in_steps, ElementsOf(*y).At(to_start), to);
  }
  return absl::OkStatus();
}

}  // namespace

void AddRearrangeKernels(KernelTable& table) {
  const std::vector<TypeConstraint> all = {{"T", AllTypes()}};
  table.Add({.op = "BatchToSpaceND", .types = all, .host_args = {"block_shape", "crops"}, .run = BatchToSpace});
  table.Add({.op = "BroadcastTo", .types = all, .host_args = {"shape"}, .run = BroadcastTo});
  table.Add({.op = "DepthToSpace", .types = all, .run = DepthToSpace});
  table.Add({.op = "InvertPermutation",
             .types = {{"T", IndexTypes()}},
             .host_args = {"x", "y"},
             .run = InvertPermutation,
             .cheap = true});
  table.Add({.op = "ReverseV2", .types = all, .host_args = {"axis"}, .run = Reverse});
  table.Add({.op = "SpaceToBatchND", .types = all, .host_args = {"block_shape", "paddings"}, .run = SpaceToBatch});
  table.Add({.op = "SpaceToDepth", .types = all, .run = SpaceToDepth});
  table.Add({.op = "Tile", .types = all, .host_args = {"multiples"}, .run = Tile});
  table.Add({.op = "Transpose", .types = all, .host_args = {"perm"}, .run = Transpose});
}

}  // namespace berth::cpu
