#include "graph/graph_builder.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "graph/attr_hash.h"
#include "graph/finish_graph.h"
#include "graph/graph_rep.h"
#include "graph/ops/known_signatures.h"
#include "graph/signature.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

using Rep = Graph::Rep;
using NamedValue = std::pair<absl::string_view, AttrValue>;

constexpr uint64_t kMaxEdges = std::numeric_limits<int32_t>::max();

bool SameWish(const Opinion& a, const Opinion& b) {
  return a.verb == b.verb && a.device == b.device && a.nth == b.nth && a.weight == b.weight;
}

bool SameNote(const RequestNote& a, const RequestNote& b) {
  return a.origin == b.origin && a.overruled == b.overruled &&
         std::equal(a.wishes.begin(), a.wishes.end(), b.wishes.begin(), b.wishes.end(), SameWish);
}

bool IsNameChar(unsigned char c) {
  return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '/' || c == '-' || c == '\\' || c == '>';
}

// The first byte that no name has there, or npos.
size_t BadNameChar(absl::string_view name) {
  for (size_t i = 0; i < name.size(); ++i) {
    if (!IsNameChar(name[i])) return i;
  }
  return !name.empty() && (name[0] == '-' || name[0] == '/' || name[0] == '\\' || name[0] == '>')
             ? 0
             : absl::string_view::npos;
}

template <typename T>
void SetSparse(std::vector<T>& column, NodeId id, T value) {
  if (value == 0) return;
  if (column.size() <= static_cast<size_t>(id)) column.resize(id + 1);
  column[id] = value;
}

// A spec with its attributes in order of their names.
class SortedAttrs {
 public:
  explicit SortedAttrs(absl::Span<const NamedValue> attrs) : attrs_(attrs) {
    const auto less = [](const NamedValue& a, const NamedValue& b) { return a.first < b.first; };
    sorted_ = std::is_sorted(attrs.begin(), attrs.end(), less);
    if (sorted_) return;
    order_.resize(attrs.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) { return attrs[a].first < attrs[b].first; });
  }
  size_t size() const { return attrs_.size(); }
  const NamedValue& operator[](size_t i) const { return attrs_[sorted_ ? i : order_[i]]; }
  const AttrValue* Find(absl::string_view name) const {
    for (const NamedValue& attr : attrs_) {
      if (attr.first == name) return &attr.second;
    }
    return nullptr;
  }

 private:
  absl::Span<const NamedValue> attrs_;
  bool sorted_ = true;
  absl::InlinedVector<uint32_t, 16> order_;
};

// Adds to a Rep what nodes share, once.
class Interner {
 public:
  explicit Interner(Rep& rep) : rep_(rep) {}

  uint32_t Op(absl::string_view name) {
    if (rep_.last_op < rep_.ops_used.size() && rep_.ops_used[rep_.last_op].name == name) return rep_.last_op;
    return rep_.last_op = FindOrAddOp(name);
  }

  uint32_t FindOrAddOp(absl::string_view name) {
    const size_t hash = HashShort(name);
    const int64_t found = rep_.op_ids.Find(hash, [&](uint32_t id) { return rep_.ops_used[id].name == name; });
    if (found >= 0) return static_cast<uint32_t>(found);
    const uint32_t id = static_cast<uint32_t>(rep_.ops_used.size());
    OpRow row;
    row.name = StringArena::View(rep_.strings.Add(name));
    row.def = rep_.ops->Find(name);
    row.is_merge = name == "Merge" || name == "RefMerge";
    row.is_next_iteration = name == "NextIteration" || name == "RefNextIteration";
    rep_.ops_used.push_back(row);
    rep_.op_ids.Insert(hash, id);
    return id;
  }

  // 0 for the empty string.
  uint32_t WordPlus1(absl::string_view text) {
    if (text.empty()) return 0;
    const size_t hash = HashText(text);
    const auto same = [&](uint32_t id) { return StringArena::View(rep_.words[id]) == text; };
    const int64_t found = rep_.word_ids.Find(hash, same);
    if (found >= 0) return static_cast<uint32_t>(found) + 1;
    rep_.words.push_back(rep_.strings.Add(text));
    rep_.word_ids.Insert(hash, static_cast<uint32_t>(rep_.words.size() - 1));
    return static_cast<uint32_t>(rep_.words.size());
  }

