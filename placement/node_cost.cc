#include "placement/node_cost.h"

#include "absl/container/flat_hash_map.h"
#include "graph/attr_value.h"
#include "graph/node_bytes.h"
#include "graph/op_def.h"

namespace berth {
namespace {

// How an op's operations follow from its shapes.
enum class Family {
  kMoves,               // none
  kShares,              // none, and its output is the memory of input 0
  kElements,            // `each` for an element of output 0
  kReduces,             // `each` for an element of input 0
  kWindow,              // one for each element of output 0 and of the attribute ksize
  kProduct,             // MatMul: transpose_a says which dimension is summed
  kBatchProduct,        // BatchMatMul: adj_x says which
  kConv,                // filter: input 1
  kConvInputGradient,   // filter: input 1, gradient: input 2
  kConvFilterGradient,  // filter: output 0, gradient: input 2
  kDepthwise,
  kDepthwiseInputGradient,
  kDepthwiseFilterGradient,
};

struct OpCost {
  Family family = Family::kMoves;
  double each = 0;
};

// Functions such as exp take about 10 operations.
constexpr double kFunction = 10;

const absl::flat_hash_map<absl::string_view, OpCost>& Table() {
  static const auto& table = *new absl::flat_hash_map<absl::string_view, OpCost>([] {
    absl::flat_hash_map<absl::string_view, OpCost> rows;
    const auto add = [&rows](Family family, double each, std::initializer_list<absl::string_view> ops) {
      for (const absl::string_view op : ops) rows[op] = {family, each};
    };
    add(Family::kShares, 0,
        {"Bitcast",         "CheckNumerics",    "Enter",     "Exit",          "ExpandDims",
         "Identity",        "LoopCond",         "Merge",     "NextIteration", "PlaceholderWithDefault",
         "PreventGradient", "ReadVariableOp",   "RefEnter",  "RefExit",       "RefIdentity",
         "RefMerge",        "RefNextIteration", "RefSwitch", "Reshape",       "Snapshot",
         "Squeeze",         "StopGradient",     "Switch"});
    add(Family::kElements, 1,
        {"Abs",       "Add",          "AddV2",      "BiasAdd",   "Cast",     "Ceil",      "Equal",         "Floor",
         "Greater",   "GreaterEqual", "IsFinite",   "IsInf",     "IsNan",    "LeakyRelu", "LeakyReluGrad", "Less",
         "LessEqual", "LogicalAnd",   "LogicalNot", "LogicalOr", "Maximum",  "Minimum",   "Mul",           "Neg",
         "NotEqual",  "Relu",         "Relu6",      "Relu6Grad", "ReluGrad", "Rint",      "Round",         "Select",
         "SelectV2",  "Sign",         "Square",     "Sub"});
    add(Family::kElements, 3, {"DivNoNan", "Div", "FloorDiv", "FloorMod", "RealDiv", "Reciprocal", "ReciprocalGrad"});
    add(Family::kElements, 3, {"SigmoidGrad", "SquaredDifference", "TanhGrad", "EluGrad"});
    add(Family::kElements, 4, {"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"});
    add(Family::kElements, kFunction,
        {"Atan2",   "Cos",       "Elu",  "Erf",      "Exp",      "Expm1",  "FusedBatchNormGradV2",
         "LRN",     "LRNGrad",   "Log",  "Log1p",    "Pow",      "Rsqrt",  "FusedBatchNormGradV3",
         "Selu",    "Sigmoid",   "Sin",  "Softplus", "Softsign", "Sqrt",   "LogSoftmax",
         "Softmax", "RsqrtGrad", "Tanh", "SqrtGrad", "Erfc",     "Digamma"});
    add(Family::kReduces, 1,
        {"All", "Any", "ArgMax", "ArgMin", "BiasAddGrad", "Cumsum", "Max", "Mean", "Min", "Prod", "Sum",
         "UnsortedSegmentSum"});
    add(Family::kReduces, 2, {"L2Loss", "TopKV2"});
    add(Family::kReduces, kFunction, {"SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits"});
    add(Family::kWindow, 1, {"AvgPool", "AvgPoolGrad", "MaxPool", "MaxPoolGrad"});
    add(Family::kProduct, 2, {"MatMul"});
    add(Family::kBatchProduct, 2, {"BatchMatMul", "BatchMatMulV2"});
    add(Family::kConv, 2, {"Conv2D", "Conv3D"});
    add(Family::kConvInputGradient, 2, {"Conv2DBackpropInput"});
    add(Family::kConvFilterGradient, 2, {"Conv2DBackpropFilter"});
    add(Family::kDepthwise, 2, {"DepthwiseConv2dNative"});
    add(Family::kDepthwiseInputGradient, 2, {"DepthwiseConv2dNativeBackpropInput"});
    add(Family::kDepthwiseFilterGradient, 2, {"DepthwiseConv2dNativeBackpropFilter"});
    return rows;
  }());
  return table;
}

OpCost RowOf(absl::string_view op) {
  const auto found = Table().find(op);
  return found == Table().end() ? OpCost{} : found->second;
}

const PartialShape& InputShape(const Node& node, int i) {
  static const auto& unknown = *new PartialShape();
  const absl::Span<const Input> inputs = node.data_inputs();
  if (i >= static_cast<int>(inputs.size())) return unknown;
  return node.graph().node(inputs[i].node).output_shape(inputs[i].slot);
}

double Elements(const PartialShape& shape) { return static_cast<double>(shape.num_elements().value_or(0)); }

double InputElements(const Node& node, int i) { return Elements(InputShape(node, i)); }

// Dimension `d` from the end of input 0; 0 where it is not known.
double SummedDimension(const Node& node, int from_end) {
  const PartialShape& shape = InputShape(node, 0);
  if (!shape.has_rank() || shape.rank() < from_end) return 0;
  const int64_t size = shape.dim(shape.rank() - from_end);
  return size == kUnknownDim ? 0 : static_cast<double>(size);
}

bool IsTrue(const Node& node, absl::string_view attr) {
  const bool* value = node.AttrOrDefault<bool>(attr);
  return value != nullptr && *value;
}

// Elements of a filter that one output element takes: all but the last `outer` dimensions, which are channels that are
// not summed.
double FilterElements(const PartialShape& filter, int outer) {
  if (!filter.fully_defined() || filter.rank() < outer) return 0;
  double product = 1;
  for (int i = 0; i < filter.rank() - outer; ++i) product *= static_cast<double>(filter.dim(i));
  return product;
}

double WindowElements(const Node& node) {
  const AttrList* ksize = node.AttrOrDefault<AttrList>("ksize");
  if (ksize == nullptr) return 0;
  double product = 1;
  for (const int64_t size : ksize->i) product *= static_cast<double>(size);
  return product;
}

double FlopsOf(const Node& node, const OpCost& row) {
  switch (row.family) {
    case Family::kMoves:
    case Family::kShares:
      return 0;
    case Family::kElements:
      return row.each * Elements(node.output_shape(0));
    case Family::kReduces:
      return row.each * InputElements(node, 0);
    case Family::kWindow:
      return row.each * Elements(node.output_shape(0)) * WindowElements(node);
    case Family::kProduct:
      return row.each * Elements(node.output_shape(0)) * SummedDimension(node, IsTrue(node, "transpose_a") ? 2 : 1);
    case Family::kBatchProduct:
      return row.each * Elements(node.output_shape(0)) * SummedDimension(node, IsTrue(node, "adj_x") ? 2 : 1);
    case Family::kConv:
      return row.each * Elements(node.output_shape(0)) * FilterElements(InputShape(node, 1), 1);
    case Family::kConvInputGradient:
      return row.each * InputElements(node, 2) * FilterElements(InputShape(node, 1), 1);
    case Family::kConvFilterGradient:
      return row.each * InputElements(node, 2) * FilterElements(node.output_shape(0), 1);
    case Family::kDepthwise:
      return row.each * Elements(node.output_shape(0)) * FilterElements(InputShape(node, 1), 2);
    case Family::kDepthwiseInputGradient:
      return row.each * InputElements(node, 2) * FilterElements(InputShape(node, 1), 2);
    case Family::kDepthwiseFilterGradient:
      return row.each * InputElements(node, 2) * FilterElements(node.output_shape(0), 2);
  }
  return 0;
}

// AddN takes one operation for each element of each input but the first.
double AddNFlops(const Node& node) {
  const auto inputs = static_cast<double>(node.data_inputs().size());
  return inputs < 2 ? 0 : (inputs - 1) * Elements(node.output_shape(0));
}

}  // namespace

std::optional<int64_t> OutputBytes(const Node& node, int slot) {
  const DType dtype = BaseOf(node.output_dtype(slot));
  if (dtype == DType::kResource || dtype == DType::kVariant) return 0;
  return TensorBytes(node.output_shape(slot), dtype);
}

bool SharesInput(const Node& node) {
  if (node.data_inputs().empty() || node.num_outputs() == 0) return false;
  return IsRef(node.output_dtype(0)) || RowOf(node.op()).family == Family::kShares;
}

NodeCost CostOf(const Node& node) {
  NodeCost cost;
  if (IsVariableOp(node.op()) || node.op() == "Const") return cost;
  const OpCost row = RowOf(node.op());
  cost.flops = node.op() == "AddN" ? AddNFlops(node) : FlopsOf(node, row);
  if (row.family == Family::kShares) return cost;
  for (int k = 0; k < node.num_outputs(); ++k) cost.bytes = AddSizes(cost.bytes, OutputBytes(node, k).value_or(0));
  for (const Input& input : node.data_inputs()) {
    const Node producer = node.graph().node(input.node);
    cost.bytes = AddSizes(cost.bytes, OutputBytes(producer, input.slot).value_or(0));
  }
  return cost;
}

}  // namespace berth
