#include "tools/run.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "graph/infer.h"
#include "graph/prune.h"
#include "graph/status_macros.h"
#include "graph/verify.h"
#include "kernels/kernels.h"
#include "kernels/op_support.h"
#include "placement/report.h"
#include "runtime/npy.h"
#include "runtime/session.h"
#include "tools/golden.h"
#include "tools/values.h"

namespace berth {
namespace {

struct RunPlan {
  Machine machine;
  std::unique_ptr<Session> session;
  RunOptions step;                // feeds and fetches of one step
  std::vector<std::string> once;  // targets
  std::optional<Golden> golden;
};

absl::StatusOr<std::shared_ptr<const Graph>> LoadVerified(const GraphSource& source, Io& io) {
  BERTH_ASSIGN_OR_RETURN(Graph graph, LoadGraph(source, io));
  if (const absl::Status verified = VerifyGraph(graph); !verified.ok()) return WithExit(verified, kExitUnreadable);
  return std::make_shared<const Graph>(std::move(graph));
}

absl::Status ReadFeeds(const Graph& graph, const RunFlags& flags, RunPlan& plan, Io& io) {
  std::set<std::pair<NodeId, int>> fed;
  for (const std::string& feed : flags.place.feeds) {
    BERTH_ASSIGN_OR_RETURN(const NamedValue named, SplitNamedValue("--feed", feed));
    const absl::StatusOr<TensorName> tensor = FindTensor(graph, named.name);
    if (!tensor.ok()) return WithExit(tensor.status(), kExitUsage);
    if (tensor->slot < 0) {
      return WithExit(absl::InvalidArgumentError(
                          absl::StrCat("flag --feed '", named.name, "': expected a tensor, got an op without outputs")),
                      kExitUsage);
    }
    if (!fed.insert({tensor->node, tensor->slot}).second) {
      return WithExit(absl::InvalidArgumentError(
                          absl::StrCat("flag --feed '", named.name, "': expected each tensor once, got it twice")),
                      kExitUsage);
    }
    const DType dtype = graph.node(tensor->node).output_dtype(tensor->slot);
    BERTH_ASSIGN_OR_RETURN(Tensor value, ReadValue("--feed", named, dtype, io));
    plan.step.feeds.emplace_back(named.name, std::move(value));
  }
  return absl::OkStatus();
}

absl::Status ReadGolden(const RunFlags& flags, RunPlan& plan, Io& io) {
  if (flags.golden.empty()) return absl::OkStatus();
  BERTH_ASSIGN_OR_RETURN(plan.golden, LoadGolden(flags.golden, io));
  for (const auto& [name, value] : plan.golden->inputs) plan.step.feeds.emplace_back(name, value);
  for (const Golden::Output& output : plan.golden->outputs) plan.step.fetches.push_back(output.tensor);
  return absl::OkStatus();
}

// The session puts the stage's name in front of its errors. What inference refuses of a graph that is sound by itself
// are shapes that flags gave.
absl::Status WithStageExit(const absl::Status& status) {
  const absl::string_view text = status.message();
  if (absl::StartsWith(text, "place: ") || absl::StartsWith(text, "devices: machine ")) return WithPlaceExit(status);
  for (const char* of_flags : {"prune: ", "feed ", "partition: feed ", "infer: "}) {
    if (absl::StartsWith(text, of_flags)) return WithExit(status, kExitUsage);
  }
  return WithExit(status, absl::StartsWith(text, "verify: ") ? kExitUnreadable : kExitRunFailed);
}

std::string FileName(absl::string_view tensor) {
  return absl::StrReplaceAll(absl::StripSuffix(tensor, ":0"), {{"/", "."}, {":", "_"}});
}

// Error: two fetches would be written to one file.
absl::Status CheckFileNames(const std::vector<std::string>& fetches) {
  std::map<std::string, std::string> fetch_of;
  for (const std::string& fetch : fetches) {
    const auto [it, is_new] = fetch_of.emplace(FileName(fetch), fetch);
    if (is_new || absl::StripSuffix(it->second, ":0") == absl::StripSuffix(fetch, ":0")) continue;
    return WithExit(absl::InvalidArgumentError(absl::StrCat("flag --out: expected a file for each fetch, got '",
                                                            it->first, ".npy' for '", it->second, "' and for '", fetch,
                                                            "'; fetch one of them in a run of its own")),
                    kExitUsage);
  }
  return absl::OkStatus();
}

// Error: a flag about fetches where there are none, or whose values nobody would see.
absl::Status CheckFetches(const RunFlags& flags, const std::vector<std::string>& fetches) {
  const auto usage = [](absl::string_view message) {
    return WithExit(absl::InvalidArgumentError(message), kExitUsage);
  };
  if (fetches.empty()) {
    const char* idle = flags.steps > 1 ? "--steps" : flags.repeat > 0 ? "--repeat" : !flags.sets.empty() ? "--set" : "";
    if (*idle == '\0') return absl::OkStatus();
    return usage(absl::StrCat("flag ", idle, ": expected a --fetch (or --golden) to run, got none; targets run once"));
  }
  if (!flags.golden.empty() && !flags.place.fetches.empty() && flags.out.empty()) {
    return usage("flag --fetch: expected --out beside --golden, which prints verdicts and no values, got none");
  }
  return absl::OkStatus();
}

// True when what is wanted of the graph has shapes that fit, whatever is fed.
bool IsSound(const Graph& graph, const PruneOptions& wanted) {
  absl::StatusOr<Graph> pruned = PruneGraph(graph, wanted);
  return pruned.ok() && InferShapes(*std::move(pruned)).ok();
}

absl::StatusOr<RunPlan> Prepare(const RunFlags& flags, Io& io) {
  RunPlan plan;
  SessionOptions options;
  BERTH_ASSIGN_OR_RETURN(plan.machine, MachineFrom(flags.place));
  options.machine = plan.machine;
  BERTH_ASSIGN_OR_RETURN(options.policy, PolicyFrom(flags.place));
  BERTH_ASSIGN_OR_RETURN(const std::shared_ptr<const Graph> graph, LoadVerified(flags.place.source, io));
  BERTH_RETURN_IF_ERROR(ReadFeeds(*graph, flags, plan, io));
  plan.step.fetches = flags.place.fetches;
  BERTH_RETURN_IF_ERROR(ReadGolden(flags, plan, io));
  plan.once = flags.place.targets;
  if (plan.step.fetches.empty() && plan.once.empty()) {
    return WithExit(
        absl::InvalidArgumentError("flag --fetch: expected a tensor or op to run (or --target, or --golden), got none"),
        kExitUsage);
  }
  for (const std::vector<std::string>* names : {&plan.step.fetches, &plan.once}) {
    for (const std::string& name : *names) {
      if (const auto found = FindTensor(*graph, name); !found.ok()) return WithExit(found.status(), kExitUsage);
    }
  }
  BERTH_RETURN_IF_ERROR(CheckFetches(flags, plan.step.fetches));
  if (!flags.out.empty()) BERTH_RETURN_IF_ERROR(CheckFileNames(plan.step.fetches));
  if (flags.deadline_ms > 0) plan.step.deadline = std::chrono::milliseconds(flags.deadline_ms);

  options.kernels = CpuKernels();
  options.support = SupportFrom(*options.kernels);
  options.mode = flags.place.soft ? PlacementMode::kSoft : PlacementMode::kStrict;
  options.replicate_constants = flags.replicate_constants == "on";
  options.threads = flags.threads;
  options.fetches = plan.step.fetches;
  options.targets = plan.once;
  for (const auto& feed : plan.step.feeds) options.feeds.push_back(feed.first);
  absl::StatusOr<std::unique_ptr<Session>> session = Session::Create(graph, std::move(options));
  if (!session.ok()) {
    const bool of_graph =
        absl::StartsWith(session.status().message(), "infer: ") && !IsSound(*graph, {plan.step.fetches, plan.once, {}});
    return of_graph ? WithExit(session.status(), kExitUnreadable) : WithStageExit(session.status());
  }
  plan.session = *std::move(session);
  for (const auto& [name, value] : plan.step.feeds) {
    if (FindTensor(plan.session->graph(), name).ok()) continue;
    io.err << "note: feed '" << name << "' is not used: no fetch or target needs it\n";
  }
  return plan;
}

// Those of the feeds that the target reads, through whatever lies between.
std::vector<std::pair<std::string, Tensor>> FeedsOf(const Graph& graph, absl::string_view target,
                                                    const std::vector<std::pair<std::string, Tensor>>& feeds) {
  std::map<std::pair<NodeId, int>, size_t> fed;
  for (size_t i = 0; i < feeds.size(); ++i) {
    const auto tensor = FindTensor(graph, feeds[i].first);
    if (tensor.ok()) fed.emplace(std::pair(tensor->node, tensor->slot), i);
  }
  std::vector<NodeId> open;
  if (const auto node = FindTensor(graph, target); node.ok()) open.push_back(node->node);
  std::vector<bool> seen(graph.num_nodes()), read(feeds.size());
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    if (seen[id]) continue;
    seen[id] = true;
    for (const Input& input : graph.node(id).inputs()) {
      const auto found = input.is_control() ? fed.end() : fed.find({input.node, input.slot});
      if (found == fed.end()) {
        open.push_back(input.node);
      } else {
        read[found->second] = true;
      }
    }
  }
  std::vector<std::pair<std::string, Tensor>> wanted;
  for (size_t i = 0; i < feeds.size(); ++i) {
    if (read[i]) wanted.push_back(feeds[i]);
  }
  return wanted;
}

absl::Status PrintValues(const RunFlags& flags, const RunPlan& plan, int step, const std::vector<Tensor>& values,
                         nlohmann::ordered_json& json, Io& io) {
  if (flags.steps > 1 && flags.out.empty() && !flags.json) io.out << "step " << step << "\n";
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i].has_value()) continue;
    const std::string& name = plan.step.fetches[i];
    std::string file;
    if (!flags.out.empty()) {
      const std::string suffix = flags.steps > 1 ? absl::StrCat(".step", step) : "";
      file = absl::StrCat(flags.out, "/", FileName(name), suffix, ".npy");
      BERTH_ASSIGN_OR_RETURN(const std::string bytes, WriteNpy(values[i]));
      BERTH_RETURN_IF_ERROR(WriteOutput(file, bytes, io));
    }
    if (flags.json) {
      json["values"].push_back({{"step", step},
                                {"tensor", name},
                                {"dtype", DTypeName(values[i].dtype())},
                                {"shape", std::vector<int64_t>(values[i].dims().begin(), values[i].dims().end())}});
      json["values"].back()[file.empty() ? "text" : "file"] = file.empty() ? PrintTensor(values[i]) : file;
    } else if (file.empty()) {
      io.out << name << " : " << ShortDTypeName(values[i].dtype()) << values[i].ShapeString() << "\n"
             << PrintTensor(values[i]) << "\n";
    }
  }
  return absl::OkStatus();
}

