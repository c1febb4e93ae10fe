#include "runtime/kernel_runner.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "graph/graph_builder.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

using Attrs = std::vector<std::pair<absl::string_view, AttrValue>>;

class CallArgs final : public KernelArgs {
 public:
  CallArgs(const Node& node, absl::Span<Tensor* const> inputs, absl::Span<Tensor* const> outputs,
           absl::Span<Tensor* const> variables, std::unique_ptr<KernelState>* state, int threads)
      : KernelArgs(node, inputs, outputs, state, threads), variables_(variables) {}

  absl::StatusOr<Tensor*> Allocate(int output, const Dims& dims) override {
    BERTH_ASSIGN_OR_RETURN(*outputs_[output], AllocateHostTensor(BaseOf(node_.output_dtype(output)), dims));
    return outputs_[output];
  }
  // Always a new block: what a kernel does with one that it takes over is tested by plans.
  absl::StatusOr<Tensor*> ForwardOrAllocate(int output, int in) override { return Allocate(output, input(in).dims()); }
  absl::StatusOr<void*> Scratch(size_t bytes) override {
    BERTH_ASSIGN_OR_RETURN(std::shared_ptr<Buffer> block, AllocateHostBuffer(bytes));
    scratch_.push_back(std::move(block));
    return scratch_.back()->kernel_data();
  }
  absl::Status SetOutput(int output, Tensor t) override {
    *outputs_[output] = std::move(t);
    return absl::OkStatus();
  }
  absl::Status AssignVariable(int in, Tensor value) override {
    BERTH_ASSIGN_OR_RETURN(*variables_[in], CopyHostTensor(value));
    return absl::OkStatus();
  }
  absl::StatusOr<Tensor> ReadVariable(int in) override {
    if (!variables_[in]->has_value()) {
      return absl::FailedPreconditionError(absl::StrCat("variable of input ", in, " is not initialised"));
    }
    return *variables_[in];
  }
  bool VariableInitialized(int in) override { return variables_[in]->has_value(); }

 private:
  absl::Span<Tensor* const> variables_;
  std::vector<std::shared_ptr<Buffer>> scratch_;
};

// The formal argument that each input belongs to, given how many inputs there are: at most one
// formal is repeated.
std::vector<const ArgDef*> Formals(const OpDef& op, int num_inputs) {
  std::vector<const ArgDef*> formals;
  const int rest = num_inputs - static_cast<int>(op.inputs.size()) + 1;
  for (const ArgDef& arg : op.inputs) {
    const bool repeated = !arg.number_attr.empty() || !arg.type_list_attr.empty();
    formals.insert(formals.end(), repeated ? std::max(rest, 0) : 1, &arg);
  }
  return formals;
}

// Adds what inputs tell of attributes that the call leaves out.
void InferAttrs(const OpDef& op, const std::vector<const ArgDef*>& formals, const KernelCall& call, Attrs& attrs) {
  std::map<std::string, AttrValue> inferred;
  std::map<std::string, int64_t> numbers;
  std::map<std::string, AttrList> lists;
  for (const ArgDef& arg : op.inputs) {
    if (!arg.number_attr.empty()) numbers[arg.number_attr] = 0;
    if (!arg.type_list_attr.empty()) lists[arg.type_list_attr] = {};
  }
  for (size_t i = 0; i < formals.size() && i < call.inputs.size(); ++i) {
    const DType dtype = call.inputs[i].dtype();
    if (!formals[i]->type_attr.empty() && dtype != DType::kInvalid) inferred[formals[i]->type_attr] = AttrValue(dtype);
    if (!formals[i]->number_attr.empty()) ++numbers[formals[i]->number_attr];
    if (!formals[i]->type_list_attr.empty()) lists[formals[i]->type_list_attr].type.push_back(dtype);
  }
  for (const auto& [name, n] : numbers) inferred[name] = AttrValue(n);
  for (const auto& [name, list] : lists) inferred[name] = AttrValue(list);
  for (const auto& [name, value] : inferred) {
    bool given = false;
    for (const auto& attr : attrs) given |= attr.first == name;
    const AttrDef* def = op.FindAttr(name);
    if (!given && def != nullptr) attrs.emplace_back(def->name, value);
  }
}

