#include <algorithm>
#include <utility>

#include "graph/ops/strided_slice.h"
#include "graph/ops/value_fns.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

using Dims = std::vector<int64_t>;

// Output k with every element unknown; nullopt when its shape is open or too large.
std::optional<SmallTensor> Blank(const ShapeArgs& args, int k) {
  return SmallTensor::Unknown(BaseOf(args.output_dtype(k)), args.output(k));
}

Dims StridesOf(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (size_t d = dims.size(); d-- > 1;) strides[d - 1] = strides[d] * dims[d];
  return strides;
}

// Calls `visit(position, coordinates)` for every element in order.
template <typename Visit>
void ForEach(const SmallTensor& tensor, const Visit& visit) {
  Dims at(tensor.dims.size());
  for (int64_t k = 0; k < tensor.size(); ++k) {
    visit(k, at);
    for (size_t d = at.size(); d-- > 0;) {
      if (++at[d] < tensor.dims[d]) break;
      at[d] = 0;
    }
  }
}

// Output k, whose element at `coordinates` is the input's at source(coordinates): an offset, or -1 for unknown.
template <typename Source>
absl::Status Move(ShapeArgs& args, int k, const SmallTensor* in, const Source& source) {
  std::optional<SmallTensor> out = Blank(args, k);
  if (!out.has_value() || in == nullptr) return absl::OkStatus();
  ForEach(*out, [&](int64_t position, const Dims& at) {
    const int64_t from = source(at);
    if (from >= 0 && from < in->size()) out->elements[position] = in->elements[from];
  });
  args.set_value(k, *std::move(out));
  return absl::OkStatus();
}

int64_t Offset(const Dims& at, const Dims& strides) {
  int64_t offset = 0;
  for (size_t d = 0; d < at.size(); ++d) offset += at[d] * strides[d];
  return offset;
}

// The axis among `rank` dimensions; -1 when unknown or out of range.
int KnownAxis(std::optional<int64_t> axis, int rank) {
  if (!axis.has_value() || *axis < -rank || *axis >= rank) return -1;
  return static_cast<int>(*axis < 0 ? *axis + rank : *axis);
}

// Output k, the part of `in` that begins at `first` along `axis`.
absl::Status Part(ShapeArgs& args, int k, const SmallTensor* in, int axis, int64_t first) {
  if (in == nullptr || axis < 0) return absl::OkStatus();
  const Dims strides = StridesOf(in->dims);
  return Move(args, k, in, [&](const Dims& at) { return Offset(at, strides) + first * strides[axis]; });
}

}  // namespace

absl::Status ConstValue(ShapeArgs& args) {
  const AttrValue* value = args.attr("value");
  const Literal* literal = value == nullptr ? nullptr : value->get<Literal>();
  if (literal == nullptr) return absl::OkStatus();
  if (std::optional<SmallTensor> tensor = SmallTensor::FromLiteral(*literal)) args.set_value(0, *std::move(tensor));
  return absl::OkStatus();
}

absl::Status CopyValue(ShapeArgs& args) {
  const SmallTensor* in = args.value(0);
  std::optional<SmallTensor> out = Blank(args, 0);
  if (in == nullptr || !out.has_value() || out->size() != in->size()) return absl::OkStatus();
  out->elements = in->elements;
  args.set_value(0, *std::move(out));
  return absl::OkStatus();
}

absl::Status FillValue(ShapeArgs& args) {
  return Move(args, 0, args.value(1), [](const Dims&) { return 0; });
}

absl::Status FillLikeValue(ShapeArgs& args) {
  std::optional<SmallTensor> out = Blank(args, 0);
  if (!out.has_value()) return absl::OkStatus();
  const int64_t value = args.op().name == "OnesLike" ? 1 : 0;
  for (SmallElement& e : out->elements) e = {true, value, static_cast<double>(value)};
  args.set_value(0, *std::move(out));
  return absl::OkStatus();
}

absl::Status ShapeValue(ShapeArgs& args) {
  for (int k = 0; k < args.num_outputs(); ++k) {
    std::optional<SmallTensor> out = Blank(args, k);
    if (!out.has_value()) continue;
    for (int64_t d = 0; d < out->size(); ++d) {
      const int64_t size = args.input(k).dim(static_cast<int>(d));
      if (size != kUnknownDim) out->elements[d] = {true, size, 0};
    }
    args.set_value(k, *std::move(out));
  }
  return absl::OkStatus();
}

absl::Status RankValue(ShapeArgs& args) {
  if (args.input(0).has_rank()) args.set_value(0, SmallTensor::OfInts(DType::kInt32, {}, {args.input(0).rank()}));
  return absl::OkStatus();
}

absl::Status SizeValue(ShapeArgs& args) {
  const std::optional<int64_t> size = args.input(0).num_elements();
  if (size.has_value()) args.set_value(0, SmallTensor::OfInts(args.output_dtype(0), {}, {*size}));
  return absl::OkStatus();
}

