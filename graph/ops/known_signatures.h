// What is known of ops that the op table does not have: their signatures, for graphs that only have to be placed.
//
//   ScatterUpdate(ref: T&, indices: Tindices, updates: T) -> (output_ref: T&) {T: type; Tindices: type}
//
// Such an op stays opaque: attributes are not checked, shapes not inferred, and it does not run. But how many outputs it has
// and of which types, and which inputs it takes by reference or as a handle, is what ties nodes together. The list is
// known_signatures.txt.
#ifndef BERTH_GRAPH_OPS_KNOWN_SIGNATURES_H_
#define BERTH_GRAPH_OPS_KNOWN_SIGNATURES_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "graph/op_def.h"

namespace berth {

// Null when nothing is known. Only attributes that inputs and outputs refer to are in the definition. The pointer lives
// forever. Thread-safe; parses a line on its first use.
const OpDef* KnownSignature(absl::string_view op);

// All names, alphabetical.
std::vector<absl::string_view> KnownSignatures();

}  // namespace berth

#endif  // BERTH_GRAPH_OPS_KNOWN_SIGNATURES_H_
