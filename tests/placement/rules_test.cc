// Rules over the whole graph and what composes rules: where, else, together, spread, state-balanced, replica-setter,
// gradients-with-forward. Graphs, machines and policies in, devices and reasons out.
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "placement/place.h"
#include "placement/policy.h"
#include "tests/placement/place_text.h"
#include "tests/testing.h"

namespace berth {
namespace {

constexpr auto kStrict = PlacementMode::kStrict;
constexpr auto kSoft = PlacementMode::kSoft;

TEST_CASE("where restricts any rule") {
  const char graph[] = R"(
enc/w = VariableV2() {dtype=f32, shape=shape [4]} @gpu:1
dec/w = VariableV2() {dtype=f32, shape=shape [4]} @gpu:1
enc/c = Const() {dtype=f32, value=tensor<f32[] 1>}
dec/c = Const() {dtype=f32, value=tensor<f32[] 1>}
y = Foo(enc/c, dec/c) @gpu:1
)";
  CheckReasons({
      {"a node rule",
       {graph, "cpu:1,gpu:2", "variables-on cpu:0 where \"name=enc/*\" | else gpu:0"},
       R"(
enc/w cpu:0 variables-on cpu:0 where "name=enc/*": variable -> cpu:0
dec/w gpu:0 else gpu:0: still open -> gpu:0
enc/c gpu:0 else gpu:0: still open -> gpu:0
dec/c gpu:0 else gpu:0: still open -> gpu:0
y gpu:0 else gpu:0: still open -> gpu:0
)"},
      {"a rule about what is open", {graph, "cpu:1,gpu:2", "else gpu:0 where \"scope=enc\" | else cpu:0"}, R"(
enc/w gpu:0 else gpu:0 where "scope=enc": still open -> gpu:0
dec/w cpu:0 else cpu:0: still open -> cpu:0
enc/c gpu:0 else gpu:0 where "scope=enc": still open -> gpu:0
dec/c cpu:0 else cpu:0: still open -> cpu:0
y cpu:0 else cpu:0: still open -> cpu:0
)"},
      {"requests and constants, twice over",
       {graph, "cpu:1,gpu:2",
        "pins where \"!scope=enc\" | constants-with-consumer where \"op=Const\" where \"scope=dec\" | else cpu:0"},
       R"(
enc/w cpu:0 else cpu:0: still open -> cpu:0
dec/w gpu:1 pins where "!scope=enc": requested -> gpu:1
enc/c cpu:0 else cpu:0: still open -> cpu:0
dec/c gpu:1 constants-with-consumer where "op=Const" where "scope=dec": with its consumer 'y'
y gpu:1 pins where "!scope=enc": requested -> gpu:1
)"},
      {"dealing",
       {graph, "cpu:1,gpu:2", "state-balanced gpu:1 where \"device=/device:GPU:* & scope=dec\" | else cpu:0"},
       R"(
enc/w cpu:0 else cpu:0: still open -> cpu:0
dec/w gpu:1 state-balanced gpu:1 by=bytes where "device=/device:GPU:* & scope=dec": spread by bytes -> gpu:1
enc/c cpu:0 else cpu:0: still open -> cpu:0
dec/c cpu:0 else cpu:0: still open -> cpu:0
y cpu:0 else cpu:0: still open -> cpu:0
)"},
  });
}

TEST_CASE("else asks the second rule where the first abstains, and each gives its own reason") {
  const char graph[] = R"(
v = VariableV2() {dtype=f32, shape=shape [4]}
a = Foo() <tower=0>
b = Foo() <tower=1>
c = Bar()
d = Baz()
)";
  CheckReasons({
      {"three rules",
       {graph, "cpu:1,gpu:2", "towers-on gpu:* else match \"op=Bar\" on gpu:1 else variables-on gpu:0 | else cpu:0"},
       R"(
v gpu:0 towers-on gpu:* else match "op=Bar" on gpu:1 else variables-on gpu:0: variable -> gpu:0
a gpu:0 towers-on gpu:* else match "op=Bar" on gpu:1 else variables-on gpu:0: tower 0 -> gpu:0
b gpu:1 towers-on gpu:* else match "op=Bar" on gpu:1 else variables-on gpu:0: tower 1 -> gpu:1
c gpu:1 towers-on gpu:* else match "op=Bar" on gpu:1 else variables-on gpu:0: matches op=Bar -> gpu:1
d cpu:0 else cpu:0: still open -> cpu:0
)"},
      {"equal opinions of two rules",
       {graph, "cpu:1,gpu:1", "match \"op=Bar\" on gpu:0 else match \"op=Baz\" on gpu:0"},
       R"(
v cpu:0 no solver: the first candidate
a cpu:0 no solver: the first candidate
b cpu:0 no solver: the first candidate
c gpu:0 match "op=Bar" on gpu:0 else match "op=Baz" on gpu:0: matches op=Bar -> gpu:0
d gpu:0 match "op=Bar" on gpu:0 else match "op=Baz" on gpu:0: matches op=Baz -> gpu:0
)"},
      {"where binds tighter",
       {graph, "cpu:1,gpu:2", "towers-on gpu:* where \"name=a\" else match \"op=Foo\" on cpu:0"},
       R"(
v cpu:0 no solver: the first candidate
a gpu:0 towers-on gpu:* where "name=a" else match "op=Foo" on cpu:0: tower 0 -> gpu:0
b cpu:0 towers-on gpu:* where "name=a" else match "op=Foo" on cpu:0: matches op=Foo -> cpu:0
c cpu:0 no solver: the first candidate
d cpu:0 no solver: the first candidate
)"},
  });
  const auto bad = [](const Policy& policy) {
    const Graph empty = GraphOf("a = Foo()\n");
    return PlaceGraph(empty, MachineOf("cpu:1"), policy, OpSupport()).status().ToString();
  };
  CHECK(
      bad((VariablesOn("/cpu:0") | TowersOn("/gpu:*")).Else(VariablesOn("/cpu:0"))) ==
      "INVALID_ARGUMENT: policy part 'variables-on cpu:0 | towers-on gpu:* else variables-on cpu:0': expected one rule "
      "before and after else, got 2");
  CHECK(
      bad(VariablesOn("/cpu:0").Where("opp=a")).substr(0, 107) ==
      "INVALID_ARGUMENT: policy part 'variables-on cpu:0 where \"opp=a\"': selector:1:1: expected bytes>, device=, d");
  CHECK(absl::StartsWith(
      bad(Pins().Where("opp=a")),
      "INVALID_ARGUMENT: policy part 'pins where \"opp=a\"': selector:1:1: expected bytes>, device=, d"));
  CHECK(bad(FirstFit().Where("op=a")) ==
        "INVALID_ARGUMENT: policy part 'first-fit where \"op=a\"': expected a rule before where, got a solver");
}

