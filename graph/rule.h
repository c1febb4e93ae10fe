// A rule says something about one node, or abstains. The same object can be put on a scope, where
// it is asked as each node is made, and into a policy, where it is asked during placement.
//
//   auto rule = VariablesOn("/cpu:0") | TowersOn("/gpu:*");   // Rules: asked in order
//   Scope s = root.WithRules(rule);
//
// Rules that need the whole graph are of another type (placement/policy.h), so putting one on a
// scope does not compile.
#ifndef BERTH_GRAPH_RULE_H_
#define BERTH_GRAPH_RULE_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "graph/device_name.h"
#include "graph/dtype.h"

namespace berth {

struct Tag;
struct OpDef;

// What a rule may look at. Never the machine, so that the same question has the same answer
// everywhere. What costs to find is there only where Rule::needs() asks for it.
struct NodeFacts {
  absl::string_view name;
  absl::string_view op;
  const OpDef* op_def = nullptr;  // null for opaque ops
  absl::Span<const DType> output_dtypes;
  absl::Span<const Tag> tags;
  absl::Span<const absl::string_view> input_names;  // data inputs by slot: the producing nodes' names
  std::optional<int> tower;                         // from Tower(i)
  std::optional<int> in_degree;                     // number of data inputs
  // Bytes of all outputs, of a variable those of its value; nullopt where a shape or an element's size is not known. On
  // a scope: as far as inference knows when the node is made.
  std::optional<int64_t> bytes;
  // The request as the file wrote it. On a scope: what the scopes' devices ask for, rules aside.
  absl::string_view request;
};

// One rule's answer about one node.
struct Opinion {
  enum class Verb { kAbstain, kRequire, kForbid, kPrefer };
  Verb verb = Verb::kAbstain;
  // A pattern; fields not set are left open.
  DeviceName device;
  // For towers bound to a list of patterns: which of the machine's devices that match `device`, in
  // machine order, is meant. On a scope, where the machine is unknown, it becomes the id. Nullopt:
  // any that matches.
  std::optional<int> nth;
  double weight = 1.0;  // of a preference

  // As `nth`: the rule has no device for this node, such as a list shorter than the towers.
  static constexpr int kTooFew = std::numeric_limits<int>::max();

  static Opinion Abstain() { return {}; }
  static Opinion Require(DeviceName d) { return {Verb::kRequire, std::move(d), std::nullopt, 1.0}; }
};

// Implementations are immutable and thread-safe; Decide is a pure function, called once a node.
class Rule {
 public:
  enum Need : unsigned { kDTypes = 1, kInputs = 2, kBytes = 4, kRequest = 8 };

  virtual ~Rule() = default;
  // As the policy text spells it, arguments included: `variables-on cpu:0`. Used in reports.
  virtual std::string text() const = 0;
  virtual Opinion Decide(const NodeFacts& node) const = 0;
  // (optional) default: text(). Why Decide has its opinion, for reports: "tower 1". The same for nodes of one tower
  // that get one opinion.
  virtual std::string Reason(const NodeFacts&) const { return text(); }
  // (optional) default: false. In a policy, asked only about nodes that earlier parts left open.
  virtual bool only_where_open() const { return false; }
  // (optional) default: dtypes and inputs. The facts that Decide and Reason look at besides name, op, tags, tower and
  // in-degree; others may be left empty.
  virtual unsigned needs() const { return kDTypes | kInputs; }
  // (optional) default: ok. What is wrong with the rule's arguments; it is then never asked.
  virtual absl::Status status() const { return absl::OkStatus(); }
};

// An ordered list of rules; a value. An earlier rule wins over a later one, field by field.
class Rules {
 public:
  Rules() = default;
  explicit Rules(std::shared_ptr<const Rule> rule) { list_.push_back(std::move(rule)); }
  absl::Span<const std::shared_ptr<const Rule>> list() const { return list_; }
  friend Rules operator|(Rules a, const Rules& b) {
    a.list_.insert(a.list_.end(), b.list_.begin(), b.list_.end());
    return a;
  }

 private:
  std::vector<std::shared_ptr<const Rule>> list_;
};

}  // namespace berth

#endif  // BERTH_GRAPH_RULE_H_
