// GraphDef in and out: TensorFlow's wire format, binary and text.
#ifndef BERTH_GRAPH_GRAPHDEF_H_
#define BERTH_GRAPH_GRAPHDEF_H_

#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "graph/device_map.h"
#include "graph/graph.h"

namespace berth {

// What becomes of the devices found in the file.
enum class ImportDevices {
  kKeep,   // requests
  kHint,   // preferences: kept as a Prefer wish of the node (RequestNote::wishes), not as a request
  kClear,  // dropped
  kMap,    // rewritten by ImportOptions::device_map
};

struct ImportOptions {
  ImportDevices devices = ImportDevices::kKeep;
  // For kMap: device string in the file, in any spelling -> request; "": of nodes that ask for none. A device that is not
  // listed is an error naming it and the first node.
  DeviceMap device_map;
  std::string device_map_file;  // shown in messages
  // Shown in messages and as the nodes' source: a path.
  std::string file = "graph";
};

struct ImportCounts {
  int64_t nodes = 0, devices_kept = 0, devices_hinted = 0, devices_cleared = 0, devices_mapped = 0, opaque = 0;
};

// Reads a serialized GraphDef, or its text form; which one is found out from the content. Nodes keep the file's order as ids.
// Of an attribute `_output_shapes`, what nothing else tells is taken: shapes of opaque ops and of placeholders.
// Errors (InvalidArgument): what, which node, and for text `file:line:column`. Memory is bounded by a small multiple of the input.
absl::StatusOr<Graph> ImportGraphDef(absl::string_view bytes, std::shared_ptr<const OpTable> ops,
                                     const ImportOptions& options = {}, ImportCounts* counts = nullptr);

// The same with the devices of a graph that was read from another form: nothing else of it changes. O(nodes + edges).
absl::StatusOr<Graph> ImportDevicesOf(Graph graph, const ImportOptions& options, ImportCounts* counts = nullptr);

// What to write beside the graph itself. Null functions: the node's own request, and no attribute.
struct ExportOptions {
  // The device string to write for a node.
  absl::FunctionRef<std::string(const Node&)>* device = nullptr;
  // Attributes to add (names starting with `_berth_`).
  absl::FunctionRef<std::vector<std::pair<std::string, AttrValue>>(const Node&)>* attrs = nullptr;
  // In place of the graph's own: a library with devices, say (graph/function_library.h).
  const std::string* extras = nullptr;
};
// Deterministic. Extras of the file are written back. Shapes that a node was declared with and that no attribute tells
// are written as `_output_shapes`.
std::string ExportGraphDef(const Graph& graph, const ExportOptions& options = {});      // binary
std::string ExportGraphDefText(const Graph& graph, const ExportOptions& options = {});  // protobuf text

}  // namespace berth

#endif  // BERTH_GRAPH_GRAPHDEF_H_
