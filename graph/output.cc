#include "graph/output.h"

#include <mutex>

#include "absl/strings/str_cat.h"
#include "graph/scope.h"
#include "graph/scope_level.h"

namespace berth {
namespace {

struct Arithmetic {
  char sign;
  const char* op;
  const char* name;
};
constexpr Arithmetic kArithmetic[] = {
    {'+', "AddV2", "add"}, {'-', "Sub", "sub"}, {'*', "Mul", "mul"}, {'/', "RealDiv", "truediv"}};

Output Calculate(const Scope& scope, char sign, const Operand& x, const Operand& y, CallSite at) {
  for (const Arithmetic& a : kArithmetic) {
    if (a.sign == sign) return scope.NamedOp(a.name, a.op, {x, y}, {}, at);
  }
  return Output();
}

// An invalid operand has no scope, and its error is kept already.
Output OutputAnd(const Output& x, char sign, const Operand& y) {
  if (x.valid()) return Calculate(x.scope(), sign, x, y, y.at());
  return Output();
}

}  // namespace

Scope Operation::scope() const { return Scope(level_); }

std::string Operation::name() const {
  if (!valid()) return "";
  std::lock_guard<std::mutex> lock(level_->graph->mutex);
  return level_->graph->NameOf(id_);
}

std::string Operation::device() const {
  if (!valid()) return "";
  std::lock_guard<std::mutex> lock(level_->graph->mutex);
  return level_->graph->sealed ? "" : std::string(level_->graph->builder.device(id_));
}

int Operation::num_outputs() const {
  if (!valid()) return 0;
  std::lock_guard<std::mutex> lock(level_->graph->mutex);
  return level_->graph->sealed ? 0 : level_->graph->builder.num_outputs(id_);
}

Output Operation::output(int i) const { return i >= 0 && i < num_outputs() ? Output(*this, i) : Output(); }

std::vector<Output> Operation::outputs() const {
  std::vector<Output> outputs;
  for (int i = 0; i < num_outputs(); ++i) outputs.emplace_back(*this, i);
  return outputs;
}

Operation::operator Output() const { return Output(*this, 0); }

Scope Output::scope() const { return operation_.scope(); }

std::string Output::name() const {
  const std::string node = operation_.name();
  return slot_ == 0 ? node : absl::StrCat(node, ":", slot_);
}

DType Output::dtype() const {
  if (!valid()) return DType::kInvalid;
  Construction& graph = *operation_.level()->graph;
  std::lock_guard<std::mutex> lock(graph.mutex);
  return graph.sealed ? DType::kInvalid : graph.builder.output_dtype(node(), slot_);
}

PartialShape Output::shape() const {
  if (!valid()) return PartialShape::Unknown();
  Construction& graph = *operation_.level()->graph;
  std::lock_guard<std::mutex> lock(graph.mutex);
  return graph.sealed ? PartialShape::Unknown() : graph.builder.output_shape(node(), slot_);
}

Output Output::In(const Scope& scope) const {
  if (!valid()) return *this;
  return Output(Operation(scope.level(), node()), slot_);
}

Output operator+(const Output& x, const Operand& y) { return OutputAnd(x, '+', y); }
Output operator-(const Output& x, const Operand& y) { return OutputAnd(x, '-', y); }
Output operator*(const Output& x, const Operand& y) { return OutputAnd(x, '*', y); }
Output operator/(const Output& x, const Operand& y) { return OutputAnd(x, '/', y); }

Output NumberAnd(const Operand& x, char sign, const RightOutput& y) {
  if (!y.output.valid()) return Output();
  return Calculate(y.output.scope(), sign, x, y.output, y.at);
}

}  // namespace berth
