#include "graph/dot.h"

#include <array>
#include <map>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace berth {
namespace {

constexpr std::array<const char*, 8> kColours = {"#cfe2f3", "#d9ead3", "#fce5cd", "#ead1dc",
                                                 "#fff2cc", "#d0e0e3", "#f4cccc", "#d9d2e9"};

std::string Quote(absl::string_view text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

// A name scope: its nodes, and the scopes inside.
struct Cluster {
  std::vector<NodeId> nodes;
  std::map<std::string, int> inner;  // by last part of the name: index in the writer's clusters
};

class Writer {
 public:
  Writer(const Graph& graph, const DotOptions& options) : graph_(graph), options_(options) {}

  std::string Write() {
    AddNodes();
    text_ = "digraph graph {\n  node [shape=box, style=filled, fontname=\"sans-serif\"];\n";
    WriteCluster(0, 1);
    for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
      for (const Input& input : graph_.node(id).inputs()) {
        absl::StrAppend(&text_, "  n", input.node, " -> n", id, input.is_control() ? " [style=dotted]" : "", ";\n");
      }
    }
    return text_ + "}\n";
  }

 private:
  std::string Device(const Node& node) const {
    return options_.device == nullptr ? std::string(node.device()) : options_.device(node);
  }

  // A scope nested deeper than this is drawn as one with its parent, so that no name can exhaust the stack.
  static constexpr int kMaxDepth = 50;

  void AddNodes() {
    clusters_.emplace_back();
    for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
      const absl::string_view name = graph_.node(id).name();
      int at = 0;
      size_t begin = 0;
      for (int depth = 0; depth < kMaxDepth; ++depth) {
        const size_t slash = name.find('/', begin);
        if (slash == absl::string_view::npos) break;
        const auto [it, added] = clusters_[at].inner.try_emplace(std::string(name.substr(begin, slash - begin)),
                                                                 static_cast<int>(clusters_.size()));
        at = it->second;
        if (added) clusters_.emplace_back();
        begin = slash + 1;
      }
      clusters_[at].nodes.push_back(id);
      const std::string device = Device(graph_.node(id));
      if (!device.empty()) colours_.try_emplace(device, colours_.size());
    }
  }

  void WriteCluster(int index, int depth) {
    const std::string indent(depth * 2, ' ');
    for (NodeId id : clusters_[index].nodes) {
      const Node node = graph_.node(id);
      const std::string device = Device(node);
      const char* colour = device.empty() ? "white" : kColours[colours_.at(device) % kColours.size()];
      const absl::string_view name = node.name();
      absl::StrAppend(&text_, indent, "n", id, " [label=", Quote(absl::StrCat(name.substr(name.rfind('/') + 1))),
                      ", tooltip=",
                      Quote(absl::StrCat(name, " = ", absl::CHexEscape(node.op()), device.empty() ? "" : " @",
                                         absl::CHexEscape(device))),
                      ", xlabel=", Quote(absl::CHexEscape(node.op())), ", fillcolor=", Quote(colour), "];\n");
    }
    for (const auto& [name, inner] : clusters_[index].inner) {
      absl::StrAppend(&text_, indent, "subgraph cluster_", inner, " {\n", indent, "  label=", Quote(name), ";\n");
      WriteCluster(inner, depth + 1);
      absl::StrAppend(&text_, indent, "}\n");
    }
  }

  const Graph& graph_;
  const DotOptions& options_;
  std::vector<Cluster> clusters_;
  std::map<std::string, size_t> colours_;
  std::string text_;
};

}  // namespace

std::string PrintDot(const Graph& graph, const DotOptions& options) { return Writer(graph, options).Write(); }

}  // namespace berth
