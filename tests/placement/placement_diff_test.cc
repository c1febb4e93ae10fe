// Placements compared: tables of two dumps and a graph.
#include "placement/placement_diff.h"

#include <string>

#include "tests/placement/place_text.h"
#include "tests/testing.h"

namespace berth {
namespace {

// "moved x cpu:0>gpu:0; +x:0 ...".
std::string Diffed(const std::string& a, const std::string& b, const std::string& graph = "") {
  const auto before = ReadDump(a, "a"), after = ReadDump(b, "b");
  REQUIRE(before.ok());
  REQUIRE(after.ok());
  std::optional<Graph> parsed;
  if (!graph.empty()) parsed = GraphOf(graph);
  const PlacementDiff diff = DiffPlacements(*before, *after, parsed ? &*parsed : nullptr);
  std::string out;
  const auto bytes = [](const std::optional<int64_t>& n) { return n ? std::to_string(*n) : "?"; };
  for (const auto& m : diff.moved) out += m.node + " " + m.from + ">" + m.to + "; ";
  for (const auto& name : diff.only_a) out += "-" + name + "; ";
  for (const auto& name : diff.only_b) out += "+" + name + "; ";
  for (const auto& d : diff.devices) {
    if (d.before != d.after) out += d.name + " " + std::to_string(d.before) + ">" + std::to_string(d.after) + "; ";
  }
  for (const auto& x : diff.authors) out += x.before + "=>" + x.after + " " + std::to_string(x.nodes) + "; ";
  for (const auto& c : diff.removed) out += "gone " + c.value + " " + c.from + ">" + c.to + " " + bytes(c.bytes) + "; ";
  for (const auto& c : diff.added) out += "new " + c.value + " " + c.from + ">" + c.to + " " + bytes(c.bytes) + "; ";
  if (diff.has_graph) {
    out += std::to_string(diff.transfers_before) + ">" + std::to_string(diff.transfers_after) + " transfers, " +
           std::to_string(diff.bytes_before) + ">" + std::to_string(diff.bytes_after) + " bytes";
  }
  CHECK(diff.equal() == (diff.moved.empty() && diff.only_a.empty() && diff.only_b.empty()));
  return out;
}

TEST_CASE("what moved, and what only one has") {
  CHECK(Diffed("a gpu:0\nb cpu:0\n", "a gpu:0\nb cpu:0\n") == "");
  CHECK(Diffed("a gpu:0\n", "a /job:localhost/replica:0/task:0/device:GPU:0\n") == "");
  CHECK(Diffed("a gpu:0\nb cpu:0\nc cpu:0\n", "b gpu:10\na gpu:2\nd gpu:2\n") ==
        "a gpu:0>gpu:2; b cpu:0>gpu:10; -c; +d; cpu:0 2>0; gpu:0 1>0; gpu:2 0>2; gpu:10 0>1; ");
}

TEST_CASE("another author for a node that stays") {
  CHECK(Diffed("a gpu:0 pins: requested\nb gpu:0 pins: requested\nc gpu:0\n",
               "a gpu:0 else gpu:0: still open\nb gpu:0 pins: requested by x\nc gpu:0 pins: r\n") ==
        "pins=>else gpu:0 1; ");
  CHECK(AuthorOf("fact: colocated with 'v': variable -> cpu:0") == "fact: colocated with 'v'");
  CHECK(AuthorOf("pins: requested: by x") == "pins");
}

TEST_CASE("crossings, of each value one for a target device") {
  const char graph[] = "x = Foo() : f32[4]\ny = Foo(x, x) : f32[2]\nz = Foo(x, ^y) : f32[?]\nw = Foo(z, y) : f32[1]\n";
  CHECK(Diffed("x cpu:0\ny cpu:0\nz cpu:0\nw cpu:0\n", "x cpu:0\ny gpu:0\nz gpu:0\nw cpu:0\n", graph) ==
        "y cpu:0>gpu:0; z cpu:0>gpu:0; cpu:0 4>2; gpu:0 0>2; new x:0 cpu:0>gpu:0 16; new y:0 gpu:0>cpu:0 8; "
        "new z:0 gpu:0>cpu:0 ?; 0>3 transfers, 0>24 bytes");
  // The source moves: the old crossing is gone, the new one comes from elsewhere.
  CHECK(Diffed("x gpu:0\ny cpu:0\n", "x gpu:1\ny cpu:0\n", graph) ==
        "x gpu:0>gpu:1; gpu:0 1>0; gpu:1 0>1; gone x:0 gpu:0>cpu:0 16; new x:0 gpu:1>cpu:0 16; 1>1 transfers, 16>16 "
        "bytes");
}

}  // namespace
}  // namespace berth
