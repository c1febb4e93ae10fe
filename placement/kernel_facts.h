// On which of a machine's devices a node can run by its nature: where its kernels are, and whether its op is for hosts
// only.
#ifndef BERTH_PLACEMENT_KERNEL_FACTS_H_
#define BERTH_PLACEMENT_KERNEL_FACTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "graph/graph.h"
#include "placement/device_sets.h"
#include "placement/machine.h"
#include "placement/op_support.h"

namespace berth {

// Answers are remembered by op and attribute types, so that asking about a million nodes looks up few kernels.
class KernelFacts {
 public:
  struct Verdict {
    SetId devices = DeviceSets::kAll;    // kNone: kernels are only on kinds that the machine lacks
    bool no_kernel = false;              // no kind has one, so nothing is excluded
    bool listed_without_kernel = false;  // a table written by hand says so: an error
    bool host_only = false;
    bool host_args = false;          // a kernel of some kind has arguments in host memory
    std::vector<std::string> kinds;  // those that have one: of the table, whether or not the machine has them
    std::vector<int> priority;       // by number of kind(d); 0 where there is no kernel
  };

  // All three must outlive this.
  KernelFacts(const Machine& machine, const OpSupport& support, DeviceSets& sets);

  const Verdict& Of(const Node& node);
  // The kinds of the machine's devices are numbered in machine order.
  int kind(DeviceId d) const { return kind_of_[d]; }
  int num_kinds() const { return static_cast<int>(kinds_.size()); }
  // The first cpu of every task.
  SetId hosts() const { return hosts_; }

 private:
  struct OpFacts {
    std::vector<std::string> attrs;  // type attributes that its kernels look at
    bool by_node = false;            // some kernel looks at more than types
    absl::flat_hash_map<uint64_t, int32_t> verdicts;
  };
  OpFacts& FactsOf(absl::string_view op);
  Verdict Judge(const Node& node);
  int32_t Remember(Verdict verdict);

  const Machine& machine_;
  const OpSupport& support_;
  DeviceSets& sets_;
  std::vector<std::string> kinds_;
  std::vector<int> kind_of_;         // by device
  std::vector<SetId> kind_devices_;  // by kind
  SetId hosts_ = DeviceSets::kNone;
  absl::flat_hash_map<std::string, OpFacts> ops_;
  absl::string_view last_op_;
  OpFacts* last_facts_ = nullptr;
  std::vector<Verdict> verdicts_;
  Verdict scratch_;
};

}  // namespace berth

#endif  // BERTH_PLACEMENT_KERNEL_FACTS_H_
