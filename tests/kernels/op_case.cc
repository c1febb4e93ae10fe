#include "tests/kernels/op_case.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "graph/graphdef.h"
#include "graph/half.h"
#include "graph/infer.h"
#include "graph/status_macros.h"
#include "graph/verify.h"
#include "kernels/op_support.h"
#include "proto/graph.pb.h"
#include "runtime/session.h"

namespace berth {
namespace {

double ValueAt(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DType::kFloat16:
      return HalfToFloat(t.kernel<uint16_t>()[i]);
    case DType::kBfloat16:
      return Bfloat16ToFloat(t.kernel<uint16_t>()[i]);
    case DType::kFloat32:
      return t.kernel<float>()[i];
    default:
      return t.kernel<double>()[i];
  }
}

double Tolerance(DType dtype) {
  switch (dtype) {
    case DType::kFloat64:
      return 1e-12;
    case DType::kFloat32:
      return 1e-5;
    case DType::kFloat16:
      return 2e-3;
    default:
      return 1.6e-2;
  }
}

// Ops that add up many terms: an element's error is held against the output's largest value.
bool AddsManyTerms(const std::string& op) {
  static const auto* const ops = new std::set<std::string>{"AvgPool",
                                                           "BatchMatMulV2",
                                                           "Conv2D",
                                                           "Conv2DBackpropInput",
                                                           "CropAndResize",
                                                           "Cumsum",
                                                           "DepthwiseConv2dNative",
                                                           "Einsum",
                                                           "FusedBatchNormV3",
                                                           "LogSoftmax",
                                                           "MatMul",
                                                           "Mean",
                                                           "ResizeBilinear",
                                                           "ResizeNearestNeighbor",
                                                           "Softmax",
                                                           "SparseSoftmaxCrossEntropyWithLogits",
                                                           "Sum"};
  return ops->count(op) > 0;
}

std::string CompareFloats(const std::string& op, const Tensor& got, const Tensor& want) {
  const int64_t n = want.num_elements();
  double largest = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double w = ValueAt(want, i);
    if (std::isfinite(w)) largest = std::max(largest, std::abs(w));
  }
  for (int64_t i = 0; i < n; ++i) {
    const double g = ValueAt(got, i), w = ValueAt(want, i);
    if (std::isnan(w) && std::isnan(g)) continue;
    if (std::isinf(w) && g == w) continue;
    const double m = AddsManyTerms(op) ? largest : std::abs(w);
    const bool right = std::isfinite(w) && std::abs(g - w) <= Tolerance(want.dtype()) * std::max(1.0, m);
    if (!right) return absl::StrCat("element ", i, " of ", want.ShapeString(), ": expected ", w, ", got ", g);
  }
  return "";
}

using Graphs = std::pair<pb::GraphDef, pb::GraphDef>;  // the case, what it wants

absl::StatusOr<std::vector<Tensor>> WantedOf(const std::string& want) {
  BERTH_ASSIGN_OR_RETURN(const Graph graph, ImportGraphDef(want, StandardOps()));
  std::vector<Tensor> wants;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    BERTH_ASSIGN_OR_RETURN(Tensor t, HostTensorFrom(*graph.node(id).attr("value")->get<Literal>()));
    wants.push_back(std::move(t));
  }
  return wants;
}

struct Outcome {
  bool has_kernel = true;
  std::vector<PartialShape> inferred;
  std::vector<Tensor> outputs;
};

// Device number 0 of the kind, beside the cpu that feeds and fetches.
absl::StatusOr<SessionOptions> OptionsFor(const std::string& kind, const std::shared_ptr<const KernelTable>& kernels) {
  SessionOptions options;
  BERTH_ASSIGN_OR_RETURN(
      options.machine,
      ParseMachine(kind == "CPU" ? "cpu:1" : absl::StrCat("cpu:1,", absl::AsciiStrToLower(kind), ":1")));
  BERTH_ASSIGN_OR_RETURN(options.policy, ParsePolicy("pins | else cpu:0"));
  options.kernels = kernels;
  options.support = SupportFrom(*kernels, {kind});
  return options;
}

// The whole way of a graph: import, verify, infer, place, partition, plan, run, on the device that the node asks for.
absl::StatusOr<Outcome> RunCase(const OpCase& c, const std::string& kind, const std::shared_ptr<const OpTable>& ops,
                                const std::shared_ptr<const KernelTable>& kernels) {
  pb::GraphDef def;
  if (!def.ParseFromString(c.graph)) return absl::InternalError("unreadable case");
  const std::string name = absl::StrCat(c.name, "/y");
  for (pb::NodeDef& node : *def.mutable_node()) {
    if (node.name() == name) node.set_device(absl::StrCat("/device:", kind, ":0"));
  }
  BERTH_ASSIGN_OR_RETURN(Graph imported, ImportGraphDef(def.SerializeAsString(), ops));
  BERTH_RETURN_IF_ERROR(VerifyGraph(imported));
  BERTH_ASSIGN_OR_RETURN(Graph inferred, InferShapes(std::move(imported)));
  const auto graph = std::make_shared<const Graph>(std::move(inferred));
  const Node y = *graph->Find(name);
  Outcome outcome;
  outcome.has_kernel = kernels->Find(y, kind, kind != "CPU") != nullptr;
  if (!outcome.has_kernel) return outcome;
  BERTH_ASSIGN_OR_RETURN(SessionOptions options, OptionsFor(kind, kernels));
  RunOptions run;
  for (int i = 0; i < y.num_outputs(); ++i) {
    outcome.inferred.push_back(y.output_shape(i));
    run.fetches.push_back(absl::StrCat(name, ":", i));
  }
  if (y.num_outputs() == 0) run.targets.push_back(name);
  options.fetches = run.fetches;
  options.targets = run.targets;
  BERTH_ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, Session::Create(graph, std::move(options)));
  BERTH_ASSIGN_OR_RETURN(outcome.outputs, session->Run(run));
  return outcome;
}

