// What placement must know of kernels, as a plain value: which ops (with which attribute types) run
// on which kind of device. Made from a kernel table (kernels/op_support.h), or by hand for tests
// and for hardware one does not own.
//
// An op, or an op with these dtypes, that no entry covers on any kind constrains nothing: it is
// placed with the note `no kernel`. A kernel on one kind and not on another is a fact.
#ifndef BERTH_PLACEMENT_OP_SUPPORT_H_
#define BERTH_PLACEMENT_OP_SUPPORT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "graph/dtype.h"
#include "graph/graph.h"

namespace berth {

struct KernelSupport {
  std::string op;
  std::string kind;  // "CPU", "GPU"
  struct Constraint {
    std::string attr;          // a type attribute, such as T
    std::vector<DType> types;  // its allowed values
  };
  std::vector<Constraint> constraints;
  // Rejects what no type says, such as one attribute's value, with the reason. Null: nothing is rejected. Pure.
  absl::Status (*supports)(const Node& node) = nullptr;
  std::vector<std::string> host_args;  // formal inputs or outputs that live in host memory
  int priority = 0;                    // higher wins among kinds
  // An entry of a hand-written table that says the op exists but has no kernel: placing it is an
  // error.
  bool listed_without_kernel = false;
};

class OpSupport {
 public:
  OpSupport() = default;  // knows nothing: constrains nothing
  void Add(KernelSupport entry);
  // The entry for this node on this kind; null when none fits.
  const KernelSupport* Find(const Node& node, absl::string_view kind) const;
  // What an entry of that kind with the right types says against the node; "" when none rejects it.
  std::string WhyRejected(const Node& node, absl::string_view kind) const;
  // True when some kind has a kernel for this node.
  bool AnyKind(const Node& node) const;
  // True when a hand-written table lists the op as having no kernel.
  bool ListedWithoutKernel(const Node& node) const;
  const std::vector<KernelSupport>& entries() const { return entries_; }
  // Indices into entries() of what is known of an op, in the order added.
  const std::vector<int>& EntriesOf(absl::string_view op) const;
  // Kinds that have a kernel for anything, in the order added.
  const std::vector<std::string>& kinds() const { return kinds_; }

 private:
  std::vector<KernelSupport> entries_;
  std::vector<std::string> kinds_;
  absl::flat_hash_map<std::string, std::vector<int>> by_op_;
};

}  // namespace berth

#endif  // BERTH_PLACEMENT_OP_SUPPORT_H_
