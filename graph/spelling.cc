#include "graph/spelling.h"

#include <algorithm>

namespace berth {
namespace {

constexpr size_t kLongest = 64;

// Optimal string alignment distance.
size_t Distance(absl::string_view a, absl::string_view b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({replaced, d[i - 1][j] + 1, d[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string NearestWord(absl::string_view word, const std::vector<std::string>& known) {
  word = word.substr(0, kLongest);
  std::string nearest;
  size_t best = kLongest + 1;
  for (const std::string& candidate : known) {
    const absl::string_view cut = absl::string_view(candidate).substr(0, kLongest);
    const size_t distance = Distance(word, cut);
    if (distance > (std::max(word.size(), cut.size()) + 2) / 3 || distance >= best) continue;
    best = distance;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace berth
