#include "graph/finish_graph.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/signature.h"
#include "graph/status_macros.h"

namespace berth {
namespace {

using Rep = Graph::Rep;

std::string Column(const Rep& rep, const Input& input) {
  std::string text(rep.name(input.node).substr(0, 256));
  if (input.slot > 0) absl::StrAppend(&text, ":", input.slot);
  return text;
}

// What Build does, over the arrays.
class Finisher {
 public:
  explicit Finisher(Rep& rep) : rep_(rep) {}

  absl::Status Finish() {
    BERTH_RETURN_IF_ERROR(CheckInputs());
    if (!rep_.open_nodes.empty()) BERTH_RETURN_IF_ERROR(CountOpenOutputs());
    FillTypes();
    BERTH_RETURN_IF_ERROR(CheckTypes());
    MakeEdges();
    rep_.ShrinkToFit();
    return absl::OkStatus();
  }

 private:
  uint32_t num_outputs(NodeId id) const { return rep_.outputs_begin[id + 1] - rep_.outputs_begin[id]; }
  bool is_opaque(NodeId id) const { return rep_.op_of(id).def == nullptr; }

  absl::Status Fail(NodeId id, absl::string_view text) const {
    SourceLine source;
    if (const uint32_t word = Rep::At(rep_.source_file, id); word != 0) {
      source = {StringArena::View(rep_.words[word - 1]), Rep::At(rep_.source_line, id)};
    }
    return AtNode(source, rep_.name(id), rep_.op_of(id).name, text);
  }

  // Producers exist and have the outputs; those of open nodes are counted.
  absl::Status CheckInputs() {
    const int n = rep_.num_nodes();
    needed_.assign(rep_.open_nodes.empty() ? 0 : n, 0);
    std::vector<bool> open(rep_.open_nodes.empty() ? 0 : n);
    for (NodeId id : rep_.open_nodes) open[id] = true;
    for (NodeId id = 0; id < n; ++id) {
      for (uint32_t i = rep_.inputs_begin[id]; i < rep_.inputs_begin[id + 1]; ++i) {
        const Input& input = rep_.inputs[i];
        const uint32_t at = i - rep_.inputs_begin[id];
        if (input.node < 0 || input.node >= n) {
          return Fail(id, absl::StrCat("expected a node for input ", at, ", got none"));
        }
        if (input.is_control()) continue;
        if (!open.empty() && open[input.node]) {
          needed_[input.node] = std::max(needed_[input.node], static_cast<uint32_t>(input.slot) + 1);
        } else if (static_cast<uint32_t>(input.slot) >= num_outputs(input.node)) {
          return Fail(id, absl::StrCat("expected input ", at, " to be an output of ",
                                       NodeLabel(rep_.name(input.node), rep_.op_of(input.node).name), ", got ",
                                       Column(rep_, input), "; it has ", num_outputs(input.node),
                                       num_outputs(input.node) == 1 ? " output" : " outputs"));
        }
      }
    }
    return absl::OkStatus();
  }

  absl::Status CountOpenOutputs() {
    const int n = rep_.num_nodes();
    uint64_t total = 0;
    for (NodeId id = 0; id < n; ++id) {
      total += std::max(num_outputs(id), needed_[id]);
      if (total > kOutputsAtFirst + kOutputsPerNode * static_cast<uint64_t>(n)) {
        return Fail(id, absl::StrCat("expected an output that the graph has room for, got one numbered ",
                                     std::max(num_outputs(id), needed_[id]) - 1));
      }
    }
    std::vector<uint32_t> begin{0};
    begin.reserve(n + 1);
    std::vector<DType> types;
    std::vector<uint32_t> shapes;
    for (NodeId id = 0; id < n; ++id) {
      const uint32_t have = num_outputs(id);
      const auto at = rep_.outputs_begin[id];
      types.insert(types.end(), rep_.output_types.begin() + at, rep_.output_types.begin() + at + have);
      shapes.insert(shapes.end(), rep_.output_shapes.begin() + at, rep_.output_shapes.begin() + at + have);
      types.resize(types.size() + std::max(have, needed_[id]) - have, DType::kInvalid);
      shapes.resize(types.size());
      begin.push_back(static_cast<uint32_t>(types.size()));
    }
    rep_.outputs_begin = std::move(begin);
    rep_.output_types = std::move(types);
    rep_.output_shapes = std::move(shapes);
    rep_.open_nodes.clear();
    return absl::OkStatus();
  }

  DType declared(NodeId id, uint32_t input) const {
    const NodeKind& kind = rep_.kind_of(id);
    return kind.known ? rep_.kind_types[kind.types_begin + input] : DType::kInvalid;
  }

