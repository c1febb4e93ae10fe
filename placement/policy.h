// A policy is an ordered composition of parts, each a value:
//
//   Policy p = VariablesOn("/cpu:0") | TowersOn("/gpu:*") | Else("/cpu:0");
//   Policy q = Pins() | ConstantsWithConsumer() | GreedyLocality();
//   StatusOr<Policy> r = ParsePolicy("variables-on cpu:0 | towers-on gpu:* | else cpu:0");
//
// Three kinds of part: node rules (graph/rule.h; also usable on scopes), graph rules (need the whole graph), and at
// most one solver, which takes what is still open; without one, the first candidate is taken and the report says so.
#ifndef BERTH_PLACEMENT_POLICY_H_
#define BERTH_PLACEMENT_POLICY_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "graph/rule.h"

namespace berth {

class Node;
class GraphRule;  // placement/part.h
class Solver;     // placement/part.h
class Whole;      // placement/part.h: a whole policy of its own, such as `tensorflow`

struct PolicyPart {
  std::shared_ptr<const Rule> rule;  // exactly one of the four is set
  std::shared_ptr<const GraphRule> graph_rule;
  std::shared_ptr<const Solver> solver;
  std::shared_ptr<const Whole> whole;
  std::string origin;  // "policy.txt:3" or "flag --policy"; shown in conflicts
  std::string text() const;
};

// Node rules, and to which nodes they shall be put. Usable wherever Rules are, scopes included.
//
//   VariablesOn("/cpu:0").Where("name=encoder/*")             only about variables of the encoder
//   TowersOn("/gpu:*").Else(Match("bytes>1MiB").On("/cpu:0"))   the second is asked where the first abstains
class NodeRules : public Rules {
 public:
  explicit NodeRules(Rules rules) : Rules(std::move(rules)) {}
  explicit NodeRules(std::shared_ptr<const Rule> rule) : Rules(std::move(rule)) {}
  // Each of the rules, asked only about what the selector picks (selector.h).
  NodeRules Where(absl::string_view selector) const;
  // Both must be one rule, and either none or both only about what is open.
  NodeRules Else(const NodeRules& rule) const;
  friend NodeRules operator|(NodeRules a, const NodeRules& b) {
    return NodeRules(static_cast<Rules&&>(a) | static_cast<const Rules&>(b));
  }
};

class Policy {
 public:
  Policy() = default;
  Policy(const Rules& rules);  // NOLINT: implicit, so that node rules compose with the rest
  explicit Policy(PolicyPart part) { parts_.push_back(std::move(part)); }
  const std::vector<PolicyPart>& parts() const { return parts_; }
  std::string text() const;  // parts joined by " | "
  // Each of the rules, restricted to what the selector picks. Placing by a solver so restricted is an error.
  Policy Where(absl::string_view selector) const;
  // This rule, and the other for the nodes that this one says nothing of. Both must be one rule. Placing by a solver, or
  // several rules, or `else D`, so joined is an error.
  Policy Else(const Policy& rule) const;
  friend Policy operator|(Policy a, const Policy& b) {
    a.parts_.insert(a.parts_.end(), b.parts_.begin(), b.parts_.end());
    return a;
  }

