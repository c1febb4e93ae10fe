// Reads one line of text from left to right, and words errors with the line and a caret:
//
//   graph:3:12: expected an op, got '('
//   y = (x)
//       ^
#ifndef BERTH_GRAPH_TEXT_SCANNER_H_
#define BERTH_GRAPH_TEXT_SCANNER_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace berth {

// Views must outlive the scanner.
class TextScanner {
 public:
  TextScanner(absl::string_view line, absl::string_view file, int line_number)
      : line_(line), file_(file), line_number_(line_number) {}

  size_t at() const { return at_; }
  void set_at(size_t at) { at_ = at; }
  bool AtEnd() const { return at_ == line_.size(); }
  // '\0' at the end.
  char Peek() const { return AtEnd() ? '\0' : line_[at_]; }
  void SkipSpace();
  // Skip white space, then take `text` if it comes next.
  bool Take(absl::string_view text);
  // Takes as long as `wanted` holds.
  absl::string_view TakeWhile(absl::FunctionRef<bool(char)> wanted);
  // Takes "...", with C's escapes, if a quote comes next; an error where its end is missing.
  absl::StatusOr<std::string> TakeQuoted();

  // "file:line:column: expected X, got Y" at the current place, or at `at`; lines are cut around it.
  absl::Status Expected(absl::string_view what) const { return ExpectedAt(at_, what); }
  absl::Status ExpectedAt(size_t at, absl::string_view what) const;
  // The same with the whole message.
  absl::Status ErrorAt(size_t at, absl::string_view message) const;

 private:
  absl::string_view line_;
  absl::string_view file_;
  int line_number_;
  size_t at_ = 0;
};

}  // namespace berth

#endif  // BERTH_GRAPH_TEXT_SCANNER_H_
