// Reading what a kernel is given: attributes, small integer inputs, axes. Messages here and in
// kernels leave out node, op and device: the executor puts those in front of whatever a kernel
// returns.
//
//   BERTH_ASSIGN_OR_RETURN(std::vector<int64_t> perm, IntsOf(args.input(1), "perm"));
//   BERTH_ASSIGN_OR_RETURN(int axis, AxisOf(-1, x.rank(), "axis"));
#ifndef BERTH_KERNELS_CPU_ARGS_H_
#define BERTH_KERNELS_CPU_ARGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "runtime/kernel.h"

namespace berth::cpu {

// InvalidArgument with the parts as text.
template <typename... Parts>
absl::Status Refuse(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

// The elements of an integer tensor of rank 0 or 1. Error: another rank or dtype.
absl::StatusOr<std::vector<int64_t>> IntsOf(const Tensor& t, absl::string_view what);
// The only element of an integer tensor. Error: another number of elements, or dtype.
absl::StatusOr<int64_t> IntOf(const Tensor& t, absl::string_view what);
// Element i. REQUIRES: an integer tensor, i in range.
int64_t IntAt(const Tensor& t, int64_t i);
// An axis in [-rank, rank) as one in [0, rank).
absl::StatusOr<int> AxisOf(int64_t axis, int rank, absl::string_view what);
// Error: a rank other than `rank`.
absl::Status ExpectRank(const Tensor& t, int rank, absl::string_view what);
// Error: `t` does not have exactly these dimensions.
absl::Status ExpectDims(const Tensor& t, const Dims& dims, absl::string_view what);

// The attribute's value or the op's default; `fallback` when neither says.
template <typename T>
T AttrOr(const KernelArgs& args, absl::string_view name, T fallback) {
  const T* value = args.node().AttrOrDefault<T>(name);
  return value == nullptr ? fallback : *value;
}
// A list(int) attribute; empty when absent.
std::vector<int64_t> IntListAttr(const Node& node, absl::string_view name);

std::string DimsString(const Dims& dims);  // "[2,3]"
// Wraps past the largest integer: sizes beside a dimension 0 may, and are then the sizes of nothing.
constexpr int64_t Product(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
int64_t CountOf(const Dims& dims);  // product of the dimensions
// Product of dims [begin, end).
int64_t CountOf(const Dims& dims, int begin, int end);

// Type lists of kernel tables.
const std::vector<DType>& AllTypes();      // all that have values but resource
const std::vector<DType>& NumericTypes();  // floats and integers
const std::vector<DType>& FloatTypes();    // float16, bfloat16, float32, float64
const std::vector<DType>& IndexTypes();    // int32, int64

}  // namespace berth::cpu

#endif  // BERTH_KERNELS_CPU_ARGS_H_
