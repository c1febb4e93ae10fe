#include "graph/inference.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "graph/graph_rep.h"
#include "graph/op_def.h"
#include "graph/ops/known_signatures.h"

namespace berth {
namespace {

using Rep = Graph::Rep;

// More elements than this are never held at once, whatever the graph: what would be next is taken as unknown.
constexpr int64_t kMaxHeld = 4'000'000;
// As many as TensorFlow allows.
constexpr int kMaxRank = 254;

std::string Label(const Rep& rep, NodeId id) {
  SourceLine source;
  if (const uint32_t file = Rep::At(rep.source_file, id); file != 0) {
    source = {StringArena::View(rep.words[file - 1]), Rep::At(rep.source_line, id)};
  }
  const std::string line = source.ToString();
  return absl::StrCat(line, line.empty() ? "" : ": ", NodeLabel(rep.name(id), rep.op_of(id).name));
}

absl::Span<const Input> DataInputs(const Rep& rep, NodeId id) {
  const uint32_t begin = rep.inputs_begin[id];
  return absl::MakeConstSpan(rep.inputs).subspan(begin, rep.data_end[id] - begin);
}

bool HasOutput(const Rep& rep, const Input& input) {
  return input.node >= 0 && input.node < rep.num_nodes() && input.slot >= 0 &&
         rep.outputs_begin[input.node] + static_cast<uint32_t>(input.slot) < rep.outputs_begin[input.node + 1];
}

const PartialShape& ShapeOf(const Rep& rep, const Input& input) {
  return rep.shapes[HasOutput(rep, input) ? rep.output_shapes[rep.outputs_begin[input.node] + input.slot] : 0];
}

bool MayHaveValue(const Rep& rep, const Input& input) {
  if (!HasOutput(rep, input)) return false;
  if (!SmallTensor::Holds(BaseOf(rep.output_types[rep.outputs_begin[input.node] + input.slot]))) return false;
  const std::optional<int64_t> size = ShapeOf(rep, input).num_elements();
  return size.has_value() && *size <= SmallTensor::kMaxElements;
}

}  // namespace

// One node as its shape function or value function sees it.
class Inference::NodeArgs : public ShapeArgs {
 public:
  // `evaluating`: values are looked up only, and can be set.
  void Bind(Inference* inference, const GraphBuilder& builder, NodeId id, bool evaluating) {
    inference_ = inference;
    builder_ = &builder;
    rep_ = &builder.rep();
    id_ = id;
    evaluating_ = evaluating;
    op_ = rep_->op_of(id).def;
    known_ = op_ == nullptr && rep_->kind_of(id).known;
    if (known_) op_ = KnownSignature(rep_->op_of(id).name);
    producers_.clear();
    inputs_.clear();
    wanted_.clear();
    found_.clear();
    const uint32_t begin = rep_->outputs_begin[id], end = rep_->outputs_begin[id + 1];
    outputs_.assign(end - begin, PartialShape());
    for (uint32_t k = begin; evaluating && k < end; ++k) outputs_[k - begin] = rep_->shapes[rep_->output_shapes[k]];
  }
  void AddInput(const Input& input) {
    producers_.push_back(input);
    inputs_.push_back(&ShapeOf(*rep_, input));
  }
  std::vector<PartialShape>& outputs() { return outputs_; }
  // An opaque op of a known signature.
  bool known() const { return known_; }

  DType input_dtype(int i) const override {
    const Input& input = producers_[i];
    return HasOutput(*rep_, input) ? rep_->output_types[rep_->outputs_begin[input.node] + input.slot] : DType::kInvalid;
  }
  DType output_dtype(int k) const override { return rep_->output_types[rep_->outputs_begin[id_] + k]; }
  const HandleShapes* handle(int i) const override {
    return inference_->Handle(*builder_, producers_[i].node, producers_[i].slot);
  }
  const SmallTensor* value(int i) override {
    const Input& input = producers_[i];
    if (!MayHaveValue(*rep_, input)) return nullptr;
    if (!evaluating_) return inference_->Value(*builder_, input.node, input.slot);
    const auto found = inference_->values_.find(rep_->outputs_begin[input.node] + input.slot);
    if (found != inference_->values_.end()) return found->second.get();
    wanted_.push_back(input.node);
    return nullptr;
  }
  void set_handle(int k, HandleShapes shapes) override {
    inference_->handles_[rep_->outputs_begin[id_] + k] = std::move(shapes);
  }
  void set_value(int k, SmallTensor value) override {
    if (evaluating_) found_.emplace_back(k, std::move(value));
  }
  // Producers that the value function asked about and that have not been evaluated, and what it said all the same.
  std::vector<NodeId>& wanted() { return wanted_; }
  std::vector<std::pair<int, SmallTensor>>& found() { return found_; }

