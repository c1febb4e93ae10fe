#include "runtime/session.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/runtime/run_testing.h"
#include "tests/testing.h"

namespace berth {
namespace {

std::unique_ptr<Session> Made(const std::string& text, const std::string& machine = "cpu:1,gpu:2",
                              std::vector<std::string> fetches = {}) {
  auto session = TestSession(text, machine, std::move(fetches));
  INFO(session.status().ToString());
  REQUIRE(session.ok());
  return *std::move(session);
}

constexpr char kTwoDevices[] = R"(
x = Placeholder() {dtype=f32, shape=shape [2]}
c = Const() {dtype=f32, value=tensor<f32[2] 10.0,20.0>}
a = Add(x, c)
b = Mul(a, c) @gpu:0
d = Sub(b, a) @gpu:1
e = Identity(d)
n = NoOp(^e)
)";

TEST_CASE("runs: feeds, fetches and targets, over two devices") {
  auto session = Made(kTwoDevices);
  const Tensor x = Floats({2}, {1, 2});
  const struct {
    std::vector<std::string> fetches, targets;
    std::string expected;
  } cases[] = {
      {{"e:0"}, {}, "f32[2] 99.0,418.0"},
      {{"e", "b", "a:0", "e"}, {}, "f32[2] 99.0,418.0; f32[2] 110.0,440.0; f32[2] 11.0,22.0; f32[2] 99.0,418.0"},
      {{"x"}, {}, "f32[2] 1.0,2.0"},
      {{"c"}, {}, "f32[2] 10.0,20.0"},
      {{"n"}, {}, "none"},
      {{}, {"n"}, ""},
      {{}, {}, ""},
      {{"d"}, {"n"}, "f32[2] 99.0,418.0"},
  };
  for (const auto& c : cases) {
    for (int time = 0; time < 3; ++time) {
      CHECK(Show(session->Run({.feeds = {{"x", x}}, .fetches = c.fetches, .targets = c.targets})) == c.expected);
    }
  }
  // Any tensor can be fed; what only it needed is not run.
  CHECK(Show(session->Run({.feeds = {{"b:0", x}, {"a", x}}, .fetches = {"d"}})) == "f32[2] 0.0,0.0");
  CHECK(Show(session->Run({.feeds = {{"a", x}}, .fetches = {"a", "d"}})) == "f32[2] 1.0,2.0; f32[2] 9.0,38.0");
}

TEST_CASE("runs: what is wrong with feeds and fetches") {
  auto session = Made(kTwoDevices);
  const Tensor x = Floats({2}, {1, 2});
  const Tensor ints = *HostTensorOf<int32_t>({2}, {1, 2});
  const Tensor none;
  const struct {
    RunOptions run;
    std::string expected;
  } cases[] = {
      {{.fetches = {"e"}},
       "INVALID_ARGUMENT: plan: node 'x' (Placeholder on cpu:0): expected to be fed, got no value; feed 'x:0'"},
      {{.feeds = {{"x", ints}}, .fetches = {"e"}},
       "INVALID_ARGUMENT: feed 'x' (Placeholder): expected float32, got int32"},
      {{.feeds = {{"x", Floats({3}, {1, 2, 3})}}, .fetches = {"e"}},
       "INVALID_ARGUMENT: feed 'x' (Placeholder): expected shape [2], got [3]"},
      {{.feeds = {{"x", none}}, .fetches = {"e"}},
       "INVALID_ARGUMENT: feed 'x' (Placeholder): expected a value, got none"},
      {{.feeds = {{"n", x}}, .fetches = {"e"}},
       "INVALID_ARGUMENT: feed 'n' (NoOp): expected a tensor, got an op without outputs"},
  };
  for (const auto& c : cases) CHECK(Show(session->Run(c.run)) == c.expected);
  // Names that are not there: the message of the one function that finds them, and whose name it was.
  for (const char* name : {"ee", "e:1", "^e", ""}) {
    const auto fetched = session->Run({.fetches = {name}});
    const auto fed = session->Run({.feeds = {{name, x}}, .fetches = {"e"}});
    const auto target = session->Run({.targets = {name}});
    INFO(Show(fetched));
    CHECK(fetched.status().message().find(absl::StrCat("fetch '", name, "': ")) == 0);
    CHECK(fed.status().message().find(absl::StrCat("feed '", name, "': ")) == 0);
    CHECK(target.status().message().find(absl::StrCat("target '", name, "': ")) == 0);
  }
  CHECK(Show(session->Run({.feeds = {{"x", x}}, .fetches = {"e"}})) == "f32[2] 99.0,418.0");
}

TEST_CASE("runs: what cannot run is named, all at once") {
  const struct {
    std::string text, expected;
  } cases[] = {
      {R"(
x = Const() {dtype=f32, value=tensor<f32[] 1.0>}
a = NoKernelA(x) {T=f32} @gpu:1
b = NoKernelB(a) {T=f32}
c = NoKernelA(b) {T=f32} @gpu:1
y = Identity(c))",
       "UNIMPLEMENTED: plan: graph: expected a kernel for every op, got none for NoKernelA {T=f32} ('a' on gpu:1 and 1 "
       "more), NoKernelB {T=f32} ('b' on cpu:0)"},
      {R"(
x = Const() {dtype=f32, value=tensor<f32[] 1.0>}
p = Const() {dtype=bool, value=tensor<bool[] 1>}
s = Switch(x, p)
m = Merge(s:0, s:1) {T=f32, N=2}
y = Identity(m))",
       "UNIMPLEMENTED: plan: graph: expected ops without control flow, which cannot run yet, got Merge ('m' on cpu:0), "
       "Switch ('s' on cpu:0)"},
  };
  for (const auto& c : cases) CHECK(Show(Made(c.text)->Run({.fetches = {"y"}})) == c.expected);
}

