#include "graph/graph.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "graph/fingerprint.h"
#include "graph/graph_rep.h"

namespace berth {
namespace {

const PartialShape& UnknownShape() {
  static const PartialShape* const unknown = new PartialShape();
  return *unknown;
}

template <typename T>
size_t Heap(const std::vector<T>& v) {
  return v.capacity() * sizeof(T);
}

// Bytes behind a value that sizeof does not count; shared tensors once for each use.
struct ValueBytes {
  size_t operator()(std::monostate) const { return 0; }
  size_t operator()(int64_t) const { return 0; }
  size_t operator()(float) const { return 0; }
  size_t operator()(bool) const { return 0; }
  size_t operator()(DType) const { return 0; }
  size_t operator()(const std::string& s) const { return s.capacity() > 15 ? s.capacity() : 0; }
  size_t operator()(const PartialShape& s) const { return s.has_rank() ? s.rank() * 8 : 0; }
  size_t operator()(const Literal& l) const {
    return (l.is_elided() ? 0 : l.stored_bytes()) + l.strings().size() * sizeof(std::string);
  }
  size_t operator()(const AttrPlaceholder& p) const { return p.name.capacity(); }
  size_t operator()(const FunctionRef& f) const {
    size_t total = f.name.capacity();
    for (const auto& [name, value] : f.attrs) {
      total += name.size() + sizeof value + 64 + std::visit(*this, value.kind());
    }
    return total;
  }
  size_t operator()(const AttrList& list) const {
    return All(list.s) + Heap(list.i) + Heap(list.f) + list.b.capacity() / 8 + Heap(list.type) + All(list.shape) +
           All(list.tensor) + All(list.func);
  }
  template <typename T>
  size_t All(const std::vector<T>& list) const {
    size_t total = Heap(list);
    for (const T& element : list) total += (*this)(element);
    return total;
  }
};

}  // namespace

std::string SourceLine::ToString() const { return line == 0 ? "" : absl::StrCat(file, ":", line); }

std::string NodeLabel(absl::string_view name, absl::string_view op) {
  const auto cut = [](absl::string_view text) {
    return text.size() <= 256 ? std::string(text) : absl::StrCat(text.substr(0, 253), "...");
  };
  return absl::StrCat("node '", cut(name), "' (", cut(op), ")");
}

// Node.

absl::string_view Node::name() const { return graph_->rep().name(id_); }
absl::string_view Node::op() const { return graph_->rep().op_of(id_).name; }
const OpDef* Node::op_def() const { return graph_->rep().op_of(id_).def; }

std::string Node::Label() const {
  const std::string line = source().ToString();
  return absl::StrCat(line, line.empty() ? "" : ": ", NodeLabel(name(), op()));
}

absl::string_view Node::device() const {
  const Graph::Rep& rep = graph_->rep();
  const uint32_t word = Graph::Rep::At(rep.device, id_);
  return word == 0 ? absl::string_view() : StringArena::View(rep.words[word - 1]);
}

absl::Span<const Input> Node::inputs() const {
  const Graph::Rep& rep = graph_->rep();
  const uint32_t begin = rep.inputs_begin[id_];
  return absl::MakeConstSpan(rep.inputs).subspan(begin, rep.inputs_begin[id_ + 1] - begin);
}

absl::Span<const Input> Node::data_inputs() const {
  const Graph::Rep& rep = graph_->rep();
  return inputs().subspan(0, rep.data_end[id_] - rep.inputs_begin[id_]);
}

absl::Span<const Input> Node::control_inputs() const {
  const Graph::Rep& rep = graph_->rep();
  return inputs().subspan(rep.data_end[id_] - rep.inputs_begin[id_]);
}

Node Node::input(int i) const { return graph_->node(data_inputs()[i].node); }

absl::Span<const OutEdge> Node::out_edges() const {
  const Graph::Rep& rep = graph_->rep();
  const uint32_t begin = rep.edges_begin[id_];
  return absl::MakeConstSpan(rep.edges).subspan(begin, rep.edges_begin[id_ + 1] - begin);
}

int Node::num_outputs() const {
  const Graph::Rep& rep = graph_->rep();
  return static_cast<int>(rep.outputs_begin[id_ + 1] - rep.outputs_begin[id_]);
}

DType Node::output_dtype(int k) const {
  const Graph::Rep& rep = graph_->rep();
  return k < 0 || k >= num_outputs() ? DType::kInvalid : rep.output_types[rep.outputs_begin[id_] + k];
}

const PartialShape& Node::output_shape(int k) const {
  const Graph::Rep& rep = graph_->rep();
  if (k < 0 || k >= num_outputs()) return UnknownShape();
  return rep.shapes[rep.output_shapes[rep.outputs_begin[id_] + k]];
}

DType Node::input_dtype(int i) const {
  const Graph::Rep& rep = graph_->rep();
  const NodeKind& kind = rep.kind_of(id_);
  if (!kind.known || i < 0 || static_cast<uint32_t>(i) >= kind.num_inputs) {
    return DType::kInvalid;
  }
  return rep.kind_types[kind.types_begin + i];
}

const AttrValue* Node::attr(absl::string_view name) const {
  const Graph::Rep& rep = graph_->rep();
  const NodeKind& kind = rep.kind_of(id_);
  const NamedAttr* const begin = rep.kind_attrs.data() + kind.attrs_begin;
  const NamedAttr* const end = begin + kind.num_attrs;
  const NamedAttr* const it =
      std::lower_bound(begin, end, name, [](const NamedAttr& a, absl::string_view key) { return a.name < key; });
  return it != end && it->name == name ? it->value : nullptr;
}

std::vector<NamedAttr> Node::attrs() const {
  const Graph::Rep& rep = graph_->rep();
  const NodeKind& kind = rep.kind_of(id_);
  const auto begin = rep.kind_attrs.begin() + kind.attrs_begin;
  return std::vector<NamedAttr>(begin, begin + kind.num_attrs);
}

const AttrValue* Node::attr_or_default(absl::string_view name) const {
  if (const AttrValue* value = attr(name)) return value;
  const AttrDef* def = op_def() == nullptr ? nullptr : op_def()->FindAttr(name);
  return def == nullptr || !def->default_value ? nullptr : &*def->default_value;
}

absl::Span<const Tag> Node::tags() const {
  const Graph::Rep& rep = graph_->rep();
  return rep.tag_sets[Graph::Rep::At(rep.tag_set, id_)];
}

const std::string* Node::tag(absl::string_view key) const {
  for (const Tag& tag : tags()) {
    if (tag.key == key) return &tag.value;
  }
  return nullptr;
}

SourceLine Node::source() const {
  const Graph::Rep& rep = graph_->rep();
  const uint32_t word = Graph::Rep::At(rep.source_file, id_);
  if (word == 0) return {};
  return {StringArena::View(rep.words[word - 1]), Graph::Rep::At(rep.source_line, id_)};
}

const RequestNote& Node::note() const {
  const Graph::Rep& rep = graph_->rep();
  return rep.notes[Graph::Rep::At(rep.note, id_)];
}

std::vector<absl::string_view> Node::colocation() const {
  std::vector<absl::string_view> names;
  const AttrValue* value = attr("_class");
  const AttrList* list = value == nullptr ? nullptr : value->get<AttrList>();
  if (list == nullptr) return names;
  for (const std::string& entry : list->s) {
    absl::string_view name = entry;
    if (absl::ConsumePrefix(&name, "loc:@")) names.push_back(name);
  }
  return names;
}

// Graph.

Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;
Graph::~Graph() = default;
Graph::Graph(std::unique_ptr<Rep> rep) : rep_(std::move(rep)) {}

int Graph::num_nodes() const { return rep_->num_nodes(); }
int64_t Graph::num_edges() const { return static_cast<int64_t>(rep_->inputs.size()); }
const std::shared_ptr<const OpTable>& Graph::ops() const { return rep_->ops; }
absl::string_view Graph::extras() const { return rep_->extras; }

absl::string_view Graph::node_extras(NodeId id) const {
  const auto it = rep_->node_extras.find(id);
  return it == rep_->node_extras.end() ? absl::string_view() : absl::string_view(it->second);
}

bool Graph::HasFunction(absl::string_view name) const { return rep_->functions.contains(name); }

NodeId Graph::Rep::FindName(absl::string_view text) const {
  const size_t hash = absl::Hash<absl::string_view>()(text);
  return static_cast<NodeId>(name_ids.Find(hash, [&](uint32_t id) { return name(id) == text; }));
}

std::optional<Node> Graph::Find(absl::string_view name) const {
  const NodeId id = rep_->FindName(name);
  if (id == kNoNode) return std::nullopt;
  return node(id);
}

std::vector<NodeId> Graph::TopologicalOrder() const {
  const Rep& rep = *rep_;
  const int n = num_nodes();
  std::vector<NodeId> order;
  order.reserve(n);
  std::vector<uint32_t> waiting(n);
  bool in_order = true;
  for (NodeId id = 0; id < n; ++id) {
    for (uint32_t i = rep.inputs_begin[id]; i < rep.inputs_begin[id + 1]; ++i) {
      const NodeId from = rep.inputs[i].node;
      if (rep.IsBackEdge(from, id) && !rep.inputs[i].is_control()) continue;
      ++waiting[id];
      in_order = in_order && from < id;
    }
  }
  if (in_order) {
    for (NodeId id = 0; id < n; ++id) order.push_back(id);
    return order;
  }
  std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> ready;
  for (NodeId id = 0; id < n; ++id) {
    if (waiting[id] == 0) ready.push(id);
  }
  while (!ready.empty()) {
    const NodeId id = ready.top();
    ready.pop();
    order.push_back(id);
    for (const OutEdge& edge : node(id).out_edges()) {
      if (edge.input >= 0 && rep.IsBackEdge(id, edge.node)) continue;
      if (--waiting[edge.node] == 0) ready.push(edge.node);
    }
  }
  return order;
}

size_t Graph::MemoryBytes() const {
  const Rep& r = *rep_;
  size_t total = sizeof(Rep) + r.strings.MemoryBytes();
  for (const IdTable* table : {&r.op_ids, &r.kind_ids, &r.value_ids, &r.word_ids, &r.shape_ids, &r.name_ids}) {
    total += table->MemoryBytes();
  }
  total += Heap(r.ops_used) + Heap(r.kinds) + Heap(r.kind_attrs) + Heap(r.kind_types) + Heap(r.words);
  total += Heap(r.names) + Heap(r.kind) + Heap(r.inputs_begin) + Heap(r.data_end);
  total += Heap(r.outputs_begin) + Heap(r.edges_begin) + Heap(r.device) + Heap(r.tag_set);
  total += Heap(r.note) + Heap(r.source_file) + Heap(r.source_line) + Heap(r.inputs);
  total += Heap(r.output_types) + Heap(r.output_shapes) + Heap(r.edges) + Heap(r.open_nodes);
  for (const AttrValue& value : r.values) total += sizeof value + std::visit(ValueBytes(), value.kind());
  for (const PartialShape& shape : r.shapes) total += sizeof shape + ValueBytes()(shape);
  total += r.tag_sets.size() * sizeof(std::vector<Tag>) + r.notes.size() * sizeof(RequestNote);
  total += r.extras.capacity();
  for (const auto& [id, extras] : r.node_extras) total += sizeof extras + extras.size() + 16;
  return total;
}

// What nodes of one kind have in common is hashed once.
uint64_t Graph::Fingerprint() const {
  const Rep& rep = *rep_;
  std::vector<uint64_t> kinds;
  kinds.reserve(rep.kinds.size());
  for (const NodeKind& kind : rep.kinds) {
    uint64_t h = berth::Fingerprint(rep.ops_used[kind.op].name);
    for (uint32_t i = kind.attrs_begin; i < kind.attrs_begin + kind.num_attrs; ++i) {
      h = berth::Fingerprint(rep.kind_attrs[i].name, h);
      h = berth::Fingerprint(rep.kind_attrs[i].value->Fingerprint(), h);
    }
    kinds.push_back(h);
  }
  uint64_t h = berth::Fingerprint(num_nodes(), 0);
  for (NodeId id = 0; id < num_nodes(); ++id) {
    const Node n = node(id);
    h = berth::Fingerprint(n.name(), h);
    h = berth::Fingerprint(kinds[rep.kind[id]], h);
    if (!n.device().empty()) h = berth::Fingerprint(n.device(), h);
    for (const Input& input : n.inputs()) {
      h = berth::Fingerprint(static_cast<uint64_t>(input.node) << 32 | static_cast<uint32_t>(input.slot), h);
    }
  }
  return h;
}

void Graph::Rep::ShrinkToFit() {
  const auto shrink = [](auto&... vectors) { (vectors.shrink_to_fit(), ...); };
  shrink(kinds, kind_attrs, kind_types, names, kind, inputs_begin, data_end, outputs_begin, device, tag_set, note,
         source_file, source_line, inputs, output_types, output_shapes, open_nodes);
}

}  // namespace berth
