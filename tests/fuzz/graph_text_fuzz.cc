// Any bytes as a graph's text form: refused with a message, or a graph that prints as what reads back as itself.

#include <cstddef>
#include <cstdint>

#include "graph/graphdef.h"
#include "graph/infer.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "tests/fuzz/require.h"

using namespace berth;  // NOLINT: the target is a function outside of namespaces

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const absl::string_view input(reinterpret_cast<const char*>(bytes), size);
  absl::StatusOr<Graph> graph = ParseGraphText(input, StandardOps());
  if (!graph.ok()) {
    Require(!graph.status().message().empty(), "an error without a message");
    return 0;
  }
  (void)VerifyGraph(*graph);
  const std::string text = PrintGraph(*graph, {.all_values = true});
  const absl::StatusOr<Graph> parsed = ParseGraphText(text, StandardOps());
  Require(parsed.ok() && PrintGraph(*parsed, {.all_values = true}) == text, "text is not the identity");
  // Last, since it takes the graph.
  const absl::StatusOr<Graph> shaped = InferShapes(*std::move(graph));
  if (!shaped.ok()) Require(!shaped.status().message().empty(), "an error of shapes without a message");
  return 0;
}