  const AttrValue* own_attr(absl::string_view name) const override {
    const NodeKind& kind = rep_->kind_of(id_);
    for (uint32_t i = 0; i < kind.num_attrs; ++i) {
      const NamedAttr& attr = rep_->kind_attrs[kind.attrs_begin + i];
      if (attr.name == name) return attr.value;
    }
    return nullptr;
  }

 private:
  Inference* inference_ = nullptr;
  const GraphBuilder* builder_ = nullptr;
  const Rep* rep_ = nullptr;
  NodeId id_ = kNoNode;
  bool evaluating_ = false;
  bool known_ = false;
  std::vector<Input> producers_;
  std::vector<NodeId> wanted_;
  std::vector<std::pair<int, SmallTensor>> found_;
};

Inference::Inference() : args_(std::make_unique<NodeArgs>()), value_args_(std::make_unique<NodeArgs>()) {}
Inference::~Inference() = default;

absl::Status Inference::InferNode(GraphBuilder* builder, NodeId id, const std::vector<bool>* done) {
  const Rep& rep = builder->rep();
  const OpRow& op = rep.op_of(id);
  const uint32_t begin = rep.outputs_begin[id], num_outputs = rep.outputs_begin[id + 1] - begin;
  absl::Status status;
  args_->Bind(this, *builder, id, /*evaluating=*/false);
  bool open = op.def == nullptr || op.def->shape_fn == nullptr;
  for (const Input& input : DataInputs(rep, id)) {
    const bool later =
        done != nullptr ? input.node >= 0 && input.node < rep.num_nodes() && !(*done)[input.node] : input.node >= id;
    if (op.is_merge && later) {
      open = open || done == nullptr;
      continue;
    }
    args_->AddInput(input);
  }
  for (uint32_t k = 0; k < num_outputs && !handles_.empty(); ++k) handles_.erase(begin + k);
  if (calls_ != nullptr && num_outputs > 0) InferCall(op.name);
  if (!open && !(op.is_merge && args_->num_inputs() == 0)) status = op.def->shape_fn(*args_);
  if (args_->known()) KnownShapes(op.name, *args_);
  for (uint32_t k = 0; k < num_outputs; ++k) {
    PartialShape& shape = args_->outputs()[k];
    if (status.ok() && shape.has_rank() && shape.rank() > kMaxRank) {
      status = ShapeError("output ", k, " must have at most ", kMaxRank, " dimensions, got ", shape.rank());
    }
    if (!status.ok()) shape = PartialShape();
    if (legacy_placeholders_ && op.name == "Placeholder" && shape == PartialShape::Scalar()) shape = PartialShape();
    // What a file says of an output that nothing here can infer: of an opaque op's, of a placeholder's.
    if (status.ok() && !shape.has_rank() && (op.def == nullptr || args_->num_inputs() == 0)) {
      shape = builder->output_shape(id, static_cast<int>(k));
    }
    if (const auto fed = fed_.find(begin + k); fed != fed_.end()) shape = fed->second;
    builder->set_output_shape(id, static_cast<int>(k), std::move(shape));
  }
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(Label(rep, id), ": ", status.message()));
}

void Inference::InferCall(absl::string_view op) {
  const NodeArgs& args = *args_;
  const auto own = [&args](absl::string_view name) { return args.own_attr(name); };
  const FunctionRef* called = nullptr;
  if (op == "PartitionedCall" || op == "StatefulPartitionedCall") {
    const AttrValue* f = args.own_attr("f");
    called = f == nullptr ? nullptr : f->get<FunctionRef>();
    if (called == nullptr) return;
  }
  const auto of_called = [&called](absl::string_view name) -> const AttrValue* {
    const auto found = called->attrs.find(std::string(name));
    return found == called->attrs.end() ? nullptr : &found->second;
  };
  FunctionCall call{called == nullptr ? op : absl::string_view(called->name),
                    called == nullptr ? AttrLookup(own) : AttrLookup(of_called),
                    {},
                    {}};
  for (int i = 0; i < args.num_inputs(); ++i) {
    call.inputs.push_back(args.input(i));
    const HandleShapes* handle = args.handle(i);
    call.handles.push_back(handle == nullptr ? HandleShapes() : *handle);
  }
  std::vector<PartialShape> shapes = calls_(call);
  if (shapes.size() == args_->outputs().size()) args_->outputs() = std::move(shapes);
}

