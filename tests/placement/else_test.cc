// A else B where a rule over the whole graph takes part: B is asked only about what A says nothing of.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "placement/place.h"
#include "placement/policy.h"
#include "tests/placement/place_text.h"
#include "tests/testing.h"

namespace berth {
namespace {

const char kGraph[] = R"(
v = VarHandleOp() {dtype=f32, shape=shape [4]}
w = VarHandleOp() {dtype=f32, shape=shape [8]} @gpu:1
a = Foo() @gpu:0
b = Foo()
c = Bar(b))";

std::string Placed(absl::string_view policy, absl::string_view graph = kGraph) {
  return Devices({std::string(graph), "cpu:1,gpu:2", std::string(policy)});
}

TEST_CASE("a node rule speaks where a graph rule does not") {
  CHECK(Placed("pins else variables-on gpu:0 | else cpu:0") == "v gpu:0\nw gpu:1\na gpu:0\nb cpu:0\nc cpu:0\n");
  CHECK(Placed("pins else match \"op=*\" on cpu:0") == "v cpu:0\nw gpu:1\na gpu:0\nb cpu:0\nc cpu:0\n");
}

TEST_CASE("a graph rule deals only what the rule before it left") {
  // Dealt over both, v would go to gpu:0 and w to gpu:1; v alone goes to the first.
  CHECK(Placed("match \"name=w\" on gpu:0 else state-balanced gpu:0 gpu:1 | else cpu:0") ==
        "v gpu:0\nw gpu:0\na cpu:0\nb cpu:0\nc cpu:0\n");
  CHECK(Placed("match \"name=w\" on gpu:0 | state-balanced gpu:0 gpu:1 | else cpu:0") ==
        "v gpu:1\nw gpu:0\na cpu:0\nb cpu:0\nc cpu:0\n");
}

TEST_CASE("what is asked for and not granted is said all the same") {
  const std::string soft = Devices(
      {"a = Foo() @gpu:7\nb = Foo()", "cpu:1,gpu:2", "pins else match \"op=*\" on cpu:0", PlacementMode::kSoft});
  CHECK(soft.find("a gpu:0\nb cpu:0\nfallback") == 0);
  CHECK(Placed("match \"op=Foo\" on gpu:1 | pins else match \"op=*\" on cpu:0", "a = Foo() @gpu:0\nb = Bar()") ==
        "a gpu:1\nb cpu:0\n");
}

TEST_CASE("nodes put together are spoken of, all of them") {
  CHECK(Placed("match \"op=Foo\" together else match \"op=*\" on gpu:1 | else cpu:0",
               "a = Foo()\nb = Foo()\nc = Bar()") == "a cpu:0\nb cpu:0\nc gpu:1\n");
  CHECK(Placed("match \"op=Foo\" together where \"!name=b\" else match \"op=*\" on gpu:1 | else cpu:0",
               "a = Foo()\nb = Foo()\nc = Foo()") == "a cpu:0\nb gpu:1\nc cpu:0\n");
}

TEST_CASE("three in a row, and where over all of them") {
  const Policy three = Pins().Else(Policy(VariablesOn("/gpu:0")).Else(Match("op=*").Spread({"/gpu:*"})));
  CHECK(three.text() == "pins else variables-on gpu:0 else match \"op=*\" spread gpu:* by=bytes");
  const auto read = ParsePolicy(three.text());
  REQUIRE(read.ok());
  CHECK(read->text() == three.text());
  CHECK(Placed(three.text()) == "v gpu:0\nw gpu:1\na gpu:0\nb gpu:0\nc gpu:1\n");

  const Policy some = three.Where("!name=c");
  CHECK(some.text() ==
        "pins where \"!name=c\" else variables-on gpu:0 where \"!name=c\" else match \"op=*\" spread gpu:* by=bytes "
        "where "
        "\"!name=c\"");
  const auto again = ParsePolicy(some.text());
  REQUIRE(again.ok());
  CHECK(again->text() == some.text());
  CHECK(Placed(absl::StrCat(some.text(), " | else cpu:0")) == "v gpu:0\nw gpu:1\na gpu:0\nb gpu:0\nc cpu:0\n");
}

TEST_CASE("two node rules stay a node rule") {
  const Policy two = Policy(VariablesOn("/gpu:0")).Else(Policy(Match("op=*").On("/cpu:0")));
  REQUIRE(two.parts().size() == 1);
  CHECK(two.parts()[0].rule != nullptr);
}

TEST_CASE("what else cannot join") {
  const Graph graph = GraphOf("a = Foo()");
  const auto refused = [&](const Policy& policy) {
    return std::string(PlaceGraph(graph, MachineOf("cpu:1"), policy, OpSupport()).status().message());
  };
  CHECK(refused(Pins().Else(FirstFit())) ==
        "policy part 'pins else first-fit': expected rules before and after else, got a solver");
  CHECK(refused(TensorFlowPlacer().Else(Pins())) ==
        "policy part 'tensorflow else pins': expected rules before and after else, got a whole policy");
  CHECK(refused((Pins() | Pins()).Else(Pins())) ==
        "policy part 'pins | pins else pins': expected one rule before and after else, got 2");
  CHECK(refused(Pins().Else(Policy(Else("/cpu:0")))) ==
        "policy part 'pins else else cpu:0': expected rules that are asked about every node before and after else, got "
        "'else cpu:0'; write | else cpu:0 for what is open");
  CHECK(refused(Pins().Else(Policy(VariablesOn("/cpu:")))).find("policy part 'pins else variables-on /cpu:': ") == 0);
}

}  // namespace
}  // namespace berth
