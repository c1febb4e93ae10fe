#include "graph/shape.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace berth {

PartialShape PartialShape::OfRank(int rank) {
  return PartialShape(absl::MakeConstSpan(std::vector<int64_t>(rank, kUnknownDim)));
}

bool PartialShape::fully_defined() const {
  return has_rank_ && std::find(dims_.begin(), dims_.end(), kUnknownDim) == dims_.end();
}

std::optional<int64_t> PartialShape::num_elements() const {
  if (!fully_defined()) return std::nullopt;
  // A zero anywhere wins over an overflow elsewhere.
  if (std::find(dims_.begin(), dims_.end(), 0) != dims_.end()) return 0;
  int64_t product = 1;
  for (int64_t dim : dims_) {
    if (__builtin_mul_overflow(product, dim, &product)) return std::nullopt;
  }
  return product;
}

std::string PartialShape::ToString() const {
  if (!has_rank_) return "?";
  std::string text = "[";
  for (size_t i = 0; i < dims_.size(); ++i) {
    if (i > 0) text += ',';
    if (dims_[i] == kUnknownDim) {
      text += '?';
    } else {
      absl::StrAppend(&text, dims_[i]);
    }
  }
  return text + "]";
}

bool Compatible(const PartialShape& a, const PartialShape& b) {
  if (!a.has_rank() || !b.has_rank()) return true;
  if (a.rank() != b.rank()) return false;
  for (int i = 0; i < a.rank(); ++i) {
    if (a.dim(i) != kUnknownDim && b.dim(i) != kUnknownDim && a.dim(i) != b.dim(i)) return false;
  }
  return true;
}

absl::StatusOr<PartialShape> MergeShapes(const PartialShape& a, const PartialShape& b) {
  if (!a.has_rank()) return b;
  if (!b.has_rank()) return a;
  if (a.rank() != b.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("shapes ", a.ToString(), " and ", b.ToString(), " differ in rank"));
  }
  PartialShape merged = a;
  for (int i = 0; i < a.rank(); ++i) {
    if (a.dim(i) == kUnknownDim) {
      merged.set_dim(i, b.dim(i));
    } else if (b.dim(i) != kUnknownDim && a.dim(i) != b.dim(i)) {
      return absl::InvalidArgumentError(
          absl::StrCat("shapes ", a.ToString(), " and ", b.ToString(), " differ in dimension ", i));
    }
  }
  return merged;
}

absl::StatusOr<PartialShape> BroadcastShapes(const PartialShape& a, const PartialShape& b) {
  if (!a.has_rank() || !b.has_rank()) return PartialShape::Unknown();
  const int rank = std::max(a.rank(), b.rank());
  PartialShape result = PartialShape::OfRank(rank);
  for (int i = 0; i < rank; ++i) {
    const int at_a = i - (rank - a.rank());
    const int at_b = i - (rank - b.rank());
    const int64_t x = at_a < 0 ? 1 : a.dim(at_a);
    const int64_t y = at_b < 0 ? 1 : b.dim(at_b);
    if (x == 1 || x == y) {
      result.set_dim(i, y);
    } else if (y == 1) {
      result.set_dim(i, x);
    } else if (x == kUnknownDim || y == kUnknownDim) {
      // The unknown one is 1 or the known one, which is not 1.
      result.set_dim(i, x == kUnknownDim ? y : x);
    } else {
      return absl::InvalidArgumentError(absl::StrCat("shapes ", a.ToString(), " and ", b.ToString(),
                                                     " do not broadcast: ", x, " against ", y, " in dimension ", i,
                                                     " of the result"));
    }
  }
  return result;
}

absl::StatusOr<PartialShape> ParseShape(absl::string_view text) {
  if (text == "?") return PartialShape::Unknown();
  absl::string_view inner = text;
  if (!absl::ConsumePrefix(&inner, "[") || !absl::ConsumeSuffix(&inner, "]")) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a shape such as [1,?,3] or ?, got '", text.substr(0, 64), "'"));
  }
  std::vector<int64_t> dims;
  if (inner.empty()) return PartialShape(dims);
  for (absl::string_view part : absl::StrSplit(inner, ',')) {
    int64_t dim = kUnknownDim;
    if (part != "?" && (!absl::SimpleAtoi(part, &dim) || dim < 0)) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected a dimension of at least 0 or ?, got '", part.substr(0, 64), "'"));
    }
    dims.push_back(dim);
  }
  return PartialShape(dims);
}

}  // namespace berth