Judgement JudgeOutputs(const std::string& op, const OpCase& c, const Outcome& outcome) {
  absl::StatusOr<std::vector<Tensor>> wants = WantedOf(c.want);
  if (!wants.ok()) return {Verdict::kWrong, std::string(wants.status().message())};
  if (wants->size() > outcome.outputs.size()) return {Verdict::kWrong, "too few outputs"};
  for (size_t i = 0; i < wants->size(); ++i) {
    if (op == "FusedBatchNormV3" && i >= 3) break;
    const Tensor& want = (*wants)[i];
    if (!Compatible(outcome.inferred[i], PartialShape(absl::Span<const int64_t>(want.dims())))) {
      return {Verdict::kWrong, absl::StrCat("output ", i, ": inferred ", outcome.inferred[i].ToString(), ", wanted ",
                                            want.ShapeString())};
    }
    const std::string difference = CompareOutput(op, outcome.outputs[i], want);
    if (!difference.empty()) return {Verdict::kWrong, absl::StrCat("output ", i, ": ", difference)};
  }
  return {Verdict::kRight, ""};
}

}  // namespace

absl::StatusOr<std::vector<OpCase>> ReadOpCases(const std::string& bytes) {
  pb::GraphDef container;
  if (!container.ParseFromString(bytes)) return absl::InvalidArgumentError("unreadable container");
  std::map<int, std::pair<OpCase, Graphs>> cases;
  for (const pb::NodeDef& node : container.node()) {
    const size_t slash = node.name().find('/');
    const std::string name = node.name().substr(0, slash), part = node.name().substr(slash + 1);
    auto& [c, graphs] = cases[std::atoi(name.c_str())];
    c.name = name;
    if (part == "refused") {
      c.refused = true;
      c.refusal = node.attr().at("_message").s();
    } else if (part.rfind("want", 0) == 0) {
      *graphs.second.add_node() = node;
    } else {
      *graphs.first.add_node() = node;
    }
  }
  std::vector<OpCase> result;
  for (auto& [number, entry] : cases) {
    auto& [c, graphs] = entry;
    c.graph = graphs.first.SerializeAsString();
    std::sort(graphs.second.mutable_node()->begin(), graphs.second.mutable_node()->end(),
              [](const auto& a, const auto& b) {
                return std::make_pair(a.name().size(), a.name()) < std::make_pair(b.name().size(), b.name());
              });
    c.want = graphs.second.SerializeAsString();
    result.push_back(std::move(c));
  }
  return result;
}

std::string CompareOutput(const std::string& op, const Tensor& got, const Tensor& want) {
  if (got.dtype() != want.dtype()) {
    return absl::StrCat("expected ", DTypeName(want.dtype()), ", got ", DTypeName(got.dtype()));
  }
  if (got.dims() != want.dims()) return absl::StrCat("expected ", want.ShapeString(), ", got ", got.ShapeString());
  if (want.dtype() == DType::kString) return *got.strings() == *want.strings() ? "" : "other strings";
  if (IsFloating(want.dtype())) return CompareFloats(op, got, want);
  const int size = DTypeSize(want.dtype());
  const char* g = got.kernel<char>();
  const char* w = want.kernel<char>();
  for (int64_t i = 0; i < want.num_elements(); ++i) {
    if (!std::equal(g + i * size, g + (i + 1) * size, w + i * size)) {
      return absl::StrCat("element ", i, " of ", want.ShapeString(), " differs");
    }
  }
  return "";
}

Judgement JudgeOpCase(const OpCase& c, const std::string& kind, const std::shared_ptr<const OpTable>& ops,
                      const std::shared_ptr<const KernelTable>& kernels) {
  absl::StatusOr<Outcome> outcome = RunCase(c, kind, ops, kernels);
  if (!outcome.ok()) {
    return {c.refused && !absl::IsInternal(outcome.status()) ? Verdict::kRefused : Verdict::kWrong,
            outcome.status().ToString()};
  }
  if (!outcome->has_kernel) return {Verdict::kNoKernel, ""};
  if (c.refused) return {Verdict::kWrong, absl::StrCat("expected a refusal (", c.refusal, "), got values")};
  pb::GraphDef def;
  def.ParseFromString(c.graph);
  for (const pb::NodeDef& node : def.node()) {
    if (node.name() == c.name + "/y") return JudgeOutputs(node.op(), c, *outcome);
  }
  return {Verdict::kWrong, "no node y"};
}

}  // namespace berth
