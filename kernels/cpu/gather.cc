// Rows picked by index (Gather, GatherV2, GatherNd, ResourceGather) and put by index (ScatterNd).
#include <algorithm>
#include <type_traits>

#include "graph/status_macros.h"
#include "kernels/cpu/args.h"
#include "kernels/cpu/families.h"
#include "kernels/cpu/float16.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/strided.h"

namespace berth::cpu {
namespace {

// params [batch, outer, rows, inner] by indices [batch, picks] gives [batch, outer, picks, inner].
absl::Status GatherRows(KernelArgs& args, const Tensor& params, const Tensor& indices, int axis, int batch_dims) {
  const Dims& p = params.dims();
  const Dims& q = indices.dims();
  const int rank = params.rank();
  Dims out(p.begin(), p.begin() + axis);
  out.insert(out.end(), q.begin() + batch_dims, q.end());
  out.insert(out.end(), p.begin() + axis + 1, p.end());
  const int64_t batch = CountOf(p, 0, batch_dims), outer = CountOf(p, batch_dims, axis);
  const int64_t inner = CountOf(p, axis + 1, rank), rows = p[axis];
  const int64_t picks = CountOf(q, batch_dims, indices.rank());
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, out));
  if (y->num_elements() == 0) return absl::OkStatus();  // whatever the indices are
  for (int64_t i = 0; i < indices.num_elements(); ++i) {
    const int64_t index = IntAt(indices, i);
    if (index < 0 || index >= rows) return Refuse("expected indices in [0,", rows, "), got ", index, " at ", i);
  }
  const Elements from = ElementsOf(params), to = ElementsOf(*y);
  ParallelFor(args.threads(), batch * outer * picks, GrainFor(inner), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t image = i / picks;
      const int64_t row = image * rows + IntAt(indices, image / outer * picks + i % picks);
      CopyBlock(from.At(row * inner), to.At(i * inner), inner);
    }
  });
  return absl::OkStatus();
}

absl::Status Gather(KernelArgs& args) {
  if (args.input(0).rank() < 1) return Refuse("expected params of rank at least 1, got a scalar");
  return GatherRows(args, args.input(0), args.input(1), 0, 0);
}

absl::Status ResourceGather(KernelArgs& args) {
  BERTH_ASSIGN_OR_RETURN(const Tensor params, args.ReadVariable(0));
  if (params.rank() < 1) return Refuse("expected a variable of rank at least 1, got a scalar");
  return GatherRows(args, params, args.input(1), 0, 0);
}

absl::Status GatherV2(KernelArgs& args) {
  const Tensor& params = args.input(0);
  const Tensor& indices = args.input(1);
  BERTH_ASSIGN_OR_RETURN(const int64_t given, IntOf(args.input(2), "axis"));
  if (params.rank() < 1) return Refuse("expected params of rank at least 1, got a scalar");
  BERTH_ASSIGN_OR_RETURN(const int axis, AxisOf(given, params.rank(), "axis"));
  int64_t batch_dims = AttrOr<int64_t>(args, "batch_dims", 0);
  if (batch_dims < 0) batch_dims += indices.rank();
  if (batch_dims < 0 || batch_dims > indices.rank() || batch_dims > axis) {
    return Refuse("expected batch_dims of at most axis ", axis, " and indices' rank ", indices.rank(), ", got ",
                  batch_dims);
  }
  for (int i = 0; i < batch_dims; ++i) {
    if (params.dim(i) != indices.dim(i)) {
      return Refuse("expected params and indices to agree in ", batch_dims, " leading dimensions, got ",
                    params.ShapeString(), " and ", indices.ShapeString());
    }
  }
  return GatherRows(args, params, indices, axis, static_cast<int>(batch_dims));
}

// Where slices addressed by the last dimension of `indices` lie in a tensor of shape `dims`.
struct Slices {
  int depth = 0;      // leading dimensions that an index covers
  int64_t count = 0;  // indices
  int64_t size = 0;   // elements of a slice
  std::vector<int64_t> offsets;
};

// Error: more index components than dimensions, or an index out of range.
absl::StatusOr<Slices> SlicesOf(const Tensor& indices, const Dims& dims) {
  Slices slices;
  const int rank = static_cast<int>(dims.size());
  if (indices.rank() < 1) return Refuse("expected indices of rank at least 1, got a scalar");
  if (indices.dim(indices.rank() - 1) > rank) {
    return Refuse("expected indices of at most ", rank, " components, got ", indices.dim(indices.rank() - 1));
  }
  slices.depth = static_cast<int>(indices.dim(indices.rank() - 1));
  slices.count = CountOf(indices.dims(), 0, indices.rank() - 1);
  slices.size = CountOf(dims, slices.depth, rank);
  if (slices.count > 0 && CountOf(dims) == 0) {
    return Refuse("expected no indices into an empty tensor of shape ", DimsString(dims), ", got ", slices.count);
  }
  // Without components every index is the same, and there may be any number of them for free.
  if (slices.depth == 0) return slices;
  const Strides strides = RowMajor(dims);
  slices.offsets.resize(slices.count);
  for (int64_t i = 0; i < slices.count; ++i) {
    for (int d = 0; d < slices.depth; ++d) {
      const int64_t index = IntAt(indices, i * slices.depth + d);
      if (index < 0 || index >= dims[d]) {
        return Refuse("expected indices in [0,", dims[d], ") for axis ", d, ", got ", index, " at ", i);
      }
      slices.offsets[i] += index * strides[d];
    }
  }
  return slices;
}

