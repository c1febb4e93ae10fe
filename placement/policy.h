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

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "graph/rule.h"

namespace berth {

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

class Policy {
 public:
  Policy() = default;
  Policy(const Rules& rules);  // NOLINT: implicit, so that node rules compose with the rest
  explicit Policy(PolicyPart part) { parts_.push_back(std::move(part)); }
  const std::vector<PolicyPart>& parts() const { return parts_; }
  std::string text() const;  // parts joined by " | "
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

// Reads policy text (grammar in --help of `berth policies`). Errors: InvalidArgument/NotFound with
// `origin:line:column`, the line, a caret, the known words and the nearest one.
absl::StatusOr<Policy> ParsePolicy(absl::string_view text, absl::string_view origin = "policy");
// A flag's value: names a file when such a file exists and it has a '/' or ends in .policy or .txt; a named policy; or
// text.
absl::StatusOr<Policy> LoadPolicy(absl::string_view flag);

// Node rules (usable on scopes too). Device patterns are read by ParseDeviceName; a bad one is reported by PlaceGraph,
// or by the scope, with this rule's text.
Rules VariablesOn(absl::string_view device);
Rules TowersOn(absl::string_view devices);         // "/gpu:*": tower i takes the i-th that matches
Rules TowersOn(std::vector<std::string> devices);  // tower i takes the i-th of the list
Rules Else(absl::string_view device);
class Match {  // Match("op=Conv2D & !name=head/*").On("/gpu:0")
 public:
  explicit Match(absl::string_view selector) : selector_(selector) {}
  Rules On(absl::string_view device) const;
  Rules Prefer(absl::string_view device, double weight = 1.0) const;
  Rules Forbid(absl::string_view device) const;

 private:
  std::string selector_;
};

// Rules over the whole graph, and solvers.
Policy Pins();
Policy ConstantsWithConsumer();
Policy ShapesWithInput();
Policy FirstFit(std::vector<std::string> devices = {});
Policy RoundRobin();
Policy RandomPlacement(uint64_t seed);
Policy GreedyLocality();
Policy Replay(std::string file);
// TensorFlow's own placer, node for node. `order_by_name`: 1.15's candidate order, without preferring the session's
// task.
Policy TensorFlowPlacer(bool order_by_name = false);

// One line each, for `berth policies`: word, arguments, what it does.
struct PolicyWord {
  std::string word, arguments, kind, summary;
};
std::vector<PolicyWord> PolicyWords();

}  // namespace berth

#endif  // BERTH_PLACEMENT_POLICY_H_
