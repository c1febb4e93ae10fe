#include "graph/function_bodies.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "graph/function_library.h"
#include "graph/graph_builder.h"
#include "graph/infer.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

// Attributes by which ops call functions, and the input that is the function's first argument.
struct CallForm {
  absl::string_view op;
  std::vector<absl::string_view> attrs;  // of one function or a list of them
  int first_input = 0;
  bool loops = false;  // results are the next arguments
};

const std::vector<CallForm>& CallForms() {
  static const auto& forms = *new std::vector<CallForm>{
      {"Case", {"branches"}, 1},
      {"If", {"then_branch", "else_branch"}, 1},
      {"PartitionedCall", {"f"}},
      {"StatefulPartitionedCall", {"f"}},
      {"StatelessCase", {"branches"}, 1},
      {"StatelessIf", {"then_branch", "else_branch"}, 1},
      {"StatelessWhile", {"cond", "body"}, 0, true},
      {"While", {"cond", "body"}, 0, true},
  };
  return forms;
}

const CallForm* FormOf(absl::string_view op) {
  for (const CallForm& form : CallForms()) {
    if (form.op == op) return &form;
  }
  return nullptr;
}

// One function that a node calls.
struct Callee {
  std::string name;
  const std::map<std::string, AttrValue>* attrs = nullptr;  // null: the node's own
  int first_input = 0;
  bool loops = false;
  bool has_results = true;  // a While's condition has none that matter
};

std::vector<Callee> CalleesOf(const Node& node) {
  const CallForm* form = FormOf(node.op());
  if (form == nullptr) return {{std::string(node.op())}};
  std::vector<Callee> callees;
  const auto add = [&](const FunctionRef& f, absl::string_view attr) {
    callees.push_back({f.name, &f.attrs, form->first_input, form->loops, attr != "cond"});
  };
  for (const absl::string_view attr : form->attrs) {
    const AttrValue* value = node.attr(attr);
    if (value == nullptr) continue;
    if (const FunctionRef* f = value->get<FunctionRef>()) add(*f, attr);
    if (const AttrList* list = value->get<AttrList>()) {
      for (const FunctionRef& f : list->func) add(f, attr);
    }
  }
  return callees;
}

// A body on its way into the graph.
struct Body {
  std::string function, prefix;  // "f" and "f", or, where such names are taken, "f_"
  NodeId base = 0;               // the id of its first node
  std::unique_ptr<Graph> graph;
  std::vector<Tag> tags;
  std::vector<NodeId> args, results;  // ids in `graph`, by index
  // By argument: what calls give, the first call first. By result: who uses a handle, and what it went in as.
  std::vector<std::vector<Input>> given;
  std::vector<std::vector<NodeId>> users;
  std::vector<std::vector<Input>> went_in;
};

class Expansion {
 public:
  explicit Expansion(const Graph& graph) : own_(graph) {}

