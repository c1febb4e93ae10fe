// replay:FILE: nodes go where a dump says (dump.h); what it lacks stays open for later parts. So a dump, edited or cut
// down to the lines one cares about, pins these nodes, and `replay:FILE | greedy-locality` places the rest. What the dump
// has more than the graph, and how many nodes it lacks, is noted. O(nodes + dump). Bad for a graph that has changed much
// since: most of it is then open. Cf. replay of recorded decisions in Chen et al., "Learning to Optimize Tensor
// Programs", NeurIPS 2018.
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/read_file.h"
#include "graph/status_macros.h"
#include "placement/dump.h"
#include "placement/part.h"
#include "placement/placement_state.h"
#include "placement/policy.h"
#include "placement/policy_text.h"

namespace berth {
namespace {

constexpr size_t kShownNames = 1000;

absl::StatusOr<std::vector<DumpedNode>> ReadDumpFile(const std::string& name) {
  absl::StatusOr<std::string> bytes = ReadWholeFile(name);
  if (!bytes.ok()) return absl::Status(bytes.status().code(), absl::StrCat("replay ", bytes.status().message()));
  return ReadDump(*bytes, name);
}

class ReplayRule : public GraphRule {
 public:
  explicit ReplayRule(std::string file) : file_(std::move(file)), dump_(ReadDumpFile(file_)) {}

  std::string text() const override { return absl::StrCat("replay:", PolicyWordText(file_)); }

  absl::Status Apply(PlacementState& state) const override {
    BERTH_RETURN_IF_ERROR(dump_.status());
    const Graph& graph = state.graph();
    absl::flat_hash_map<absl::string_view, AskId> asks;
    std::vector<std::string> extra;
    size_t num_extra = 0;
    for (const DumpedNode& dumped : *dump_) {
      const std::optional<Node> node = graph.Find(dumped.name);
      if (!node) {
        if (num_extra++ < kShownNames) extra.push_back(absl::StrCat("'", dumped.name, "'"));
        continue;
      }
      auto found = asks.find(dumped.device);
      if (found == asks.end()) {
        absl::StatusOr<DeviceName> name = ParseDeviceName(dumped.device);
        if (!name.ok()) {
          return absl::InvalidArgumentError(
              absl::StrCat(file_, ": node '", dumped.name, "': expected a device: ", name.status().message()));
        }
        const AskId ask = state.AddAsk(*std::move(name), std::nullopt, absl::StrCat("in ", file_), file_);
        found = asks.emplace(dumped.device, ask).first;
      }
      if (state.Selected(node->id())) state.Require(node->id(), found->second);
    }
    const size_t lacks = static_cast<size_t>(graph.num_nodes()) - (dump_->size() - num_extra);
    if (lacks > 0) {
      state.Note(graph.num_nodes(),
                 absl::StrCat("replay: ", lacks, lacks == 1 ? " node of the graph has" : " nodes of the graph have",
                              " no place in ", file_, " and ", lacks == 1 ? "stays" : "stay", " open"));
    }
    if (num_extra > 0) {
      state.Note(graph.num_nodes(), absl::StrCat("replay: ", num_extra, num_extra == 1 ? " node of " : " nodes of ",
                                                 file_, num_extra == 1 ? " is" : " are", " not in the graph: ",
                                                 absl::StrJoin(extra, ", "), num_extra > kShownNames ? ", ..." : ""));
    }
    return absl::OkStatus();
  }

 private:
  const std::string file_;
  const absl::StatusOr<std::vector<DumpedNode>> dump_;
};

}  // namespace

Policy Replay(std::string file) {
  PolicyPart part;
  part.graph_rule = std::make_shared<ReplayRule>(std::move(file));
  return Policy(std::move(part));
}

}  // namespace berth
