// Shapes and dtypes of real graphs against what TensorFlow infers when it imports them.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "graph/graphdef.h"
#include "graph/infer.h"
#include "graph/op_table.h"
#include "tests/testing.h"

namespace berth {
namespace {

namespace fs = std::filesystem;

std::string ReadAll(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// shapes/KIND-NAME.tsv is about KIND/NAME.pb, KIND/NAME.pbtxt or placed/NAME/graph.pb.
fs::path GraphOf(const std::string& stem) {
  const size_t dash = stem.find('-');
  const fs::path base = fs::path(SharedPath("data")) / stem.substr(0, dash) / stem.substr(dash + 1);
  for (const std::string& path : {base.string() + ".pb", base.string() + ".pbtxt", (base / "graph.pb").string()}) {
    if (fs::exists(path)) return path;
  }
  return {};
}

// "" when `have` knows at least what `want` says and does not contradict it.
std::string Fault(const PartialShape& have, const PartialShape& want) {
  if (!Compatible(have, want)) return "contradicts";
  if (!want.has_rank()) return "";
  if (!have.has_rank()) return "knows less than";
  for (int d = 0; d < want.rank(); ++d) {
    if (have.dim(d) == kUnknownDim && want.dim(d) != kUnknownDim) return "knows less than";
  }
  return "";
}

// One line a fault; `outputs` and `more` count outputs, and those of which more is known.
std::string Faults(const Graph& graph, const std::string& tsv, int* outputs, int* more) {
  std::string faults;
  std::vector<std::string> lines = absl::StrSplit(tsv, '\n');
  for (size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> fields = absl::StrSplit(lines[i], '\t');
    if (fields.size() != 3) continue;
    ++*outputs;
    const size_t colon = fields[0].rfind(':');
    const std::optional<Node> node = graph.Find(fields[0].substr(0, colon));
    const int slot = std::stoi(fields[0].substr(colon + 1));
    if (!node.has_value() || slot >= node->num_outputs()) {
      absl::StrAppend(&faults, fields[0], ": no such output\n");
      continue;
    }
    if (DTypeName(node->output_dtype(slot)) != fields[1]) {
      absl::StrAppend(&faults, fields[0], " (", node->op(), "): ", DTypeName(node->output_dtype(slot)), " is not ",
                      fields[1], "\n");
    }
    const absl::StatusOr<PartialShape> want = ParseShape(fields[2]);
    REQUIRE(want.ok());
    const PartialShape& have = node->output_shape(slot);
    if (const std::string fault = Fault(have, *want); !fault.empty()) {
      absl::StrAppend(&faults, fields[0], " (", node->op(), "): ", have.ToString(), " ", fault, " ", want->ToString(),
                      "\n");
    }
    *more += have != *want;
  }
  return faults;
}

TEST_CASE("infer: at least what TensorFlow knows of every output of the real graphs") {
  if (!HasShared()) BERTH_SKIP("no shared data");
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(SharedPath("data/shapes"))) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  int outputs = 0, more = 0;
  for (const fs::path& file : files) {
    const std::string stem = file.stem().string();
    INFO(stem);
    const fs::path path = GraphOf(stem);
    CHECK(!path.empty());
    absl::StatusOr<Graph> graph = ImportGraphDef(ReadAll(path), StandardOps());
    REQUIRE((graph.ok() ? "" : std::string(graph.status().message())) == "");
    absl::StatusOr<Graph> shaped = InferShapes(*std::move(graph));
    CHECK((shaped.ok() ? "" : std::string(shaped.status().message())) == "");
    if (shaped.ok()) CHECK(Faults(*shaped, ReadAll(file), &outputs, &more) == "");
  }
  CHECK(outputs > 40000);
  WARN(outputs << " outputs, more known of " << more);
}

}  // namespace
}  // namespace berth