bool HoldsVariable(const ArgDef& arg) { return arg.is_ref || arg.type == DType::kResource; }

// The producer of an input: a placeholder of its type and shape, or a variable.
absl::StatusOr<NodeId> AddProducer(GraphBuilder& builder, const ArgDef* formal, const Tensor& value, DType dtype,
                                   int index) {
  const std::string name = absl::StrCat("input_", index);
  NodeSpec spec{.name = name, .op = "Placeholder"};
  Attrs attrs = {{"dtype", AttrValue(dtype)}};
  if (formal != nullptr && HoldsVariable(*formal)) {
    spec.op = formal->is_ref ? "VariableV2" : "VarHandleOp";
  }
  attrs.emplace_back("shape", AttrValue(PartialShape(value.dims())));
  spec.attrs = attrs;
  return builder.AddNode(spec);
}

absl::StatusOr<Graph> OneNodeGraph(const KernelCall& call) {
  std::shared_ptr<const OpTable> ops = call.ops ? call.ops : StandardOps();
  const OpDef* op = ops->Find(call.op);
  GraphBuilder builder(std::move(ops));
  Attrs attrs;
  for (const auto& [name, value] : call.attrs) attrs.emplace_back(name, value);
  std::vector<const ArgDef*> formals;
  if (op != nullptr) {
    formals = Formals(*op, static_cast<int>(call.inputs.size()));
    InferAttrs(*op, formals, call, attrs);
  }
  std::vector<Input> inputs;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const ArgDef* formal = i < formals.size() ? formals[i] : nullptr;
    DType dtype = call.inputs[i].dtype();
    for (const auto& [name, value] : attrs) {
      // An uninitialised variable takes the type that the node asks for.
      const bool names_type = formal != nullptr && (name == formal->type_attr || name == "dtype");
      if (dtype == DType::kInvalid && names_type && value.get<DType>() != nullptr) dtype = *value.get<DType>();
    }
    BERTH_ASSIGN_OR_RETURN(NodeId id, AddProducer(builder, formal, call.inputs[i], dtype, static_cast<int>(i)));
    inputs.push_back({id, 0});
  }
  BERTH_RETURN_IF_ERROR(builder.AddNode({.name = call.name, .op = call.op, .inputs = inputs, .attrs = attrs}).status());
  return std::move(builder).Build();
}

}  // namespace

absl::StatusOr<KernelResult> CallKernel(const KernelTable& table, const KernelCall& call, int times) {
  BERTH_ASSIGN_OR_RETURN(Graph graph, OneNodeGraph(call));
  const Node node = graph.node(graph.num_nodes() - 1);
  const KernelDef* kernel = table.Find(node, call.kind, call.virtual_device);
  if (kernel == nullptr) {
    return absl::UnimplementedError(absl::StrCat("node '", call.name, "' (", call.op, "): no kernel on ", call.kind));
  }
  std::vector<Tensor> values = call.inputs;
  std::vector<Tensor> outputs(node.num_outputs());
  std::vector<Tensor*> in, out;
  for (Tensor& t : values) in.push_back(&t);
  for (Tensor& t : outputs) out.push_back(&t);
  std::unique_ptr<KernelState> state;
  for (int i = 0; i < times; ++i) {
    CallArgs args(node, in, out, in, &state, call.threads);
    BERTH_RETURN_IF_ERROR(kernel->run(args));
  }
  KernelResult result;
  result.variables.resize(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const DType dtype = node.input_dtype(static_cast<int>(i));
    if (IsRef(dtype) || dtype == DType::kResource) result.variables[i] = values[i];
  }
  for (int k = 0; k < node.num_outputs(); ++k) {
    if (IsRef(node.output_dtype(k)) && !values.empty()) outputs[k] = values[0];
  }
  result.outputs = std::move(outputs);
  return result;
}

absl::StatusOr<std::vector<Tensor>> RunKernel(const KernelTable& table, const KernelCall& call) {
  BERTH_ASSIGN_OR_RETURN(KernelResult result, CallKernel(table, call));
  return std::move(result.outputs);
}

}  // namespace berth