TEST_CASE("together is one group from then on") {
  const char graph[] = R"(
a = Foo() @gpu:1
b = Bar() @gpu:0
c = Foo(a)
d = Baz(c)
)";
  CheckReasons({
      {"with each other", {graph, "cpu:1,gpu:2", "match \"op=Foo\" together | pins where \"name=a\" | else cpu:0"}, R"(
a gpu:1 pins where "name=a": requested -> gpu:1
b cpu:0 else cpu:0: still open -> cpu:0
c gpu:1 match "op=Foo" together: together with 'a'
d cpu:0 else cpu:0: still open -> cpu:0
)"},
      {"with a node", {graph, "cpu:1,gpu:2", "pins | match \"op=Ba*\" together-with c | else gpu:0"}, R"(
a gpu:1 pins: requested -> gpu:1
b gpu:0 pins: requested -> gpu:0
c gpu:0 match "op=Ba*" together-with c: together with 'b'
d gpu:0 match "op=Ba*" together-with c: together with 'c'
)"},
      {"with the first that a selector picks",
       {graph, "cpu:1,gpu:2", "pins | match \"name=d\" together-with \"op=Foo\" | else cpu:0"},
       R"(
a gpu:1 pins: requested -> gpu:1
b gpu:0 pins: requested -> gpu:0
c cpu:0 else cpu:0: still open -> cpu:0
d gpu:1 match "name=d" together-with "op=Foo": together with 'a'
)"},
      {"a solver sees one group", {graph, "cpu:1,gpu:2", "match \"name=a | name=d\" together | round-robin"}, R"(
a cpu:0 round-robin: its turn
b gpu:0 round-robin: its turn
c gpu:1 round-robin: its turn
d cpu:0 round-robin: its turn
)"},
      {"what earlier parts keep apart is overruled",
       {graph, "cpu:1,gpu:2", "pins | match \"name=a | name=b\" together"},
       R"(
a gpu:1 pins: requested -> gpu:1
b gpu:0 pins: requested -> gpu:0
c cpu:0 no solver: the first candidate
d cpu:0 no solver: the first candidate
)"},
      {"later demands are of the group",
       {graph, "cpu:1,gpu:2", "match \"name=a | name=b\" together | pins", kSoft},
       R"(
a gpu:1 pins: requested -> gpu:1
b gpu:1 pins: requested, not to be had on gpu:0 -> gpu:*
c cpu:0 no solver: the first candidate
d cpu:0 no solver: the first candidate
fallback b gpu:0 (pins): gpu:1, as 'pins' asks (the node's own request), for node 'a' (Foo at g:2), with which it is colocated
)"},
      {"a node that is not there", {graph, "cpu:1", "match \"op=Foo\" together-with gone"}, R"(
a cpu:0 fact: machine: the only device
b cpu:0 fact: machine: the only device
c cpu:0 fact: machine: the only device
d cpu:0 fact: machine: the only device
note 'match "op=Foo" together-with gone': there is no node 'gone' in the graph
)"},
      {"kernels narrow all",
       {graph, "cpu:1,gpu:1", "match \"op=Foo | op=Baz\" together | first-fit", kStrict, "Baz:gpu"},
       R"(
a gpu:0 match "op=Foo | op=Baz" together: together with 'c'
b cpu:0 first-fit: first candidate
c gpu:0 match "op=Foo | op=Baz" together: together with 'a'
d gpu:0 match "op=Foo | op=Baz" together: together with 'a'
note no kernel 'Foo': node 'a' can be placed, not run
note no kernel 'Bar': node 'b' can be placed, not run
note no kernel 'Foo': node 'c' can be placed, not run
)"},
  });
}

