#include "runtime/find_kernels.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace berth {
namespace {

// v1 control flow needs dead values and iterations, which plans do not have.
bool IsControlFlow(absl::string_view op) {
  constexpr absl::string_view kOps[] = {
      "Enter",   "Exit",     "LoopCond",         "Merge",     "NextIteration", "RefEnter",
      "RefExit", "RefMerge", "RefNextIteration", "RefSwitch", "Switch"};
  return std::find(std::begin(kOps), std::end(kOps), op) != std::end(kOps);
}

// The nodes of one op that cannot run on one kind of device.
struct Missing {
  std::string first;  // "'conv' on gpu:0"
  int count = 0;
  std::string why;
};

std::string Types(const Node& node) {
  std::vector<std::string> types;
  for (const NamedAttr& attr : node.attrs()) {
    if (attr.name.empty() || attr.name[0] == '_') continue;
    if (const DType* type = attr.value->get<DType>())
      types.push_back(absl::StrCat(attr.name, "=", ShortDTypeName(*type)));
  }
  return types.empty() ? "" : absl::StrCat(" {", absl::StrJoin(types, ","), "}");
}

// "cpu {T=f32,f64}"
std::string Covers(const KernelDef& def) {
  std::vector<std::string> types;
  for (const TypeConstraint& constraint : def.types) {
    std::vector<std::string> names;
    for (const DType type : constraint.types) names.push_back(std::string(ShortDTypeName(type)));
    types.push_back(absl::StrCat(constraint.attr, "=", absl::StrJoin(names, ",")));
  }
  return absl::StrCat(absl::AsciiStrToLower(def.kind),
                      types.empty() ? "" : absl::StrCat(" {", absl::StrJoin(types, "; "), "}"));
}

// Why the kernels of that op do not fit, as far as one says, else what there are.
std::string Reason(const Node& node, const KernelTable& kernels) {
  constexpr size_t kListed = 4;
  std::vector<std::string> there;
  for (const auto& def : kernels.all()) {
    if (def->op != node.op()) continue;
    if (def->supports != nullptr) {
      if (absl::Status status = def->supports(node); !status.ok()) return std::string(status.message());
    }
    there.push_back(Covers(*def));
  }
  if (there.empty()) return "";
  const size_t more = there.size() > kListed ? there.size() - kListed : 0;
  there.resize(there.size() - more);
  return absl::StrCat("there are kernels for ", absl::StrJoin(there, " and "),
                      more > 0 ? absl::StrCat(" and ", more, " more") : "");
}

std::string List(const std::map<std::string, Missing>& missing) {
  std::vector<std::string> items;
  for (const auto& [op, m] : missing) {
    items.push_back(absl::StrCat(op, " (", m.first, m.count > 1 ? absl::StrCat(" and ", m.count - 1, " more") : "",
                                 m.why.empty() ? "" : absl::StrCat("; ", m.why), ")"));
  }
  return absl::StrJoin(items, ", ");
}

std::vector<bool> WhichInHost(const Node& node, const std::vector<ArgDef>& args, int total, const KernelDef& kernel) {
  std::vector<bool> host;
  for (const ArgDef& arg : args) {
    int64_t count = 1;
    if (!arg.number_attr.empty()) {
      const int64_t* n = node.AttrOrDefault<int64_t>(arg.number_attr);
      // A count that inference took from the inputs: what the other arguments leave.
      count = n != nullptr ? *n : total - static_cast<int64_t>(args.size()) + 1;
    } else if (!arg.type_list_attr.empty()) {
      const AttrList* list = node.AttrOrDefault<AttrList>(arg.type_list_attr);
      count = list != nullptr ? static_cast<int64_t>(list->type.size()) : 0;
    }
    const bool in_host =
        std::find(kernel.host_args.begin(), kernel.host_args.end(), arg.name) != kernel.host_args.end();
    for (int64_t i = 0; i < count && static_cast<int>(host.size()) < total; ++i) host.push_back(in_host);
  }
  host.resize(total);
  return host;
}

}  // namespace

absl::StatusOr<std::vector<std::vector<const KernelDef*>>> FindKernels(const Partition& partition,
                                                                       const std::vector<Device*>& devices,
                                                                       const KernelTable& kernels) {
  std::vector<std::vector<const KernelDef*>> found(partition.parts.size());
  std::map<std::string, Missing> missing, control_flow;
  std::set<std::string> elided;
  for (size_t p = 0; p < partition.parts.size(); ++p) {
    const Graph& graph = partition.parts[p].graph;
    const Device& device = *devices[partition.parts[p].device];
    found[p].resize(graph.num_nodes());
    for (NodeId id = 0; id < graph.num_nodes(); ++id) {
      const Node node = graph.node(id);
      if (node.op() == "Placeholder" || node.op() == "PlaceholderV2") {
        return absl::InvalidArgumentError(
            absl::StrCat("node '", node.name(), "' (", node.op(), " on ", device.short_name(),
                         "): expected to be fed, got no value; feed '", node.name(), ":0'"));
      }
      const Literal* value = node.op() == "Const" ? node.AttrOrDefault<Literal>("value") : nullptr;
      if (value != nullptr && value->is_elided()) elided.insert(absl::StrCat("'", node.name(), "'"));
      if (IsExecutorOp(node.op())) continue;
      const bool is_control_flow = IsControlFlow(node.op());
      if (!is_control_flow) found[p][id] = kernels.Find(node, device.kind(), device.is_virtual());
      if (found[p][id] != nullptr) continue;
      Missing& m =
          is_control_flow ? control_flow[std::string(node.op())] : missing[absl::StrCat(node.op(), Types(node))];
      if (m.count++ == 0) {
        m.first = absl::StrCat("'", node.name(), "' on ", device.short_name());
        if (!is_control_flow) m.why = Reason(node, kernels);
      }
    }
  }
  if (!elided.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("graph: expected the values of every constant, got only size and hash of ",
                     absl::StrJoin(elided, ", "), "; write the graph with --values"));
  }
  if (!control_flow.empty()) {
    return absl::UnimplementedError(
        absl::StrCat("graph: expected ops without control flow, which cannot run yet, got ", List(control_flow)));
  }
  if (!missing.empty()) {
    return absl::UnimplementedError(
        absl::StrCat("graph: expected a kernel for every op, got none for ", List(missing)));
  }
  return found;
}

std::vector<bool> HostInputs(const Node& node, const KernelDef& kernel) {
  const int total = static_cast<int>(node.data_inputs().size());
  if (node.op_def() == nullptr || kernel.host_args.empty()) return std::vector<bool>(total);
  return WhichInHost(node, node.op_def()->inputs, total, kernel);
}

std::vector<bool> HostOutputs(const Node& node, const KernelDef& kernel) {
  if (node.op_def() == nullptr || kernel.host_args.empty()) return std::vector<bool>(node.num_outputs());
  return WhichInHost(node, node.op_def()->outputs, node.num_outputs(), kernel);
}

}  // namespace berth
