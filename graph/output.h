// What calls that make nodes give back and take: Operation (a node), Output (one tensor of it), and
// Operand (an argument: an output, or a value that becomes a constant).
//
//   Output y = x * 2.0f + b;     // Mul "mul" with the constant "mul/y", AddV2 "add"
//
// All are small values that share the graph under construction (graph/scope.h). One whose node
// could not be made is *invalid*: it may be passed on, makes only further invalid ones, and reports
// nothing by itself, since the scope has kept the error.
#ifndef BERTH_GRAPH_OUTPUT_H_
#define BERTH_GRAPH_OUTPUT_H_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "graph/call_site.h"
#include "graph/dtype.h"
#include "graph/graph.h"
#include "graph/literal.h"
#include "graph/shape.h"

namespace berth {

class Output;
class Scope;
struct ScopeLevel;  // what a scope refers to, in scope.cc

// A node of a graph under construction, and the scope that its operators go on with.
class Operation {
 public:
  Operation() = default;  // invalid
  Operation(std::shared_ptr<const ScopeLevel> level, NodeId id) : level_(std::move(level)), id_(id) {}

  bool valid() const { return id_ != kNoNode; }
  NodeId id() const { return id_; }
  // The scope it was made in. REQUIRES: valid().
  Scope scope() const;
  std::string name() const;    // "" when invalid
  std::string device() const;  // what it asks for; "" when nothing, or invalid
  int num_outputs() const;     // 0 when invalid
  // Output i; invalid when there is none such.
  Output output(int i) const;
  std::vector<Output> outputs() const;
  operator Output() const;  // NOLINT: output 0, on purpose
  const std::shared_ptr<const ScopeLevel>& level() const { return level_; }

 private:
  std::shared_ptr<const ScopeLevel> level_;
  NodeId id_ = kNoNode;
};

// One tensor of a graph under construction.
class Output {
 public:
  Output() = default;  // invalid
  Output(Operation operation, int slot) : operation_(std::move(operation)), slot_(slot) {}

  bool valid() const { return operation_.valid(); }
  const Operation& operation() const { return operation_; }
  NodeId node() const { return operation_.id(); }
  int slot() const { return slot_; }
  Scope scope() const;         // REQUIRES: valid()
  std::string name() const;    // "split:1", "x" for output 0, "" when invalid
  DType dtype() const;         // kInvalid when unknown, or invalid
  PartialShape shape() const;  // as far as known
  // The same tensor, whose operators make their nodes in `scope`.
  Output In(const Scope& scope) const;

 private:
  Operation operation_;
  int slot_ = 0;
};

// An argument. Made implicitly from an Output, a number, a list of numbers, or a Literal; what is
// not an Output becomes a constant named after the node and the argument ("Reshape/shape"), made in
// the node's own scope. Plain C++ numbers take the type that the op's other arguments or its
// signature ask for, else int32 or float32; a Literal keeps its own.
class Operand {
 public:
  Operand(Output output, CallSite at = CallSite::Here())  // NOLINT: implicit
      : output_(std::move(output)), is_output_(true), at_(at) {}
  Operand(const Operation& operation, CallSite at = CallSite::Here())  // NOLINT: implicit
      : Operand(Output(operation, 0), at) {}
  Operand(Literal literal, CallSite at = CallSite::Here())  // NOLINT: implicit
      : literal_(std::move(literal)), at_(at) {}
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Operand(T value, CallSite at = CallSite::Here())  // NOLINT: implicit
      : literal_(Plain(value)), weak_(!std::is_same_v<T, bool>), at_(at) {}
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Operand(std::initializer_list<T> values, CallSite at = CallSite::Here())  // NOLINT: implicit
      : Operand(std::vector<T>(values), at) {}
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Operand(const std::vector<T>& values, CallSite at = CallSite::Here())  // NOLINT: implicit
      : literal_(PlainVector(values)), weak_(!std::is_same_v<T, bool>), at_(at) {}

  bool is_output() const { return is_output_; }
  const Output& output() const { return output_; }
  // The value of a constant to be; plain numbers are held as float64 or int64.
  const Literal& literal() const { return literal_; }
  // True for plain numbers: the type is still open.
  bool weak() const { return weak_; }
  CallSite at() const { return at_; }

 private:
  template <typename T>
  static auto Wide(T value) {
    if constexpr (std::is_same_v<T, bool>) {
      return value;
    } else if constexpr (std::is_floating_point_v<T>) {
      return static_cast<double>(value);
    } else {
      return static_cast<int64_t>(value);
    }
  }
  template <typename T>
  static Literal Plain(T value) {
    return Literal::Scalar(Wide(value));
  }
  template <typename T>
  static Literal PlainVector(const std::vector<T>& values) {
    using W = decltype(Wide(T()));
    std::string bytes;
    for (T v : values) {
      const W wide = Wide(v);
      bytes.append(reinterpret_cast<const char*>(&wide), sizeof wide);
    }
    const int64_t size = static_cast<int64_t>(values.size());
    return Literal::FromBytes(DTypeOf<W>(), {&size, 1}, std::move(bytes));
  }

  Output output_;
  Literal literal_;
  bool is_output_ = false;
  bool weak_ = false;
  CallSite at_;
};

// Arithmetic, elementwise with broadcasting: AddV2 "add", Sub "sub", Mul "mul", RealDiv "truediv".
// The node goes into the scope of the left operand; where that is a number, of the right one. `/`
// on integers is RealDiv too: use FloorDiv to round down.
Output operator+(const Output& x, const Operand& y);
Output operator-(const Output& x, const Operand& y);
Output operator*(const Output& x, const Operand& y);
Output operator/(const Output& x, const Operand& y);

// An output on the right of a number; remembers the line of the expression.
struct RightOutput {
  RightOutput(Output o, CallSite site = CallSite::Here())  // NOLINT: implicit
      : output(std::move(o)), at(site) {}
  RightOutput(const Operation& o, CallSite site = CallSite::Here())  // NOLINT: implicit
      : output(o, 0), at(site) {}
  Output output;
  CallSite at;
};
Output NumberAnd(const Operand& x, char sign, const RightOutput& y);
template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
Output operator+(T x, const RightOutput& y) {
  return NumberAnd(x, '+', y);
}
template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
Output operator-(T x, const RightOutput& y) {
  return NumberAnd(x, '-', y);
}
template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
Output operator*(T x, const RightOutput& y) {
  return NumberAnd(x, '*', y);
}
template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
Output operator/(T x, const RightOutput& y) {
  return NumberAnd(x, '/', y);
}

}  // namespace berth

#endif  // BERTH_GRAPH_OUTPUT_H_