const SmallTensor* Inference::Value(const GraphBuilder& builder, NodeId id, int slot) {
  const Rep& rep = builder.rep();
  if (!MayHaveValue(rep, {id, slot})) return nullptr;
  const Key key = rep.outputs_begin[id] + slot;
  if (const auto found = values_.find(key); found != values_.end()) return found->second.get();
  // Without recursion: a node whose value function asks for more waits on the stack, and is tried again.
  std::vector<NodeId> stack = {id};
  absl::flat_hash_set<NodeId> waiting;
  while (!stack.empty()) {
    const NodeId node = stack.back();
    if (values_.contains(rep.outputs_begin[node])) {
      stack.pop_back();
      continue;
    }
    const std::vector<NodeId>& wanted = Evaluate(builder, node);
    const size_t before = stack.size();
    for (const NodeId producer : wanted) {
      // One that waits itself lies on a cycle.
      if (!waiting.contains(producer) && producer != node) stack.push_back(producer);
    }
    if (stack.size() > before) {
      waiting.insert(node);
    } else {
      Keep(builder, node);
      waiting.erase(node);
      stack.pop_back();
    }
  }
  return values_[key].get();
}

const std::vector<NodeId>& Inference::Evaluate(const GraphBuilder& builder, NodeId id) {
  const Rep& rep = builder.rep();
  const OpDef* def = rep.op_of(id).def;
  NodeArgs& args = *value_args_;
  args.Bind(this, builder, id, /*evaluating=*/true);
  if (def != nullptr && def->value_fn != nullptr) {
    for (const Input& input : DataInputs(rep, id)) args.AddInput(input);
    // A value that cannot be computed is not known; whether it is an error is for the kernel to say.
    def->value_fn(args).IgnoreError();
  }
  return args.wanted();
}

void Inference::Keep(const GraphBuilder& builder, NodeId id) {
  const Rep& rep = builder.rep();
  const uint32_t begin = rep.outputs_begin[id], end = rep.outputs_begin[id + 1];
  const auto keep = [&](Key key, std::optional<SmallTensor> value) {
    if (!value.has_value() || held_ + value->size() > kMaxHeld) return;
    held_ += value->size();
    values_[key] = std::make_unique<const SmallTensor>(*std::move(value));
  };
  for (auto& [k, value] : value_args_->found()) {
    if (!fed_.contains(begin + k)) keep(begin + k, std::move(value));
  }
  for (uint32_t key = begin; key < end; ++key) {
    if (!values_.try_emplace(key).second) continue;
    keep(key, SmallTensor::Unknown(BaseOf(rep.output_types[key]), rep.shapes[rep.output_shapes[key]]));
  }
}

const HandleShapes* Inference::Handle(const GraphBuilder& builder, NodeId id, int slot) const {
  const Rep& rep = builder.rep();
  if (handles_.empty() || !HasOutput(rep, {id, slot})) return nullptr;
  const auto found = handles_.find(rep.outputs_begin[id] + slot);
  return found == handles_.end() ? nullptr : &found->second;
}

void Inference::ForgetHandle(const GraphBuilder& builder, NodeId id, int slot) {
  if (HasOutput(builder.rep(), {id, slot})) handles_.erase(builder.rep().outputs_begin[id] + slot);
}

void Inference::SetFed(GraphBuilder* builder, NodeId id, int slot, PartialShape shape) {
  if (!HasOutput(builder->rep(), {id, slot})) return;
  const Key key = builder->rep().outputs_begin[id] + slot;
  builder->set_output_shape(id, slot, shape);
  handles_.erase(key);
  fed_[key] = std::move(shape);
  ForgetValues();
}

}  // namespace berth
