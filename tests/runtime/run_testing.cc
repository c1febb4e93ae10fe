#include "tests/runtime/run_testing.h"

#include <chrono>
#include <cstdlib>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/graph_builder.h"
#include "graph/literal_text.h"
#include "graph/shape_args.h"
#include "graph/status_macros.h"
#include "graph/text.h"
#include "kernels/kernels.h"

namespace berth {
namespace {

absl::Status SameShape(ShapeArgs& args) { return args.set_output(0, args.input(0)); }
absl::Status ScalarShape(ShapeArgs& args) { return args.set_output(0, PartialShape::Scalar()); }

absl::Status RunFail(KernelArgs&) { return absl::InvalidArgumentError("expected luck, got none"); }

absl::Status RunWait(KernelArgs& args) {
  const int64_t* ms = args.node().AttrOrDefault<int64_t>("ms");
  std::this_thread::sleep_for(std::chrono::milliseconds(ms == nullptr ? 0 : *ms));
  return args.SetOutput(0, args.input(0));
}

struct TickState : KernelState {
  int64_t count = 0;
};

absl::Status RunTick(KernelArgs& args) {
  if (args.state() == nullptr) args.state() = std::make_unique<TickState>();
  BERTH_ASSIGN_OR_RETURN(Tensor * n, args.Allocate(0, {}));
  *n->kernel<int64_t>() = ++static_cast<TickState&>(*args.state()).count;
  return absl::OkStatus();
}

absl::Status RunPlusHost(KernelArgs& args) {
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.ForwardOrAllocate(0, 0));
  // A host argument is at the same address for the host and for the kernel.
  const Tensor& h = args.input(1);
  if (h.data() != h.kernel_data()) return absl::InternalError("expected an argument in host memory, got another one");
  const float* x = args.input(0).kernel<float>();
  for (int64_t i = 0; i < y->num_elements(); ++i) y->kernel<float>()[i] = x[i] + h.kernel<int32_t>()[0];
  return absl::OkStatus();
}

absl::Status RunLengthOf(KernelArgs& args) {
  BERTH_ASSIGN_OR_RETURN(Tensor * n, args.Allocate(0, {}));
  if (n->data() != n->kernel_data()) return absl::InternalError("expected an output in host memory, got another one");
  *n->kernel<int32_t>() = static_cast<int32_t>(args.input(0).num_elements());
  return absl::OkStatus();
}

absl::Status RunTrip(KernelArgs& args) {
  const int64_t id = *args.node().AttrOrDefault<int64_t>("id");
  const int64_t fault = args.input(1).kernel<int32_t>()[0];
  if (fault == id) return absl::InvalidArgumentError("expected luck, got none");
  if (fault == id + kTripWaits) std::this_thread::sleep_for(std::chrono::milliseconds(4));
  if (fault == id + kTripCancels) TripCancels().load()->Cancel();
  return args.SetOutput(0, args.input(0));
}

ArgDef TypedArg(const std::string& name, DType type) { return {.name = name, .type = type}; }
ArgDef GenericArg(const std::string& name) { return {.name = name, .type_attr = "T"}; }

std::shared_ptr<const OpTable> MakeOps() {
  auto ops = std::make_shared<OpTable>();
  for (const OpDef* op : StandardOps()->All()) {
    if (!ops->Add(*op).ok()) std::abort();
  }
  const AttrDef t{.name = "T", .type = "type"};
  const AttrDef ms{.name = "ms", .type = "int"};
  const OpDef own[] = {
      {.name = "Fail", .inputs = {GenericArg("x")}, .outputs = {GenericArg("y")}, .attrs = {t}, .shape_fn = SameShape},
      {.name = "Wait",
       .inputs = {GenericArg("x")},
       .outputs = {GenericArg("y")},
       .attrs = {t, ms},
       .shape_fn = SameShape},
      {.name = "Tick", .outputs = {TypedArg("n", DType::kInt64)}, .stateful = true, .shape_fn = ScalarShape},
      {.name = "PlusHost",
       .inputs = {TypedArg("x", DType::kFloat32), TypedArg("h", DType::kInt32)},
       .outputs = {TypedArg("y", DType::kFloat32)},
       .shape_fn = SameShape},
      {.name = "LengthOf",
       .inputs = {TypedArg("x", DType::kFloat32)},
       .outputs = {TypedArg("n", DType::kInt32)},
       .shape_fn = ScalarShape},
      {.name = "Trip",
       .inputs = {GenericArg("x"), TypedArg("fault", DType::kInt32)},
       .outputs = {GenericArg("y")},
       .attrs = {t, {.name = "id", .type = "int"}},
       .shape_fn = SameShape},
      {.name = "NoKernelA", .inputs = {GenericArg("x")}, .outputs = {GenericArg("y")}, .attrs = {t}},
      {.name = "NoKernelB", .inputs = {GenericArg("x")}, .outputs = {GenericArg("y")}, .attrs = {t}},
  };
  for (const OpDef& op : own) {
    if (!ops->Add(op).ok()) std::abort();
  }
  return ops;
}

std::shared_ptr<const KernelTable> MakeKernels() {
  auto kernels = std::make_shared<KernelTable>();
  for (const auto& def : CpuKernels()->all()) kernels->Add(*def);
  kernels->Add({.op = "Fail", .run = RunFail});
  kernels->Add({.op = "Wait", .run = RunWait});
  kernels->Add({.op = "Tick", .run = RunTick});
  kernels->Add({.op = "PlusHost", .host_args = {"h"}, .run = RunPlusHost, .in_place = {0}});
  kernels->Add({.op = "LengthOf", .host_args = {"n"}, .run = RunLengthOf});
  kernels->Add({.op = "Trip", .host_args = {"fault"}, .run = RunTrip});
  return kernels;
}

// The same graph with the type attributes that inputs tell and the text left out, in topological order.
absl::StatusOr<Graph> WithTypes(const Graph& graph) {
  GraphBuilder builder(graph.ops());
  std::vector<NodeId> made(graph.num_nodes(), kNoNode);
  for (NodeId id : graph.TopologicalOrder()) {
    const Node node = graph.node(id);
    std::vector<Input> inputs;
    for (const Input& in : node.inputs()) inputs.push_back({made[in.node], in.slot});
    std::vector<std::pair<absl::string_view, AttrValue>> attrs;
    for (const NamedAttr& attr : node.attrs()) attrs.emplace_back(attr.name, *attr.value);
    const OpDef* op = node.op_def();
    for (size_t i = 0; op != nullptr && i < op->inputs.size() && i < node.data_inputs().size(); ++i) {
      const std::string& name = op->inputs[i].type_attr;
      bool given = name.empty();
      for (const auto& attr : attrs) given |= attr.first == name;
      if (!given) attrs.emplace_back(name, AttrValue(BaseOf(builder.output_dtype(inputs[i].node, inputs[i].slot))));
    }
    NodeSpec spec;
    spec.name = node.name();
    spec.op = node.op();
    spec.device = node.device();
    spec.inputs = inputs;
    spec.attrs = attrs;
    BERTH_ASSIGN_OR_RETURN(made[id], builder.AddNode(spec));
  }
  return std::move(builder).Build();
}

}  // namespace

