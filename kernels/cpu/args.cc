#include "kernels/cpu/args.h"

#include "absl/strings/str_join.h"
#include "graph/status_macros.h"

namespace berth::cpu {
const std::vector<DType>& FloatTypes() {
  static const auto* const types =
      new std::vector<DType>{DType::kFloat16, DType::kBfloat16, DType::kFloat32, DType::kFloat64};
  return *types;
}

const std::vector<DType>& NumericTypes() {
  static const auto* const types = new std::vector<DType>{
      DType::kFloat16, DType::kBfloat16, DType::kFloat32, DType::kFloat64, DType::kInt8,   DType::kInt16,
      DType::kInt32,   DType::kInt64,    DType::kUint8,   DType::kUint16,  DType::kUint32, DType::kUint64};
  return *types;
}

const std::vector<DType>& AllTypes() {
  static const auto* const types = [] {
    auto* all = new std::vector<DType>(NumericTypes());
    all->push_back(DType::kBool);
    all->push_back(DType::kString);
    return all;
  }();
  return *types;
}

const std::vector<DType>& IndexTypes() {
  static const auto* const types = new std::vector<DType>{DType::kInt32, DType::kInt64};
  return *types;
}

int64_t IntAt(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DType::kInt8:
      return t.kernel<int8_t>()[i];
    case DType::kInt16:
      return t.kernel<int16_t>()[i];
    case DType::kInt32:
      return t.kernel<int32_t>()[i];
    case DType::kInt64:
      return t.kernel<int64_t>()[i];
    case DType::kUint8:
      return t.kernel<uint8_t>()[i];
    case DType::kUint16:
      return t.kernel<uint16_t>()[i];
    case DType::kUint32:
      return t.kernel<uint32_t>()[i];
    case DType::kUint64:
      return static_cast<int64_t>(t.kernel<uint64_t>()[i]);
    default:
      return 0;
  }
}

absl::StatusOr<std::vector<int64_t>> IntsOf(const Tensor& t, absl::string_view what) {
  if (!IsInteger(t.dtype()) || t.rank() > 1) {
    return Refuse("expected ", what, " to be a vector of integers, got ", DTypeName(t.dtype()), t.ShapeString());
  }
  std::vector<int64_t> values(t.num_elements());
  for (size_t i = 0; i < values.size(); ++i) values[i] = IntAt(t, i);
  return values;
}

absl::StatusOr<int64_t> IntOf(const Tensor& t, absl::string_view what) {
  if (!IsInteger(t.dtype()) || t.num_elements() != 1) {
    return Refuse("expected ", what, " to be one integer, got ", DTypeName(t.dtype()), t.ShapeString());
  }
  return IntAt(t, 0);
}

absl::StatusOr<int> AxisOf(int64_t axis, int rank, absl::string_view what) {
  if (axis < -rank || axis >= rank) {
    return Refuse("expected ", what, " in [", -rank, ",", rank, "), got ", axis);
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

absl::Status ExpectRank(const Tensor& t, int rank, absl::string_view what) {
  if (t.rank() == rank) return absl::OkStatus();
  return Refuse("expected ", what, " of rank ", rank, ", got shape ", t.ShapeString());
}

absl::Status ExpectDims(const Tensor& t, const Dims& dims, absl::string_view what) {
  if (t.dims() == dims) return absl::OkStatus();
  return Refuse("expected ", what, " of shape ", DimsString(dims), ", got ", t.ShapeString());
}

std::vector<int64_t> IntListAttr(const Node& node, absl::string_view name) {
  const AttrList* list = node.AttrOrDefault<AttrList>(name);
  return list == nullptr ? std::vector<int64_t>() : list->i;
}

std::string DimsString(const Dims& dims) { return absl::StrCat("[", absl::StrJoin(dims, ","), "]"); }

int64_t CountOf(const Dims& dims) { return CountOf(dims, 0, static_cast<int>(dims.size())); }

int64_t CountOf(const Dims& dims, int begin, int end) {
  int64_t n = 1;
  for (int i = begin; i < end; ++i) n = Product(n, dims[i]);
  return n;
}

}  // namespace berth::cpu
