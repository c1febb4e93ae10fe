// Where the program called: the file and line that a node made by the call remembers.
//
// As the last, defaulted parameter of whatever makes nodes it costs the caller nothing:
//
//   Output Relu(const Scope& scope, const Operand& x, CallSite at = CallSite::Here());
#ifndef BERTH_GRAPH_CALL_SITE_H_
#define BERTH_GRAPH_CALL_SITE_H_

#include <string>

namespace berth {

// A value. `file` is a string literal of the compiler's, so it lives as long as the program.
struct CallSite {
  const char* file = "";
  int line = 0;  // 0: unknown

  static constexpr CallSite Here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
  // "model.cc:12"; "" when unknown.
  std::string ToString() const { return line == 0 ? std::string() : std::string(file) + ":" + std::to_string(line); }
};

}  // namespace berth

#endif  // BERTH_GRAPH_CALL_SITE_H_
