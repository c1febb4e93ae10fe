// TensorFlow's way to make names of nodes and name scopes unique: x, x_1, x_2, ...
//
// Case does not tell names apart ("Add" after "add" becomes "Add_1"), and a name that was made by
// numbering is taken too.
#ifndef BERTH_GRAPH_UNIQUE_NAMES_H_
#define BERTH_GRAPH_UNIQUE_NAMES_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace berth {

// Not thread-safe.
class UniqueNames {
 public:
  // `wanted`, or the first free of wanted_1, wanted_2, ...; taken from now on. Amortised O(length).
  std::string Take(absl::string_view wanted);
  // What Take would give, without taking it.
  std::string Peek(absl::string_view wanted) const;

 private:
  absl::flat_hash_map<std::string, int> taken_;  // lower case; how often it was asked for
};

}  // namespace berth

#endif  // BERTH_GRAPH_UNIQUE_NAMES_H_