TEST_CASE("variables by reference live across runs, on the cpu and on devices") {
  for (const char* device : {"cpu:0", "gpu:1"}) {
    const std::string at = absl::StrCat(" @", device);
    auto session = Made(absl::StrCat(R"(
v = VariableV2() {dtype=f32, shape=shape [2]})",
                                     at, R"(
zero = Const() {dtype=f32, value=tensor<f32[2] 5.0,6.0>}
init = Assign(v, zero))",
                                     at, R"(
read = Identity(v))",
                                     at, R"(
x = Placeholder() {dtype=f32, shape=shape [2]}
set = Assign(v, x))",
                                     at, R"(
sum = Add(read, read)
ready = IsVariableInitialized(v))",
                                     at));
    INFO(device);
    CHECK(Show(session->Run({.fetches = {"ready"}})) == "bool[] 0");
    CHECK(Show(session->Run({.fetches = {"sum"}})) ==
          absl::StrCat("FAILED_PRECONDITION: node 'read' (Identity on ", device,
                       "): variable 'v': expected a value, got none yet; run its initialiser as a target, or set it"));
    CHECK(Show(session->GetVariable("v")) ==
          "FAILED_PRECONDITION: variable 'v': expected a value, got none yet; run its initialiser as a target, or set "
          "it");
    CHECK(Show(session->Run({.targets = {"init"}})) == "");
    CHECK(Show(session->Run({.fetches = {"sum", "v", "ready"}})) == "f32[2] 10.0,12.0; f32[2] 5.0,6.0; bool[] 1");
    Tensor fed = Floats({2}, {1, 2});
    CHECK(Show(session->Run({.feeds = {{"x", fed}}, .fetches = {"set"}})) == "f32[2] 1.0,2.0");
    fed.kernel<float>()[0] = 100;  // the variable keeps its own
    CHECK(Show(session->GetVariable("v")) == "f32[2] 1.0,2.0");
    CHECK(Show(session->SetVariable("v", Floats({2}, {7, 8}))) == "OK");
    CHECK(Show(session->Run({.fetches = {"sum"}})) == "f32[2] 14.0,16.0");
    CHECK(Show(session->SetVariable("v", Floats({3}, {7, 8, 9}))) ==
          "INVALID_ARGUMENT: variable 'v': expected shape [2], got [3]");
    CHECK(Show(session->SetVariable("v", *HostTensorOf<int32_t>({2}, {1, 2}))) ==
          "INVALID_ARGUMENT: variable 'v': expected float32, got int32");
    CHECK(Show(session->SetVariable("w", fed)) ==
          "NOT_FOUND: variable 'w': expected a variable of the session, got another name; they are v");
    CHECK(session->Variables() == std::vector<std::string>{"v"});
  }
}