// False when an output is off.
bool PrintVerdicts(const RunFlags& flags, const Golden& golden, const std::vector<Tensor>& values,
                   nlohmann::ordered_json& json, Io& io) {
  bool right = true;
  for (size_t i = 0; i < golden.outputs.size(); ++i) {
    const Golden::Output& output = golden.outputs[i];
    const GoldenVerdict verdict = CompareGolden(output, values[values.size() - golden.outputs.size() + i]);
    right = right && verdict.right;
    if (flags.json) {
      json["golden"].push_back({{"tensor", output.tensor},
                                {"right", verdict.right},
                                {"error", verdict.error},
                                {"allowed", verdict.allowed},
                                {"fault", verdict.fault}});
      continue;
    }
    io.out << (verdict.right ? "right" : "OFF") << "  " << output.tensor << "  error "
           << absl::StrFormat("%.3g", verdict.error) << ", allowed " << absl::StrFormat("%.3g", verdict.allowed)
           << " = max(1e-4, 4 * spread " << absl::StrFormat("%.1e", output.spread) << ") * max|want|, 1e-6"
           << (verdict.fault.empty() ? "" : "; " + verdict.fault) << "\n";
  }
  return right;
}

absl::Status Time(const RunFlags& flags, RunPlan& plan, nlohmann::ordered_json& json, Io& io) {
  std::vector<double> ms;
  for (int i = 0; i < flags.repeat; ++i) {
    const auto start = std::chrono::steady_clock::now();
    BERTH_RETURN_IF_ERROR(plan.session->Run(plan.step).status());
    ms.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  if (ms.empty()) return absl::OkStatus();
  std::sort(ms.begin(), ms.end());
  const double median = (ms[(ms.size() - 1) / 2] + ms[ms.size() / 2]) / 2;
  if (flags.json) {
    json["time_ms"] = {{"runs", flags.repeat}, {"min", ms.front()}, {"median", median}};
  } else {
    io.out << absl::StrFormat("%d runs: min %.3f ms, median %.3f ms\n", flags.repeat, ms.front(), median);
  }
  return absl::OkStatus();
}

// What the variable holds: its handle, if it has one, is of another type.
DType VariableType(const Node& node) {
  if (const DType* dtype = node.AttrOrDefault<DType>("dtype")) return *dtype;
  return node.num_outputs() > 0 ? node.output_dtype(0) : DType::kFloat32;
}

// Everything after the session stands: targets, variables, steps, timing.
absl::StatusOr<bool> RunAll(const RunFlags& flags, RunPlan& plan, nlohmann::ordered_json& json, Io& io) {
  Trace trace;
  RunOptions once;
  once.deadline = plan.step.deadline;
  if (!flags.trace.empty()) once.trace = plan.step.trace = &trace;
  for (const std::string& target : plan.once) {
    once.targets = {target};
    once.feeds = FeedsOf(plan.session->graph(), target, plan.step.feeds);
    if (const absl::Status ran = plan.session->Run(once).status(); !ran.ok()) return WithStageExit(ran);
  }
  for (const std::string& set : flags.sets) {
    BERTH_ASSIGN_OR_RETURN(const NamedValue named, SplitNamedValue("--set", set));
    const auto node = plan.session->graph().Find(named.name);
    const DType dtype = node ? VariableType(*node) : DType::kFloat32;  // the session says that there is none
    BERTH_ASSIGN_OR_RETURN(const Tensor value, ReadValue("--set", named, dtype, io));
    BERTH_RETURN_IF_ERROR(WithExit(plan.session->SetVariable(named.name, value), kExitUsage));
  }
  if (!flags.report.empty() && !plan.step.fetches.empty()) {
    // What stands in the way of a plan, the first step says.
    const absl::StatusOr<uint64_t> hash = plan.session->PlanFingerprint(plan.step);
    if (hash.ok()) io.err << "plan " << absl::StrCat(absl::Hex(*hash, absl::kZeroPad16)) << "\n";
  }
  std::vector<Tensor> values;
  for (int step = 0; step < flags.steps && !plan.step.fetches.empty(); ++step) {
    absl::StatusOr<std::vector<Tensor>> run = plan.session->Run(plan.step);
    if (!run.ok()) return WithStageExit(run.status());
    values = *std::move(run);
    if (!plan.golden) BERTH_RETURN_IF_ERROR(PrintValues(flags, plan, step, values, json, io));
  }
  bool right = true;
  if (plan.golden) {
    right = PrintVerdicts(flags, *plan.golden, values, json, io);
    if (!flags.out.empty()) BERTH_RETURN_IF_ERROR(PrintValues(flags, plan, 0, values, json, io));
  }
  BERTH_RETURN_IF_ERROR(Time(flags, plan, json, io));
  if (!flags.trace.empty()) BERTH_RETURN_IF_ERROR(WriteOutput(flags.trace, trace.ToChromeJson(), io));
  return right;
}

}  // namespace

