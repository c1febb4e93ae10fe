#include "tests/graph/random_graph.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/graph_builder.h"

namespace berth {
namespace {

using Attrs = std::vector<std::pair<std::string, AttrValue>>;

template <typename T>
AttrValue Value(T value) {
  return AttrValue(AttrValue::Kind(std::move(value)));
}

// A node before it gets its final id.
struct Draft {
  std::string name, op;
  std::vector<Input> inputs;
  Attrs attrs;
  std::string device;
};

class Drawer {
 public:
  Drawer(uint64_t seed, const RandomGraphOptions& options) : random_(seed), options_(options) {}

  Graph Draw() {
    axis_ = Const(Literal::Scalar<int32_t>(0));
    for (int i = Below(3); i >= 0; --i) NewConst();
    while (static_cast<int>(nodes_.size()) < options_.nodes) Grow();
    return Build();
  }

 private:
  // Not a std distribution, whose numbers differ between libraries.
  int Below(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  bool Chance(int percent) { return Below(100) < percent; }

  NodeId Add(std::string op, std::vector<Input> inputs, Attrs attrs) {
    const NodeId id = static_cast<NodeId>(nodes_.size());
    Draft draft{absl::StrCat(Chance(30) ? "scope/" : "", op, "_", id), op, std::move(inputs), std::move(attrs), ""};
    if (options_.control_edges && id > 0 && Chance(15) && in_loop_ == 0) {
      const NodeId before = Below(id);
      if (outside_[before]) draft.inputs.push_back({before, kControlSlot});
    }
    if (!options_.devices.empty() && Chance(50)) {
      draft.device = options_.devices[Below(static_cast<int>(options_.devices.size()))];
    }
    if (options_.colocation && id > 0 && Chance(10)) {
      AttrList list;
      list.s.push_back("loc:@" + nodes_[Below(id)].name);
      draft.attrs.emplace_back("_class", Value(list));
    }
    nodes_.push_back(std::move(draft));
    outside_.push_back(in_loop_ == 0);
    return id;
  }

  Input Const(const Literal& literal) {
    return {Add("Const", {}, {{"dtype", Value(literal.dtype())}, {"value", Value(literal)}}), 0};
  }

  void NewConst() {
    std::vector<float> values;
    for (int i = 0; i < 4; ++i) values.push_back(static_cast<float>(Below(9)) - 4.0f);
    vectors_.push_back(Const(Literal::Vector<float>(values)));
  }

  Input AnyVector() { return vectors_[Below(static_cast<int>(vectors_.size()))]; }
  void Push(NodeId id, int slot = 0) { vectors_.push_back({id, slot}); }
  Attrs T() const { return {{"T", Value(DType::kFloat32)}}; }

  void Grow() {
    switch (Below(10)) {
      case 0:
        return NewConst();
      case 1:
        return Unary("Identity", "Neg");
      case 2:
        return Unary("Relu", "Relu");
      case 3:
      case 4:
        return Binary();
      case 5:
        return SplitAndConcat();
      case 6:
        return options_.variables ? ReferenceVariable() : NewConst();
      case 7:
        return options_.variables ? ResourceVariable() : NewConst();
      case 8:
        return options_.loops ? Loop() : NewConst();
      default:
        return options_.opaque_ops ? OpaqueNode() : NewConst();
    }
  }

  // The order in which arguments of a call are drawn is the compiler's, so calls draw one at most.
  void Unary(const char* one, const char* other) {
    const char* op = Chance(50) ? one : other;
    Push(Add(op, {AnyVector()}, T()));
  }

  void Binary() {
    const char* op = Chance(50) ? "Add" : "Mul";
    const Input a = AnyVector();
    Push(Add(op, {a, AnyVector()}, T()));
  }

  void SplitAndConcat() {
    const NodeId split =
        Add("Split", {axis_, AnyVector()}, {{"num_split", Value(int64_t{2})}, {"T", Value(DType::kFloat32)}});
    std::vector<Input> parts = {{split, 1}, {split, 0}, axis_};
    Push(Add("ConcatV2", parts,
             {{"N", Value(int64_t{2})}, {"T", Value(DType::kFloat32)}, {"Tidx", Value(DType::kInt32)}}));
  }

  // Read only after the assignment, by a control edge through Identity of its result.
  void ReferenceVariable() {
    const NodeId variable =
        Add("VariableV2", {}, {{"dtype", Value(DType::kFloat32)}, {"shape", Value(PartialShape({4}))}});
    const NodeId assign = Add("Assign", {{variable, 0}, AnyVector()}, T());
    Push(Add("Identity", {{assign, 0}}, T()));
  }

  void ResourceVariable() {
    const std::string name = absl::StrCat("v", nodes_.size());
    const NodeId handle =
        Add("VarHandleOp", {},
            {{"dtype", Value(DType::kFloat32)}, {"shape", Value(PartialShape({4}))}, {"shared_name", Value(name)}});
    const NodeId assign = Add("AssignVariableOp", {{handle, 0}, AnyVector()}, {{"dtype", Value(DType::kFloat32)}});
    const NodeId read = Add("ReadVariableOp", {{handle, 0}}, {{"dtype", Value(DType::kFloat32)}});
    nodes_[read].inputs.resize(1);
    nodes_[read].inputs.push_back({assign, kControlSlot});
    Push(read);
  }

  // i from 0 while i < limit; x = body(x).
  void Loop() {
    const std::string frame = absl::StrCat("frame", nodes_.size());
    const Input zero = Const(Literal::Scalar<int32_t>(0));
    const Input limit = Const(Literal::Scalar<int32_t>(Below(4)));
    ++in_loop_;
    const auto enter = [&](Input from, DType type, bool constant) {
      return Input{
          Add("Enter", {from}, {{"T", Value(type)}, {"frame_name", Value(frame)}, {"is_constant", Value(constant)}}),
          0};
    };
    const auto with = [&](DType type) { return Attrs{{"T", Value(type)}}; };
    const Input i0 = enter(zero, DType::kInt32, false);
    const Input x0 = enter(AnyVector(), DType::kFloat32, false);
    const Input bound = enter(limit, DType::kInt32, true);
    const Attrs two_ints = {{"T", Value(DType::kInt32)}, {"N", Value(int64_t{2})}};
    const Attrs two_floats = {{"T", Value(DType::kFloat32)}, {"N", Value(int64_t{2})}};
    const NodeId i_merge = Add("Merge", {i0, i0}, two_ints);
    const NodeId x_merge = Add("Merge", {x0, x0}, two_floats);
    const NodeId less = Add("Less", {{i_merge, 0}, bound}, with(DType::kInt32));
    const NodeId condition = Add("LoopCond", {{less, 0}}, {});
    const NodeId i_switch = Add("Switch", {{i_merge, 0}, {condition, 0}}, with(DType::kInt32));
    const NodeId x_switch = Add("Switch", {{x_merge, 0}, {condition, 0}}, with(DType::kFloat32));
    const NodeId body = Add("Identity", {{i_switch, 1}}, with(DType::kInt32));
    const NodeId one = Add("Const", {{body, kControlSlot}},
                           {{"dtype", Value(DType::kInt32)}, {"value", Value(Literal::Scalar<int32_t>(1))}});
    const NodeId i_next = Add("Add", {{i_switch, 1}, {one, 0}}, with(DType::kInt32));
    const char* op = Chance(50) ? "Neg" : "Relu";
    const NodeId x_next = Add(op, {{x_switch, 1}}, with(DType::kFloat32));
    const NodeId i_back = Add("NextIteration", {{i_next, 0}}, with(DType::kInt32));
    const NodeId x_back = Add("NextIteration", {{x_next, 0}}, with(DType::kFloat32));
    nodes_[i_merge].inputs[1] = {i_back, 0};
    nodes_[x_merge].inputs[1] = {x_back, 0};
    const NodeId exit = Add("Exit", {{x_switch, 0}}, with(DType::kFloat32));
    --in_loop_;
    // What leaves the loop is outside of it.
    outside_[exit] = true;
    Push(exit);
  }

  void OpaqueNode() {
    std::vector<Input> inputs;
    for (int i = Below(4); i > 0; --i) inputs.push_back(AnyVector());
    const NodeId id = Add("FancyOp", inputs, {{"alpha", Value(0.5f)}, {"mode", Value(std::string("a \"b\"\n"))}});
    Push(id, Below(3));
  }

  Graph Build() {
    const int n = static_cast<int>(nodes_.size());
    std::vector<NodeId> order(n), place(n);
    for (int i = 0; i < n; ++i) order[i] = i;
    if (options_.shuffled) {
      for (int i = n - 1; i > 0; --i) std::swap(order[i], order[Below(i + 1)]);
    }
    for (int i = 0; i < n; ++i) place[order[i]] = i;
    GraphBuilder builder(StandardOps());
    for (NodeId from : order) {
      Draft& draft = nodes_[from];
      for (Input& input : draft.inputs) input.node = place[input.node];
      const std::vector<std::pair<absl::string_view, AttrValue>> attrs(draft.attrs.begin(), draft.attrs.end());
      NodeSpec spec;
      spec.name = draft.name;
      spec.op = draft.op;
      spec.inputs = draft.inputs;
      spec.attrs = attrs;
      spec.device = draft.device;
      Must(builder.AddNode(spec).status());
    }
    absl::StatusOr<Graph> graph = std::move(builder).Build();
    Must(graph.status());
    return *std::move(graph);
  }

  static void Must(const absl::Status& status) {
    if (status.ok()) return;
    std::fprintf(stderr, "random graph: %s\n", status.ToString().c_str());
    std::abort();
  }

  std::mt19937_64 random_;
  const RandomGraphOptions& options_;
  std::vector<Draft> nodes_;
  std::vector<bool> outside_;  // of loops
  std::vector<Input> vectors_;
  Input axis_;
  int in_loop_ = 0;
};

}  // namespace

Graph RandomGraph(uint64_t seed, const RandomGraphOptions& options) { return Drawer(seed, options).Draw(); }

}  // namespace berth
