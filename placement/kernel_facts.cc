#include "placement/kernel_facts.h"

#include <algorithm>
#include <utility>

#include "graph/op_def.h"

namespace berth {
namespace {

constexpr size_t kMaxKeyAttrs = 7;

// The types of the node's attributes packed into a number; false where one is a list, so that they do not fit.
bool KeyOf(const Node& node, const std::vector<std::string>& attrs, uint64_t& key) {
  if (attrs.size() > kMaxKeyAttrs) return false;
  key = 1;
  for (const std::string& attr : attrs) {
    const AttrValue* value = node.attr_or_default(attr);
    const DType* type = value == nullptr ? nullptr : value->get<DType>();
    if (value != nullptr && type == nullptr) return false;
    key = key << 8 | static_cast<uint8_t>(type == nullptr ? DType::kInvalid : *type);
  }
  return true;
}

}  // namespace

KernelFacts::KernelFacts(const Machine& machine, const OpSupport& support, DeviceSets& sets)
    : machine_(machine), support_(support), sets_(sets) {
  std::vector<std::vector<DeviceId>> by_kind;
  std::vector<DeviceId> hosts;
  absl::flat_hash_map<std::string, int> numbers;
  for (DeviceId d = 0; d < machine.num_devices(); ++d) {
    const auto [it, is_new] = numbers.emplace(machine.device(d).kind(), static_cast<int>(kinds_.size()));
    if (is_new) {
      kinds_.push_back(it->first);
      by_kind.emplace_back();
    }
    kind_of_.push_back(it->second);
    by_kind[it->second].push_back(d);
    if (machine.HostOf(d) == d) hosts.push_back(d);
  }
  for (std::vector<DeviceId>& devices : by_kind) kind_devices_.push_back(sets.Of(std::move(devices)));
  hosts_ = sets.Of(std::move(hosts));
}

KernelFacts::OpFacts& KernelFacts::FactsOf(absl::string_view op) {
  if (last_facts_ != nullptr && op.data() == last_op_.data() && op.size() == last_op_.size()) return *last_facts_;
  if (const auto it = ops_.find(op); it != ops_.end()) return it->second;
  OpFacts& facts = ops_[std::string(op)];
  for (const int i : support_.EntriesOf(op)) {
    const KernelSupport& entry = support_.entries()[i];
    if (entry.supports != nullptr) facts.by_node = true;
    for (const KernelSupport::Constraint& constraint : entry.constraints) {
      if (std::find(facts.attrs.begin(), facts.attrs.end(), constraint.attr) == facts.attrs.end()) {
        facts.attrs.push_back(constraint.attr);
      }
    }
  }
  return facts;
}

const KernelFacts::Verdict& KernelFacts::Of(const Node& node) {
  OpFacts& facts = FactsOf(node.op());
  last_op_ = node.op();
  last_facts_ = nullptr;  // the table of ops may move
  uint64_t key = 0;
  if (facts.by_node || !KeyOf(node, facts.attrs, key)) {
    scratch_ = Judge(node);
    return scratch_;
  }
  last_facts_ = &facts;
  const auto found = facts.verdicts.find(key);
  if (found != facts.verdicts.end()) return verdicts_[found->second];
  const int32_t id = Remember(Judge(node));
  facts.verdicts.emplace(key, id);
  return verdicts_[id];
}

KernelFacts::Verdict KernelFacts::Judge(const Node& node) {
  Verdict verdict;
  verdict.host_only = node.op_def() != nullptr && node.op_def()->host_only;
  verdict.priority.resize(kinds_.size());
  for (const std::string& kind : support_.kinds()) {
    if (support_.Find(node, kind) != nullptr) verdict.kinds.push_back(kind);
  }
  verdict.no_kernel = verdict.kinds.empty();
  verdict.listed_without_kernel = verdict.no_kernel && support_.ListedWithoutKernel(node);
  if (verdict.host_only) {
    verdict.devices = hosts_;
  } else if (!verdict.no_kernel) {
    std::vector<DeviceId> devices;
    for (size_t k = 0; k < kinds_.size(); ++k) {
      const KernelSupport* entry = support_.Find(node, kinds_[k]);
      if (entry == nullptr) continue;
      verdict.priority[k] = entry->priority;
      verdict.host_args = verdict.host_args || !entry->host_args.empty();
      for (const DeviceId d : sets_.List(kind_devices_[k])) devices.push_back(d);
    }
    verdict.devices = sets_.Of(std::move(devices));
  }
  return verdict;
}

int32_t KernelFacts::Remember(Verdict verdict) {
  verdicts_.push_back(std::move(verdict));
  return static_cast<int32_t>(verdicts_.size()) - 1;
}

}  // namespace berth
