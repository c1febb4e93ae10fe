// What tests of the building interface share: graphs rendered to short strings.
#ifndef BERTH_TESTS_GRAPH_BUILDING_H_
#define BERTH_TESTS_GRAPH_BUILDING_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "graph/device_name.h"
#include "graph/graph.h"
#include "graph/scope.h"

namespace berth {

// "gpu:0" for "/device:GPU:0"; "-" for no request.
inline std::string ShortRequest(absl::string_view device) {
  if (device.empty()) return "-";
  const absl::StatusOr<DeviceName> name = ParseTensorFlowName(device);
  return name.ok() ? name->ShortName() : std::string(device);
}

// "x = MatMul(a, b:1, ^c)", one line a node, in order.
inline std::string Structure(const Graph& graph) {
  std::string text;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    const Node node = graph.node(id);
    absl::StrAppend(&text, node.name(), " = ", node.op(), "(");
    const char* separator = "";
    for (const Input& input : node.inputs()) {
      absl::StrAppend(&text, separator, input.is_control() ? "^" : "", graph.node(input.node).name(),
                      input.slot > 0 ? absl::StrCat(":", input.slot) : "");
      separator = ", ";
    }
    absl::StrAppend(&text, ")\n");
  }
  return text;
}

// "x gpu:0", one line a node; only those whose name holds `part`.
inline std::string Requests(const Graph& graph, absl::string_view part = "") {
  std::string text;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    const Node node = graph.node(id);
    if (node.name().find(part) == absl::string_view::npos) continue;
    absl::StrAppend(&text, node.name(), " ", ShortRequest(node.device()), "\n");
  }
  return text;
}

// The graph, or the error as text: for one comparison of both.
inline std::string StructureOrError(const absl::StatusOr<Graph>& graph) {
  return graph.ok() ? Structure(*graph) : std::string(graph.status().message());
}

// An error's message without the directories of its file names.
inline std::string Message(const absl::Status& status) {
  std::string text(status.message());
  const std::string folder = "tests/graph/";
  for (size_t at = text.find(folder); at != std::string::npos; at = text.find(folder)) text.erase(at, folder.size());
  return text;
}

}  // namespace berth

#endif  // BERTH_TESTS_GRAPH_BUILDING_H_