TEST_CASE("preferring to be together") {
  const char graph[] = "a = Foo()\nb = Bar()\nc = Baz()\n";
  CheckReasons({
      {"a common device is preferred",
       {graph, "cpu:1,gpu:1", "match \"name=?\" prefer together", kStrict, "Foo:cpu,gpu Bar:gpu Baz:cpu,gpu"},
       R"(
a gpu:0 match "name=?" prefer together: preferred together with 'a'
b gpu:0 fact: kernel: a kernel on gpu only
c gpu:0 match "name=?" prefer together: preferred together with 'a'
)"},
      {"the solver chooses for the first, the others follow",
       {graph, "cpu:1,gpu:2", "match \"name=a | name=c\" prefer together | round-robin"},
       R"(
a cpu:0 round-robin: its turn
b gpu:0 round-robin: its turn
c cpu:0 match "name=a | name=c" prefer together: with preferred companion 'a'
)"},
      {"weights add up with others",
       {graph, "cpu:1,gpu:1", "match \"op=Foo\" prefer cpu:0 weight=2 | match \"name=?\" prefer together", kStrict,
        "Foo:cpu,gpu Bar:gpu Baz:cpu,gpu"},
       R"(
a cpu:0 match "op=Foo" prefer cpu:0 weight=2: preferred by op=Foo -> cpu:0
b gpu:0 fact: kernel: a kernel on gpu only
c gpu:0 match "name=?" prefer together: preferred together with 'a'
note 'match "name=?" prefer together': node 'b' is not with 'a': earlier parts prefer other devices
note 'match "name=?" prefer together': node 'c' is not with 'a': earlier parts prefer other devices
)"},
  });
}

