// Any bytes as a GraphDef: refused with a message, or a graph that survives every way of writing it.

#include <cstddef>
#include <cstdint>

#include "graph/dot.h"
#include "graph/graphdef.h"
#include "graph/infer.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "tests/fuzz/require.h"

using namespace berth;  // NOLINT: the target is a function outside of namespaces

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const absl::string_view input(reinterpret_cast<const char*>(bytes), size);
  absl::StatusOr<Graph> graph = ImportGraphDef(input, StandardOps());
  if (!graph.ok()) {
    Require(!graph.status().message().empty(), "an error without a message");
    return 0;
  }
  (void)VerifyGraph(*graph);
  (void)PrintDot(*graph);
  const absl::StatusOr<Graph> back = ImportGraphDef(ExportGraphDef(*graph), StandardOps());
  Require(back.ok() && back->Fingerprint() == graph->Fingerprint(), "binary is not the identity");
  // Fields that have no name are left out of protobuf text: compared with itself.
  const std::string proto_text = ExportGraphDefText(*graph);
  const absl::StatusOr<Graph> reread = ImportGraphDef(proto_text, StandardOps());
  Require(reread.ok() && ExportGraphDefText(*reread) == proto_text, "protobuf text is not the identity");
  const std::string text = PrintGraph(*graph, {.all_values = true});
  const absl::StatusOr<Graph> parsed = ParseGraphText(text, StandardOps());
  Require(parsed.ok() && PrintGraph(*parsed, {.all_values = true}) == text, "text is not the identity");
  // Last, since it takes the graph.
  const absl::StatusOr<Graph> shaped = InferShapes(*std::move(graph));
  if (!shaped.ok()) Require(!shaped.status().message().empty(), "an error of shapes without a message");
  return 0;
}
