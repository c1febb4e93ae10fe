// Dumps fed back: whole, edited, and in part as pins.
#include <fstream>
#include <string>

#include "tests/placement/every_policy.h"
#include "tests/placement/place_text.h"
#include "tests/testing.h"

namespace berth {
namespace {

// The outcome with FILE for the dump's path.
std::string Replayed(const std::string& dump, PlaceCase c) {
  const std::string file = TestFile("replayed.txt");
  std::ofstream(file) << dump;
  const auto replace = [](std::string text, const std::string& from, const std::string& to) {
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
      text.replace(at, from.size(), to);
    }
    return text;
  };
  c.policy = replace(c.policy, "FILE", file);
  return replace(Reasons(c), file, "FILE");
}

constexpr char kGraph[] = "a = Foo()\nb = Foo()\nc = Foo()\n";

TEST_CASE("replay reports what is missing and what is too much") {
  const std::string dump = "node\tdevice\na\tgpu:1\nz\tgpu:0\nc\tgpu:0\n";
  CHECK(Replayed(dump, {kGraph, "cpu:1,gpu:2", "replay:FILE", PlacementMode::kStrict, "Foo:cpu,gpu"}) ==
        "a gpu:1 replay:FILE: in FILE -> gpu:1\n"
        "b cpu:0 no solver: the first candidate\n"
        "c gpu:0 replay:FILE: in FILE -> gpu:0\n"
        "note replay: 1 node of the graph has no place in FILE and stays open\n"
        "note replay: 1 node of FILE is not in the graph: 'z'\n");
  CHECK(
      Replayed(dump, {kGraph, "cpu:1,gpu:1", "replay:FILE"}) ==
      "FAILED_PRECONDITION: node 'a' (Foo at g:1): expected gpu:1, as 'replay:FILE' asks (FILE), got no such device on "
      "cpu:1,gpu:1; put 'match \"name=a\" on gpu:0' before 'replay:FILE', or place in soft mode");
  CHECK(Devices({kGraph, "cpu:1", "replay:/none/such.json"}) ==
        "NOT_FOUND: replay file '/none/such.json': expected a file that can be read, got no such file or directory");
}

TEST_CASE("a dump of some nodes pins these, and other parts place the rest") {
  const char graph[] = "x = Foo() : f32[4]\ny = Foo(x) : f32[4]\nz = Foo(y) : f32[4]\nq = Foo() : f32[4]\n";
  CHECK(Replayed("x gpu:1\n", {graph, "cpu:1,gpu:2", "replay:FILE | greedy-locality"}) ==
        "x gpu:1 replay:FILE: in FILE -> gpu:1\n"
        "y gpu:1 greedy-locality: most input bytes on gpu:1 (16)\n"
        "z gpu:1 greedy-locality: most input bytes on gpu:1 (16)\n"
        "q gpu:0 greedy-locality: first of the strongest kind\n"
        "note replay: 3 nodes of the graph have no place in FILE and stay open\n");
  // An earlier part wins; a device may be a pattern.
  CHECK(
      Replayed("x gpu:1\nq gpu:*\n", {graph, "cpu:1,gpu:2", "match \"name=x\" on cpu:0 | replay:FILE | else cpu:0"}) ==
      "x cpu:0 match \"name=x\" on cpu:0: matches name=x -> cpu:0\n"
      "y cpu:0 else cpu:0: still open -> cpu:0\n"
      "z cpu:0 else cpu:0: still open -> cpu:0\n"
      "q gpu:0 no solver: the first candidate\n"
      "note replay: 2 nodes of the graph have no place in FILE and stay open\n");
}

TEST_CASE("R038 a map of names to devices for the complete graph: all visited once, unknown names reported at once") {
  // Savers and optimiser nodes are nodes like any other: they are in the graph when it is placed.
  const char graph[] =
      "w = VariableV2() {dtype=f32, shape=shape [4]}\n"
      "g = Placeholder() : f32[4]\n"
      "lr = Const() {dtype=f32, value=tensor<f32[] 0.5>}\n"
      "train = ApplyGradientDescent(w, lr, g)\n"
      "save = Foo(w) : string[]\n";
  const std::string map = "w gpu:0\ng cpu:0\nlr cpu:0\ntrain gpu:0\nsave cpu:0\nv1 cpu:0\nsave/v2 cpu:0\nv3 gpu:0\n";
  const std::string placed = Replayed(map, {graph, "cpu:1,gpu:1", "replay:FILE"});
  CHECK(placed ==
        "w gpu:0 replay:FILE: in FILE -> gpu:0\n"
        "g cpu:0 replay:FILE: in FILE -> cpu:0\n"
        "lr cpu:0 replay:FILE: in FILE -> cpu:0\n"
        "train gpu:0 replay:FILE: in FILE -> gpu:0\n"
        "save cpu:0 replay:FILE: in FILE -> cpu:0\n"
        "note replay: 3 nodes of FILE are not in the graph: 'v1', 'save/v2', 'v3'\n");
}

}  // namespace
}  // namespace berth
