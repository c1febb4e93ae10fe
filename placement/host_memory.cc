#include "placement/host_memory.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "graph/dtype.h"
#include "graph/op_def.h"

namespace berth {
namespace {

constexpr char kCpu[] = "CPU";

// No device but a host holds such values.
bool IsHostType(DType type) { return BaseOf(type) == DType::kString; }

bool IsHostArg(const Node& node, const ArgDef& arg) {
  if (!arg.type_list_attr.empty()) {
    const AttrList* list = node.AttrOrDefault<AttrList>(arg.type_list_attr);
    return list != nullptr && std::any_of(list->type.begin(), list->type.end(), IsHostType);
  }
  if (arg.type_attr.empty()) return IsHostType(arg.type);
  const DType* type = node.AttrOrDefault<DType>(arg.type_attr);
  return type != nullptr && IsHostType(*type);
}

}  // namespace

void FindHostArgs(const Graph& graph, const Machine& machine, const OpSupport& support, absl::Span<const NodeId> nodes,
                  Placement& placement) {
  absl::flat_hash_map<std::string, int32_t> texts;
  for (const NodeId n : nodes) {
    const std::string kind = machine.device(placement.device(n)).kind();
    if (kind == kCpu) continue;
    const KernelSupport* kernel = support.Find(graph.node(n), kind);
    if (kernel == nullptr || kernel->host_args.empty()) continue;
    const auto [it, is_new] =
        texts.emplace(absl::StrJoin(kernel->host_args, ","), static_cast<int32_t>(placement.texts.size()));
    if (is_new) placement.texts.push_back(it->first);
    placement.host_args.push_back({n, it->second});
  }
}

std::vector<std::string> HostMemoryOf(const Graph& graph, const Machine& machine, const Placement& placement,
                                      NodeId n) {
  std::vector<std::string> names;
  if (machine.device(placement.device(n)).kind() == kCpu) return names;
  const Node node = graph.node(n);
  const auto less = [](const HostArgs& args, NodeId id) { return args.node < id; };
  const auto found = std::lower_bound(placement.host_args.begin(), placement.host_args.end(), n, less);
  std::vector<std::string> of_kernel;
  if (found != placement.host_args.end() && found->node == n) {
    of_kernel = absl::StrSplit(placement.texts[found->names], ',');
  }
  const OpDef* op = node.op_def();
  if (op == nullptr) {
    names = of_kernel;
    for (int k = 0; k < node.num_outputs(); ++k) {
      const std::string name = absl::StrCat("output ", k);
      if (!IsHostType(node.output_dtype(k)) || std::count(names.begin(), names.end(), name) > 0) continue;
      names.push_back(name);
    }
    return names;
  }
  for (const std::vector<ArgDef>* args : {&op->inputs, &op->outputs}) {
    for (const ArgDef& arg : *args) {
      const bool by_kernel = std::find(of_kernel.begin(), of_kernel.end(), arg.name) != of_kernel.end();
      if ((by_kernel || IsHostArg(node, arg)) && std::find(names.begin(), names.end(), arg.name) == names.end()) {
        names.push_back(arg.name);
      }
    }
  }
  return names;
}

}  // namespace berth
