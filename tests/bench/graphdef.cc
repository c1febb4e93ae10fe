// Reading and writing GraphDefs, beside protobuf's own classes, which check nothing: many small nodes, and few large
// constants.
#include <google/protobuf/arena.h>

#include "absl/strings/str_cat.h"
#include "graph/graph_builder.h"
#include "graph/graphdef.h"
#include "graph/status_macros.h"
#include "tests/bench/families.h"
#include "tests/bench/mix_graph.h"

namespace berth {
namespace {

using google::protobuf::Arena;

absl::StatusOr<Graph> Constants(const Effort& effort) {
  GraphBuilder builder(StandardOps());
  const int64_t elements = effort.small ? 1000 : 1 << 18;
  for (int i = 0; i < (effort.small ? 2 : 64); ++i) {
    const Literal value =
        Literal::FromBytes(DType::kFloat32, {&elements, 1}, std::string(elements * 4, static_cast<char>(i + 1)));
    const std::string name = absl::StrCat("weights_", i);
    const std::pair<absl::string_view, AttrValue> attrs[] = {{"dtype", AttrValue(DType::kFloat32)},
                                                             {"value", AttrValue(value)}};
    BERTH_RETURN_IF_ERROR(builder.AddNode({.name = name, .op = "Const", .attrs = attrs}).status());
  }
  return std::move(builder).Build();
}

// Both directions for one graph; what is written must read back as the same graph.
absl::StatusOr<std::vector<Row>> ReadAndWrite(const std::string& name, const absl::StatusOr<Graph>& graph,
                                              const Effort& effort) {
  BERTH_RETURN_IF_ERROR(graph.status());
  const uint64_t fingerprint = graph->Fingerprint();
  const std::string bytes = ExportGraphDef(*graph);
  const double megabytes = static_cast<double>(bytes.size()) * 1e-6;
  const Sample parse = [&](Stopwatch& watch) -> absl::Status {
    watch.Start();
    const absl::StatusOr<Graph> read = ImportGraphDef(bytes, graph->ops());
    watch.Stop();
    BERTH_RETURN_IF_ERROR(read.status());
    return read->Fingerprint() == fingerprint ? absl::OkStatus() : absl::InternalError("read another graph");
  };
  const Sample parse_peer = [&](Stopwatch& watch) {
    watch.Start();
    Arena arena;
    pb::GraphDef* read = Arena::CreateMessage<pb::GraphDef>(&arena);
    const bool ok = read->ParseFromString(bytes);
    watch.Stop();
    return ExpectEqual("messages", graph->num_nodes(), ok ? read->node_size() : -1);
  };
  const Sample serialize = [&](Stopwatch& watch) {
    watch.Start();
    const std::string written = ExportGraphDef(*graph);
    watch.Stop();
    return written == bytes ? absl::OkStatus() : absl::InternalError("wrote other bytes");
  };
  Arena arena;
  pb::GraphDef* message = Arena::CreateMessage<pb::GraphDef>(&arena);
  if (!message->ParseFromString(bytes)) return absl::InternalError("protobuf cannot read what was written");
  const Sample serialize_peer = [&](Stopwatch& watch) {
    std::string written;
    watch.Start();
    message->SerializeToString(&written);
    watch.Stop();
    return ExpectEqual("bytes", static_cast<double>(bytes.size()), static_cast<double>(written.size()));
  };
  BERTH_ASSIGN_OR_RETURN(const std::vector<Times> times,
                         TakeTimes(effort, Clock::kProcessor, {parse, parse_peer, serialize, serialize_peer}));
  return std::vector<Row>{Beside(RateRow(absl::StrCat(name, "/parse"), "MB/s", times[0], megabytes), "protobuf arena",
                                 RateRow("", "", times[1], megabytes)),
                          Beside(RateRow(absl::StrCat(name, "/serialize"), "MB/s", times[2], megabytes), "protobuf",
                                 RateRow("", "", times[3], megabytes))};
}

}  // namespace

void AddGraphDefBenchmarks(std::vector<Benchmark>& list) {
  list.push_back({"graphdef/nodes", [](const Effort& effort) {
                    return ReadAndWrite("graphdef/nodes", BuildMix(MixNames(effort.small ? 1000 : 200000), MixOps()),
                                        effort);
                  }});
  list.push_back({"graphdef/constants",
                  [](const Effort& effort) { return ReadAndWrite("graphdef/constants", Constants(effort), effort); }});
}

}  // namespace berth