TEST_CASE("spread deals groups over devices") {
  const char graph[] = R"(
v1 = VariableV2() {dtype=f32, shape=shape [1]}
r1 = Identity(v1) {T=f32}
v2 = VariableV2() {dtype=f32, shape=shape [10]}
v3 = VariableV2() {dtype=f32, shape=shape [5]}
v4 = VariableV2() {dtype=f32, shape=shape [4]} @gpu:0
x = Foo() : f32[?]
)";
  CheckReasons({
      {"by bytes, the largest first", {graph, "cpu:1,gpu:2", "state-balanced gpu:* | else cpu:0"}, R"(
v1 gpu:1 state-balanced gpu:* by=bytes: spread by bytes -> gpu:1
r1 cpu:0 else cpu:0: still open -> cpu:0
v2 gpu:0 state-balanced gpu:* by=bytes: spread by bytes -> gpu:0
v3 gpu:1 state-balanced gpu:* by=bytes: spread by bytes -> gpu:1
v4 gpu:1 state-balanced gpu:* by=bytes: spread by bytes -> gpu:1
x cpu:0 else cpu:0: still open -> cpu:0
)"},
      {"in the graph's order", {graph, "cpu:1,gpu:2", "state-balanced gpu:* order=graph | else cpu:0"}, R"(
v1 gpu:0 state-balanced gpu:* by=bytes order=graph: spread by bytes -> gpu:0
r1 cpu:0 else cpu:0: still open -> cpu:0
v2 gpu:1 state-balanced gpu:* by=bytes order=graph: spread by bytes -> gpu:1
v3 gpu:0 state-balanced gpu:* by=bytes order=graph: spread by bytes -> gpu:0
v4 gpu:0 state-balanced gpu:* by=bytes order=graph: spread by bytes -> gpu:0
x cpu:0 else cpu:0: still open -> cpu:0
)"},
      {"what has only one of them is dealt first",
       {graph, "cpu:1,gpu:2", "pins | state-balanced gpu:* | else cpu:0"},
       R"(
v1 gpu:0 state-balanced gpu:* by=bytes: spread by bytes -> gpu:0
r1 cpu:0 else cpu:0: still open -> cpu:0
v2 gpu:1 state-balanced gpu:* by=bytes: spread by bytes -> gpu:1
v3 gpu:0 state-balanced gpu:* by=bytes: spread by bytes -> gpu:0
v4 gpu:0 pins: requested -> gpu:0
x cpu:0 else cpu:0: still open -> cpu:0
)"},
      {"by count, over devices in the list's order",
       {graph, "cpu:1,gpu:2", "match \"op=VariableV2\" spread gpu:1 cpu:0 gpu:0 by=count | else cpu:0"},
       R"(
v1 gpu:1 match "op=VariableV2" spread gpu:1 cpu:0 gpu:0 by=count: spread by nodes -> gpu:1
r1 cpu:0 else cpu:0: still open -> cpu:0
v2 cpu:0 match "op=VariableV2" spread gpu:1 cpu:0 gpu:0 by=count: spread by nodes -> cpu:0
v3 gpu:0 match "op=VariableV2" spread gpu:1 cpu:0 gpu:0 by=count: spread by nodes -> gpu:0
v4 gpu:1 match "op=VariableV2" spread gpu:1 cpu:0 gpu:0 by=count: spread by nodes -> gpu:1
x cpu:0 else cpu:0: still open -> cpu:0
)"},
      {"no such device, strict", {graph, "cpu:1", "state-balanced gpu:* gpu:7"}, R"(
FAILED_PRECONDITION: node 'v1' (VariableV2 at g:2): expected gpu:* or gpu:7, as 'state-balanced gpu:* gpu:7 by=bytes' asks (policy), got no such device on cpu:1; put 'match "name=v1" on cpu:0' before 'state-balanced gpu:* gpu:7 by=bytes', or place in soft mode
and 3 more demands that cannot be met: 'v2', 'v3', 'v4')"},
  });
}

TEST_CASE("replica-setter deals state over ps tasks and sends the rest to the worker, D66 to D78") {
  const char two[] = "ps*2(cpu:1),worker*2(cpu:1),moon*2(cpu:1)";
  const std::string setter = "pins | replica-setter worker=/job:worker/task:0";
  const auto placed = [&](const std::string& graph, const std::string& policy, const std::string& machine) {
    return Devices({graph, machine, policy});
  };
  const auto variable = [](const char* name, const char* shape, const char* device) {
    return absl::StrCat(name, " = VariableV2() {dtype=f32, shape=shape ", shape, "}", device, "\n");
  };
  const auto at = [](const char* name, const char* job, int task) {
    return absl::StrCat(name, " /job:", job, "/replica:0/task:", task, "/device:CPU:0\n");
  };
  // Inner requests narrow, the turn goes on.
  CHECK(placed(variable("v", "[2]", " @cpu:0") + variable("w", "[2]", "") + "a = Foo(v, w) @cpu:0\n", setter, two) ==
        at("v", "ps", 0) + at("w", "ps", 1) + at("a", "worker", 0));
  CHECK(placed("h = VarHandleOp() {dtype=f32, shape=shape [2]}\n", setter, two) == at("h", "ps", 0));
  // Another job keeps the variable and takes no turn; ps asked for in so many words does.
  CHECK(
      placed(variable("u", "[2]", "") + variable("v", "[2]", " @\"/job:moon\"") + variable("w", "[2]", " @\"/job:ps\""),
             setter, two) == at("u", "ps", 0) + at("v", "moon", 0) + at("w", "ps", 1));
  // A ps device without a job: no tasks to deal over.
  CHECK(placed(variable("v", "[2]", "") + variable("w", "[2]", ""), "replica-setter ps=cpu:0 worker=cpu:0",
               "cpu:1,gpu:1") == "v cpu:0\nw cpu:0\n");
  CHECK(placed(variable("v", "[2]", " @\"/job:ps\"") + variable("w", "[2]", ""), "pins | replica-setter merge=off",
               two) == at("v", "ps", 0) + at("w", "ps", 0));
  CHECK(placed(variable("v", "[2]", "") + variable("w", "[2]", ""), "replica-setter ps=/job:moon/cpu:0", two) ==
        at("v", "moon", 0) + at("w", "moon", 1));
  // What shares a group with state goes with it.
  CHECK(placed(variable("v", "[2]", "") + "r = Identity(v) {T=f32, _class=[\"loc:@v\"]}\nx = Foo(r)\n", setter, two) ==
        at("v", "ps", 0) + at("r", "ps", 0) + at("x", "worker", 0));
  const std::string sizes =
      variable("a", "[2,2]", "") + variable("b", "[2,1]", "") + variable("c", "[2,2]", "") + variable("d", "[1,3]", "");
  CHECK(placed(sizes, setter + " by=bytes", two) ==
        at("a", "ps", 0) + at("b", "ps", 1) + at("c", "ps", 1) + at("d", "ps", 0));
  CHECK(placed(variable("s", "[]", ""), setter + " by=bytes", two) == at("s", "ps", 0));
  // By chance, but the same for the same seed and name.
  CHECK(placed(sizes, setter + " by=random:1", two) == placed(sizes, setter + " by=random:1", two));
  // No ps task: TensorFlow's setter turns itself off there, silently.
  CHECK(placed(variable("v", "[2]", ""), setter, "worker*2(cpu:1)") ==
        "FAILED_PRECONDITION: node 'v' (VariableV2 at g:1): expected /job:ps, as 'replica-setter ps=/job:ps "
        "worker=/job:worker/task:0 by=round-robin' asks (policy), got no such device on worker*2(cpu:1); put 'match "
        "\"name=v\" on /job:worker/replica:0/task:0/device:CPU:0' before 'replica-setter ps=/job:ps "
        "worker=/job:worker/task:0 by=round-robin', or place in soft mode");
}

