// Berth's text form of a graph, one line a node:
//
//   y = MatMul(x, w:1, ^init) {transpose_b=true} : f32[8,256] @gpu:1  # tower 1 -> gpu:1
//
// name = Op(inputs) {attributes} : outputs @device  # comment. Default-valued attributes that the file left out stay
// out; types and counts that the inputs, the value or the declared outputs say may be left out (text_attrs.h), and
// `T=absent` says that a file lacks one, which VerifyGraph refuses. Print, parse, print is the identity. Literals over 1 KB print as size and hash unless `all_values`; running such a graph is
// an error.
#ifndef BERTH_GRAPH_TEXT_H_
#define BERTH_GRAPH_TEXT_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "graph/graph.h"

namespace berth {

struct TextOptions {
  bool all_values = false;
  // Null: the node's request, and no comment.
  std::function<std::string(const Node&)> device;
  std::function<std::string(const Node&)> comment;
};

std::string PrintGraph(const Graph& graph, const TextOptions& options = {});
// Errors: InvalidArgument `file:line:column: expected ..., got ...` with the line and a caret.
absl::StatusOr<Graph> ParseGraphText(absl::string_view text, std::shared_ptr<const OpTable> ops,
                                     absl::string_view file = "graph");

}  // namespace berth

#endif  // BERTH_GRAPH_TEXT_H_
