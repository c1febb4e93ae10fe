// What the parts of a policy do, alone and together: graphs, machines and policies in, devices and reasons out.
#include <vector>

#include "tests/placement/place_text.h"
#include "tests/testing.h"

namespace berth {
namespace {

constexpr auto kStrict = PlacementMode::kStrict;
constexpr auto kSoft = PlacementMode::kSoft;

const char kTowers[] = R"(
w = VariableV2() {dtype=f32, shape=shape [4]}
x = In() : f32[8,4]
a = Foo(x, w) <tower=0> : f32[8]
b = Foo(x, w) <tower=1> : f32[8]
sum = Bar(a, b) : f32[8]
)";
const char kTowerPolicy[] = "variables-on cpu:0 | towers-on gpu:* | else cpu:0";

TEST_CASE("towers are bound to devices by one policy") {
  CheckReasons({
      {"a device for each", {kTowers, "cpu:1,gpu:2", kTowerPolicy}, R"(
w cpu:0 variables-on cpu:0: variable -> cpu:0
x cpu:0 else cpu:0: still open -> cpu:0
a gpu:0 towers-on gpu:*: tower 0 -> gpu:0
b gpu:1 towers-on gpu:*: tower 1 -> gpu:1
sum cpu:0 else cpu:0: still open -> cpu:0
)"},
      {"too few, soft", {kTowers, "cpu:1,gpu:1", kTowerPolicy, kSoft}, R"(
w cpu:0 variables-on cpu:0: variable -> cpu:0
x cpu:0 else cpu:0: still open -> cpu:0
a gpu:0 towers-on gpu:*: tower 0 -> gpu:0
b cpu:0 else cpu:0: still open -> cpu:0
sum cpu:0 else cpu:0: still open -> cpu:0
fallback b gpu:1 (towers-on gpu:*): no such device on cpu:1,gpu:1
)"},
      {"too few, strict", {kTowers, "cpu:1,gpu:1", kTowerPolicy}, R"(
FAILED_PRECONDITION: policy part 'towers-on gpu:*' (policy): expected a device for each tower, got gpu:0 on cpu:1,gpu:1; without a device: tower 1 (1 node, the first is node 'b' (Foo at g:5)); place on cpu:1,gpu:2, or place in soft mode)"},
      {"none, soft", {kTowers, "cpu:1", kTowerPolicy, kSoft}, R"(
w cpu:0 variables-on cpu:0: variable -> cpu:0
x cpu:0 else cpu:0: still open -> cpu:0
a cpu:0 else cpu:0: still open -> cpu:0
b cpu:0 else cpu:0: still open -> cpu:0
sum cpu:0 else cpu:0: still open -> cpu:0
fallback a gpu:0 (towers-on gpu:*): no such device on cpu:1
fallback b gpu:1 (towers-on gpu:*): no such device on cpu:1
)"},
      {"none, strict", {kTowers, "cpu:1", kTowerPolicy}, R"(
FAILED_PRECONDITION: policy part 'towers-on gpu:*' (policy): expected a device for each tower, got no device on cpu:1; without a device: tower 0 (1 node, the first is node 'a' (Foo at g:4)), tower 1 (1 node, the first is node 'b' (Foo at g:5)); place on cpu:1,gpu:2, or place in soft mode)"},
      {"a list", {kTowers, "cpu:1,gpu:4", "towers-on gpu:3 gpu:1 | else cpu:0"}, R"(
w cpu:0 else cpu:0: still open -> cpu:0
x cpu:0 else cpu:0: still open -> cpu:0
a gpu:3 towers-on gpu:3 gpu:1: tower 0 -> gpu:3
b gpu:1 towers-on gpu:3 gpu:1: tower 1 -> gpu:1
sum cpu:0 else cpu:0: still open -> cpu:0
)"},
      {"a list that is too short", {kTowers, "cpu:1,gpu:4", "towers-on gpu:3 | else cpu:0"}, R"(
FAILED_PRECONDITION: policy part 'towers-on gpu:3' (policy): expected a device for each tower, got gpu:3 on cpu:1,gpu:4; without a device: tower 1 (1 node, the first is node 'b' (Foo at g:5)); place in soft mode)"},
      {"one device of each task",
       {kTowers, "ps(cpu:1),worker*2(cpu:1,gpu:1)",
        "variables-on /job:ps/cpu:0 | towers-on /job:worker/gpu:0 | else /job:ps/cpu:0"},
       R"(
w /job:ps/replica:0/task:0/device:CPU:0 variables-on /job:ps/device:CPU:0: variable -> /job:ps/replica:0/task:0/device:CPU:0
x /job:ps/replica:0/task:0/device:CPU:0 else /job:ps/device:CPU:0: still open -> /job:ps/replica:0/task:0/device:CPU:0
a /job:worker/replica:0/task:0/device:GPU:0 towers-on /job:worker/device:GPU:0: tower 0 -> /job:worker/replica:0/task:0/device:GPU:0
b /job:worker/replica:0/task:1/device:GPU:0 towers-on /job:worker/device:GPU:0: tower 1 -> /job:worker/replica:0/task:1/device:GPU:0
sum /job:ps/replica:0/task:0/device:CPU:0 else /job:ps/device:CPU:0: still open -> /job:ps/replica:0/task:0/device:CPU:0
)"},
      {"a tower's variable that an earlier part has placed lacks nothing",
       {"w = VariableV2() {dtype=f32, shape=shape [4]} <tower=1>\na = Foo(w) <tower=0>\n", "cpu:1,gpu:1", kTowerPolicy},
       R"(
w cpu:0 variables-on cpu:0: variable -> cpu:0
a gpu:0 towers-on gpu:*: tower 0 -> gpu:0
)"},
  });
}

TEST_CASE("an earlier part wins over a later one") {
  CheckReasons({
      {"both ways round",
       {"w = VariableV2() {dtype=f32, shape=shape [4]} @gpu:1\n", "cpu:1,gpu:2", "pins | variables-on cpu:0"},
       R"(
w gpu:1 pins: requested -> gpu:1
)"},
      {"both ways round",
       {"w = VariableV2() {dtype=f32, shape=shape [4]} @gpu:1\n", "cpu:1,gpu:2", "variables-on cpu:0 | pins"},
       R"(
w cpu:0 variables-on cpu:0: variable -> cpu:0
)"},
      {"they add up where they can",
       {"a = Foo() @\"/job:b\"\n", "a(cpu:1,gpu:1),b(cpu:1,gpu:1)", "match \"op=Foo\" on gpu:* | pins"},
       R"(
a /job:b/replica:0/task:0/device:GPU:0 pins: requested -> /job:b
)"},
      {"a device that does not exist is excluded too", {"a = Foo() @gpu:7\n", "cpu:1,gpu:2", "else cpu:0 | pins"}, R"(
a cpu:0 else cpu:0: still open -> cpu:0
)"},
  });
}

TEST_CASE("match requires, prefers and forbids") {
  const char graph[] = "head/a = Foo()\nhead/b = Bar()\ntail = Foo()\n";
  CheckReasons({
      {"on", {graph, "cpu:1,gpu:2", "match \"name=head/* & !op=Bar\" on gpu:1 | else cpu:0"}, R"(
head/a gpu:1 match "name=head/* & !op=Bar" on gpu:1: matches name=head/* & !op=Bar -> gpu:1
head/b cpu:0 else cpu:0: still open -> cpu:0
tail cpu:0 else cpu:0: still open -> cpu:0
)"},
      {"prefer", {graph, "cpu:1,gpu:2", "match \"op=Foo\" prefer gpu:1 | else cpu:0"}, R"(
head/a gpu:1 match "op=Foo" prefer gpu:1: preferred by op=Foo -> gpu:1
head/b cpu:0 else cpu:0: still open -> cpu:0
tail gpu:1 match "op=Foo" prefer gpu:1: preferred by op=Foo -> gpu:1
)"},
      {"weights add up",
       {graph, "cpu:1,gpu:2",
        "match \"op=Foo\" prefer gpu:0 | match \"name=head/*\" prefer gpu:1 weight=2.5 | first-fit"},
       R"(
head/a gpu:1 match "name=head/*" prefer gpu:1 weight=2.5: preferred by name=head/* -> gpu:1
head/b gpu:1 match "name=head/*" prefer gpu:1 weight=2.5: preferred by name=head/* -> gpu:1
tail gpu:0 match "op=Foo" prefer gpu:0: preferred by op=Foo -> gpu:0
)"},
      {"forbid", {graph, "cpu:1,gpu:2", "match \"op=Foo\" forbid cpu:0 | first-fit"}, R"(
head/a gpu:0 first-fit: first candidate
head/b cpu:0 first-fit: first candidate
tail gpu:0 first-fit: first candidate
)"},
      {"forbidding everything, strict", {graph, "cpu:1", "match \"op=Bar\" forbid cpu:0"}, R"(
FAILED_PRECONDITION: node 'head/b' (Bar at g:2): expected a device other than cpu:0, as 'match "op=Bar" forbid cpu:0' asks (policy), got nothing else on cpu:1; put 'match "name=head/b" on cpu:0' before 'match "op=Bar" forbid cpu:0', or place in soft mode)"},
      {"forbidding everything, soft", {graph, "cpu:1", "match \"op=Bar\" forbid cpu:0", kSoft}, R"(
head/a cpu:0 fact: machine: the only device
head/b cpu:0 fact: machine: the only device
tail cpu:0 fact: machine: the only device
fallback head/b not cpu:0 (match "op=Bar" forbid cpu:0): nothing else on cpu:1
)"},
      {"a preference that cannot be had is overruled", {"a = Foo()\n", "cpu:1", "match \"op=Foo\" prefer gpu:0"}, R"(
a cpu:0 fact: machine: the only device
)"},
  });
}

TEST_CASE("match looks at sizes, in-degrees, scopes and requests") {
  const char graph[] = R"(
w = VariableV2() {dtype=f32, shape=shape [512,512]}
encoder/w = VariableV2() {dtype=f32, shape=shape [512,1024]}
encoder/h = VarHandleOp() {dtype=f32, shape=shape [512,1024]} @gpu:1
encoder/layer/x = Foo() : f32[?]
encoder/layer/y = Foo(encoder/layer/x, w) : f32[512,1024]
)";
  CheckReasons({
      {"the design's example",
       {graph, "cpu:1,gpu:2", "match \"name=encoder/* & bytes>1MiB\" on gpu:0 | else cpu:0"},
       R"(
w cpu:0 else cpu:0: still open -> cpu:0
encoder/w gpu:0 match "name=encoder/* & bytes>1MiB" on gpu:0: matches name=encoder/* & bytes>1MiB -> gpu:0
encoder/h gpu:0 match "name=encoder/* & bytes>1MiB" on gpu:0: matches name=encoder/* & bytes>1MiB -> gpu:0
encoder/layer/x cpu:0 else cpu:0: still open -> cpu:0
encoder/layer/y gpu:0 match "name=encoder/* & bytes>1MiB" on gpu:0: matches name=encoder/* & bytes>1MiB -> gpu:0
)"},
      {"scopes nest", {graph, "cpu:1,gpu:2", "match \"scope=encoder & in-degree=0\" on gpu:0 | else cpu:0"}, R"(
w cpu:0 else cpu:0: still open -> cpu:0
encoder/w gpu:0 match "scope=encoder & in-degree=0" on gpu:0: matches scope=encoder & in-degree=0 -> gpu:0
encoder/h gpu:0 match "scope=encoder & in-degree=0" on gpu:0: matches scope=encoder & in-degree=0 -> gpu:0
encoder/layer/x gpu:0 match "scope=encoder & in-degree=0" on gpu:0: matches scope=encoder & in-degree=0 -> gpu:0
encoder/layer/y cpu:0 else cpu:0: still open -> cpu:0
)"},
      {"requests", {graph, "cpu:1,gpu:2", "match \"device=/device:GPU:*\" on cpu:0 | else gpu:0"}, R"(
w gpu:0 else gpu:0: still open -> gpu:0
encoder/w gpu:0 else gpu:0: still open -> gpu:0
encoder/h cpu:0 match "device=/device:GPU:*" on cpu:0: matches device=/device:GPU:* -> cpu:0
encoder/layer/x gpu:0 else gpu:0: still open -> gpu:0
encoder/layer/y gpu:0 else gpu:0: still open -> gpu:0
)"},
  });
}

TEST_CASE("kernels are facts") {
  CheckReasons({
      {"on one kind",
       {"a = Foo()\nb = Bar()\nc = Baz()\n", "cpu:1,gpu:1", "first-fit gpu:0", kStrict, "Foo:cpu Bar:gpu"},
       R"(
a cpu:0 fact: kernel: a kernel on cpu only
b gpu:0 fact: kernel: a kernel on gpu only
c gpu:0 first-fit gpu:0: first of the list that is a candidate
note no kernel 'Baz': node 'c' can be placed, not run
)"},
      {"by element type",
       {"a = ReadVariableOp(v) {dtype=i32}\nb = ReadVariableOp(v) {dtype=f32}\nv = Handle() : resource\n",
        "cpu:1,gpu:1", "first-fit gpu:0", kStrict, "ReadVariableOp[dtype=f32]:gpu ReadVariableOp:cpu"},
       R"(
a cpu:0 fact: kernel: a kernel on cpu only
b cpu:0 fact: colocated with 'a': a kernel on cpu only
v cpu:0 fact: colocated with 'a': a kernel on cpu only
note no kernel 'Handle': node 'v' can be placed, not run
)"},
      {"asked elsewhere, strict", {"a = Foo() @gpu:0\n", "cpu:1,gpu:1", "pins", kStrict, "Foo:cpu"}, R"(
FAILED_PRECONDITION: node 'a' (Foo at g:1): expected gpu:0, as 'pins' asks (the node's own request), got a kernel on cpu only; ask for cpu:0 for 'a', put 'match "name=a" on cpu:0' before 'pins', or place in soft mode)"},
      {"asked elsewhere, soft", {"a = Foo() @gpu:0\n", "cpu:2,gpu:1", "pins", kSoft, "Foo:cpu"}, R"(
a cpu:0 no solver: the first candidate
fallback a gpu:0 (pins): a kernel on cpu only
)"},
      {"a colocated node's kernel, strict",
       {"v = Handle() : resource\na = Foo(v) @gpu:0\n", "cpu:1,gpu:1", "pins", kStrict, "Handle:cpu"},
       R"(
FAILED_PRECONDITION: node 'a' (Foo at g:2): expected gpu:0, as 'pins' asks (the node's own request), got node 'v' (Handle at g:1), which is colocated with it by resource edge 'v' -> 'a', with a kernel on cpu only; ask for cpu:0 for 'a', put 'match "name=a" on cpu:0' before 'pins', or place in soft mode)"},
      {"a colocated node's kernel, soft",
       {"v = Handle() : resource\na = Foo(v) @gpu:0\n", "cpu:1,gpu:1", "pins", kSoft, "Handle:cpu"},
       R"(
v cpu:0 fact: kernel: a kernel on cpu only
a cpu:0 fact: colocated with 'v': a kernel on cpu only
fallback a gpu:0 (pins): node 'v' (Handle at g:1), which is colocated with it, with a kernel on cpu only
note no kernel 'Foo': node 'a' can be placed, not run
)"},
      {"the machine has no such kind", {"a = Foo()\n", "cpu:1", "pins", kSoft, "Foo:gpu"}, R"(
FAILED_PRECONDITION: node 'a' (Foo at g:1): expected a device that it can have, got a kernel on gpu only and the devices cpu:0; add a kernel for Foo on cpu)"},
      {"a group without common kind",
       {"v = Handle() : resource\na = Foo(v)\n", "cpu:1,gpu:1", "pins", kSoft, "Handle:cpu Foo:gpu"},
       R"(
FAILED_PRECONDITION: colocation group of 'v': expected a device that all members can have, got node 'v' (Handle at g:1) with a kernel on cpu only, node 'a' (Foo at g:2) with a kernel on gpu only, together by resource edge 'v' -> 'a' and the devices cpu:0, gpu:0; add a kernel for Foo on cpu)"},
      {"listed without kernel", {"a = Foo()\n", "cpu:1,gpu:1", "pins", kSoft, "Foo:none"}, R"(
UNIMPLEMENTED: node 'a' (Foo at g:1): expected a kernel, got an op that the support table lists as having none)"},
      {"an element type alone moves nothing",
       {"a = Foo() : i32[2]\nb = Foo() : string\n", "cpu:1,gpu:1", "first-fit gpu:0", kStrict, "Foo:cpu,gpu"},
       R"(
a gpu:0 first-fit gpu:0: first of the list that is a candidate
b gpu:0 first-fit gpu:0: first of the list that is a candidate
)"},
  });
}

TEST_CASE("host-only ops go to their task's cpu") {
  CheckReasons({
      {"whatever is asked", {"a = Foo() @gpu:0\np = Print(a, a) {U=[f32], T=f32} @gpu:0\n", "cpu:1,gpu:1", "pins"}, R"(
a gpu:0 pins: requested -> gpu:0
p cpu:0 fact: host-only op: 'Print' can only run on a host
note host-only op 'Print': node 'p' goes to cpu:0
)"},
      {"in that task",
       {"a = Foo() @\"/job:b/gpu:0\"\np = Print(a, a) {U=[f32], T=f32} @\"/job:b/gpu:0\"\n",
        "a(cpu:1,gpu:1),b(cpu:1,gpu:1)", "pins"},
       R"(
a /job:b/replica:0/task:0/device:GPU:0 pins: requested -> /job:b/replica:0/task:0/device:GPU:0
p /job:b/replica:0/task:0/device:CPU:0 fact: host-only op: 'Print' can only run on a host
note host-only op 'Print': node 'p' goes to /job:b/replica:0/task:0/device:CPU:0
)"},
      {"in the task of their inputs",
       {"a = Foo() @\"/job:b/gpu:0\" \np = Print(a, a) {U=[f32], T=f32}\n", "a(cpu:1,gpu:1),b(cpu:1,gpu:1)"},
       R"(
a /job:b/replica:0/task:0/device:GPU:0 pins: requested -> /job:b/replica:0/task:0/device:GPU:0
p /job:b/replica:0/task:0/device:CPU:0 greedy-locality: most input bytes on /job:b/replica:0/task:0/device:CPU:0 (2)
note host-only op 'Print': node 'p' goes to /job:b/replica:0/task:0/device:CPU:0
)"},
      {"there is none", {"p = PrintV2(s)\ns = Foo() : string\n", "gpu:1"}, R"(
FAILED_PRECONDITION: node 'p' (PrintV2 at g:1): expected a cpu for a host-only op, got gpu:0; add a cpu to the machine)"},
  });
}

TEST_CASE("demands that cannot be met are refused, or relaxed field by field") {
  const char assign[] =
      "v = VariableV2() {dtype=f32, shape=shape [4]} @cpu:0\nc = Foo() : f32[4]\nas = Assign(v, c) {T=f32} @gpu:1\n";
  CheckReasons({
      {"no such device, strict", {"a = Foo() @gpu:7\nb = Foo() @gpu:8\n", "cpu:1,gpu:2", "pins"}, R"(
FAILED_PRECONDITION: node 'a' (Foo at g:1): expected gpu:7, as 'pins' asks (the node's own request), got no such device on cpu:1,gpu:2; ask for gpu:0 for 'a', put 'match "name=a" on gpu:0' before 'pins', or place in soft mode
and 1 more demand that cannot be met: 'b')"},
      {"no such id", {"a = Foo() @gpu:7\n", "cpu:1,gpu:2", "pins | first-fit", kSoft}, R"(
a gpu:0 first-fit: first candidate
fallback a gpu:7 (pins): no such device on cpu:1,gpu:2
)"},
      {"no such kind", {"a = Foo() @\"/device:NPU:7\"\n", "cpu:1,gpu:2", "pins | first-fit", kSoft}, R"(
a cpu:0 first-fit: first candidate
fallback a /device:NPU:7 (pins): no such device on cpu:1,gpu:2
)"},
      {"no such task", {"a = Foo() @\"/job:b/task:3/gpu:0\"\n", "a(cpu:1),b*2(cpu:1)", "pins | first-fit", kSoft}, R"(
a /job:b/replica:0/task:0/device:CPU:0 first-fit: first candidate
fallback a /job:b/task:3/device:GPU:0 (pins): no such device on a(cpu:1),b*2(cpu:1)
)"},
      {"no such job", {"a = Foo() @\"/job:c/gpu:0\"\n", "a(cpu:1),b*2(cpu:1)", "pins | first-fit", kSoft}, R"(
a /job:a/replica:0/task:0/device:CPU:0 first-fit: first candidate
fallback a /job:c/device:GPU:0 (pins): no such device on a(cpu:1),b*2(cpu:1)
)"},
      {"two members of a group, strict", {assign, "cpu:1,gpu:2", "pins"}, R"(
FAILED_PRECONDITION: node 'as' (Assign at g:3): expected gpu:1, as 'pins' asks (the node's own request), got cpu:0, as 'pins' asks (the node's own request), for node 'v' (VariableV2 at g:1), with which it is colocated by reference edge 'v' -> 'as'; ask for cpu:0 for 'as', put 'match "name=as" on cpu:0' before 'pins', or place in soft mode)"},
      {"two members of a group, soft", {assign, "cpu:1,gpu:2", "pins | first-fit", kSoft}, R"(
v cpu:0 pins: requested -> cpu:0
c cpu:0 first-fit: first candidate
as cpu:0 fact: colocated with 'v': requested -> cpu:0
fallback as gpu:1 (pins): cpu:0, as 'pins' asks (the node's own request), for node 'v' (VariableV2 at g:1), with which it is colocated
)"},
      {"a request that names nothing", {"a = Foo() @\"/gpu:zero\"\n", "cpu:1", "pins", kSoft}, R"(
INVALID_ARGUMENT: node 'a' (Foo at g:1): expected a request that names devices: device '/gpu:zero': column 6: expected a number or *, got 'zero'; a device is written [/job:J][/replica:R][/task:T][/device:KIND[:N]], or short as cpu:N or gpu:N, where * or nothing means any)"},
  });
}

TEST_CASE("constants and shapes follow") {
  const char graph[] = R"(
c = Const() {dtype=f32, value=tensor<f32[] 1>}
a = Foo(c) : f32[2] @cpu:0
b = Foo(c, a) : f32[2]
s = Shape(b) {T=f32}
r = Rank(s) {T=i32}
)";
  CheckReasons({
      {"their consumer, their input",
       {graph, "gpu:2,cpu:1", "pins | constants-with-consumer | shapes-with-input | greedy-locality"},
       R"(
c cpu:0 constants-with-consumer: with its consumer 'a'
a cpu:0 pins: requested -> cpu:0
b cpu:0 greedy-locality: most input bytes on cpu:0 (9)
s cpu:0 shapes-with-input: with its input 'b'
r cpu:0 shapes-with-input: with its input 's'
)"},
      {"what they follow is placed last",
       {graph, "cpu:1,gpu:2", "constants-with-consumer | shapes-with-input | round-robin"},
       R"(
c cpu:0 constants-with-consumer: with its consumer 'a'
a cpu:0 round-robin: its turn
b gpu:0 round-robin: its turn
s gpu:0 shapes-with-input: with its input 'b'
r gpu:0 shapes-with-input: with its input 's'
)"},
      {"not where they have no kernel",
       {graph, "cpu:1,gpu:2", "match \"name=b\" on gpu:1 | shapes-with-input | else cpu:0", kStrict, "Shape:cpu"},
       R"(
c cpu:0 else cpu:0: still open -> cpu:0
a cpu:0 else cpu:0: still open -> cpu:0
b gpu:1 match "name=b" on gpu:1: matches name=b -> gpu:1
s cpu:0 else cpu:0: still open -> cpu:0
r cpu:0 shapes-with-input: with its input 's'
note no kernel 'Const': node 'c' can be placed, not run
note no kernel 'Foo': node 'a' can be placed, not run
note no kernel 'Foo': node 'b' can be placed, not run
note no kernel 'Rank': node 'r' can be placed, not run
)"},
      {"not what has a place",
       {graph, "cpu:1,gpu:2", "match \"op=Const\" on gpu:1 | constants-with-consumer | else cpu:0"},
       R"(
c gpu:1 match "op=Const" on gpu:1: matches op=Const -> gpu:1
a cpu:0 else cpu:0: still open -> cpu:0
b cpu:0 else cpu:0: still open -> cpu:0
s cpu:0 else cpu:0: still open -> cpu:0
r cpu:0 else cpu:0: still open -> cpu:0
)"},
      {"later parts do not move them",
       {graph, "cpu:1,gpu:2", "constants-with-consumer | match \"op=Const\" on gpu:1 | else cpu:0"},
       R"(
c cpu:0 constants-with-consumer: with its consumer 'a'
a cpu:0 else cpu:0: still open -> cpu:0
b cpu:0 else cpu:0: still open -> cpu:0
s cpu:0 else cpu:0: still open -> cpu:0
r cpu:0 else cpu:0: still open -> cpu:0
)"},
      {"two that would follow each other",
       {"c = Const() {dtype=f32, value=tensor<f32[] 1>}\ns = Shape(c) {T=f32}\n", "cpu:1,gpu:2", "default"},
       R"(
c gpu:0 constants-with-consumer: with its consumer 's'
s gpu:0 greedy-locality: first of the strongest kind
)"},
  });
}

TEST_CASE("solvers take what is open") {
  const char graph[] = R"(
a = Foo() : f32[100]
b = Foo() : f32[10] @cpu:0
c = Foo(a, b) : f32[5]
d = Foo(b) : f32[5]
e = Foo() : f32
)";
  CheckReasons({
      {"none", {graph, "cpu:1,gpu:2", "pins"}, R"(
a cpu:0 no solver: the first candidate
b cpu:0 pins: requested -> cpu:0
c cpu:0 no solver: the first candidate
d cpu:0 no solver: the first candidate
e cpu:0 no solver: the first candidate
)"},
      {"first-fit", {graph, "cpu:1,gpu:2", "pins | first-fit"}, R"(
a cpu:0 first-fit: first candidate
b cpu:0 pins: requested -> cpu:0
c cpu:0 first-fit: first candidate
d cpu:0 first-fit: first candidate
e cpu:0 first-fit: first candidate
)"},
      {"first-fit of a list", {graph, "cpu:1,gpu:2", "pins | first-fit /device:NPU:0 gpu:1 gpu:0"}, R"(
a gpu:1 first-fit /device:NPU:0 gpu:1 gpu:0: first of the list that is a candidate
b cpu:0 pins: requested -> cpu:0
c gpu:1 first-fit /device:NPU:0 gpu:1 gpu:0: first of the list that is a candidate
d gpu:1 first-fit /device:NPU:0 gpu:1 gpu:0: first of the list that is a candidate
e gpu:1 first-fit /device:NPU:0 gpu:1 gpu:0: first of the list that is a candidate
)"},
      {"round-robin", {graph, "cpu:1,gpu:2", "pins | round-robin"}, R"(
a cpu:0 round-robin: its turn
b cpu:0 pins: requested -> cpu:0
c gpu:0 round-robin: its turn
d gpu:1 round-robin: its turn
e cpu:0 round-robin: its turn
)"},
      {"random", {graph, "cpu:1,gpu:2", "pins | random:7"}, R"(
a gpu:1 random:7: by chance
b cpu:0 pins: requested -> cpu:0
c cpu:0 random:7: by chance
d cpu:0 random:7: by chance
e gpu:1 random:7: by chance
)"},
      {"greedy-locality", {graph, "cpu:1,gpu:2", "default"}, R"(
a gpu:0 greedy-locality: first of the strongest kind
b cpu:0 pins: requested -> cpu:0
c gpu:0 greedy-locality: most input bytes on gpu:0 (400)
d cpu:0 greedy-locality: most input bytes on cpu:0 (40)
e gpu:0 greedy-locality: first of the strongest kind
)"},
      {"greedy-locality, strongest kind by kernel priority aside", {graph, "cpu:2,NPU:1", "default"}, R"(
a /job:localhost/replica:0/task:0/device:NPU:0 greedy-locality: first of the strongest kind
b cpu:0 pins: requested -> cpu:0
c /job:localhost/replica:0/task:0/device:NPU:0 greedy-locality: most input bytes on /job:localhost/replica:0/task:0/device:NPU:0 (400)
d cpu:0 greedy-locality: most input bytes on cpu:0 (40)
e /job:localhost/replica:0/task:0/device:NPU:0 greedy-locality: first of the strongest kind
)"},
  });
}

}  // namespace
}  // namespace berth