  // Outputs of unknown dtype take what a consumer declares; of known ops without the attribute, what the input with the
  // same type attribute has. One pass each way settles all but chains against the order of the file.
  void FillTypes() {
    if (std::find(rep_.output_types.begin(), rep_.output_types.end(), DType::kInvalid) == rep_.output_types.end()) {
      return;
    }
    const int n = rep_.num_nodes();
    for (NodeId id = 0; id < n; ++id) {
      for (uint32_t i = rep_.inputs_begin[id]; i < rep_.data_end[id]; ++i) {
        const Input& input = rep_.inputs[i];
        DType& type = rep_.output_types[rep_.outputs_begin[input.node] + input.slot];
        if (type == DType::kInvalid) type = declared(id, i - rep_.inputs_begin[id]);
      }
    }
    for (NodeId id = 0; id < n; ++id) {
      if (!rep_.kind_of(id).complete) TypesFromInputs(id);
    }
  }

  void TypesFromInputs(NodeId id) {
    const OpDef& op = *rep_.op_of(id).def;
    uint32_t out = 0;
    for (const ArgDef& arg : op.outputs) {
      // Past a list of unknown length the outputs' arguments are not known.
      if (!arg.number_attr.empty() || !arg.type_list_attr.empty() || out >= num_outputs(id)) return;
      DType& type = rep_.output_types[rep_.outputs_begin[id] + out++];
      if (type != DType::kInvalid || arg.type_attr.empty()) continue;
      uint32_t in = 0;
      for (const ArgDef& formal : op.inputs) {
        if (!formal.type_list_attr.empty() || rep_.inputs_begin[id] + in >= rep_.data_end[id]) break;
        if (formal.type_attr == arg.type_attr) {
          const Input& input = rep_.inputs[rep_.inputs_begin[id] + in];
          type = BaseOf(rep_.output_types[rep_.outputs_begin[input.node] + input.slot]);
          break;
        }
        if (!formal.number_attr.empty()) break;
        ++in;
      }
    }
  }

  absl::Status CheckTypes() const {
    const int n = rep_.num_nodes();
    for (NodeId id = 0; id < n; ++id) {
      const NodeKind& kind = rep_.kind_of(id);
      if (rep_.ops_used[kind.op].def == nullptr) continue;
      const DType* expected = rep_.kind_types.data() + kind.types_begin;
      const uint32_t begin = rep_.inputs_begin[id];
      for (uint32_t i = begin; i < rep_.data_end[id]; ++i, ++expected) {
        const Input& input = rep_.inputs[i];
        const DType got = rep_.output_types[rep_.outputs_begin[input.node] + input.slot];
        if (*expected == got || *expected == BaseOf(got) || *expected == DType::kInvalid || got == DType::kInvalid) {
          continue;
        }
        return Fail(id, absl::StrCat("expected ", ShortDTypeName(*expected), " for input ", i - begin, ", got ",
                                     ShortDTypeName(got), " from '", Column(rep_, input), "' (",
                                     rep_.op_of(input.node).name, ")"));
      }
    }
    return absl::OkStatus();
  }

  // Counting sort of the inputs by producer.
  void MakeEdges() {
    const int n = rep_.num_nodes();
    rep_.edges_begin.assign(n + 1, 0);
    for (const Input& input : rep_.inputs) ++rep_.edges_begin[input.node + 1];
    std::partial_sum(rep_.edges_begin.begin(), rep_.edges_begin.end(), rep_.edges_begin.begin());
    rep_.edges.assign(rep_.inputs.size(), OutEdge());
    std::vector<uint32_t> next(rep_.edges_begin.begin(), rep_.edges_begin.end() - 1);
    for (NodeId id = 0; id < n; ++id) {
      const uint32_t begin = rep_.inputs_begin[id];
      for (uint32_t i = begin; i < rep_.inputs_begin[id + 1]; ++i) {
        const Input& input = rep_.inputs[i];
        const int32_t slot = input.is_control() ? kControlSlot : static_cast<int32_t>(i - begin);
        rep_.edges[next[input.node]++] = OutEdge{id, input.slot, slot};
      }
    }
  }

  Rep& rep_;
  std::vector<uint32_t> needed_;  // outputs that consumers use of open nodes
};

}  // namespace

absl::Status FinishGraph(Graph::Rep& rep) { return Finisher(rep).Finish(); }

absl::Status AtNode(const SourceLine& source, absl::string_view name, absl::string_view op, absl::string_view text) {
  const std::string line = source.ToString();
  return absl::InvalidArgumentError(absl::StrCat(line, line.empty() ? "" : ": ", NodeLabel(name, op), ": ", text));
}

}  // namespace berth
