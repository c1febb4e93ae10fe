// Scope::Op: from a call to a node.
#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "graph/node_bytes.h"
#include "graph/op_call.h"
#include "graph/plain_number.h"
#include "graph/scope.h"
#include "graph/scope_level.h"
#include "graph/signature.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

using Attr = std::pair<absl::string_view, AttrValue>;

// Makes one node, and the constants that its plain operands become. REQUIRES for all: the graph's mutex is held.
class NodeMaker {
 public:
  NodeMaker(const ScopeLevel& level, CallSite at) : level_(level), graph_(*level.graph), at_(at) {}

  // `name`: the whole name, already made unique.
  absl::StatusOr<NodeId> Make(absl::string_view name, absl::string_view op, absl::Span<const Operand> operands,
                              NamedAttrs attrs) {
    if (graph_.sealed) return Error(name, op, absl::FailedPreconditionError("graph already sealed"));
    const OpDef* def = graph_.ops->Find(op);
    if (def == nullptr) return Error(name, op, absl::NotFoundError("expected an op of the graph's op table, got none"));
    absl::InlinedVector<CallInput, 4> types;
    for (const Operand& operand : operands) types.push_back(TypeOf(operand));
    absl::StatusOr<OpCall> call = CompleteCall(*def, types, attrs);
    if (!call.ok()) return Error(name, op, call.status());

    absl::InlinedVector<Input, 6> inputs;
    for (size_t i = 0; i < operands.size(); ++i) {
      absl::StatusOr<Input> input = InputOf(operands[i], call->slots[i], name, op);
      if (!input.ok()) return input.status();
      inputs.push_back(*input);
    }
    const int data_inputs = static_cast<int>(inputs.size());
    for (NodeId node : level_.control_inputs) inputs.push_back({node, kControlSlot});

    std::vector<Attr> all(attrs.begin(), attrs.end());
    std::move(call->inferred.begin(), call->inferred.end(), std::back_inserter(all));
    AddColocation(&all);
    return Add(name, *def, absl::MakeConstSpan(inputs), data_inputs, all);
  }

 private:
  // As the graph builder's errors read.
  absl::Status Error(absl::string_view name, absl::string_view op, const absl::Status& status) const {
    const std::string line = at_.ToString();
    return absl::Status(status.code(), absl::StrCat(line, line.empty() ? "" : ": ", "node '", name, "' (", op,
                                                    "): ", status.message()));
  }

  CallInput TypeOf(const Operand& operand) const {
    if (!operand.is_output()) return {operand.literal().dtype(), operand.weak()};
    const Output& output = operand.output();
    return {graph_.builder.output_dtype(output.node(), output.slot()), false};
  }

  // Errors are whole: of this node, or of the constant.
  absl::StatusOr<Input> InputOf(const Operand& operand, const OpCall::Slot& slot, absl::string_view name,
                                absl::string_view op) {
    if (operand.is_output()) return Input{operand.output().node(), operand.output().slot()};
    Literal value = operand.literal();
    if (operand.weak()) {
      absl::StatusOr<Literal> number = NumbersAs(value, slot.dtype);
      if (!number.ok()) {
        return Error(
            name, op,
            absl::InvalidArgumentError(absl::StrCat("input '", slot.name(), "': ", number.status().message())));
      }
      value = *std::move(number);
    }
    const std::string constant = graph_.names.Take(absl::StrCat(name, "/", slot.name()));
    BERTH_ASSIGN_OR_RETURN(const NodeId node, MakeConst(constant, value));
    return Input{node, 0};
  }

  // Constants wait for nobody: no control inputs.
  absl::StatusOr<NodeId> MakeConst(absl::string_view name, const Literal& value) {
    const OpDef* def = graph_.ops->Find("Const");
    if (def == nullptr) return absl::NotFoundError("expected op 'Const' in the graph's op table, got none");
    std::vector<Attr> attrs = {{"dtype", AttrValue(value.dtype())}, {"value", AttrValue(value)}};
    AddColocation(&attrs);
    return Add(name, *def, {}, 0, attrs);
  }

  void AddColocation(std::vector<Attr>* attrs) const {
    if (level_.colocation.empty()) return;
    AttrList list;
    for (const std::string& node : level_.colocation) list.s.push_back(absl::StrCat("loc:@", node));
    attrs->emplace_back("_class", AttrValue(std::move(list)));
  }

  absl::StatusOr<NodeId> Add(absl::string_view name, const OpDef& def, absl::Span<const Input> inputs, int data_inputs,
                             absl::Span<const Attr> attrs) {
    NodeSpec spec;
    spec.name = name;
    spec.op = def.name;
    spec.inputs = inputs;
    spec.attrs = attrs;
    spec.tags = level_.tags;
    spec.source = {at_.file, at_.line};
    if (level_.fixed != nullptr) {
      spec.device = level_.fixed->device;
      if (!level_.fixed->note.origin.empty()) spec.note = &level_.fixed->note;
      return AddInferred(spec);
    }
    const bool sizes_first = (NeedsOf(level_.request.get()) & Rule::kBytes) != 0;
    NodeId node = kNoNode;
    std::optional<int64_t> bytes;
    if (sizes_first) {
      BERTH_ASSIGN_OR_RETURN(node, AddInferred(spec));
      bytes = BytesOf(node, attrs);
    }
    const Request request = AskRules(name, def, inputs.first(data_inputs), attrs, bytes);
    if (!request.too_few.empty()) {
      return Error(name, def.name,
                   absl::InvalidArgumentError(
                       absl::StrCat("expected a device for ", TowerText(), ", got none from ", request.too_few)));
    }
    const std::string device = request.device.ToString();
    spec.device = device;
    const RequestNote& note = request.note;
    if (!note.origin.empty() || !note.wishes.empty()) spec.note = &note;
    if (!sizes_first) return AddInferred(spec);
    graph_.builder.SetRequest(node, spec.device, spec.note);
    return node;
  }

