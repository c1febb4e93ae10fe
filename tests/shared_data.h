// Reading the shared data in tests: files, lines, graphs.
#ifndef BERTH_TESTS_SHARED_DATA_H_
#define BERTH_TESTS_SHARED_DATA_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/graph.h"

namespace berth {

// REQUIRES for all: HasShared(). Paths are relative to the shared folder. A file that is not there reads as empty.
std::string ReadShared(const std::string& path);
// Without the line ends; an empty last line is left out.
std::vector<std::string> SharedLines(const std::string& path);
// Fields of each line of a tab-separated file, the header left out.
std::vector<std::vector<std::string>> SharedTable(const std::string& path);
// A GraphDef, devices kept as requests.
absl::StatusOr<Graph> SharedGraph(const std::string& path);

}  // namespace berth

#endif  // BERTH_TESTS_SHARED_DATA_H_
