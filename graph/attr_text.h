// Reads attribute values as AttrValue::ToString writes them.
#ifndef BERTH_GRAPH_ATTR_TEXT_H_
#define BERTH_GRAPH_ATTR_TEXT_H_

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "graph/attr_value.h"
#include "graph/text_scanner.h"

namespace berth {

// Takes one value off the scanner. Errors have line, column and caret.
absl::StatusOr<AttrValue> TakeAttrValue(TextScanner& scanner);
// Takes `name=`, the name plain or in quotes.
absl::StatusOr<std::string> TakeAttrName(TextScanner& scanner);
// Takes "f32", "f32&", "?".
absl::StatusOr<DType> TakeDType(TextScanner& scanner);
// Takes "?" or "[1,?]".
absl::StatusOr<PartialShape> TakeShape(TextScanner& scanner);
// Takes a literal after its "tensor<", with the closing ">".
absl::StatusOr<Literal> TakeLiteral(TextScanner& scanner);

// Reads FloatText's form. Null for anything else.
std::optional<float> ParseFloatText(absl::string_view text);
std::optional<double> ParseDoubleText(absl::string_view text);

// The whole of `text` as one value.
absl::StatusOr<AttrValue> ParseAttrValue(absl::string_view text);

}  // namespace berth

#endif  // BERTH_GRAPH_ATTR_TEXT_H_
