// Shape functions of variables, queues, lists and other things that handles refer to.
#include "tests/graph/shape_case.h"
#include "tests/testing.h"

namespace berth {
namespace {

TEST_CASE("shapes: variables") {
  CheckShapes({
      {"VariableV2", "", "shape=shape [2,3], dtype=f32", "[2,3]"},
      {"VarHandleOp", "", "shape=shape [2,3], dtype=f32", "[]"},
      {"ReadVariableOp", "var:f32[2,3]", "dtype=f32", "[2,3]"},
      {"ReadVariableOp", "resource?", "dtype=f32", "?"},
      {"ReadVariableOp", "var:f32[2,3]", "dtype=i32", "error: variable 'resource' must hold i32, got f32"},
      {"AssignVariableOp", "var:f32[2,3] f32[2,?]", "", ""},
      {"AssignVariableOp", "var:f32[2,3] f32[3]", "",
       "error: the value must have the variable's shape: shapes [2,3] and [3] differ in rank"},
      {"AssignAddVariableOp", "var:f32[2] f32[3]", "",
       "error: the value must have the variable's shape: shapes [2] and [3] differ in dimension 0"},
      {"VarIsInitializedOp", "var:f32[2]", "", "[]"},
      {"ResourceGather", "var:f32[9,4] i32[2,3]", "dtype=f32", "[2,3,4]"},
      {"ResourceGather", "var:f32[] i32[2]", "dtype=f32",
       "error: batch_dims must be less than the rank of the variable and at most that of indices, got 0 for [] and "
       "[2]"},
      {"ResourceScatterAdd", "var:f32[9,4] i32[2] f32[2,5]", "",
       "error: updates must have the shape of the rows they change: shapes [2,4] and [2,5] differ in dimension 1"},
      {"ResourceScatterAdd", "var:f32[9,4] i32[2] f32[]", "", ""},
      {"Assign", "f32&[2,?] f32[?,3]", "", "[2,3]"},
      {"Assign", "f32&[2] f32[3]", "validate_shape=false", "[3]"},
      {"Assign", "f32&[2] f32[3]", "",
       "error: the value must have the variable's shape: shapes [3] and [2] differ in dimension 0"},
      {"AssignAdd", "f32&[2] f32[2]", "", "[2]"},
      {"ApplyGradientDescent", "f32&[2] f32[] f32[2]", "", "[2]"},
      {"ApplyGradientDescent", "f32&[2] f32[1] f32[2]", "", "error: input 'alpha' must have rank 0, got [1]"},
      {"ApplyMomentum", "f32&[2] f32&[3] f32[] f32[2] f32[]", "",
       "error: variable, slots and gradient must have one shape: shapes [2] and [3] differ in dimension 0"},
      {"ResourceApplyGradientDescent", "var:f32[2] f32[] f32[3]", "",
       "error: variable, slots and gradient must have one shape: shapes [2] and [3] differ in dimension 0"},
      {"ResourceApplyAdam", "var:f32[2] var:f32[2] var:f32[2] f32[] f32[] f32[] f32[] f32[] f32[] f32[2]", "", ""},
  });
}

TEST_CASE("shapes: queues, datasets, arrays, stacks, lists") {
  CheckShapes({
      {"FIFOQueueV2", "", "component_types=[f32], shapes=[shape [2]]", "[]"},
      {"QueueDequeueV2", "resource[]", "component_types=[f32,i32]", "? ?"},
      {"IteratorGetNext", "resource[]", "output_types=[f32,i32], output_shapes=[shape [2],shape ?]", "[2] ?"},
      {"TensorArrayV3", "i32[]", "dtype=f32", "[2] []"},
      {"TensorArrayV3", "i32[2]", "dtype=f32", "error: input 'size' must have rank 0, got [2]"},
      {"TensorArrayReadV3", "resource[2] i32[] f32[]", "dtype=f32", "?"},
      {"TensorArrayReadV3", "resource[3] i32[] f32[]", "dtype=f32", "error: a handle must have two elements, got [3]"},
      {"TensorArrayGatherV3", "resource[2] i32[5] f32[]", "dtype=f32, element_shape=shape [?,3]", "[5,?,3]"},
      {"TensorArraySizeV3", "resource[2] f32[]", "", "[]"},
      {"StackV2", "i32[]", "elem_type=f32", "[2]"},
      {"StackPushV2", "resource[2] f32[4]", "", "[4]"},
      {"TensorListReserve", "i32[2]{3,-1} i32[]", "element_dtype=f32", "[]"},
      {"TensorListReserve", "i32[]{3} i32[]", "element_dtype=f32",
       "error: input 'element_shape' must be a vector or -1, got 3"},
      {"TensorListGetItem", "variant[] i32[] i32[2]{3,-1}", "element_dtype=f32", "[3,?]"},
      {"TensorListGetItem", "variant[] i32[] i32[]{-1}", "element_dtype=f32", "?"},
      {"TensorListStack", "variant[] i32[1]{4}", "element_dtype=f32, num_elements=7", "[7,4]"},
      {"TensorListStack", "variant[] i32[1]{4}", "element_dtype=f32", "[?,4]"},
      {"TensorListLength", "variant[]", "", "[]"},
  });
}

TEST_CASE("shapes: control flow, functions, strings and files") {
  CheckShapes({
      {"Switch", "f32[2,?] bool[]", "", "[2,?] [2,?]"},
      {"Switch", "f32[2,?] bool[1]", "", "error: input 'pred' must have rank 0, got [1]"},
      {"Merge", "f32[2,?] f32[2,3]", "", "[2,?] []"},
      {"Merge", "f32[2] f32[2,3]", "", "? []"},
      {"LoopCond", "bool[1]", "", "error: input 'input' must have rank 0, got [1]"},
      {"Enter", "f32[2]", "frame_name=\"f\"", "[2]"},
      {"While", "f32[2] i32?", "cond=func \"c\"{}, body=func \"b\"{}", "[2] ?"},
      {"While", "f32[2] i32?", "cond=func \"c\"{}, body=func \"b\"{}, output_shapes=[shape [?],shape []]", "[?] []"},
      {"If", "bool[] f32[2]", "Tout=[f32], then_branch=func \"c\"{}, else_branch=func \"b\"{}", "?"},
      {"If", "bool[]",
       "Tout=[f32], then_branch=func \"c\"{}, else_branch=func \"b\"{}, output_shapes=[shape [],shape []]",
       "error: output_shapes must have one shape an output, 1, got 2"},
      {"StringJoin", "string[] string[2]", "", "[2]"},
      {"StringJoin", "string[3] string[2]", "",
       "error: inputs must be scalars or of one shape: shapes [3] and [2] differ in dimension 0"},
      {"RestoreV2", "string[] string[2] string[2]", "dtypes=[f32,i32]", "? ?"},
      {"RestoreV2", "string[] string[1] string[2]", "dtypes=[f32,i32]",
       "error: input 'tensor_names' must have one element an output, 2, got [1]"},
      {"Print", "f32[2] i32[3]", "", "[2]"},
  });
}

}  // namespace
}  // namespace berth
