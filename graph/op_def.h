// What the graph layer knows of an op: its signature, its attributes with defaults, and how output shapes follow.
//
//   Conv2D(input: T, filter: T) -> (output: T)
//     T: type in {f16,bf16,f32,f64,i32}; strides: list(int); padding: string in {SAME,VALID,EXPLICIT}; ...
#ifndef BERTH_GRAPH_OP_DEF_H_
#define BERTH_GRAPH_OP_DEF_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "graph/attr_value.h"
#include "graph/dtype.h"

namespace berth {

class ShapeArgs;  // graph/shape_args.h: what a shape function sees
using ShapeFn = absl::Status (*)(ShapeArgs& args);

// One formal input or output. Exactly one of `type`, `type_attr`, `type_list_attr` says its dtype; `number_attr`, when
// set, makes it that many tensors of one dtype; `type_list_attr` makes it one tensor for each type of the list.
struct ArgDef {
  std::string name;
  DType type = DType::kInvalid;
  std::string type_attr;
  std::string number_attr;
  std::string type_list_attr;
  bool is_ref = false;
};

struct AttrDef {
  std::string name;
  std::string type;  // int, float, bool, string, type, shape, tensor, func, or list(one of these)
  std::optional<AttrValue> default_value;
  std::optional<int64_t> minimum;            // of an int, or of a list's length
  std::vector<DType> allowed_types;          // empty: any
  std::vector<std::string> allowed_strings;  // empty: any
};

struct OpDef {
  std::string name;
  std::vector<ArgDef> inputs;
  std::vector<ArgDef> outputs;
  std::vector<AttrDef> attrs;
  bool stateful = false;
  bool aggregate = false;
  bool commutative = false;
  bool allows_uninitialized_input = false;
  // Can only run on the host by nature (Print, Assert, file ops): goes to its task's cpu whatever is asked.
  bool host_only = false;
  bool distributed_communication = false;
  int64_t deprecated_since = 0;  // first version of graphs that may not hold the op; 0: none
  // Sets the outputs' shapes. Null: they are unknown.
  ShapeFn shape_fn = nullptr;
  // Sets the values of small outputs, in so far as they follow from the inputs'. Null: they are unknown.
  ShapeFn value_fn = nullptr;

  const AttrDef* FindAttr(absl::string_view name) const;
};

// True for ops that hold state under a name: Variable, VariableV2, VarHandleOp, TemporaryVariable, AutoReloadVariable.
bool IsVariableOp(absl::string_view op);

}  // namespace berth

#endif  // BERTH_GRAPH_OP_DEF_H_
