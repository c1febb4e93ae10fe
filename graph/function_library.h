// The functions of a GraphDef: graphs with a signature, called as ops or through PartitionedCall.
//
//   MyAdd(x: f32, y: f32) -> (z: f32), body z = Add(x, y)
//   Instantiate("MyAdd"): x = _Arg() {index=0}, y = _Arg() {index=1}, Add = Add(x, y), z_RetVal = _Retval(Add) {index=0}
#ifndef BERTH_GRAPH_FUNCTION_LIBRARY_H_
#define BERTH_GRAPH_FUNCTION_LIBRARY_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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

  // What kPlacesAttr says of an argument or a result of the function, by its name in the body; "" for nothing.
  std::string PlaceOfEnd(absl::string_view function, absl::string_view end) const;
  // The function's body as a graph of its own: one `_Arg` an input, one `_Retval` an output, in the signature's order, and the
  // body's nodes with the call's attributes put in. Calls inside stay calls. Errors: NotFound, or InvalidArgument when the
  // body is not well formed.
  absl::StatusOr<Graph> Instantiate(absl::string_view name, AttrLookup attrs, std::shared_ptr<const OpTable> ops) const;

 private:
  struct Rep;
  explicit FunctionLibrary(std::unique_ptr<const Rep> rep);
  std::unique_ptr<const Rep> rep_;
};

// Where the nodes of a body were placed (graph/function_bodies.h), by function: names in the whole graph ("f/add"), devices.
using BodyPlaces = std::map<std::string, std::vector<std::pair<std::string, std::string>>>;

// Graph::extras() with these devices in the library: of each node of a body, and, for arguments and results, which have no
// node there, in the function's attribute kPlacesAttr, "f/x /device:GPU:1", ... Extras that are no GraphDef come back as
// they are.
constexpr char kPlacesAttr[] = "_berth_places";
std::string WithPlacesInLibrary(absl::string_view extras, const BodyPlaces& places);

}  // namespace berth

#endif  // BERTH_GRAPH_FUNCTION_LIBRARY_H_