TEST_CASE("variables by handle live across runs, on the cpu and on devices") {
  for (const char* device : {"cpu:0", "gpu:0"}) {
    const std::string at = absl::StrCat(" @", device);
    auto session = Made(absl::StrCat(R"(
v = VarHandleOp() {dtype=f32, shape=shape [2], shared_name="weights"})",
                                     at, R"(
c = Const() {dtype=f32, value=tensor<f32[2] 5.0,6.0>}
init = AssignVariableOp(v, c) {dtype=f32})",
                                     at, R"(
read = ReadVariableOp(v) {dtype=f32})",
                                     at, R"(
twice = Mul(read, c)
add = AssignAddVariableOp(v, c) {dtype=f32})",
                                     at, R"(
after = ReadVariableOp(v, ^add) {dtype=f32})",
                                     at));
    INFO(device);
    CHECK(Show(session->Run({.fetches = {"read"}})) ==
          absl::StrCat("FAILED_PRECONDITION: node 'read' (ReadVariableOp on ", device,
                       "): variable 'v': expected a value, got none yet; run its initialiser as a target, or set it"));
    CHECK(Show(session->Run({.targets = {"init"}})) == "");
    CHECK(Show(session->Run({.fetches = {"twice"}})) == "f32[2] 25.0,36.0");
    CHECK(Show(session->Run({.fetches = {"after"}})) == "f32[2] 10.0,12.0");
    CHECK(Show(session->Run({.fetches = {"after"}})) == "f32[2] 15.0,18.0");
    CHECK(Show(session->GetVariable("v")) == "f32[2] 15.0,18.0");
    // An update lies where the variable does: in its device's memory. The first run also brings the constant there.
    CHECK(Show(session->Run({.targets = {"add"}})) == "");
    Device& home = *session->devices()[device == std::string("cpu:0") ? 0 : 1];
    const int64_t before = home.allocations();
    CHECK(Show(session->Run({.targets = {"add"}})) == "");
    CHECK(home.allocations() == before + 1);
  }
}

TEST_CASE("arguments in host memory, on devices and across them") {
  auto session = Made(R"(
x = Placeholder() {dtype=f32, shape=shape [?]}
h = Const() {dtype=i32, value=tensor<i32[1] 3>}
a = PlusHost(x, h) @gpu:0
n = LengthOf(a) @gpu:0
s = Const() {dtype=i32, value=tensor<i32[1] 1>}
n1 = Reshape(n, s) @gpu:0
b = PlusHost(a, n1) @gpu:1
m = LengthOf(b)
c = PlusHost(b, n1) @gpu:0
)");
  for (int size : {1, 3, 100000}) {
    const std::vector<float> values(size, 0.5f);
    const auto result = session->Run({.feeds = {{"x", Floats({size}, values)}}, .fetches = {"c", "n", "m"}});
    REQUIRE(result.ok());
    CHECK((*result)[0].kernel<float>()[size - 1] == 3.5f + 2 * size);
    CHECK(Show((*result)[1]) == absl::StrCat("i32[] ", size));
    CHECK(Show((*result)[2]) == absl::StrCat("i32[] ", size));
  }
}

TEST_CASE("state of stateful ops is one for all signatures") {
  auto session = Made(R"(
t = Tick() @gpu:0
u = Tick()
one = Const() {dtype=i64, value=tensor<i64[] 1>}
v = Add(t, one)
)");
  CHECK(Show(session->Run({.fetches = {"t"}})) == "i64[] 1");
  CHECK(Show(session->Run({.fetches = {"v", "u"}})) == "i64[] 3; i64[] 1");
  CHECK(Show(session->Run({.fetches = {"t", "u"}})) == "i64[] 3; i64[] 2");
}

TEST_CASE("strings cross devices and are fetched") {
  auto session = Made(R"(
s = Const() {dtype=string, value=tensor<string[2] "a","b c">}
t = Identity(s) @gpu:0
u = Identity(t)
)");
  CHECK(Show(session->Run({.fetches = {"u"}})) == "string[2] \"a\",\"b c\"");
}

