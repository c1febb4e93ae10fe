// What is known of ops that the op table does not have: their signatures, for graphs that only have to be placed, and the
// shapes of their outputs where these are easily said.
//
//   ScatterUpdate(ref: T&, indices: Tindices, updates: T) -> (output_ref: T&) {T: type; Tindices: type} => ref
//
// Such an op stays opaque: attributes are not checked, inputs not refused, and it does not run. But how many outputs it has
// and of which types, and which inputs it takes by reference or as a handle, is what ties nodes together, and shapes are
// what transfers and memory are estimated from. The list is known_signatures.txt.
//
// After `=>` stand the outputs' shapes; the last counts for all outputs that are left:
//   [?,4]  ?           as written
//   x  x|y  x&y        as the input x; what x and y know together; what they broadcast to
//   *size              the shape that the input `size` holds
//   @shape             that attribute; of a list of shapes, one an output
// Nothing is known where there is no `=>`.
#ifndef BERTH_GRAPH_OPS_KNOWN_SIGNATURES_H_
#define BERTH_GRAPH_OPS_KNOWN_SIGNATURES_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "graph/op_def.h"
#include "graph/shape_args.h"

namespace berth {

// Null when nothing is known. Only attributes that inputs and outputs refer to are in the definition. The pointer lives
// forever. Thread-safe; parses a line on its first use.
const OpDef* KnownSignature(absl::string_view op);

// Sets the outputs' shapes as the list has them; leaves them unknown where inputs contradict each other. Thread-safe.
// REQUIRES: the node fits KnownSignature(op).
void KnownShapes(absl::string_view op, ShapeArgs& args);

// True when the list says anything of them.
bool HasKnownShapes(absl::string_view op);

// All names, alphabetical.
std::vector<absl::string_view> KnownSignatures();

}  // namespace berth

#endif  // BERTH_GRAPH_OPS_KNOWN_SIGNATURES_H_
