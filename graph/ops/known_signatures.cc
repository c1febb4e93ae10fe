#include "graph/ops/known_signatures.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "graph/ops/signature.h"
#include "graph/shape.h"
#include "graph/status_macros.h"

namespace berth {

extern const char kKnownSignaturesText[];  // known_signatures.txt

namespace {

constexpr absl::string_view kArrow = " => ";

// The shape of one output.
struct ShapeFact {
  enum class From { kWritten, kMerged, kBroadcast, kValue, kAttr };
  From from = From::kWritten;
  PartialShape shape;       // kWritten
  std::vector<int> inputs;  // kMerged and kBroadcast: of these; kValue: what the one input holds
  std::string attr;         // kAttr
};

struct Known {
  OpDef def;
  std::vector<ShapeFact> outputs;
};

// Before a list of inputs, whose length varies, an input's place is its place among the formal ones. -1: there is none.
int PlaceOfInput(const OpDef& def, absl::string_view name) {
  for (size_t i = 0; i < def.inputs.size(); ++i) {
    if (!def.inputs[i].number_attr.empty() || !def.inputs[i].type_list_attr.empty()) return -1;
    if (def.inputs[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

absl::StatusOr<ShapeFact> ParseFact(const OpDef& def, absl::string_view text) {
  using From = ShapeFact::From;
  ShapeFact fact;
  if (text == "?" || absl::StartsWith(text, "[")) {
    BERTH_ASSIGN_OR_RETURN(fact.shape, ParseShape(text));
    return fact;
  }
  if (absl::ConsumePrefix(&text, "@")) {
    fact.from = From::kAttr;
    fact.attr = std::string(text);
    return fact;
  }
  fact.from = absl::ConsumePrefix(&text, "*") ? From::kValue
              : absl::StrContains(text, '&')  ? From::kBroadcast
                                              : From::kMerged;
  for (const absl::string_view name : absl::StrSplit(text, fact.from == From::kBroadcast ? '&' : '|')) {
    fact.inputs.push_back(PlaceOfInput(def, name));
    if (fact.inputs.back() < 0) return absl::InvalidArgumentError(absl::StrCat("no input '", name, "'"));
  }
  return fact;
}

absl::StatusOr<Known> ParseLine(absl::string_view line) {
  const size_t arrow = line.find(kArrow);
  Known known;
  BERTH_ASSIGN_OR_RETURN(known.def, ParseSignature(line.substr(0, arrow)));
  if (arrow == absl::string_view::npos) return known;
  for (const absl::string_view text : absl::StrSplit(line.substr(arrow + kArrow.size()), ", ")) {
    BERTH_ASSIGN_OR_RETURN(ShapeFact fact, ParseFact(known.def, text));
    known.outputs.push_back(std::move(fact));
  }
  return known;
}

struct KnownOps {
  std::mutex mu;
  absl::flat_hash_map<absl::string_view, absl::string_view> lines;  // by op
  absl::flat_hash_map<absl::string_view, std::unique_ptr<Known>> parsed;
};

KnownOps& List() {
  static KnownOps& known = *[] {
    auto* list = new KnownOps;
    for (const absl::string_view line : absl::StrSplit(absl::string_view(kKnownSignaturesText), '\n')) {
      if (!line.empty() && line[0] != '#') list->lines.emplace(line.substr(0, line.find('(')), line);
    }
    return list;
  }();
  return known;
}

// Null when nothing is known.
const Known* Find(absl::string_view op) {
  KnownOps& list = List();
  const auto line = list.lines.find(op);
  if (line == list.lines.end()) return nullptr;
  std::lock_guard<std::mutex> lock(list.mu);
  std::unique_ptr<Known>& known = list.parsed[line->first];
  if (known == nullptr) {
    absl::StatusOr<Known> parsed = ParseLine(line->second);
    if (!parsed.ok()) return nullptr;  // a fault of the list, which its test finds
    known = std::make_unique<Known>(*std::move(parsed));
  }
  return known.get();
}

absl::StatusOr<PartialShape> Follow(const ShapeFact& fact, ShapeArgs& args, int output) {
  using From = ShapeFact::From;
  if (fact.from == From::kWritten) return fact.shape;
  if (fact.from == From::kValue) return args.ShapeValue(fact.inputs[0]);
  if (fact.from == From::kAttr) {
    const absl::Span<const PartialShape> shapes = args.Shapes(fact.attr);  // of a list, one an output
    if (output < static_cast<int>(shapes.size())) return shapes[output];
    return args.Attr<PartialShape>(fact.attr);
  }
  PartialShape shape = args.input(fact.inputs[0]);
  for (size_t i = 1; i < fact.inputs.size(); ++i) {
    const PartialShape& next = args.input(fact.inputs[i]);
    BERTH_ASSIGN_OR_RETURN(shape,
                           fact.from == From::kBroadcast ? BroadcastShapes(shape, next) : MergeShapes(shape, next));
  }
  return shape;
}

}  // namespace

const OpDef* KnownSignature(absl::string_view op) {
  const Known* known = Find(op);
  return known == nullptr ? nullptr : &known->def;
}

void KnownShapes(absl::string_view op, ShapeArgs& args) {
  const Known* known = Find(op);
  if (known == nullptr || known->outputs.empty()) return;
  for (int k = 0; k < args.num_outputs(); ++k) {
    const ShapeFact& fact = known->outputs[std::min<size_t>(k, known->outputs.size() - 1)];
    absl::StatusOr<PartialShape> shape = Follow(fact, args, k);
    if (shape.ok()) args.set_output(k, *std::move(shape)).IgnoreError();
  }
}

bool HasKnownShapes(absl::string_view op) {
  const Known* known = Find(op);
  return known != nullptr && !known->outputs.empty();
}

std::vector<absl::string_view> KnownSignatures() {
  std::vector<absl::string_view> names;
  for (const auto& [op, line] : List().lines) names.push_back(op);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace berth