TEST_CASE("R077: round trip cpu:0 -> gpu:2 -> cpu:0 with devices 0 and 1 unusable") {
  auto session = Made(R"(
x = Placeholder() {dtype=f32, shape=shape [2]}
y = Add(x, x) @gpu:2
z = Add(y, x)
)",
                      "cpu:1,gpu:3");
  for (int d : {1, 2}) session->devices()[d]->FailAllocation(1);
  Trace trace;
  CHECK(Show(session->Run({.feeds = {{"x", Floats({2}, {1, 2})}}, .fetches = {"z"}, .trace = &trace})) ==
        "f32[2] 3.0,6.0");
  std::string transfers;
  for (const TraceEvent& e : trace.Events()) {
    if (e.transfer) absl::StrAppend(&transfers, e.name, ": ", e.op, " ", e.bytes, "\n");
  }
  CHECK(transfers ==
        "_arg_x_0_0:0: /job:localhost/replica:0/task:0/device:CPU:0 -> /job:localhost/replica:0/task:0/device:GPU:2 8\n"
        "y:0: /job:localhost/replica:0/task:0/device:GPU:2 -> /job:localhost/replica:0/task:0/device:CPU:0 8\n");
  for (int d : {1, 2}) CHECK(session->devices()[d]->allocations() == 0);
}

TEST_CASE("R073: two sessions in one process, each with its own devices of the same names") {
  const std::string text = R"(
v = VariableV2() {dtype=f32, shape=shape []} @gpu:1
c = Placeholder() {dtype=f32, shape=shape []}
set = Assign(v, c) @gpu:1
)";
  auto a = Made(text, "cpu:1,gpu:2"), b = Made(text, "cpu:2,gpu:4");
  CHECK(a->Run({.feeds = {{"c", Floats({}, {1})}}, .targets = {"set"}}).ok());
  CHECK(b->Run({.feeds = {{"c", Floats({}, {2})}}, .targets = {"set"}}).ok());
  CHECK(Show(a->GetVariable("v")) == "f32[] 1.0");
  CHECK(Show(b->GetVariable("v")) == "f32[] 2.0");
  CHECK(a->devices()[2] != b->devices()[3]);
}

TEST_CASE("a session for some fetches says what it pruned") {
  auto session = Made(kTwoDevices, "cpu:1,gpu:2", {"a"});
  CHECK(session->graph().num_nodes() == 3);
  CHECK(Show(session->Run({.feeds = {{"x", Floats({2}, {1, 2})}}, .fetches = {"a"}})) == "f32[2] 11.0,22.0");
  CHECK(
      Show(session->Run({.feeds = {{"x", Floats({2}, {1, 2})}}, .fetches = {"b"}})) ==
      "INVALID_ARGUMENT: fetch 'b': expected what the session was made for, got a node that it pruned; its fetches are "
      "a, its targets none");
}

TEST_CASE("a feed that nothing wanted needs is checked, and not used") {
  auto session = Made("x = Placeholder() : f32[2]\nz = Placeholder() : f32[2]\ny = Neg(x)\nw = Neg(z)", "cpu:1", {"y"});
  const Tensor x = Floats({2}, {1, 2});
  CHECK(session->graph().num_nodes() == 2);
  CHECK(Show(session->Run({.feeds = {{"z", x}, {"x", x}, {"w:0", x}}, .fetches = {"y"}})) == "f32[2] -1.0,-2.0");
  const Tensor none;
  CHECK(Show(session->Run({.feeds = {{"z", none}, {"x", x}}, .fetches = {"y"}})) ==
        "INVALID_ARGUMENT: feed 'z' (Placeholder): expected a value, got none");
  CHECK(Show(session->Run({.feeds = {{"zz", x}, {"x", x}}, .fetches = {"y"}})).find("NOT_FOUND: feed 'zz': ") == 0);
}

TEST_CASE("an error in a stage has the stage's name in front") {
  const std::string wrong = R"(
x = Const() {dtype=f32, value=tensor<f32[2] 1.0,...>}
y = Const() {dtype=f32, value=tensor<f32[3] 1.0,...>}
z = Add(x, y))";
  const std::string one = "x = Const() {dtype=f32, value=tensor<f32[2] 1.0,...>}";
  CHECK(Show(TestSession(one + " @gpu:7").status()).find("FAILED_PRECONDITION: place: node 'x' (Const): ") == 0);
  CHECK(Show(TestSession(one, "cpu:1", {"y"}).status()).find("NOT_FOUND: prune: tensor 'y': ") == 0);
  CHECK(Show(TestSession(wrong).status()).find("INVALID_ARGUMENT: infer: node 'z' (Add): ") == 0);
  CHECK(Show(TestSession(one, "gpu:1").status()).find("FAILED_PRECONDITION: ") == 0);
}

}  // namespace
}  // namespace berth
