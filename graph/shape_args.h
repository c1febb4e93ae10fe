// What a shape function sees of one node, and what it sets.
//
//   absl::Status TransposeShape(ShapeArgs& args) {       // x [2,?,3], perm {2,0,1}
//     ...args.input(0), args.value(1)...
//     return args.set_output(0, shape);                  // [3,2,?]
//   }
//
// Inputs are known in part: their shapes, the values of small ones, and what their handles refer to. A shape function
// says as much as follows for every possible input, and refuses what no input could make right. It is pure.
#ifndef BERTH_GRAPH_SHAPE_ARGS_H_
#define BERTH_GRAPH_SHAPE_ARGS_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "graph/attr_value.h"
#include "graph/dtype.h"
#include "graph/op_def.h"
#include "graph/shape.h"
#include "graph/small_tensor.h"

namespace berth {

// What a resource or variant refers to: a variable's value, the elements of a queue or of a list.
struct HandleShape {
  DType dtype = DType::kInvalid;
  PartialShape shape;
  friend bool operator==(const HandleShape&, const HandleShape&) = default;
};
using HandleShapes = std::vector<HandleShape>;

class ShapeArgs {
 public:
  virtual ~ShapeArgs() = default;

  const OpDef& op() const { return *op_; }
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  const PartialShape& input(int i) const { return *inputs_[i]; }
  virtual DType input_dtype(int i) const = 0;
  virtual DType output_dtype(int k) const = 0;
  // Null when nothing is known of it.
  virtual const HandleShapes* handle(int i) const = 0;
  // The value of input i as far as known; null unless its shape is fully defined and small and its type held by
  // SmallTensor.
  virtual const SmallTensor* value(int i) = 0;

  absl::Status set_output(int k, PartialShape shape) {
    outputs_[k] = std::move(shape);
    return absl::OkStatus();
  }
  const PartialShape& output(int k) const { return outputs_[k]; }
  virtual void set_handle(int k, HandleShapes shapes) = 0;
  // For value functions only.
  virtual void set_value(int k, SmallTensor value) = 0;

  // The attribute or its default; null when there is neither.
  const AttrValue* attr(absl::string_view name) const;
  // The attribute's value, or `otherwise` when it is absent or of another type.
  template <typename T>
  T Attr(absl::string_view name, T otherwise = T()) const {
    const AttrValue* v = attr(name);
    const T* value = v == nullptr ? nullptr : v->get<T>();
    return value == nullptr ? otherwise : *value;
  }
  absl::Span<const int64_t> Ints(absl::string_view name) const;
  absl::Span<const PartialShape> Shapes(absl::string_view name) const;

  // Input i, or OfRank(rank) when its rank is unknown. Error: `input 'a' must have rank 2, got [4]`.
  absl::StatusOr<PartialShape> WithRank(int i, int rank) const;
  // Input i. Errors likewise.
  absl::StatusOr<PartialShape> WithRankAtLeast(int i, int rank) const;
  absl::StatusOr<PartialShape> WithRankAtMost(int i, int rank) const;
  absl::Status CheckRank(int i, int rank) const { return WithRank(i, rank).status(); }

  // Input i read as a scalar integer; nullopt when unknown. A vector of one element counts as a scalar.
  std::optional<int64_t> ScalarValue(int i);
  // Input i read as a list of integers, unknown elements as nullopt; nullopt when even the length is unknown.
  std::optional<std::vector<std::optional<int64_t>>> IntValues(int i);
  // Input i, a vector, read as a shape: -1 and unknown elements are unknown dimensions; its length, when known, is the
  // rank. Errors: elements below -1, rank other than 1.
  absl::StatusOr<PartialShape> ShapeValue(int i);

  // "a", or "values[1]" where the signature has a list.
  std::string InputName(int i) const;

 protected:
  virtual const AttrValue* own_attr(absl::string_view name) const = 0;

  const OpDef* op_ = nullptr;
  std::vector<const PartialShape*> inputs_;
  std::vector<PartialShape> outputs_;
};

// InvalidArgument with the parts put together; whoever runs the shape function adds node and op in front.
template <typename... Parts>
absl::Status ShapeError(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

}  // namespace berth

#endif  // BERTH_GRAPH_SHAPE_ARGS_H_