  absl::Status FindBodies() {
    BERTH_ASSIGN_OR_RETURN(library_, FunctionLibrary::Parse(own_.extras()));
    next_ = own_.num_nodes();
    FindCalls(own_, 0);
    // Bodies are found while this goes on.
    for (size_t b = 0; b < bodies_.size(); ++b) FindCalls(*bodies_[b]->graph, bodies_[b]->base);
    for (NodeId id = 0; id < own_.num_nodes(); ++id) names_.emplace_back(own_.node(id).name());
    for (const auto& body : bodies_) {
      for (NodeId id = 0; id < body->graph->num_nodes(); ++id) {
        names_.push_back(absl::StrCat(body->prefix, "/", body->graph->node(id).name()));
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Graph> Build() const {
    GraphBuilder builder(own_.ops());
    for (NodeId id = 0; id < own_.num_nodes(); ++id) {
      BERTH_RETURN_IF_ERROR(builder.AddCopy(own_.node(id), own_.node(id).inputs()).status());
    }
    builder.CopyExtras(own_);
    for (const auto& body : bodies_) {
      for (NodeId id = 0; id < body->graph->num_nodes(); ++id) BERTH_RETURN_IF_ERROR(Add(*body, id, builder));
    }
    return std::move(builder).Build();
  }

  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  // Follows the calls of a graph whose first node has the id `base` in the whole.
  void FindCalls(const Graph& graph, NodeId base) {
    for (NodeId id = 0; id < graph.num_nodes(); ++id) {
      const Node node = graph.node(id);
      if (FormOf(node.op()) == nullptr && !library_->Has(node.op())) continue;
      for (const Callee& callee : CalleesOf(node)) {
        if (library_->Has(callee.name)) AddCall(node, base, callee);
      }
    }
  }

  void AddCall(const Node& call, NodeId base, const Callee& callee) {
    const auto [known, is_new] = body_of_.emplace(callee.name, bodies_.size());
    if (is_new && !AddBody(call, callee)) known->second = kLeftOut;
    if (known->second == kLeftOut) return;
    Body& body = *bodies_[known->second];
    const absl::Span<const Input> inputs = call.data_inputs();
    for (size_t a = 0; a < body.args.size() && a + callee.first_input < inputs.size(); ++a) {
      const Input in = inputs[a + callee.first_input];
      const Input given{base + in.node, in.slot};
      body.given[a].push_back(given);
      // What goes round a loop stays where it came from.
      if (callee.loops && callee.has_results && a < body.results.size()) body.went_in[a].push_back(given);
    }
    if (!callee.has_results) return;
    for (const OutEdge& edge : call.out_edges()) {
      const size_t r = static_cast<size_t>(edge.slot);
      if (edge.slot == kControlSlot || r >= body.results.size()) continue;
      if (!IsCall(call.graph().node(edge.node))) body.users[r].push_back(base + edge.node);
    }
  }

  // False when it cannot be written out.
  bool AddBody(const Node& call, const Callee& callee) {
    const auto attr = [&](absl::string_view name) -> const AttrValue* {
      if (callee.attrs == nullptr) return call.attr(name);
      const auto found = callee.attrs->find(std::string(name));
      return found == callee.attrs->end() ? nullptr : &found->second;
    };
    absl::StatusOr<Graph> graph = library_->Instantiate(callee.name, attr, own_.ops());
    if (!graph.ok()) {
      left_out_.push_back(absl::StrCat("function '", callee.name, "' is not placed: ", graph.status().message()));
      return false;
    }
    auto body = std::make_unique<Body>();
    body->function = body->prefix = callee.name;
    while (IsTaken(body->prefix, *graph)) body->prefix += "_";
    body->graph = std::make_unique<Graph>(*std::move(graph));
    body->base = next_;
    next_ += body->graph->num_nodes();
    body->tags.assign(call.tags().begin(), call.tags().end());
    for (NodeId id = 0; id < body->graph->num_nodes(); ++id) {
      if (body->graph->node(id).op() == "_Arg") body->args.push_back(id);
      if (body->graph->node(id).op() == "_Retval") body->results.push_back(id);
    }
    body->given.resize(body->args.size());
    body->users.resize(body->results.size());
    body->went_in.resize(body->results.size());
    bodies_.push_back(std::move(body));
    return true;
  }

  bool IsTaken(const std::string& prefix, const Graph& body) const {
    for (NodeId id = 0; id < body.num_nodes(); ++id) {
      if (own_.Find(absl::StrCat(prefix, "/", body.node(id).name()))) return true;
    }
    return false;
  }

  static bool IsHandle(const Node& node) {
    const DType* type = node.AttrOrDefault<DType>("T");
    return type != nullptr && *type == DType::kResource;
  }

  bool IsCall(const Node& node) const {
    if (library_->Has(node.op())) return true;
    return FormOf(node.op()) != nullptr && !CalleesOf(node).empty() && library_->Has(CalleesOf(node)[0].name);
  }

  // By its id in the whole.
  Node NodeAt(NodeId id) const {
    if (id < own_.num_nodes()) return own_.node(id);
    const auto after = std::upper_bound(bodies_.begin(), bodies_.end(), id,
                                        [](NodeId n, const std::unique_ptr<Body>& body) { return n < body->base; });
    const Body& body = **std::prev(after);
    return body.graph->node(id - body.base);
  }

  // The nodes that a handle comes from: where a call gives it, the results of what it calls.
  std::vector<NodeId> SourcesOf(Input handle) const {
    const Node node = NodeAt(handle.node);
    if (!IsCall(node)) return {handle.node};
    std::vector<NodeId> sources;
    for (const Callee& callee : CalleesOf(node)) {
      const auto found = body_of_.find(callee.name);
      if (!callee.has_results || found == body_of_.end() || found->second == kLeftOut) continue;
      const Body& body = *bodies_[found->second];
      const size_t slot = static_cast<size_t>(handle.slot);
      if (slot < body.results.size()) sources.push_back(body.base + body.results[slot]);
    }
    return sources;
  }

  // Who else a body's end has to be with: ids in the whole.
  std::vector<NodeId> TiesOf(const Body& body, const Node& node) const {
    std::vector<NodeId> ties;
    if (!IsHandle(node)) return ties;
    const auto tie = [&](const std::vector<Input>& handles) {
      for (const Input handle : handles) {
        const std::vector<NodeId> sources = SourcesOf(handle);
        ties.insert(ties.end(), sources.begin(), sources.end());
      }
    };
    if (node.op() == "_Arg") tie(body.given[IndexIn(body.args, node.id())]);
    if (node.op() == "_Retval") {
      const size_t r = IndexIn(body.results, node.id());
      ties = body.users[r];
      tie(body.went_in[r]);
    }
    return ties;
  }

  static size_t IndexIn(const std::vector<NodeId>& ids, NodeId id) {
    return std::lower_bound(ids.begin(), ids.end(), id) - ids.begin();
  }

  // Ends of the body become Identity, since what they stand for is an input here.
  absl::Status Add(const Body& body, NodeId id, GraphBuilder& builder) const {
    const Node node = body.graph->node(id);
    std::vector<Input> inputs;
    for (const Input& in : node.inputs()) inputs.push_back({body.base + in.node, in.slot});
    bool is_end = node.op() == "_Retval";
    if (node.op() == "_Arg" && !body.given[IndexIn(body.args, id)].empty()) {
      is_end = true;
      inputs.push_back(body.given[IndexIn(body.args, id)][0]);
    }
    AttrList ties;
    for (const absl::string_view with : node.colocation()) {
      if (body.graph->Find(with)) ties.s.push_back(absl::StrCat("loc:@", body.prefix, "/", with));
    }
    if (is_end) {
      for (const NodeId with : TiesOf(body, node)) ties.s.push_back(absl::StrCat("loc:@", names_[with]));
    }
    std::vector<std::pair<absl::string_view, AttrValue>> attrs;
    for (const NamedAttr& attr : node.attrs()) {
      if (attr.name != "_class" && (!is_end || attr.name == "T")) attrs.emplace_back(attr.name, *attr.value);
    }
    if (!ties.s.empty()) attrs.emplace_back("_class", AttrValue(std::move(ties)));
    attrs.emplace_back(kBodyAttr, AttrValue(body.function));
    std::vector<DType> outputs;
    for (int k = 0; k < node.num_outputs(); ++k) outputs.push_back(node.output_dtype(k));
    NodeSpec spec;
    spec.name = names_[body.base + id];
    spec.op = is_end ? absl::string_view("Identity") : node.op();
    const bool had_end = node.op() == "_Arg" || node.op() == "_Retval";
    const std::string end_place = had_end ? library_->PlaceOfEnd(body.function, node.name()) : "";
    spec.device = had_end ? absl::string_view(end_place) : node.device();
    spec.inputs = inputs;
    spec.attrs = attrs;
    spec.tags = body.tags;
    spec.opaque_outputs = node.num_outputs();
    spec.opaque_dtypes = outputs;
    return builder.AddNode(spec).status();
  }

  static constexpr size_t kLeftOut = SIZE_MAX;

  const Graph& own_;
  std::shared_ptr<const FunctionLibrary> library_;
  std::vector<std::unique_ptr<Body>> bodies_;
  absl::flat_hash_map<std::string, size_t> body_of_;
  NodeId next_ = 0;
  std::vector<std::string> names_;  // by id in the whole
  std::vector<std::string> left_out_;
};

}  // namespace

bool CallsFunction(const Node& node) {
  if (node.graph().HasFunction(node.op())) return true;
  const CallForm* form = FormOf(node.op());
  if (form == nullptr) return false;
  for (const Callee& callee : CalleesOf(node)) {
    if (!node.graph().HasFunction(callee.name)) return false;
  }
  return true;
}

bool LacksFunctionBodies(const Graph& graph) {
  if (graph.extras().empty()) return false;
  bool calls = false;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    if (graph.node(id).attr(kBodyAttr) != nullptr) return false;
    calls = calls || CallsFunction(graph.node(id));
  }
  return calls;
}

absl::StatusOr<Graph> WithFunctionBodies(const Graph& graph, const InferOptions& shapes,
                                         std::vector<std::string>* left_out) {
  Expansion expansion(graph);
  BERTH_RETURN_IF_ERROR(expansion.FindBodies());
  if (left_out != nullptr) *left_out = expansion.left_out();
  BERTH_ASSIGN_OR_RETURN(Graph whole, expansion.Build());
  absl::StatusOr<Graph> inferred = InferShapes(std::move(whole), shapes);
  if (inferred.ok()) return inferred;
  // A body that other calls fit, but not the first, or a loop's that changes shapes.
  return expansion.Build();
}

}  // namespace berth