std::atomic<Cancellation*>& TripCancels() {
  static std::atomic<Cancellation*> cancels{nullptr};
  return cancels;
}

std::shared_ptr<const OpTable> TestOps() {
  static const auto& ops = *new std::shared_ptr<const OpTable>(MakeOps());
  return ops;
}

std::shared_ptr<const KernelTable> TestKernels() {
  static const auto& kernels = *new std::shared_ptr<const KernelTable>(MakeKernels());
  return kernels;
}

absl::StatusOr<Graph> TestGraph(const std::string& text) {
  BERTH_ASSIGN_OR_RETURN(Graph graph, ParseGraphText(text, TestOps(), "test"));
  return WithTypes(graph);
}

absl::StatusOr<std::unique_ptr<Session>> TestSession(const std::string& text, const std::string& machine,
                                                     std::vector<std::string> fetches) {
  BERTH_ASSIGN_OR_RETURN(Graph graph, TestGraph(text));
  SessionOptions options;
  BERTH_ASSIGN_OR_RETURN(options.machine, ParseMachine(machine));
  options.policy = Pins() | Policy(Else("cpu:0"));
  options.kernels = TestKernels();
  options.fetches = std::move(fetches);
  return Session::Create(std::make_shared<const Graph>(std::move(graph)), std::move(options));
}

Tensor Floats(Dims dims, std::vector<float> values) {
  absl::StatusOr<Tensor> t = HostTensorOf<float>(std::move(dims), values);
  if (!t.ok()) std::abort();
  return *std::move(t);
}

std::string Show(const absl::Status& status) {
  return status.ok() ? "OK" : absl::StrCat(absl::StatusCodeToString(status.code()), ": ", status.message());
}

std::string Show(const absl::StatusOr<Tensor>& value) {
  if (!value.ok()) return Show(value.status());
  if (!value->has_value()) return "none";
  std::string text = LiteralText(LiteralFrom(*value), /*all_values=*/true);
  // tensor<f32[2] 1.0,2.0>  ->  f32[2] 1.0,2.0
  return text.substr(7, text.size() - 8);
}

std::string Show(const absl::StatusOr<std::vector<Tensor>>& values) {
  if (!values.ok()) return Show(values.status());
  std::vector<std::string> texts;
  for (const Tensor& value : *values) texts.push_back(Show(absl::StatusOr<Tensor>(value)));
  return absl::StrJoin(texts, "; ");
}

}  // namespace berth