absl::Status Run(const RunFlags& flags, Io& io) {
  if (flags.json && (flags.trace == "-" || flags.report == "-")) {
    return WithExit(
        absl::InvalidArgumentError(absl::StrCat("flag ", flags.trace == "-" ? "--trace" : "--report",
                                                ": expected a file beside --json, got '-'; both would be written to "
                                                "standard output")),
        kExitUsage);
  }
  if (!flags.out.empty()) BERTH_RETURN_IF_ERROR(MakeFolder(flags.out));
  BERTH_ASSIGN_OR_RETURN(RunPlan plan, Prepare(flags, io));
  ReportPlacement(plan.session->graph(), plan.machine, plan.session->placement(), io);
  if (!flags.report.empty()) {
    BERTH_RETURN_IF_ERROR(WriteInPieces(
        flags.report,
        [&](Sink sink) {
          WritePlacementJson(plan.session->graph(), plan.machine, plan.session->placement(), nullptr, sink);
        },
        io));
  }
  BERTH_RETURN_IF_ERROR(CheckFallbacks(flags.place, plan.session->graph(), plan.session->placement()));
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  if (flags.placement && flags.json) {
    json["placement"] = nlohmann::ordered_json::parse(
        PlacementToJson(plan.session->graph(), plan.machine, plan.session->placement()), nullptr, false);
  } else if (flags.placement) {
    io.out << PrintPlacement(plan.session->graph(), plan.machine, plan.session->placement());
  }
  BERTH_ASSIGN_OR_RETURN(const bool right, RunAll(flags, plan, json, io));
  if (flags.json) io.out << json.dump(2) << "\n";
  return right ? absl::OkStatus()
               : WithExit(absl::FailedPreconditionError(absl::StrCat("golden '", flags.golden, "': an output is off")),
                          kExitNegative);
}

}  // namespace berth