  // As NodeBytes, of the node just added.
  std::optional<int64_t> BytesOf(NodeId node, absl::Span<const Attr> attrs) const {
    const auto attr = [&](absl::string_view key) -> const AttrValue* {
      const auto found = std::find_if(attrs.begin(), attrs.end(), [&](const Attr& a) { return a.first == key; });
      return found == attrs.end() ? nullptr : &found->second;
    };
    const AttrValue* shape = attr("shape");
    const AttrValue* dtype = attr("dtype");
    return NodeBytes(graph_.builder, node, shape == nullptr ? nullptr : shape->get<PartialShape>(),
                     dtype == nullptr ? nullptr : dtype->get<DType>());
  }

  // A node whose shapes do not fit stays, but the graph is not finished with it: the error is kept.
  absl::StatusOr<NodeId> AddInferred(const NodeSpec& spec) {
    BERTH_ASSIGN_OR_RETURN(const NodeId node, graph_.builder.AddNode(spec));
    BERTH_RETURN_IF_ERROR(graph_.inference.InferNode(&graph_.builder, node));
    return node;
  }

  Request AskRules(absl::string_view name, const OpDef& def, absl::Span<const Input> inputs,
                   absl::Span<const Attr> attrs, std::optional<int64_t> bytes) const {
    absl::InlinedVector<absl::string_view, 4> input_names;
    for (const Input& input : inputs) input_names.push_back(graph_.builder.name(input.node));
    const auto attr = [&](absl::string_view key) -> const AttrValue* {
      const auto found = std::find_if(attrs.begin(), attrs.end(), [&](const Attr& a) { return a.first == key; });
      return found == attrs.end() ? nullptr : &found->second;
    };
    const absl::StatusOr<Signature> signature = ResolveSignature(def, attr, static_cast<int64_t>(inputs.size()));
    NodeFacts facts;
    facts.name = name;
    facts.op = def.name;
    facts.op_def = &def;
    if (signature.ok()) facts.output_dtypes = signature->outputs;
    facts.tags = level_.tags;
    facts.input_names = absl::MakeConstSpan(input_names);
    facts.tower = level_.tower;
    facts.in_degree = static_cast<int>(inputs.size());
    facts.bytes = bytes;
    return MergeRequest(level_.request.get(), facts);
  }

  std::string TowerText() const { return level_.tower ? absl::StrCat("tower ", *level_.tower) : "this node"; }

  const ScopeLevel& level_;
  Construction& graph_;
  const CallSite at_;
};

}  // namespace

Operation Scope::Op(absl::string_view op, absl::Span<const Operand> inputs, NamedAttrs attrs, CallSite at) const {
  return NamedOp(op, op, inputs, attrs, at);
}

Operation Scope::NamedOp(absl::string_view name, absl::string_view op, absl::Span<const Operand> inputs,
                         NamedAttrs attrs, CallSite at) const {
  if (level_->call_site.line != 0) at = level_->call_site;
  Construction& graph = *level_->graph;
  std::lock_guard<std::mutex> lock(graph.mutex);
  const absl::string_view last = name_.empty() ? name : absl::string_view(name_);
  const std::string whole = itself_                  ? level_->prefix
                            : level_->prefix.empty() ? graph.names.Take(last)
                                                     : graph.names.Take(absl::StrCat(level_->prefix, "/", last));
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].is_output()) continue;
    const Output& output = inputs[i].output();
    if (output.valid() && output.operation().level()->graph.get() == &graph) continue;
    // An invalid output is the trace of an error that is kept, unless nothing went wrong so far.
    if (output.valid() || graph.error.ok()) {
      graph.Keep(absl::InvalidArgumentError(absl::StrCat("node '", whole, "' (", op, "): input ", i,
                                                         ": expected an output of this graph, got ",
                                                         output.valid() ? "one of another" : "none")),
                 at);
    }
    return Operation();
  }
  absl::StatusOr<NodeId> node = NodeMaker(*level_, at).Make(whole, op, inputs, attrs);
  if (!node.ok()) {
    graph.Keep(node.status(), CallSite());  // the line is in it
    return Operation();
  }
  const bool own_scope = itself_ && level_->outer != nullptr;
  return Operation(own_scope ? level_->outer : level_, *node);
}

Output Const(const Scope& scope, const Operand& value, CallSite at) {
  if (value.is_output()) return value.output();
  Literal literal = value.literal();
  if (value.weak()) {
    const bool integer = literal.dtype() == DType::kInt64;
    absl::StatusOr<Literal> number = NumbersAs(literal, integer ? DType::kInt32 : DType::kFloat32);
    if (!number.ok()) {
      scope.Fail(number.status(), at);
      return Output();
    }
    literal = *std::move(number);
  }
  return scope.Op("Const", {}, {{"dtype", AttrValue(literal.dtype())}, {"value", AttrValue(literal)}}, at);
}

}  // namespace berth
