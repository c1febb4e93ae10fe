// Every graph of the shared data: read, written and read again, nothing may be lost.

#include <google/protobuf/text_format.h>
#include <google/protobuf/util/message_differencer.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "graph/attr_proto.h"
#include "graph/graphdef.h"
#include "graph/op_table.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "proto/graph.pb.h"
#include "tests/testing.h"

namespace berth {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> GraphFiles() {
  std::vector<std::string> files;
  for (const char* folder : {"models", "topologies", "opaque", "graphs", "placed"}) {
    for (const auto& entry : fs::recursive_directory_iterator(SharedPath(std::string("data/") + folder))) {
      const std::string extension = entry.path().extension();
      if (extension == ".pb" || extension == ".pbtxt") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Tensors have several ways to be written: equal ones are emptied, so that only different ones are reported.
void DropEqualTensors(pb::GraphDef& before, pb::GraphDef& after) {
  for (int i = 0; i < std::min(before.node_size(), after.node_size()); ++i) {
    for (auto& [name, attr] : *before.mutable_node(i)->mutable_attr()) {
      auto& attrs = *after.mutable_node(i)->mutable_attr();
      if (!attr.has_tensor() || !attrs.contains(name)) continue;
      pb::TensorProto x = attr.tensor();
      pb::TensorProto y = attrs[name].tensor();
      const absl::StatusOr<Literal> a = LiteralFromProto(x);
      const absl::StatusOr<Literal> b = LiteralFromProto(y);
      if (!a.ok() || !b.ok() || *a != *b) continue;
      attr.clear_tensor();
      attrs[name].clear_tensor();
    }
  }
}

TEST_CASE("every graph survives reading and writing") {
  if (!HasShared()) BERTH_SKIP("no shared data");
  const auto ops = StandardOps();
  for (const std::string& path : GraphFiles()) {
    INFO(path);
    const std::string bytes = ReadFile(path);
    const absl::StatusOr<Graph> graph = ImportGraphDef(bytes, ops, {.file = path});
    INFO(graph.status().ToString());
    REQUIRE(graph.ok());
    CHECK(VerifyGraph(*graph).ToString() == "OK");
    pb::GraphDef before, after;
    if (path.ends_with(".pb")) {
      REQUIRE(before.ParseFromString(bytes));
    } else {
      REQUIRE(google::protobuf::TextFormat::ParseFromString(bytes, &before));
    }
    REQUIRE(after.ParseFromString(ExportGraphDef(*graph)));
    DropEqualTensors(before, after);
    google::protobuf::util::MessageDifferencer differencer;
    std::string report;
    differencer.ReportDifferencesToString(&report);
    CHECK(differencer.Compare(before, after));
    CHECK(report.substr(0, 2000) == "");
  }
}

TEST_CASE("every graph prints as text that reads back as itself") {
  if (!HasShared()) BERTH_SKIP("no shared data");
  const auto ops = StandardOps();
  for (const std::string& path : GraphFiles()) {
    INFO(path);
    const absl::StatusOr<Graph> graph = ImportGraphDef(ReadFile(path), ops);
    REQUIRE(graph.ok());
    for (const bool all_values : {false, true}) {
      const std::string text = PrintGraph(*graph, {.all_values = all_values});
      const absl::StatusOr<Graph> back = ParseGraphText(text, ops);
      INFO(back.status().ToString());
      REQUIRE(back.ok());
      // Not compared by the framework, which would print megabytes.
      const bool same_text = PrintGraph(*back, {.all_values = all_values}) == text;
      CHECK(same_text);
      CHECK(back->Fingerprint() == graph->Fingerprint());
    }
  }
}

}  // namespace
}  // namespace berth