absl::Status GatherNd(KernelArgs& args) {
  const Tensor& params = args.input(0);
  const Tensor& indices = args.input(1);
  BERTH_ASSIGN_OR_RETURN(const Slices slices, SlicesOf(indices, params.dims()));
  Dims out(indices.dims().begin(), indices.dims().end() - 1);
  out.insert(out.end(), params.dims().begin() + slices.depth, params.dims().end());
  if (slices.depth == 0 && slices.count > 0 && slices.size > 0) {
    BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, out));
    for (int64_t i = 0; i < slices.count; ++i) {
      CopyBlock(ElementsOf(params), ElementsOf(*y).At(i * slices.size), slices.size);
    }
    return absl::OkStatus();
  }
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, out));
  if (y->num_elements() == 0) return absl::OkStatus();
  const Elements from = ElementsOf(params), to = ElementsOf(*y);
  ParallelFor(args.threads(), slices.count, GrainFor(slices.size), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) CopyBlock(from.At(slices.offsets[i]), to.At(i * slices.size), slices.size);
  });
  return absl::OkStatus();
}

// 16-bit floats add as float32, rounded each time; integers wrap; truth values are or-ed; strings are joined.
template <typename T>
void AddTo(T& sum, const T& x) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    sum = T(static_cast<float>(sum) + static_cast<float>(x));
  } else if constexpr (std::is_same_v<T, bool>) {
    sum = sum || x;
  } else if constexpr (std::is_integral_v<T>) {
    sum = static_cast<T>(static_cast<uint64_t>(sum) + static_cast<uint64_t>(x));
  } else {
    sum += x;
  }
}

// Updates to one place add up.
template <typename T>
absl::Status AddSlices(const Slices& slices, const T* updates, T* y) {
  for (int64_t i = 0; i < slices.count; ++i) {
    T* out = y + (slices.depth == 0 ? 0 : slices.offsets[i]);
    for (int64_t k = 0; k < slices.size; ++k) AddTo(out[k], updates[i * slices.size + k]);
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status AddSlices(const Slices& slices, const Tensor& updates, Tensor& y) {
  return AddSlices(slices, updates.kernel<T>(), y.kernel<T>());
}

absl::Status AddAllSlices(const Slices& slices, const Tensor& updates, Tensor& y) {
  switch (y.dtype()) {
    case DType::kFloat16:
      return AddSlices<Half>(slices, updates, y);
    case DType::kBfloat16:
      return AddSlices<BFloat16>(slices, updates, y);
    case DType::kFloat32:
      return AddSlices<float>(slices, updates, y);
    case DType::kFloat64:
      return AddSlices<double>(slices, updates, y);
    case DType::kInt8:
      return AddSlices<int8_t>(slices, updates, y);
    case DType::kInt16:
      return AddSlices<int16_t>(slices, updates, y);
    case DType::kInt32:
      return AddSlices<int32_t>(slices, updates, y);
    case DType::kInt64:
      return AddSlices<int64_t>(slices, updates, y);
    case DType::kUint8:
      return AddSlices<uint8_t>(slices, updates, y);
    case DType::kUint16:
      return AddSlices<uint16_t>(slices, updates, y);
    case DType::kUint32:
      return AddSlices<uint32_t>(slices, updates, y);
    case DType::kUint64:
      return AddSlices<uint64_t>(slices, updates, y);
    case DType::kBool:
      return AddSlices<bool>(slices, updates, y);
    default:
      return AddSlices(slices, updates.strings()->data(), y.strings()->data());
  }
}

absl::Status ScatterNd(KernelArgs& args) {
  const Tensor& updates = args.input(1);
  // A vector of indices is a column of them, each of one component.
  const Tensor& given = args.input(0);
  const Tensor indices = given.rank() == 1 ? given.WithDims({given.dim(0), 1}) : given;
  BERTH_RETURN_IF_ERROR(ExpectRank(args.input(2), 1, "shape"));
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> shape, IntsOf(args.input(2), "shape"));
  const Dims dims(shape.begin(), shape.end());
  for (int64_t d : dims) {
    if (d < 0) return Refuse("expected a shape of sizes of at least 0, got ", DimsString(dims));
  }
  BERTH_ASSIGN_OR_RETURN(const Slices slices, SlicesOf(indices, dims));
  Dims expected(indices.dims().begin(), indices.dims().end() - 1);
  expected.insert(expected.end(), dims.begin() + slices.depth, dims.end());
  BERTH_RETURN_IF_ERROR(ExpectDims(updates, expected, "updates"));
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.Allocate(0, dims));
  Clear(ElementsOf(*y), y->num_elements());
  if (updates.num_elements() == 0) return absl::OkStatus();
  return AddAllSlices(slices, updates, *y);
}

}  // namespace

void AddGatherKernels(KernelTable& table) {
  const TypeConstraint indices{"Tindices", IndexTypes()};
  table.Add({.op = "Gather", .types = {{"Tparams", AllTypes()}, indices}, .run = Gather});
  table.Add({.op = "GatherNd", .types = {{"Tparams", AllTypes()}, indices}, .run = GatherNd});
  table.Add({.op = "GatherV2", .types = {{"Tparams", AllTypes()}, indices}, .host_args = {"axis"}, .run = GatherV2});
  table.Add({.op = "ResourceGather", .types = {{"dtype", AllTypes()}, indices}, .run = ResourceGather});
  table.Add({.op = "ScatterNd", .types = {{"T", AllTypes()}, indices}, .host_args = {"shape"}, .run = ScatterNd});
}

}  // namespace berth::cpu