absl::Status BroadcastToValue(ShapeArgs& args) {
  const SmallTensor* in = args.value(0);
  if (in == nullptr) return absl::OkStatus();
  const Dims strides = StridesOf(in->dims);
  return Move(args, 0, in, [&](const Dims& at) {
    int64_t offset = 0;
    const size_t extra = at.size() - in->dims.size();
    for (size_t d = 0; d < in->dims.size(); ++d) offset += in->dims[d] == 1 ? 0 : at[d + extra] * strides[d];
    return offset;
  });
}

// offset[i][axis] is the sum of the sizes before i; 0 elsewhere.
absl::Status ConcatOffsetValue(ShapeArgs& args) {
  SmallElement sum{true, 0, 0};
  for (int k = 0; k < args.num_outputs(); ++k) {
    std::optional<SmallTensor> out = Blank(args, k);
    const SmallTensor* sizes = args.value(k + 1);
    if (!out.has_value() || sizes == nullptr) return absl::OkStatus();
    const int axis = KnownAxis(args.ScalarValue(0), static_cast<int>(out->size()));
    if (axis < 0) return absl::OkStatus();
    for (SmallElement& e : out->elements) e.known = true;
    out->elements[axis] = sum;
    sum.known =
        sum.known && sizes->elements[axis].known && !__builtin_add_overflow(sum.i, sizes->elements[axis].i, &sum.i);
    args.set_value(k, *std::move(out));
  }
  return absl::OkStatus();
}

absl::Status ConcatValue(ShapeArgs& args) {
  std::optional<SmallTensor> out = Blank(args, 0);
  const int n = args.num_inputs() - 1;
  if (!out.has_value()) return absl::OkStatus();
  const int axis = KnownAxis(args.ScalarValue(n), static_cast<int>(out->dims.size()));
  if (axis < 0) return absl::OkStatus();
  const Dims strides = StridesOf(out->dims);
  int64_t first = 0;
  for (int i = 0; i < n; ++i) {
    const PartialShape& shape = args.input(i);
    if (!shape.fully_defined()) return absl::OkStatus();
    if (const SmallTensor* in = args.value(i)) {
      ForEach(*in, [&](int64_t position, const Dims& at) {
        out->elements[Offset(at, strides) + first * strides[axis]] = in->elements[position];
      });
    }
    first += shape.dim(axis);
  }
  args.set_value(0, *std::move(out));
  return absl::OkStatus();
}

absl::Status GatherValue(ShapeArgs& args) {
  const SmallTensor* params = args.value(0);
  const SmallTensor* indices = args.value(1);
  if (params == nullptr || indices == nullptr || args.Attr<int64_t>("batch_dims") != 0) return absl::OkStatus();
  const int rank = static_cast<int>(params->dims.size());
  const int axis = args.num_inputs() > 2 ? KnownAxis(args.ScalarValue(2), rank) : 0;
  if (axis < 0 || rank == 0) return absl::OkStatus();
  const Dims strides = StridesOf(params->dims), index_strides = StridesOf(indices->dims);
  const size_t depth = indices->dims.size();
  return Move(args, 0, params, [&](const Dims& at) -> int64_t {
    int64_t position = 0, offset = 0;
    for (size_t d = 0; d < depth; ++d) position += at[axis + d] * index_strides[d];
    const std::optional<int64_t> index = indices->Int(position);
    if (!index.has_value() || *index < 0 || *index >= params->dims[axis]) return -1;
    for (int d = 0; d < rank; ++d) {
      offset += (d < axis ? at[d] : d == axis ? *index : at[d + depth - 1]) * strides[d];
    }
    return offset;
  });
}

absl::Status InvertPermutationValue(ShapeArgs& args) {
  const SmallTensor* in = args.value(0);
  std::optional<SmallTensor> out = Blank(args, 0);
  if (in == nullptr || !out.has_value()) return absl::OkStatus();
  for (int64_t k = 0; k < in->size(); ++k) {
    const std::optional<int64_t> to = in->Int(k);
    if (to.has_value() && *to >= 0 && *to < out->size()) out->elements[*to] = {true, k, 0};
  }
  args.set_value(0, *std::move(out));
  return absl::OkStatus();
}

absl::Status PackValue(ShapeArgs& args) {
  std::optional<SmallTensor> out = Blank(args, 0);
  if (!out.has_value()) return absl::OkStatus();
  const int axis = KnownAxis(args.Attr<int64_t>("axis"), static_cast<int>(out->dims.size()));
  if (axis < 0) return absl::OkStatus();
  const Dims strides = StridesOf(out->dims);
  for (int i = 0; i < args.num_inputs(); ++i) {
    const SmallTensor* in = args.value(i);
    if (in == nullptr) continue;
    ForEach(*in, [&](int64_t position, Dims at) {
      at.insert(at.begin() + axis, i);
      out->elements[Offset(at, strides)] = in->elements[position];
    });
  }
  args.set_value(0, *std::move(out));
  return absl::OkStatus();
}

