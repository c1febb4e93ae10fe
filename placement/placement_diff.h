// Two placements of one graph, or of two that share nodes, compared: what moved, from where to where and for whose
// reasons, and, where the graph's edges are known, what crosses between devices now and did not before.
//
//   a/w  cpu:0 -> gpu:0   variables-on cpu:0 => else gpu:0
//   + a/x:0 cpu:0 -> gpu:0 128 bytes
#ifndef BERTH_PLACEMENT_PLACEMENT_DIFF_H_
#define BERTH_PLACEMENT_PLACEMENT_DIFF_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "placement/dump.h"

namespace berth {

struct PlacementDiff {
  struct Moved {
    std::string node, from, to;  // devices in their short form: gpu:1
    std::string was, is;         // author and reason, as the dumps give them
  };
  struct Crossing {
    std::string value;  // "node:k"
    std::string from, to;
    std::optional<int64_t> bytes;  // nullopt: unknown
  };
  struct Device {
    std::string name;
    int64_t before = 0, after = 0;  // nodes
  };
  // Nodes that stay where they were, decided by another author.
  struct Authors {
    std::string before, after;
    int64_t nodes = 0;
  };
  int64_t common = 0;        // nodes that both have
  std::vector<Moved> moved;  // in the order of the first
  std::vector<std::string> only_a, only_b;
  std::vector<Device> devices;   // those that either uses, by number
  std::vector<Authors> authors;  // by text

  // Of the edges between nodes that have places; by node and slot. Nothing where has_graph is false.
  bool has_graph = false;
  std::vector<Crossing> added, removed;
  int64_t transfers_before = 0, transfers_after = 0;
  int64_t bytes_before = 0, bytes_after = 0;

  bool equal() const { return moved.empty() && only_a.empty() && only_b.empty(); }
};

// `graph`, with shapes, may be null. O(nodes log nodes + edges).
PlacementDiff DiffPlacements(const std::vector<DumpedNode>& a, const std::vector<DumpedNode>& b, const Graph* graph);

// The author of "author: reason".
std::string AuthorOf(absl::string_view why);

// `a/b` of `a/b/c`; "" for a name without a scope.
absl::string_view NameScope(absl::string_view node);

}  // namespace berth

#endif  // BERTH_PLACEMENT_PLACEMENT_DIFF_H_