  const AttrValue* Value(const AttrValue& value) {
    const size_t hash = HashValue(value);
    const auto same = [&](uint32_t id) { return SameValue(rep_.values[id], value); };
    const int64_t found = rep_.value_ids.Find(hash, same);
    if (found >= 0) return &rep_.values[found];
    rep_.values.push_back(value);
    rep_.value_ids.Insert(hash, static_cast<uint32_t>(rep_.values.size() - 1));
    return &rep_.values.back();
  }

  uint32_t Shape(PartialShape shape) {
    if (!shape.has_rank()) return 0;
    const size_t hash = absl::Hash<PartialShape>()(shape);
    const int64_t found = rep_.shape_ids.Find(hash, [&](uint32_t id) { return rep_.shapes[id] == shape; });
    if (found >= 0) return static_cast<uint32_t>(found);
    rep_.shapes.push_back(std::move(shape));
    rep_.shape_ids.Insert(hash, static_cast<uint32_t>(rep_.shapes.size() - 1));
    return static_cast<uint32_t>(rep_.shapes.size() - 1);
  }

  uint32_t Tags(absl::Span<const Tag> tags) {
    if (tags.empty()) return 0;
    size_t hash = 0;
    for (const Tag& tag : tags) hash = Mix(Mix(hash, HashText(tag.key)), HashText(tag.value));
    const int64_t found = rep_.tag_set_ids.Find(hash, [&](uint32_t id) { return rep_.tag_sets[id] == tags; });
    if (found >= 0) return static_cast<uint32_t>(found);
    rep_.tag_sets.emplace_back(tags.begin(), tags.end());
    rep_.tag_set_ids.Insert(hash, static_cast<uint32_t>(rep_.tag_sets.size() - 1));
    return static_cast<uint32_t>(rep_.tag_sets.size() - 1);
  }

  // Neighbours mostly come from one scope and share its note.
  uint32_t Note(const RequestNote* note) {
    if (note == nullptr) return 0;
    if (rep_.notes.size() == 1 || !SameNote(rep_.notes.back(), *note)) rep_.notes.push_back(*note);
    return static_cast<uint32_t>(rep_.notes.size() - 1);
  }

  // What `op` with these attributes and `num_inputs` data inputs is. Error: "expected ..., got ...".
  absl::StatusOr<uint32_t> Kind(uint32_t op, absl::Span<const NamedValue> attrs, uint32_t num_inputs) {
    uint32_t& last = rep_.ops_used[op].last_kind;
    if (last > 0 && IsKind(rep_.kinds[last - 1], op, attrs, num_inputs)) return last - 1;
    BERTH_ASSIGN_OR_RETURN(const uint32_t kind, FindOrAddKind(op, SortedAttrs(attrs), num_inputs));
    rep_.ops_used[op].last_kind = kind + 1;
    return kind;
  }

 private:
  absl::StatusOr<uint32_t> FindOrAddKind(uint32_t op, const SortedAttrs& attrs, uint32_t num_inputs) {
    size_t hash = Mix(op, num_inputs);
    for (size_t i = 0; i < attrs.size(); ++i) {
      hash = Mix(Mix(hash, HashShort(attrs[i].first)), HashValue(attrs[i].second));
    }
    const auto same = [&](uint32_t id) { return IsKind(rep_.kinds[id], op, attrs, num_inputs); };
    const int64_t found = rep_.kind_ids.Find(hash, same);
    if (found >= 0) return static_cast<uint32_t>(found);
    BERTH_ASSIGN_OR_RETURN(NodeKind kind, MakeKind(op, attrs, num_inputs));
    rep_.kinds.push_back(kind);
    rep_.kind_ids.Insert(hash, static_cast<uint32_t>(rep_.kinds.size() - 1));
    return static_cast<uint32_t>(rep_.kinds.size() - 1);
  }

  template <typename Attrs>
  bool IsKind(const NodeKind& kind, uint32_t op, const Attrs& attrs, uint32_t num_inputs) const {
    if (kind.op != op || kind.num_inputs != num_inputs || kind.num_attrs != attrs.size()) return false;
    for (size_t i = 0; i < attrs.size(); ++i) {
      const NamedAttr& have = rep_.kind_attrs[kind.attrs_begin + i];
      if (have.name != attrs[i].first || !SameValue(*have.value, attrs[i].second)) return false;
    }
    return true;
  }

