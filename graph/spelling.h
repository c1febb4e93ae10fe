// Suggestions for misspelt words: the nearest known one by edit distance.
#ifndef BERTH_GRAPH_SPELLING_H_
#define BERTH_GRAPH_SPELLING_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace berth {

// The word of `known` with the fewest insertions, deletions, replacements and swaps of neighbours
// from `word`; the first of equals. "" when even that is further than a third of the longer one's
// length. O(known x length^2), words cut to 64 bytes.
std::string NearestWord(absl::string_view word, const std::vector<std::string>& known);

}  // namespace berth

#endif  // BERTH_GRAPH_SPELLING_H_
