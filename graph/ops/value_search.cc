#include <utility>

#include "absl/container/flat_hash_map.h"
#include "graph/ops/value_fns.h"

namespace berth {
namespace {

// Null unless input i is known to the last element. NaN is never found again, so floats that hold one are left alone.
const SmallTensor* Whole(ShapeArgs& args, int i) {
  const SmallTensor* in = args.value(i);
  if (in == nullptr || !in->fully_known()) return nullptr;
  for (const SmallElement& e : in->elements) {
    if (e.f != e.f) return nullptr;
  }
  return in;
}

bool IsZero(const SmallElement& e) { return e.i == 0 && e.f == 0; }

// Different elements in the order of their first occurrence, and for each element which of them it is.
struct Distinct {
  std::vector<SmallElement> elements;
  std::vector<int64_t> index;
};

Distinct DistinctOf(const SmallTensor& in) {
  Distinct distinct;
  absl::flat_hash_map<std::pair<int64_t, double>, int64_t> seen;
  for (const SmallElement& e : in.elements) {
    const auto [found, added] = seen.try_emplace({e.i, e.f}, static_cast<int64_t>(seen.size()));
    if (added) distinct.elements.push_back(e);
    distinct.index.push_back(found->second);
  }
  return distinct;
}

}  // namespace

int64_t UniqueCount(ShapeArgs& args) {
  const SmallTensor* in = Whole(args, 0);
  return in == nullptr ? kUnknownDim : static_cast<int64_t>(DistinctOf(*in).elements.size());
}

int64_t NonZeroCount(ShapeArgs& args) {
  const SmallTensor* in = args.value(0);
  if (in == nullptr || !in->fully_known()) return kUnknownDim;
  int64_t count = 0;
  for (const SmallElement& e : in->elements) count += IsZero(e) ? 0 : 1;
  return count;
}

absl::Status UniqueValue(ShapeArgs& args) {
  const SmallTensor* in = Whole(args, 0);
  if (in == nullptr) return absl::OkStatus();
  Distinct distinct = DistinctOf(*in);
  const int64_t count = static_cast<int64_t>(distinct.elements.size());
  args.set_value(0, {in->dtype, {count}, std::move(distinct.elements)});
  args.set_value(1, SmallTensor::OfInts(args.output_dtype(1), {in->size()}, distinct.index));
  return absl::OkStatus();
}

absl::Status WhereValue(ShapeArgs& args) {
  const SmallTensor* in = args.value(0);
  if (in == nullptr || !in->fully_known()) return absl::OkStatus();
  const int64_t rank = static_cast<int64_t>(in->dims.size());
  std::vector<int64_t> rows;
  for (int64_t k = 0; k < in->size(); ++k) {
    if (IsZero(in->elements[k])) continue;
    rows.resize(rows.size() + rank);
    int64_t rest = k;
    for (int64_t d = rank - 1; d >= 0; --d) {
      rows[rows.size() - rank + d] = rest % in->dims[d];
      rest /= in->dims[d];
    }
  }
  const int64_t count = NonZeroCount(args);
  if (count * rank <= SmallTensor::kMaxElements)
    args.set_value(0, SmallTensor::OfInts(DType::kInt64, {count, rank}, rows));
  return absl::OkStatus();
}

// Row indices[i][k] of the output is row k of data[i]; a later one wins. Rows that no index names are unknown.
absl::Status DynamicStitchValue(ShapeArgs& args) {
  std::optional<SmallTensor> out = SmallTensor::Unknown(BaseOf(args.output_dtype(0)), args.output(0));
  const int n = args.num_inputs() / 2;
  if (!out.has_value() || out->dims[0] == 0) return absl::OkStatus();
  const int64_t row = out->size() / out->dims[0];
  for (int i = 0; i < n; ++i) {
    const SmallTensor* indices = args.value(i);
    const SmallTensor* data = args.value(i + n);
    if (indices == nullptr || !indices->fully_known()) return absl::OkStatus();
    for (int64_t k = 0; k < indices->size(); ++k) {
      const int64_t to = indices->elements[k].i;
      if (to < 0 || to >= out->dims[0]) return absl::OkStatus();
      for (int64_t r = 0; r < row; ++r) {
        const bool known = data != nullptr && k * row + r < data->size();
        out->elements[to * row + r] = known ? data->elements[k * row + r] : SmallElement();
      }
    }
  }
  args.set_value(0, *std::move(out));
  return absl::OkStatus();
}

absl::Status OneHotValue(ShapeArgs& args) {
  std::optional<SmallTensor> out = SmallTensor::Unknown(BaseOf(args.output_dtype(0)), args.output(0));
  const SmallTensor* indices = args.value(0);
  const SmallTensor* on = args.value(2);
  const SmallTensor* off = args.value(3);
  if (!out.has_value() || indices == nullptr || on == nullptr || off == nullptr) return absl::OkStatus();
  const int64_t axis = args.Attr<int64_t>("axis", -1);
  const size_t at = axis < 0 ? out->dims.size() - 1 : static_cast<size_t>(axis);
  int64_t inner = 1;
  for (size_t d = at + 1; d < out->dims.size(); ++d) inner *= out->dims[d];
  const int64_t depth = out->dims[at];
  for (int64_t k = 0; k < out->size(); ++k) {
    const SmallElement& index = indices->elements[k / (depth * inner) * inner + k % inner];
    if (index.known) out->elements[k] = (index.i == k / inner % depth ? on : off)->elements[0];
  }
  args.set_value(0, *std::move(out));
  return absl::OkStatus();
}

}  // namespace berth