  absl::StatusOr<NodeKind> MakeKind(uint32_t op, const SortedAttrs& attrs, uint32_t num_inputs) {
    const OpDef* def = rep_.ops_used[op].def;
    BERTH_RETURN_IF_ERROR(CheckAttrNames(def, attrs));
    NodeKind kind;
    kind.op = op;
    kind.num_inputs = num_inputs;
    Signature signature;
    if (def != nullptr) {
      const auto lookup = [&](absl::string_view name) { return attrs.Find(name); };
      BERTH_ASSIGN_OR_RETURN(signature, ResolveSignature(*def, lookup, num_inputs));
      kind.complete = signature.complete;
    } else {
      signature = SignatureOfOpaque(rep_.ops_used[op].name, attrs, num_inputs, &kind.known);
    }
    kind.num_outputs = static_cast<uint32_t>(signature.outputs.size());
    kind.attrs_begin = static_cast<uint32_t>(rep_.kind_attrs.size());
    kind.num_attrs = static_cast<uint32_t>(attrs.size());
    for (size_t i = 0; i < attrs.size(); ++i) {
      const uint32_t name = WordPlus1(attrs[i].first);
      rep_.kind_attrs.push_back({StringArena::View(rep_.words[name - 1]), Value(attrs[i].second)});
    }
    kind.types_begin = static_cast<uint32_t>(rep_.kind_types.size());
    rep_.kind_types.insert(rep_.kind_types.end(), signature.inputs.begin(), signature.inputs.end());
    rep_.kind_types.insert(rep_.kind_types.end(), signature.outputs.begin(), signature.outputs.end());
    return kind;
  }

  // What is known of an op that the table does not have, where the node fits it.
  static Signature SignatureOfOpaque(absl::string_view op, const SortedAttrs& attrs, uint32_t num_inputs, bool* known) {
    *known = false;
    const OpDef* def = KnownSignature(op);
    if (def == nullptr) return {};
    const auto lookup = [&](absl::string_view name) { return attrs.Find(name); };
    absl::StatusOr<Signature> signature = ResolveSignature(*def, lookup, num_inputs);
    if (!signature.ok()) return {};
    *known = true;
    return *std::move(signature);
  }

  static absl::Status CheckAttrNames(const OpDef* def, const SortedAttrs& attrs) {
    for (size_t i = 0; i < attrs.size(); ++i) {
      const absl::string_view name = attrs[i].first;
      if (name.empty()) return absl::InvalidArgumentError("expected a name for every attribute, got none");
      if (i > 0 && attrs[i - 1].first == name) {
        return absl::InvalidArgumentError(
            absl::StrCat("expected attribute '", name.substr(0, 64), "' once, got it twice"));
      }
      if (def == nullptr || name[0] == '_' || def->FindAttr(name) != nullptr) continue;
      std::string known;
      for (const AttrDef& attr : def->attrs) absl::StrAppend(&known, known.empty() ? "" : ", ", attr.name);
      return absl::InvalidArgumentError(absl::StrCat("expected attributes of the op, got '", name.substr(0, 64),
                                                     "'; it has ", known.empty() ? "none" : known));
    }
    return absl::OkStatus();
  }

  Rep& rep_;
};

absl::Status AtSpec(const NodeSpec& spec, absl::string_view text) {
  return AtNode(spec.source, absl::CHexEscape(spec.name.substr(0, 300)), absl::CHexEscape(spec.op.substr(0, 300)),
                text);
}

}  // namespace

GraphBuilder::GraphBuilder(std::shared_ptr<const OpTable> ops) : rep_(std::make_unique<Rep>()) {
  rep_->ops = std::move(ops);
}
GraphBuilder::GraphBuilder(Graph graph) : rep_(std::move(graph.rep_)) {}
GraphBuilder::GraphBuilder(GraphBuilder&&) noexcept = default;
GraphBuilder::~GraphBuilder() = default;