TEST_CASE("gradients go with their forward nodes") {
  const char graph[] = R"(
x = Foo() @gpu:0
layer/MatMul = Foo(x) @gpu:1
loss = Foo(layer/MatMul) @gpu:0
gradients/Fill = Foo(loss)
gradients/loss_grad/Shape = Foo(loss)
gradients/loss_grad/Mul = Foo(gradients/Fill)
train/gradients/layer/MatMul_grad/MatMul = Foo(gradients/loss_grad/Mul)
train/gradients_3/layer/MatMul_grad_1/tuple/control_dependency = Foo(gradients/loss_grad/Mul)
gradients_1/train/gradients/layer/MatMul_grad/MatMul_grad/Sum = Foo(x)
gradients/gone_grad/Sum = Foo(x)
gradients/_grad/Sum = Foo(x)
gradients/layer/MatMul_gradient/Sum = Foo(x)
mine = Foo(x) <gradient-of=layer/MatMul>
asked = Foo(x) <gradient-of=layer/MatMul> @cpu:0
)";
  CheckReasons({
      {"by name and by label", {graph, "cpu:1,gpu:2", "pins | gradients-with-forward | else cpu:0"}, R"(
x gpu:0 pins: requested -> gpu:0
layer/MatMul gpu:1 pins: requested -> gpu:1
loss gpu:0 pins: requested -> gpu:0
gradients/Fill cpu:0 else cpu:0: still open -> cpu:0
gradients/loss_grad/Shape gpu:0 gradients-with-forward: with its forward node 'loss'
gradients/loss_grad/Mul gpu:0 gradients-with-forward: with its forward node 'loss'
train/gradients/layer/MatMul_grad/MatMul gpu:1 gradients-with-forward: with its forward node 'layer/MatMul'
train/gradients_3/layer/MatMul_grad_1/tuple/control_dependency gpu:1 gradients-with-forward: with its forward node 'layer/MatMul'
gradients_1/train/gradients/layer/MatMul_grad/MatMul_grad/Sum gpu:1 gradients-with-forward: with its forward node 'train/gradients/layer/MatMul_grad/MatMul'
gradients/gone_grad/Sum cpu:0 else cpu:0: still open -> cpu:0
gradients/_grad/Sum cpu:0 else cpu:0: still open -> cpu:0
gradients/layer/MatMul_gradient/Sum cpu:0 else cpu:0: still open -> cpu:0
mine gpu:1 gradients-with-forward: with its forward node 'layer/MatMul'
asked cpu:0 pins: requested -> cpu:0
)"},
      {"which may be placed later",
       {"f = Foo()\ngradients/f_grad/g = Foo()\n", "cpu:1,gpu:2", "gradients-with-forward | match \"name=f\" on gpu:1"},
       R"(
f gpu:1 match "name=f" on gpu:1: matches name=f -> gpu:1
gradients/f_grad/g gpu:1 gradients-with-forward: with its forward node 'f'
)"},
  });
}

}  // namespace
}  // namespace berth
