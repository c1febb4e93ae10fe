// Writes C++ functions for ops: `generate_op_functions header|source [SIGNATURES [HEADER NAMESPACE]]`, to stdout.
//
// Without SIGNATURES for the standard ops. SIGNATURES is a file of one's own ops, one signature a line, `#` comments; HEADER is
// how the source includes the header, NAMESPACE where the functions go.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "graph/op_table.h"
#include "graph/ops/op_functions.h"
#include "graph/ops/signature.h"

namespace {

absl::StatusOr<berth::OpTable> ReadOps(const std::string& path) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError("cannot open " + path);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  berth::OpTable ops;
  int number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    if (absl::StripAsciiWhitespace(line).empty() || line[0] == '#') continue;
    absl::StatusOr<berth::OpDef> op = berth::ParseSignature(line);
    const absl::Status status = op.ok() ? ops.Add(*std::move(op)) : op.status();
    if (!status.ok()) {
      return absl::InvalidArgumentError(path + ":" + std::to_string(number) + ": " + std::string(status.message()));
    }
  }
  return ops;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if ((what != "header" && what != "source") || (argc != 2 && argc != 3 && argc != 5)) {
    std::fprintf(stderr, "usage: generate_op_functions header|source [SIGNATURES [HEADER NAMESPACE]]\n");
    return 2;
  }
  berth::OpTable own;
  if (argc > 2) {
    absl::StatusOr<berth::OpTable> ops = ReadOps(argv[2]);
    if (!ops.ok()) {
      std::fprintf(stderr, "%s\n", std::string(ops.status().message()).c_str());
      return 3;
    }
    own = *std::move(ops);
  }
  berth::OpFunctionsOptions options;
  if (argc == 5) options = {argv[3], argv[4]};
  const auto standard = berth::StandardOps();
  const std::vector<const berth::OpDef*> ops = argc > 2 ? own.All() : standard->All();
  const std::string text =
      what == "header" ? berth::OpFunctionsHeader(ops, options) : berth::OpFunctionsSource(ops, options);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}
