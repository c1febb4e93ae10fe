// Attribute values as keys of a hash table, so that nodes share equal ones. Within one process only.
#ifndef BERTH_GRAPH_ATTR_HASH_H_
#define BERTH_GRAPH_ATTR_HASH_H_

#include <cstddef>

#include "absl/strings/string_view.h"
#include "graph/attr_value.h"

namespace berth {

size_t HashText(absl::string_view text);
// Fast where the text is of at most 16 bytes.
size_t HashShort(absl::string_view text);
size_t Mix(size_t h, size_t more);

// Reads at most 256 bytes of a tensor: larger ones count as equal only when they share their storage.
size_t HashValue(const AttrValue& value);
// Equal so far that one can stand for the other in print and on the wire.
bool SameValue(const AttrValue& a, const AttrValue& b);

}  // namespace berth

#endif  // BERTH_GRAPH_ATTR_HASH_H_
