#include "runtime/replicate_constants.h"

#include <map>
#include <string>
#include <vector>

#include "placement/tensorflow_order.h"

namespace berth {
namespace {

// One use of a constant: input `input` of `node`.
struct Use {
  int32_t node;
  int input;
  bool is_control;
};

// The uses of every kept Const, by node; empty for other nodes.
std::vector<std::vector<Use>> UsesOfConstants(const CutGraph& cut) {
  std::vector<std::vector<Use>> uses(cut.nodes.size());
  std::vector<bool> is_const(cut.nodes.size());
  const int32_t size = static_cast<int32_t>(cut.nodes.size());
  for (int32_t n = 0; n < size; ++n) is_const[n] = cut.op(n) == "Const";
  for (int32_t n = 0; n < size; ++n) {
    if (!cut.nodes[n].kept) continue;
    const auto& inputs = cut.nodes[n].inputs;
    for (int i = 0; i < static_cast<int>(inputs.size()); ++i) {
      if (is_const[inputs[i].node]) uses[inputs[i].node].push_back({n, i, inputs[i].is_control()});
    }
  }
  return uses;
}

// Adds a copy of constant `c` on `device` and lets `users` read it.
void AddCopy(CutGraph& cut, int32_t c, DeviceId device, const std::vector<Use>& users) {
  auto made = std::make_unique<MadeNode>();
  made->name = cut.NewName(std::string(cut.name(c)) + "/replicate");
  made->dtypes = {cut.output_dtype(c, 0)};
  made->shape = cut.output_shape(c, 0);
  const int32_t id = cut.Add(std::move(made), cut.nodes[c].origin, device, cut.nodes[c].order);
  cut.nodes[id].inputs = cut.nodes[c].inputs;
  for (const Use& u : users) cut.nodes[u.node].inputs[u.input] = {id, 0};
}

// The number of elements by the shape of `value`; -1 when it is not known.
int64_t NumElements(const Node& constant) {
  const Literal* value = constant.AttrOrDefault<Literal>("value");
  return value == nullptr ? -1 : value->shape().num_elements().value_or(-1);
}

}  // namespace

void ReplicateConstants(CutGraph& cut) {
  const std::vector<std::vector<Use>> uses = UsesOfConstants(cut);
  for (int32_t c = 0; c < static_cast<int32_t>(uses.size()); ++c) {
    if (uses[c].empty() || !cut.nodes[c].inputs.empty()) continue;
    std::map<DeviceId, std::vector<Use>> places;
    bool stays = false;
    for (const Use& u : uses[c]) {
      const DeviceId at = cut.nodes[u.node].device;
      if (u.is_control || at == cut.nodes[c].device) {
        stays = true;
      } else {
        places[at].push_back(u);
      }
    }
    for (const auto& [device, users] : places) AddCopy(cut, c, device, users);
    // The original goes where nobody is left to read it; a target stays, having no use at all.
    if (!stays) cut.nodes[c].kept = false;
  }
}

void ReplicateConstantsAsTensorFlow(CutGraph& cut) {
  constexpr int64_t kMaxElements = 16;
  const Machine& machine = *cut.machine;
  const std::vector<std::vector<Use>> uses = UsesOfConstants(cut);
  for (NodeId c : OrderAsTensorFlow(*cut.graph).nodes) {
    if (uses[c].size() < 2 || machine.device(cut.nodes[c].device).kind() != "CPU") continue;
    const int64_t elements = NumElements(cut.origin(c));
    if (elements < 0 || elements > kMaxElements) continue;
    std::map<std::string, std::pair<DeviceId, std::vector<Use>>> places;  // by name, as text
    bool controls = false;
    for (const Use& u : uses[c]) {
      controls |= u.is_control;
      DeviceId at = cut.nodes[u.node].device;
      if (machine.device(at).kind() != "CPU") {
        const DeviceName& name = machine.device(at).name;
        const DeviceName host{name.job, name.replica, name.task, "CPU", 0};
        at = machine.Find(host).value_or(at);
      }
      auto& place = places[machine.device(at).name.ToString()];
      place.first = at;
      place.second.push_back(u);
    }
    if (controls || places.size() < 2) continue;
    for (const auto& [name, place] : places) AddCopy(cut, c, place.first, place.second);
    cut.nodes[c].kept = false;
  }
}

}  // namespace berth
