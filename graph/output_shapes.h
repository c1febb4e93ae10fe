// TensorFlow's attribute for the shapes of a node's outputs, which its own exporter writes on demand (`add_shapes`).
#ifndef BERTH_GRAPH_OUTPUT_SHAPES_H_
#define BERTH_GRAPH_OUTPUT_SHAPES_H_

#include "absl/strings/string_view.h"

namespace berth {

constexpr absl::string_view kOutputShapes = "_output_shapes";

}  // namespace berth

#endif  // BERTH_GRAPH_OUTPUT_SHAPES_H_