absl::StatusOr<NodeId> GraphBuilder::AddNode(const NodeSpec& spec) {
  Rep& rep = *rep_;
  const NodeId id = rep.num_nodes();
  if (spec.name.empty()) return AtSpec(spec, "expected a name, got none");
  if (const size_t bad = BadNameChar(spec.name); bad != absl::string_view::npos) {
    return AtSpec(spec, absl::StrCat("expected a name of letters, digits and _.\\/->, got '",
                                     absl::CHexEscape(spec.name.substr(bad, 1)), "' at byte ", bad));
  }
  if (spec.op.empty()) return AtSpec(spec, "expected an op, got none");
  const size_t name_hash = HashText(spec.name);
  const auto same_name = [&](uint32_t other) { return rep.name(static_cast<NodeId>(other)) == spec.name; };
  if (const int64_t other = rep.name_ids.Find(name_hash, same_name); other >= 0) {
    return AtSpec(spec, absl::StrCat("expected a new name, got one that node ", other, " (",
                                     rep.op_of(static_cast<NodeId>(other)).name, ") has"));
  }

  const auto first_control =
      std::find_if(spec.inputs.begin(), spec.inputs.end(), [](const Input& input) { return input.slot < 0; });
  const uint32_t num_data = static_cast<uint32_t>(first_control - spec.inputs.begin());
  for (auto it = first_control; it != spec.inputs.end(); ++it) {
    if (!it->is_control()) {
      return AtSpec(spec, absl::StrCat("expected only control inputs after the first one, got a data input at ",
                                       it - spec.inputs.begin()));
    }
  }
  if (rep.inputs.size() + spec.inputs.size() > kMaxEdges || id == std::numeric_limits<NodeId>::max()) {
    return AtSpec(spec, absl::StrCat("expected at most ", kMaxEdges, " nodes and edges in a graph, got more"));
  }

  Interner intern(rep);
  const uint32_t op = intern.Op(spec.op);
  const absl::StatusOr<uint32_t> kind_id = intern.Kind(op, spec.attrs, num_data);
  if (!kind_id.ok()) return AtSpec(spec, kind_id.status().message());
  const NodeKind& kind = rep.kinds[*kind_id];
  // The caller's word counts for opaque ops, else what is known of them.
  const bool said = spec.opaque_outputs >= 0 || !spec.opaque_dtypes.empty();
  const bool opaque = rep.ops_used[op].def == nullptr && (said || !kind.known);
  const uint64_t num_outputs =
      opaque ? std::max<int64_t>(spec.opaque_outputs, spec.opaque_dtypes.size()) : kind.num_outputs;
  if (rep.output_types.size() + num_outputs > kOutputsAtFirst + kOutputsPerNode * static_cast<uint64_t>(id)) {
    return AtSpec(spec, absl::StrCat("expected outputs that the graph has room for, got ", num_outputs));
  }

  rep.names.push_back(rep.strings.Add(spec.name));
  rep.name_ids.Insert(name_hash, static_cast<uint32_t>(id));
  rep.kind.push_back(*kind_id);
  rep.data_end.push_back(static_cast<uint32_t>(rep.inputs.size()) + num_data);
  rep.inputs.insert(rep.inputs.end(), spec.inputs.begin(), spec.inputs.end());
  rep.inputs_begin.push_back(static_cast<uint32_t>(rep.inputs.size()));
  if (opaque) {
    rep.output_types.insert(rep.output_types.end(), spec.opaque_dtypes.begin(), spec.opaque_dtypes.end());
    rep.output_types.resize(rep.outputs_begin.back() + num_outputs, DType::kInvalid);
    if (spec.opaque_outputs < 0) rep.open_nodes.push_back(id);
  } else {
    const auto types = rep.kind_types.begin() + kind.types_begin + kind.num_inputs;
    rep.output_types.insert(rep.output_types.end(), types, types + kind.num_outputs);
    if (rep.ops_used[op].def == nullptr) rep.open_nodes.push_back(id);  // should a consumer know of more
  }
  rep.output_shapes.resize(rep.output_types.size());
  rep.outputs_begin.push_back(static_cast<uint32_t>(rep.output_types.size()));
  SetSparse(rep.device, id, intern.WordPlus1(spec.device));
  SetSparse(rep.tag_set, id, intern.Tags(spec.tags));
  SetSparse(rep.note, id, intern.Note(spec.note));
  if (spec.source.line != 0) {
    SetSparse(rep.source_file, id, intern.WordPlus1(spec.source.file));
    SetSparse(rep.source_line, id, static_cast<int32_t>(spec.source.line));
  }
  if (!spec.extras.empty()) rep.node_extras.emplace(id, spec.extras);
  return id;
}

