// Which characters the words of the text form are made of; whatever has others stands in quotes.
#ifndef BERTH_GRAPH_TEXT_WORDS_H_
#define BERTH_GRAPH_TEXT_WORDS_H_

#include "absl/strings/ascii.h"

namespace berth {

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
