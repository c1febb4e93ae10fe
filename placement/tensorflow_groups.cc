#include "placement/tensorflow_groups.h"

#include <algorithm>
#include <memory>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "graph/status_macros.h"
#include "placement/tensorflow_names.h"

namespace berth {
namespace {

bool HasPriorities(const TypeList& types) {
  for (const auto& [type, priority] : types) {
    if (priority != types.front().second) return true;
  }
  return false;
}

// The types of `a` that `b` has too, with a's priorities.
TypeList Common(const TypeList& a, const TypeList& b) {
  TypeList common;
  for (const auto& entry : a) {
    const auto is_same = [&](const auto& other) { return other.first == entry.first; };
    if (std::any_of(b.begin(), b.end(), is_same)) common.push_back(entry);
  }
  SortTypes(common);
  return common;
}

// What both lists support. One side alone has priorities: its order holds; both have and disagree: nobody's does.
TypeList Intersect(const TypeList& a, const TypeList& b) {
  TypeList from_a = Common(a, b), from_b = Common(b, a);
  if (!HasPriorities(from_a)) return from_b;
  if (!HasPriorities(from_b)) return from_a;
  for (size_t i = 0; i < from_a.size(); ++i) {
    if (from_a[i].first == from_b[i].first) continue;
    for (auto& entry : from_a) entry.second = 0;
    SortTypes(from_a);
    break;
  }
  return from_a;
}

std::string Describe(const Node& node) {
  if (node.device().empty()) return absl::StrCat("node '", node.name(), "' (", node.op(), ")");
  return absl::StrCat("node '", node.name(), "' (", node.op(), ", asks for '", node.device(), "')");
}

absl::Status Refuse(const Node& a, const Node& b, absl::string_view why, absl::string_view got) {
  return absl::FailedPreconditionError(
      absl::StrCat(Describe(a), ": expected one device with ", Describe(b), why, ", got ", got));
}

}  // namespace

int TypePriority(absl::string_view type) {
  if (type == "GPU") return 210;
  return type == "CPU" ? 70 : 50;
}

void SortTypes(TypeList& types) {
  std::stable_sort(types.begin(), types.end(), [](const auto& a, const auto& b) {
    const auto key = [](const auto& t) { return std::make_tuple(-t.second, -TypePriority(t.first)); };
    if (key(a) != key(b)) return key(a) < key(b);
    return a.first < b.first;
  });
}

TensorFlowGroups::TensorFlowGroups(const Graph& graph, const Machine& machine, bool soft, bool order_by_name)
    : graph_(graph),
      machine_(machine),
      soft_(soft),
      order_by_name_(order_by_name),
      parents_(graph.num_nodes()),
      ranks_(graph.num_nodes()),
      groups_(graph.num_nodes()) {
  for (NodeId n = 0; n < graph.num_nodes(); ++n) parents_[n] = n;
}

void TensorFlowGroups::Init(NodeId n, DeviceName request, bool promises, TypeList types) {
  if (promises) groups_[n].promise = request;
  groups_[n].request = std::move(request);
  groups_[n].types = Intern(std::move(types));
}

void TensorFlowGroups::InitAssigned(NodeId n, DeviceId device, TypeList types) {
  groups_[n].assigned = groups_[n].request = machine_.device(device).name;
  groups_[n].types = Intern(std::move(types));
}

NodeId TensorFlowGroups::Root(NodeId n) {
  NodeId root = n;
  while (parents_[root] != root) root = parents_[root];
  while (parents_[n] != root) n = std::exchange(parents_[n], root);
  return root;
}

const TypeList* TensorFlowGroups::Intern(TypeList types) {
  std::string key;
  for (const auto& [type, priority] : types) absl::StrAppend(&key, type, " ", priority, "\n");
  const TypeList*& id = type_ids_[key];
  if (id == nullptr) {
    type_lists_.push_back(std::make_unique<TypeList>(std::move(types)));
    id = type_lists_.back().get();
  }
  return id;
}

absl::Status TensorFlowGroups::Join(NodeId x, NodeId y) {
  const NodeId x_root = Root(x), y_root = Root(y);
  if (x_root == y_root) return absl::OkStatus();
  // The deeper tree survives.
  const bool y_survives = ranks_[x_root] < ranks_[y_root];
  const NodeId kept = y_survives ? y_root : x_root;
  const NodeId gone = y_survives ? x_root : y_root;
  Group& into = groups_[kept];
  const Group& from = groups_[gone];

  const auto assigned = MergeNames(into.assigned, from.assigned, NameMerge::kStrict);
  const auto promise = MergeNames(into.promise, from.promise, NameMerge::kStrict);
  const auto request = MergeNames(into.request, from.request, soft_ ? NameMerge::kSoft : NameMerge::kStrict);
  for (const absl::Status& s : {assigned.status(), promise.status(), request.status()}) {
    if (!s.ok()) return Refuse(graph_.node(x), graph_.node(y), "", s.message());
  }
  into.assigned = *assigned;
  into.promise = *promise;
  into.request = Overlay(Overlay(*request, into.assigned), into.promise);

  const TypeList* types = into.types == from.types ? into.types : Intern(Intersect(*into.types, *from.types));
  if (types->empty()) {
    return Refuse(graph_.node(x), graph_.node(y), "",
                  "no device type with kernels for both and for all that is colocated with them");
  }
  into.types = types;
  parents_[gone] = kept;
  if (ranks_[kept] == ranks_[gone]) ++ranks_[kept];
  return absl::OkStatus();
}

absl::Status TensorFlowGroups::Tie(NodeId src, NodeId dst) {
  const Group& s = groups_[Root(src)];
  Group& d = groups_[Root(dst)];
  const auto refuse = [&](absl::string_view what, const DeviceName& a, const DeviceName& b) {
    return Refuse(graph_.node(dst), graph_.node(src), ", whose reference or handle it takes",
                  absl::StrCat(what, " '", b.ToString(), "' and '", a.ToString(), "'"));
  };
  if (!Compatible(s.assigned, d.assigned)) return refuse("assigned devices", s.assigned, d.assigned);
  if (!Compatible(s.promise, d.promise)) return refuse("requests", s.promise, d.promise);
  if (!Compatible(s.request, d.request)) {
    d.request = Overlay(Overlay(s.request, d.assigned), d.promise);
  }
  return Join(src, dst);
}

std::vector<DeviceId> TensorFlowGroups::Supported(const DeviceName& pattern, const TypeList& types) const {
  const DeviceId client = order_by_name_ ? kNoDevice : machine_.Client();
  // Negative priorities, of the kernel then of the type, then the session's own task, then the name as text.
  std::vector<std::tuple<int, int, bool, std::string, DeviceId>> found;
  for (DeviceId d : machine_.Matching(pattern)) {
    const std::string kind = machine_.device(d).kind();
    for (const auto& [type, priority] : types) {
      if (type != kind) continue;
      const bool is_remote = client != kNoDevice && !machine_.SameTask(d, client);
      found.emplace_back(-priority, -TypePriority(kind), is_remote, machine_.device(d).name.ToString(), d);
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<DeviceId> devices;
  for (const auto& entry : found) devices.push_back(std::get<4>(entry));
  return devices;
}

std::vector<DeviceId> TensorFlowGroups::FindCandidates(const Group& group) const {
  std::vector<DeviceId> devices = Supported(group.request, *group.types);
  if (!devices.empty() || !soft_ || group.request.empty()) return devices;
  // Types and ids that nobody promised go first, then those of promises.
  for (const bool keep_promise : {true, false}) {
    const auto is_kept = [&](bool assigned, bool promised) { return assigned || (keep_promise && promised); };
    DeviceName wider = group.request;
    if (!is_kept(group.assigned.type.has_value(), group.promise.type.has_value())) {
      wider.type.reset();
    }
    if (!is_kept(group.assigned.id.has_value(), group.promise.id.has_value())) wider.id.reset();
    devices = Supported(wider, *group.types);
    if (!devices.empty()) break;
  }
  return devices;
}

absl::Span<const DeviceId> TensorFlowGroups::Candidates(NodeId n) {
  const Group& group = groups_[Root(n)];
  const std::string key = absl::StrCat(group.request.ToString(), "\n", group.promise.ToString(), "\n",
                                       group.assigned.ToString(), "\n", reinterpret_cast<uintptr_t>(group.types));
  const auto [it, is_new] = candidates_.try_emplace(key);
  if (is_new) it->second = FindCandidates(group);
  return it->second;
}

absl::Status TensorFlowGroups::Assign(NodeId n, DeviceId device) {
  Group& group = groups_[Root(n)];
  const DeviceName& name = machine_.device(device).name;
  if (group.assigned == name) return absl::OkStatus();
  BERTH_ASSIGN_OR_RETURN(group.assigned, MergeNames(group.assigned, name, NameMerge::kStrict));
  BERTH_ASSIGN_OR_RETURN(group.promise, MergeNames(group.promise, name, NameMerge::kOverride));
  BERTH_ASSIGN_OR_RETURN(group.request, MergeNames(group.request, name, NameMerge::kOverride));
  return absl::OkStatus();
}

}  // namespace berth
