// Which characters the words of the text form are made of; whatever has others stands in quotes.
#ifndef BERTH_GRAPH_TEXT_WORDS_H_
#define BERTH_GRAPH_TEXT_WORDS_H_

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"

namespace berth {

// Stands for the value of a required attribute that a node lacks.
constexpr absl::string_view kAbsentAttr = "absent";

inline bool IsNodeNameChar(char c) {
  return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '/' || c == '-' || c == '\\' || c == '>';
}
inline bool IsOpChar(char c) { return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '>'; }
inline bool IsTagChar(char c) {
  return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '/' || c == '-' || c == ':';
}
inline bool IsDeviceChar(char c) { return absl::ascii_isalnum(c) || c == '_' || c == '/' || c == ':' || c == '*'; }

}  // namespace berth

#endif  // BERTH_GRAPH_TEXT_WORDS_H_
