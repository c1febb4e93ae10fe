// Placing as text, for tables of tests: graph, machine, policy and kernels are text, and so is the outcome.
#ifndef BERTH_TESTS_PLACEMENT_PLACE_TEXT_H_
#define BERTH_TESTS_PLACEMENT_PLACE_TEXT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "graph/graph.h"
#include "placement/machine.h"
#include "placement/op_support.h"
#include "placement/placement.h"

namespace berth {

// These fail the running test case on a bad text.
Graph GraphOf(absl::string_view text);
Machine MachineOf(absl::string_view text);
// "Op:cpu,gpu Foo[T=f32,f64]:gpu Bar:none": kernels, with the types they are for; `none` lists an op as having none.
OpSupport SupportOf(absl::string_view text);

struct PlaceCase {
  std::string graph;
  std::string machine = "cpu:1,gpu:2";
  std::string policy = "default";
  PlacementMode mode = PlacementMode::kStrict;
  std::string support;
};

// "a gpu:0\nb cpu:0\n": a line a node, then `fallback ...` and `note ...` lines; or the code and message of the error.
std::string Devices(const PlaceCase& c);
// The same with each node's author and reason: "a gpu:0 pins: requested -> gpu:0".
std::string Reasons(const PlaceCase& c);

struct PlaceRow {
  const char* title;
  PlaceCase place;
  const char* expected;  // a line break, and Reasons()
};
void CheckReasons(const std::vector<PlaceRow>& rows);

}  // namespace berth

#endif  // BERTH_TESTS_PLACEMENT_PLACE_TEXT_H_