absl::StatusOr<NodeId> GraphBuilder::AddCopy(const Node& node, absl::Span<const Input> inputs,
                                             std::optional<absl::string_view> device, const AttrList* colocation) {
  std::vector<NamedValue> attrs;
  for (const NamedAttr& attr : node.attrs()) {
    if (colocation == nullptr || attr.name != "_class") {
      attrs.emplace_back(attr.name, *attr.value);
    } else if (colocation->size() > 0) {
      attrs.emplace_back(attr.name, AttrValue(*colocation));
    }
  }
  std::vector<DType> types;
  for (int k = 0; k < node.num_outputs(); ++k) types.push_back(node.output_dtype(k));
  NodeSpec spec;
  spec.name = node.name();
  spec.op = node.op();
  spec.device = device.value_or(node.device());
  spec.inputs = inputs;
  spec.attrs = attrs;
  spec.tags = node.tags();
  spec.source = node.source();
  spec.note = Rep::At(node.graph().rep().note, node.id()) == 0 ? nullptr : &node.note();
  spec.extras = node.graph().node_extras(node.id());
  spec.opaque_outputs = node.num_outputs();
  spec.opaque_dtypes = types;
  BERTH_ASSIGN_OR_RETURN(const NodeId id, AddNode(spec));
  for (int k = 0; k < node.num_outputs(); ++k) {
    if (node.output_shape(k).has_rank()) set_output_shape(id, k, node.output_shape(k));
  }
  return id;
}

int GraphBuilder::num_nodes() const { return rep_->num_nodes(); }
bool GraphBuilder::HasName(absl::string_view name) const { return rep_->FindName(name) != kNoNode; }
NodeId GraphBuilder::FindName(absl::string_view name) const { return rep_->FindName(name); }
absl::string_view GraphBuilder::name(NodeId id) const { return rep_->name(id); }
absl::string_view GraphBuilder::op(NodeId id) const { return rep_->op_of(id).name; }

absl::string_view GraphBuilder::device(NodeId id) const {
  const uint32_t word = Rep::At(rep_->device, id);
  return word == 0 ? absl::string_view() : StringArena::View(rep_->words[word - 1]);
}

int GraphBuilder::num_outputs(NodeId id) const {
  return static_cast<int>(rep_->outputs_begin[id + 1] - rep_->outputs_begin[id]);
}

DType GraphBuilder::output_dtype(NodeId id, int slot) const {
  return slot < 0 || slot >= num_outputs(id) ? DType::kInvalid : rep_->output_types[rep_->outputs_begin[id] + slot];
}

const PartialShape& GraphBuilder::output_shape(NodeId id, int slot) const {
  const bool exists = slot >= 0 && slot < num_outputs(id);
  return rep_->shapes[exists ? rep_->output_shapes[rep_->outputs_begin[id] + slot] : 0];
}

void GraphBuilder::set_output_shape(NodeId id, int slot, PartialShape shape) {
  if (slot < 0 || slot >= num_outputs(id)) return;
  rep_->output_shapes[rep_->outputs_begin[id] + slot] = Interner(*rep_).Shape(std::move(shape));
}

void GraphBuilder::SetRequest(NodeId id, absl::string_view device, const RequestNote* note) {
  Interner intern(*rep_);
  SetSparse(rep_->device, id, intern.WordPlus1(device));
  SetSparse(rep_->note, id, intern.Note(note));
}

void GraphBuilder::CopyExtras(const Graph& graph) {
  rep_->extras = graph.rep().extras;
  rep_->functions = graph.rep().functions;
}

void GraphBuilder::SetExtras(std::string serialized_graph_def, std::vector<std::string> function_names) {
  rep_->extras = std::move(serialized_graph_def);
  rep_->functions = {function_names.begin(), function_names.end()};
}

absl::Status GraphBuilder::SetInput(NodeId node, int index, Input input) {
  const uint32_t begin = rep_->inputs_begin[node];
  const uint32_t at = begin + static_cast<uint32_t>(index);
  if (index < 0 || at >= rep_->inputs_begin[node + 1] || input.is_control() != (at >= rep_->data_end[node])) {
    return absl::InvalidArgumentError(absl::StrCat(NodeLabel(name(node), op(node)), ": expected one of its ",
                                                   rep_->data_end[node] - begin, " data inputs to replace, got input ",
                                                   index));
  }
  rep_->inputs[at] = input;
  return absl::OkStatus();
}

absl::StatusOr<Graph> GraphBuilder::Build() && {
  BERTH_RETURN_IF_ERROR(FinishGraph(*rep_));
  return Graph(std::move(rep_));
}

}  // namespace berth
