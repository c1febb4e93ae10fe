#include "placement/placement_diff.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/device_name.h"
#include "placement/node_cost.h"

namespace berth {
namespace {

// gpu:2 before gpu:10; what is no device comes last.
struct ByNumber {
  bool operator()(const std::string& a, const std::string& b) const {
    const absl::StatusOr<DeviceName> x = ParseDeviceName(a), y = ParseDeviceName(b);
    if (x.ok() != y.ok()) return x.ok();
    if (!x.ok() || *x == *y) return a < b;
    return *x < *y;
  }
};

// Devices in one spelling, however the dumps spell them.
class Spelling {
 public:
  const std::string& Short(const std::string& device) {
    const auto found = short_.find(device);
    if (found != short_.end()) return found->second;
    const absl::StatusOr<DeviceName> name = ParseDeviceName(device);
    return short_.emplace(device, name.ok() ? name->ShortName() : device).first->second;
  }

 private:
  std::map<std::string, std::string> short_;
};

// A value that goes to a device: slot, target.
using Sent = std::pair<int32_t, std::string>;

// What node `n` sends when nodes are where `device_of` says, sorted; null: not known.
std::vector<Sent> SentBy(const Node& node, const std::vector<const std::string*>& device_of) {
  std::vector<Sent> sent;
  const std::string* from = device_of[node.id()];
  if (from == nullptr) return sent;
  for (const OutEdge& edge : node.out_edges()) {
    const std::string* to = device_of[edge.node];
    if (edge.slot != kControlSlot && to != nullptr && *to != *from) sent.emplace_back(edge.slot, *to);
  }
  std::sort(sent.begin(), sent.end());
  sent.erase(std::unique(sent.begin(), sent.end()), sent.end());
  return sent;
}

void DiffCrossings(const Graph& graph, const std::vector<const std::string*>& a,
                   const std::vector<const std::string*>& b, PlacementDiff* diff) {
  diff->has_graph = true;
  for (NodeId n = 0; n < graph.num_nodes(); ++n) {
    const Node node = graph.node(n);
    const std::vector<Sent> before = SentBy(node, a), after = SentBy(node, b);
    const auto crossing = [&](const Sent& sent, const std::string& from) {
      return PlacementDiff::Crossing{absl::StrCat(node.name(), ":", sent.first), from, sent.second,
                                     OutputBytes(node, sent.first)};
    };
    const bool same_source = a[n] != nullptr && b[n] != nullptr && *a[n] == *b[n];
    const auto in = [&](const std::vector<Sent>& list, const Sent& sent) {
      return same_source && std::binary_search(list.begin(), list.end(), sent);
    };
    for (const Sent& sent : before) {
      ++diff->transfers_before;
      diff->bytes_before = AddSizes(diff->bytes_before, OutputBytes(node, sent.first).value_or(0));
      if (!in(after, sent)) diff->removed.push_back(crossing(sent, *a[n]));
    }
    for (const Sent& sent : after) {
      ++diff->transfers_after;
      diff->bytes_after = AddSizes(diff->bytes_after, OutputBytes(node, sent.first).value_or(0));
      if (!in(before, sent)) diff->added.push_back(crossing(sent, *b[n]));
    }
  }
}

}  // namespace

std::string AuthorOf(absl::string_view why) {
  size_t end = why.find(": ");
  if (end != absl::string_view::npos && absl::StartsWith(why, "fact: ")) end = why.find(": ", end + 2);
  return std::string(why.substr(0, end));
}

absl::string_view NameScope(absl::string_view node) {
  const size_t slash = node.rfind('/');
  return slash == absl::string_view::npos ? "" : node.substr(0, slash);
}

PlacementDiff DiffPlacements(const std::vector<DumpedNode>& a, const std::vector<DumpedNode>& b, const Graph* graph) {
  PlacementDiff diff;
  Spelling spelling;
  absl::flat_hash_map<absl::string_view, const DumpedNode*> in_b;
  for (const DumpedNode& node : b) in_b.emplace(node.name, &node);
  std::map<std::string, PlacementDiff::Device, ByNumber> devices;
  std::map<std::pair<std::string, std::string>, int64_t> authors;
  absl::flat_hash_map<absl::string_view, const DumpedNode*> in_a;
  for (const DumpedNode& node : a) {
    in_a.emplace(node.name, &node);
    const std::string& from = spelling.Short(node.device);
    ++devices[from].before;
    const auto found = in_b.find(node.name);
    if (found == in_b.end()) {
      diff.only_a.push_back(node.name);
      continue;
    }
    ++diff.common;
    const std::string& to = spelling.Short(found->second->device);
    if (from != to) {
      diff.moved.push_back({node.name, from, to, node.why, found->second->why});
    } else if (!node.why.empty() && !found->second->why.empty() && node.why != found->second->why) {
      std::pair<std::string, std::string> pair(AuthorOf(node.why), AuthorOf(found->second->why));
      if (pair.first != pair.second) ++authors[std::move(pair)];
    }
  }
  for (const DumpedNode& node : b) {
    ++devices[spelling.Short(node.device)].after;
    if (!in_a.contains(node.name)) diff.only_b.push_back(node.name);
  }
  for (auto& [name, device] : devices) diff.devices.push_back({name, device.before, device.after});
  for (const auto& [pair, nodes] : authors) diff.authors.push_back({pair.first, pair.second, nodes});
  if (graph == nullptr) return diff;
  const auto places = [&](const absl::flat_hash_map<absl::string_view, const DumpedNode*>& nodes) {
    std::vector<const std::string*> of(graph->num_nodes(), nullptr);
    for (NodeId n = 0; n < graph->num_nodes(); ++n) {
      const auto found = nodes.find(graph->node(n).name());
      if (found != nodes.end()) of[n] = &spelling.Short(found->second->device);
    }
    return of;
  };
  DiffCrossings(*graph, places(in_a), places(in_b), &diff);
  return diff;
}

}  // namespace berth
