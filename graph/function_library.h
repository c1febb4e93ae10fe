// The functions of a GraphDef: graphs with a signature, called as ops or through PartitionedCall.
//
//   MyAdd(x: f32, y: f32) -> (z: f32), body z = Add(x, y)
//   Instantiate("MyAdd"): x = _Arg() {index=0}, y = _Arg() {index=1}, Add = Add(x, y), z_RetVal = _Retval(Add) {index=0}
#ifndef BERTH_GRAPH_FUNCTION_LIBRARY_H_
#define BERTH_GRAPH_FUNCTION_LIBRARY_H_

#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "graph/graph.h"
#include "graph/signature.h"

namespace berth {

// Immutable; thread-safe.
class FunctionLibrary {
 public:
  // From Graph::extras(). Error: InvalidArgument when they are no GraphDef.
  static absl::StatusOr<std::shared_ptr<const FunctionLibrary>> Parse(absl::string_view extras);
  ~FunctionLibrary();

  bool Has(absl::string_view name) const;
  // The version of the program that wrote the GraphDef; 0: unknown.
  int producer() const;

  // The function's body as a graph of its own: one `_Arg` an input, one `_Retval` an output, in the signature's order, and the
  // body's nodes with the call's attributes put in. Calls inside stay calls. Errors: NotFound, or InvalidArgument when the
  // body is not well formed.
  absl::StatusOr<Graph> Instantiate(absl::string_view name, AttrLookup attrs, std::shared_ptr<const OpTable> ops) const;

 private:
  struct Rep;
  explicit FunctionLibrary(std::unique_ptr<const Rep> rep);
  std::unique_ptr<const Rep> rep_;
};

// Graph::extras() with other devices in the library: `device` is asked about each node of a body, as "f/add"; "" leaves the node's
// own. Extras that are no GraphDef come back as they are.
std::string WithDevicesInLibrary(absl::string_view extras, absl::FunctionRef<std::string(absl::string_view)> device);

}  // namespace berth

#endif  // BERTH_GRAPH_FUNCTION_LIBRARY_H_
