// What generated op functions (graph/ops.h) are made with: gathers inputs and attributes, then makes the node.
#ifndef BERTH_GRAPH_OPS_CALL_H_
#define BERTH_GRAPH_OPS_CALL_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "graph/scope.h"

namespace berth {

// One call. The op's name must live as long.
class Call {
 public:
  explicit Call(absl::string_view op) : op_(op) {}

  void Input(const Operand& operand) { inputs_.push_back(operand); }
  void Input(absl::Span<const Output> list) { inputs_.insert(inputs_.end(), list.begin(), list.end()); }

  template <typename T>
  void Attr(absl::string_view name, const T& value) {
    attrs_.emplace_back(name, ToAttr(value));
  }
  // Left out of the node when it is the default.
  template <typename T>
  void Attr(absl::string_view name, const T& value, const T& otherwise) {
    if (!(value == otherwise)) Attr(name, value);
  }

  Operation Make(const Scope& scope, CallSite at) const { return scope.Op(op_, inputs_, attrs_, at); }
  // The node's outputs, or as many invalid ones, `count`, where it could not be made.
  std::vector<Output> MakeAll(const Scope& scope, CallSite at, int64_t count) const {
    const Operation operation = Make(scope, at);
    if (operation.valid()) return operation.outputs();
    return std::vector<Output>(static_cast<size_t>(std::clamp<int64_t>(count, 0, kMaxOutputs)));
  }

 private:
  static constexpr int64_t kMaxOutputs = 1'000'000;  // as the graph builder's

  template <typename T>
  static AttrValue ToAttr(const T& value) {
    return AttrValue(value);
  }
  template <typename T>
  static AttrValue ToAttr(const std::vector<T>& values) {
    AttrList list;
    if constexpr (std::is_same_v<T, std::string>) list.s = values;
    if constexpr (std::is_same_v<T, int64_t>) list.i = values;
    if constexpr (std::is_same_v<T, float>) list.f = values;
    if constexpr (std::is_same_v<T, bool>) list.b = values;
    if constexpr (std::is_same_v<T, DType>) list.type = values;
    if constexpr (std::is_same_v<T, PartialShape>) list.shape = values;
    if constexpr (std::is_same_v<T, Literal>) list.tensor = values;
    if constexpr (std::is_same_v<T, FunctionRef>) list.func = values;
    return AttrValue(std::move(list));
  }

  absl::string_view op_;
  std::vector<Operand> inputs_;
  std::vector<std::pair<absl::string_view, AttrValue>> attrs_;
};

}  // namespace berth

#endif  // BERTH_GRAPH_OPS_CALL_H_