 private:
  std::vector<PolicyPart> parts_;
};

// True for `tensorflow`: it places every node, not the pruned graph.
bool PlacesWholeGraph(const Policy& policy);

// `pins | constants-with-consumer | shapes-with-input | greedy-locality`
Policy DefaultPolicy();

// Reads policy text (policy_text.h; `berth policies`). `origin` is how messages call it; where it is a file's name, `include`
// looks for files beside it. Errors: InvalidArgument/NotFound with `origin:line:column`, the line, a caret, the known words
// and the nearest one.
absl::StatusOr<Policy> ParsePolicy(absl::string_view text, absl::string_view origin = "policy");
// A flag's value: names a file where NamesFile (graph/read_file.h) says so, a plug-in where that ends in .so; else text
// of this origin.
absl::StatusOr<Policy> LoadPolicy(absl::string_view flag, absl::string_view origin = "flag --policy");

// Node rules (usable on scopes too). Device patterns are read by ParseDeviceName; a bad one is reported by PlaceGraph,
// or by the scope, with this rule's text.
NodeRules VariablesOn(absl::string_view device);
NodeRules TowersOn(absl::string_view devices);         // "/gpu:*": tower i takes the i-th that matches
NodeRules TowersOn(std::vector<std::string> devices);  // tower i takes the i-th of the list
NodeRules Else(absl::string_view device);

// How groups of nodes are dealt over devices.
struct SpreadOptions {
  enum class By { kBytes, kCount } by = By::kBytes;
  enum class Order { kLargestFirst, kGraph } order = Order::kLargestFirst;
};

class Match {  // Match("op=Conv2D & !name=head/*").On("/gpu:0")
 public:
  explicit Match(absl::string_view selector) : selector_(selector) {}
  NodeRules On(absl::string_view device) const;
  NodeRules Prefer(absl::string_view device, double weight = 1.0) const;
  NodeRules Forbid(absl::string_view device) const;

  // What to go with: a node by its name, or the first that a selector picks.
  struct Companion {
    std::string node;
    std::string selector;
  };
  // These need the whole graph, so they are no scope rules; Scope::WithColocation is a scope's way.
  Policy Together() const;  // one device for all that match: a must
  Policy TogetherWith(Companion with) const;
  Policy PreferTogether(double weight = 1.0) const;  // where they can
  Policy PreferTogetherWith(Companion with, double weight = 1.0) const;
  Policy Spread(std::vector<std::string> devices, SpreadOptions options = {}) const;

 private:
  std::string selector_;
};

// Rules over the whole graph, and solvers.
Policy Pins();
Policy ConstantsWithConsumer();
Policy ShapesWithInput();
Policy GradientsWithForward();
// Variables dealt over the devices that match: no device has more than list scheduling's bound.
Policy StateBalanced(std::vector<std::string> devices, SpreadOptions options = {});

// Parameter-server style: state dealt over the tasks of `ps`, the rest on `worker`.
struct ReplicaSetterOptions {
  std::string ps = "/job:ps";
  std::string worker = "/job:worker";
  enum class By { kRoundRobin, kBytes, kRandom } by = By::kRoundRobin;
  uint64_t seed = 0;  // of kRandom
  bool merge = true;  // false: a node that has a request is left alone
  // (optional) instead of `by`: the number of the task for a variable, from what each has so far. A pure function.
  std::function<int(const Node& variable, const std::vector<int64_t>& bytes_by_task)> choose;
};
Policy ReplicaSetter(ReplicaSetterOptions options = {});

// A policy of one's own in a shared object (policy_plugin.h). Errors: InvalidArgument for a file that is none, lacks the
// symbol, is of another version, or does not take the arguments. What it answers wrongly is an error of placing.
absl::StatusOr<Policy> LoadPlugin(std::string file, std::vector<std::string> arguments = {});

Policy FirstFit(std::vector<std::string> devices = {});
Policy RoundRobin();
Policy RandomPlacement(uint64_t seed);
Policy GreedyLocality();
Policy Replay(std::string file);
// TensorFlow's own placer, node for node. `order_by_name`: 1.15's candidate order, without preferring the session's
// task.
Policy TensorFlowPlacer(bool order_by_name = false);

// What `berth policies` says of a word.
struct PolicyWord {
  std::string word, arguments, kind, summary;
  std::string details;  // its arguments and what they mean; "" where the summary says it all
  std::string complexity;
  std::string bad;                    // when not to use it
  std::vector<std::string> examples;  // texts that parse, but for files named FILE; at least one
};
std::vector<PolicyWord> PolicyWords();

}  // namespace berth

#endif  // BERTH_PLACEMENT_POLICY_H_