absl::Status UnpackValue(ShapeArgs& args) {
  const SmallTensor* in = args.value(0);
  if (in == nullptr) return absl::OkStatus();
  const int axis = KnownAxis(args.Attr<int64_t>("axis"), static_cast<int>(in->dims.size()));
  const Dims strides = StridesOf(in->dims);
  for (int k = 0; k < args.num_outputs() && axis >= 0; ++k) {
    BERTH_RETURN_IF_ERROR(Move(args, k, in, [&](Dims at) {
      at.insert(at.begin() + axis, k);
      return Offset(at, strides);
    }));
  }
  return absl::OkStatus();
}

absl::Status ReverseValue(ShapeArgs& args) {
  const SmallTensor* in = args.value(0);
  const auto axes = args.IntValues(1);
  if (in == nullptr || !axes.has_value()) return absl::OkStatus();
  const int rank = static_cast<int>(in->dims.size());
  std::vector<bool> reversed(rank);
  for (const std::optional<int64_t>& value : *axes) {
    const int axis = KnownAxis(value, rank);
    if (axis < 0) return absl::OkStatus();
    reversed[axis] = true;
  }
  const Dims strides = StridesOf(in->dims);
  return Move(args, 0, in, [&](Dims at) {
    for (int d = 0; d < rank; ++d) {
      if (reversed[d]) at[d] = in->dims[d] - 1 - at[d];
    }
    return Offset(at, strides);
  });
}

absl::Status SliceValue(ShapeArgs& args) {
  const SmallTensor* in = args.value(0);
  const auto begin = args.IntValues(1);
  if (in == nullptr || !begin.has_value() || begin->size() != in->dims.size()) return absl::OkStatus();
  for (size_t d = 0; d < begin->size(); ++d) {
    if (!(*begin)[d].has_value() || *(*begin)[d] < 0 || *(*begin)[d] > in->dims[d]) return absl::OkStatus();
  }
  const Dims strides = StridesOf(in->dims);
  return Move(args, 0, in, [&](Dims at) {
    for (size_t d = 0; d < at.size(); ++d) at[d] += *(*begin)[d];
    return Offset(at, strides);
  });
}

absl::Status SplitValue(ShapeArgs& args) {
  const SmallTensor* in = args.value(1);
  if (in == nullptr) return absl::OkStatus();
  const int axis = KnownAxis(args.ScalarValue(0), static_cast<int>(in->dims.size()));
  for (int k = 0; k < args.num_outputs() && axis >= 0; ++k) {
    BERTH_RETURN_IF_ERROR(Part(args, k, in, axis, k * (in->dims[axis] / args.num_outputs())));
  }
  return absl::OkStatus();
}

absl::Status SplitVValue(ShapeArgs& args) {
  const SmallTensor* in = args.value(0);
  if (in == nullptr) return absl::OkStatus();
  const int axis = KnownAxis(args.ScalarValue(2), static_cast<int>(in->dims.size()));
  int64_t first = 0;
  for (int k = 0; k < args.num_outputs() && axis >= 0; ++k) {
    if (!args.output(k).fully_defined()) return absl::OkStatus();
    BERTH_RETURN_IF_ERROR(Part(args, k, in, axis, first));
    first += args.output(k).dim(axis);
  }
  return absl::OkStatus();
}

absl::Status StridedSliceValue(ShapeArgs& args) {
  const SmallTensor* in = args.value(0);
  if (in == nullptr) return absl::OkStatus();
  BERTH_ASSIGN_OR_RETURN(const std::optional<SliceSpec> spec, StridedSliceSpec(args));
  if (!spec.has_value()) return absl::OkStatus();
  for (const SliceSpec::Dim& dim : spec->dims) {
    if (!dim.known) return absl::OkStatus();
  }
  const Dims strides = StridesOf(in->dims);
  return Move(args, 0, in, [&](const Dims& at) {
    int64_t offset = 0;
    for (size_t d = 0; d < spec->dims.size(); ++d) offset += spec->dims[d].first * strides[d];
    for (size_t k = 0; k < at.size(); ++k) {
      const int d = spec->output[k];
      if (d != SliceSpec::kNewAxis) offset += at[k] * spec->dims[d].stride * strides[d];
    }
    return offset;
  });
}

absl::Status TileValue(ShapeArgs& args) {
  const SmallTensor* in = args.value(0);
  if (in == nullptr) return absl::OkStatus();
  const Dims strides = StridesOf(in->dims);
  return Move(args, 0, in, [&](Dims at) {
    for (size_t d = 0; d < at.size(); ++d) at[d] %= std::max<int64_t>(in->dims[d], 1);
    return Offset(at, strides);
  });
}

absl::Status TransposeValue(ShapeArgs& args) {
  const SmallTensor* in = args.value(0);
  const auto perm = args.IntValues(1);
  if (in == nullptr || !perm.has_value() || perm->size() != in->dims.size()) return absl::OkStatus();
  const Dims strides = StridesOf(in->dims);
  Dims moved(strides.size());
  for (size_t d = 0; d < moved.size(); ++d) {
    const int from = KnownAxis((*perm)[d], static_cast<int>(moved.size()));
    if (from < 0) return absl::OkStatus();
    moved[d] = strides[from];
  }
  return Move(args, 0, in, [&](const Dims& at) { return Offset(at, moved); });
}

}  // namespace berth
