// Shapes that may be known in part, as they are before anything runs.
//
//   ?         unknown rank
//   [1,?,3]   rank 3, second dimension unknown
//   []        a scalar
#ifndef BERTH_GRAPH_SHAPE_H_
#define BERTH_GRAPH_SHAPE_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace berth {

constexpr int64_t kUnknownDim = -1;

// A value; copies are cheap for small ranks. Dimensions are kUnknownDim or at least 0.
class PartialShape {
 public:
  PartialShape() = default;  // unknown rank
  PartialShape(std::initializer_list<int64_t> dims) : has_rank_(true), dims_(dims) {}
  explicit PartialShape(absl::Span<const int64_t> dims) : has_rank_(true), dims_(dims.begin(), dims.end()) {}

  static PartialShape Unknown() { return PartialShape(); }
  static PartialShape OfRank(int rank);  // every dimension unknown
  static PartialShape Scalar() { return PartialShape({}); }

  bool has_rank() const { return has_rank_; }
  // REQUIRES: has_rank() for the next three.
  int rank() const { return static_cast<int>(dims_.size()); }
  int64_t dim(int i) const { return dims_[i]; }
  absl::Span<const int64_t> dims() const { return dims_; }

  void set_dim(int i, int64_t size) { dims_[i] = size; }
  bool fully_defined() const;
  // Product of the dimensions; nullopt when not fully defined, or when it does not fit int64.
  std::optional<int64_t> num_elements() const;
  std::string ToString() const;

  friend bool operator==(const PartialShape& a, const PartialShape& b) {
    return a.has_rank_ == b.has_rank_ && a.dims_ == b.dims_;
  }
  friend bool operator!=(const PartialShape& a, const PartialShape& b) { return !(a == b); }
  template <typename H>
  friend H AbslHashValue(H h, const PartialShape& s) {
    return H::combine(std::move(h), s.has_rank_, s.dims_);
  }

 private:
  bool has_rank_ = false;
  std::vector<int64_t> dims_;
};

// True when some fully defined shape refines both.
bool Compatible(const PartialShape& a, const PartialShape& b);

// The shape that knows what either knows. Error: InvalidArgument "shapes [2,3] and [2,4] differ in dimension 1".
absl::StatusOr<PartialShape> MergeShapes(const PartialShape& a, const PartialShape& b);

// NumPy's broadcasting rule, on partial shapes (as TensorFlow's BroadcastBinaryOpOutputShapeFn).
absl::StatusOr<PartialShape> BroadcastShapes(const PartialShape& a, const PartialShape& b);

// Reads ToString()'s form.
absl::StatusOr<PartialShape> ParseShape(absl::string_view text);

}  // namespace berth

#endif  // BERTH_GRAPH_SHAPE_H_
