#include "runtime/variables.h"

#include "absl/strings/str_cat.h"

namespace berth {

bool Variable::initialized() const {
  std::lock_guard<std::mutex> lock(mu_);
  return value_.has_value();
}

absl::StatusOr<Tensor> Variable::Read() const {
  std::lock_guard<std::mutex> lock(mu_);
  if (value_.has_value()) return value_;
  return absl::FailedPreconditionError(absl::StrCat(
      "variable '", name_, "': expected a value, got none yet; run its initialiser as a target, or set it"));
}

void Variable::Assign(Tensor value) {
  std::lock_guard<std::mutex> lock(mu_);
  std::swap(value_, value);
}

absl::Status Variable::CheckFits(const Tensor& value) const {
  if (value.dtype() != dtype_) {
    return absl::InvalidArgumentError(
        absl::StrCat("variable '", name_, "': expected ", DTypeName(dtype_), ", got ", DTypeName(value.dtype())));
  }
  if (!Compatible(shape_, PartialShape(value.dims()))) {
    return absl::InvalidArgumentError(
        absl::StrCat("variable '", name_, "': expected shape ", shape_.ToString(), ", got ", value.ShapeString()));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<SessionState>> SessionState::For(const Graph& graph, const Placement& placement) {
  auto state = std::make_unique<SessionState>();
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    const Node node = graph.node(id);
    if (!IsVariableOp(node.op())) continue;
    const DType* dtype = node.AttrOrDefault<DType>("dtype");
    const PartialShape* shape = node.AttrOrDefault<PartialShape>("shape");
    const std::string* shared = node.AttrOrDefault<std::string>("shared_name");
    const std::string* container = node.AttrOrDefault<std::string>("container");
    const std::string name(shared != nullptr && !shared->empty() ? *shared : std::string(node.name()));
    // The op Variable says [] for an unknown shape, so [] holds anything there, as in TensorFlow's own
    // kernels.
    const bool any_shape = shape == nullptr || (node.op() == "Variable" && shape->has_rank() && shape->rank() == 0);
    const PartialShape known = any_shape ? PartialShape() : *shape;
    const DType type = dtype == nullptr ? DType::kInvalid : *dtype;
    std::unique_ptr<Variable>& variable =
        state->by_shared_name_[absl::StrCat(container == nullptr ? "" : *container, "/", name)];
    if (variable == nullptr) {
      variable = std::make_unique<Variable>(std::string(node.name()), type, known, placement.device(id));
    } else if (variable->dtype() != type || variable->shape() != known || variable->device() != placement.device(id)) {
      return absl::InvalidArgumentError(absl::StrCat("node '", node.name(), "' (", node.op(),
                                                     "): expected the type, shape and device of '", variable->name(),
                                                     "', whose shared name '", name, "' it has, got others"));
    }
    state->by_node_[std::string(node.name())] = variable.get();
  }
  return state;
}

Variable* SessionState::Find(absl::string_view node) const {
  const auto it = by_node_.find(std::string(node));
  return it == by_node_.end() ? nullptr : it->second;
}

std::vector<std::string> SessionState::Names() const {
  std::vector<std::string> names;
  for (const auto& [name, variable] : by_node_) names.push_back(name);
  return names;
}

SharedState* SessionState::StateOf(absl::string_view node) {
  std::lock_guard<std::mutex> lock(mu_);
  std::unique_ptr<SharedState>& state = states_[std::string(node)];
  if (state == nullptr) state = std::make_unique<SharedState>();
  return state.get();
}

}  // namespace berth
