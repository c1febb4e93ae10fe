#include "tests/shared_data.h"

#include <fstream>
#include <iterator>

#include "absl/strings/str_split.h"
#include "graph/graphdef.h"
#include "graph/op_table.h"
#include "tests/testing.h"

namespace berth {

std::string ReadShared(const std::string& path) {
  std::ifstream file(SharedPath(path), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::string> SharedLines(const std::string& path) {
  std::vector<std::string> lines = absl::StrSplit(ReadShared(path), '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

std::vector<std::vector<std::string>> SharedTable(const std::string& path) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& line : SharedLines(path)) rows.push_back(absl::StrSplit(line, '\t'));
  if (!rows.empty()) rows.erase(rows.begin());
  return rows;
}

absl::StatusOr<Graph> SharedGraph(const std::string& path) {
  ImportOptions options;
  options.file = path;
  return ImportGraphDef(ReadShared(path), StandardOps(), options);
}

}  // namespace berth
