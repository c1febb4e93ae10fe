#include "tools/ops.h"

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/op_table.h"
#include "graph/ops/known_signatures.h"
#include "graph/ops/signature.h"
#include "graph/spelling.h"
#include "graph/status_macros.h"
#include "kernels/kernels.h"

namespace berth {
namespace {

std::map<std::string, std::set<std::string>> KindsByOp(const KernelTable& kernels) {
  std::map<std::string, std::set<std::string>> kinds;
  for (const auto& kernel : kernels.all()) kinds[kernel->op].insert(kernel->kind);
  return kinds;
}

struct Missing {
  int64_t nodes = 0;
  std::string example;
  std::string reason;
};

// By op and reason; the reasons are those that running would give.
std::vector<std::pair<std::string, Missing>> FindMissing(const Graph& graph, const KernelTable& kernels) {
  const std::map<std::string, std::set<std::string>> kinds = KindsByOp(kernels);
  std::map<std::pair<std::string, std::string>, Missing> found;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    const Node node = graph.node(id);
    // What is fed, and what plans do themselves, needs no kernel.
    if (IsExecutorOp(node.op())) continue;
    if (kernels.Find(node, "CPU", /*virtual_device=*/false) != nullptr) continue;
    const std::string op(node.op());
    std::string reason = "no kernel";
    if (node.op_def() == nullptr) {
      reason = graph.HasFunction(op) ? "a function call" : "op not known";
    } else if (kinds.count(op) > 0) {
      reason = "no kernel for these types";
    }
    Missing& missing = found[{op, reason}];
    if (missing.nodes++ == 0) missing.example = std::string(node.name());
    missing.reason = reason;
  }
  std::vector<std::pair<std::string, Missing>> rows;
  for (auto& [key, missing] : found) rows.emplace_back(key.first, std::move(missing));
  return rows;
}

absl::Status PrintMissing(const OpsFlags& flags, Io& io) {
  BERTH_ASSIGN_OR_RETURN(const Graph graph, LoadGraph({.file = flags.missing, .import = "keep"}, io));
  const auto rows = FindMissing(graph, *CpuKernels());
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const auto& [op, missing] : rows) {
    if (flags.json) {
      json.push_back({{"op", op}, {"nodes", missing.nodes}, {"reason", missing.reason}, {"example", missing.example}});
    } else {
      io.out << op << "  " << missing.nodes << (missing.nodes == 1 ? " node" : " nodes") << "  " << missing.reason
             << "  (" << missing.example << ")\n";
    }
  }
  if (flags.json) io.out << json.dump(2) << "\n";
  if (rows.empty()) return absl::OkStatus();
  return WithExit(
      absl::UnimplementedError(absl::StrCat("graph '", flags.missing, "': ", rows.size(), " kinds of node cannot run")),
      kExitNegative);
}

// An op that the table does not have.
absl::Status PrintKnown(const OpDef& op, const OpsFlags& flags, Io& io) {
  constexpr absl::string_view kWhat = "no kernel, opaque: can be placed, attributes are not checked";
  if (flags.json) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    json.push_back({{"op", op.name}, {"signature", FormatSignature(op)}, {"kernels", std::string(kWhat)}});
    io.out << json.dump(2) << "\n";
  } else {
    io.out << FormatSignature(op) << "  # " << std::string(kWhat) << "\n";
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Ops(const OpsFlags& flags, Io& io) {
  if (!flags.missing.empty()) return PrintMissing(flags, io);
  const std::shared_ptr<const OpTable> table = StandardOps();
  const std::map<std::string, std::set<std::string>> kinds = KindsByOp(*CpuKernels());
  std::vector<const OpDef*> ops = table->All();
  if (!flags.name.empty()) {
    const OpDef* op = table->Find(flags.name);
    if (op == nullptr) {
      if (const OpDef* known = KnownSignature(flags.name)) return PrintKnown(*known, flags, io);
      std::vector<std::string> names;
      for (const OpDef* known : ops) names.push_back(known->name);
      for (const absl::string_view known : KnownSignatures()) names.emplace_back(known);
      const std::string nearest = NearestWord(flags.name, names);
      return WithExit(absl::NotFoundError(absl::StrCat("op '", flags.name, "': expected a known op, got no match",
                                                       nearest.empty() ? "; berth ops lists them" : "; nearest: '",
                                                       nearest, nearest.empty() ? "" : "'")),
                      kExitUsage);
    }
    ops = {op};
  }
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const OpDef* op : ops) {
    const auto found = kinds.find(op->name);
    const std::string where = found == kinds.end() ? "no kernel" : absl::StrJoin(found->second, ",");
    if (flags.json) {
      json.push_back({{"op", op->name}, {"signature", FormatSignature(*op)}, {"kernels", where}});
    } else {
      io.out << FormatSignature(*op) << "  # " << where << "\n";
    }
  }
  if (flags.json) io.out << json.dump(2) << "\n";
  return absl::OkStatus();
}

}  // namespace berth
