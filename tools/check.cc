#include "tools/check.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "graph/graph.h"
#include "graph/infer.h"
#include "graph/status_macros.h"
#include "graph/verify.h"
#include "placement/assertion.h"
#include "placement/estimate.h"
#include "tools/graph_source.h"

namespace berth {
namespace {

struct OutputRow {
  std::string tensor, dtype, shape;
};

std::vector<OutputRow> Outputs(const Graph& graph) {
  std::vector<OutputRow> rows;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    const Node node = graph.node(id);
    for (int k = 0; k < node.num_outputs(); ++k) {
      rows.push_back(
          {absl::StrCat(node.name(), ":", k), DTypeName(node.output_dtype(k)), node.output_shape(k).ToString()});
    }
  }
  return rows;
}

void PrintRows(const std::vector<OutputRow>& rows, const std::string& format, Io& io) {
  if (format == "json") {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const OutputRow& row : rows) {
      json.push_back({{"tensor", row.tensor}, {"dtype", row.dtype}, {"shape", row.shape}});
    }
    io.out << json.dump(2) << "\n";
    return;
  }
  if (format == "tsv") {
    io.out << "tensor\tdtype\tshape\n";
    for (const OutputRow& row : rows) io.out << row.tensor << "\t" << row.dtype << "\t" << row.shape << "\n";
    return;
  }
  size_t width = 0;
  for (const OutputRow& row : rows) width = std::max(width, row.tensor.size());
  width = std::min<size_t>(width, 60);
  for (const OutputRow& row : rows) {
    io.out << absl::StrFormat("%-*s  %-10s %s\n", static_cast<int>(width), row.tensor, row.dtype, row.shape);
  }
}

struct Outcome {
  const Assertion& assertion;
  Assertion::Verdict verdict;
};

void PrintOutcomes(const std::vector<Outcome>& outcomes, const std::string& format, Io& io) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Outcome& outcome : outcomes) {
    nlohmann::ordered_json failed = nlohmann::ordered_json::array();
    if (format == "text")
      io.out << (outcome.verdict.holds ? "holds: " : "violated: ") << outcome.assertion.text() << "\n";
    for (const Assertion::Failure& failure : outcome.verdict.failed) {
      if (format == "text") io.out << "  " << failure.comparison << ": got " << failure.got << "\n";
      failed.push_back({{"comparison", failure.comparison}, {"actual", failure.actual}, {"got", failure.got}});
    }
    json.push_back({{"assertion", outcome.assertion.text()}, {"holds", outcome.verdict.holds}, {"failed", failed}});
  }
  if (format == "json") io.out << json.dump(2) << "\n";
}

absl::Status CheckAssertions(const CheckFlags& flags, Io& io) {
  if (flags.shapes || flags.format == "tsv") {
    return WithExit(absl::InvalidArgumentError("flag --assert: expected no --shapes and no tsv beside it, got one"),
                    kExitUsage);
  }
  std::vector<Assertion> assertions;
  for (const std::string& text : flags.asserts) {
    absl::StatusOr<Assertion> assertion = Assertion::Parse(text, "flag --assert");
    if (!assertion.ok()) return WithExit(assertion.status(), kExitUsage);
    assertions.push_back(*std::move(assertion));
  }
  BERTH_ASSIGN_OR_RETURN(const PlacedGraph placed, LoadAndPlace(flags.place, io));
  const PlacementEstimate estimate = EstimatePlacement(*placed.graph, placed.machine, placed.placement);
  std::vector<Outcome> outcomes;
  size_t violated = 0;
  for (const Assertion& assertion : assertions) {
    absl::StatusOr<Assertion::Verdict> verdict = assertion.Check(placed.machine, estimate);
    if (!verdict.ok()) return WithExit(verdict.status(), kExitUsage);
    violated += verdict->holds ? 0 : 1;
    outcomes.push_back({assertion, *std::move(verdict)});
  }
  PrintOutcomes(outcomes, flags.format, io);
  const absl::Status fallbacks = CheckFallbacks(flags.place, *placed.graph, placed.placement);
  if (violated == 0) return fallbacks;
  return WithExit(
      absl::FailedPreconditionError(absl::StrCat(
          "expected all of ", outcomes.size(), outcomes.size() == 1 ? " assertion" : " assertions", " to hold, got ",
          violated, " violated", fallbacks.ok() ? "" : "\n", std::string(fallbacks.message()))),
      kExitNegative);
}

}  // namespace

absl::Status Check(const CheckFlags& flags, Io& io) {
  if (!flags.asserts.empty()) return CheckAssertions(flags, io);
  BERTH_ASSIGN_OR_RETURN(Graph read, LoadGraph(flags.place.source, io));
  if (const absl::Status verified = VerifyGraph(read); !verified.ok()) return WithExit(verified, kExitNegative);
  absl::StatusOr<Graph> inferred = InferShapes(std::move(read));
  if (!inferred.ok()) return WithExit(inferred.status(), kExitNegative);

  const Graph& graph = *inferred;
  const std::vector<OutputRow> rows = Outputs(graph);
  if (flags.shapes || flags.format == "tsv") {
    PrintRows(rows, flags.format, io);
    return absl::OkStatus();
  }
  std::set<absl::string_view> opaque;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    if (graph.node(id).op_def() == nullptr) opaque.insert(graph.node(id).op());
  }
  const auto known = std::count_if(rows.begin(), rows.end(),
                                   [](const OutputRow& row) { return row.shape.find('?') == std::string::npos; });
  if (flags.format == "json") {
    const nlohmann::ordered_json json = {{"nodes", graph.num_nodes()},
                                         {"edges", graph.num_edges()},
                                         {"outputs", rows.size()},
                                         {"static_shapes", known},
                                         {"opaque_ops", opaque.size()}};
    io.out << json.dump(2) << "\n";
    return absl::OkStatus();
  }
  io.out << "ok: " << graph.num_nodes() << " nodes, " << graph.num_edges() << " edges, " << rows.size() << " outputs, "
         << known << " of static shape\n";
  for (const absl::string_view op : opaque) io.out << "opaque op: " << std::string(op) << "\n";
  return absl::OkStatus();
}

}  // namespace berth
