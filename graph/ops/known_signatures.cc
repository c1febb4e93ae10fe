#include "graph/ops/known_signatures.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_split.h"
#include "graph/ops/signature.h"

namespace berth {

extern const char kKnownSignaturesText[];  // known_signatures.txt

namespace {

struct Known {
  std::mutex mu;
  absl::flat_hash_map<absl::string_view, absl::string_view> lines;  // by op
  absl::flat_hash_map<absl::string_view, std::unique_ptr<OpDef>> parsed;
};

Known& List() {
  static Known& known = *[] {
    auto* list = new Known;
    for (const absl::string_view line : absl::StrSplit(absl::string_view(kKnownSignaturesText), '\n')) {
      if (!line.empty() && line[0] != '#') list->lines.emplace(line.substr(0, line.find('(')), line);
    }
    return list;
  }();
  return known;
}

}  // namespace

const OpDef* KnownSignature(absl::string_view op) {
  Known& known = List();
  const auto line = known.lines.find(op);
  if (line == known.lines.end()) return nullptr;
  std::lock_guard<std::mutex> lock(known.mu);
  std::unique_ptr<OpDef>& def = known.parsed[line->first];
  if (def == nullptr) {
    absl::StatusOr<OpDef> parsed = ParseSignature(line->second);
    if (!parsed.ok()) return nullptr;  // a fault of the list, which its test finds
    def = std::make_unique<OpDef>(*std::move(parsed));
  }
  return def.get();
}

std::vector<absl::string_view> KnownSignatures() {
  std::vector<absl::string_view> names;
  for (const auto& [op, line] : List().lines) names.push_back(op);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace berth
