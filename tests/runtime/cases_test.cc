// Situations that people who run placed graphs have met, by the ids of the list of cases.

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "graph/graphdef.h"
#include "graph/status_macros.h"
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

// A session on a machine whose nodes are where `devices` says, in the graph's order.
std::unique_ptr<Session> MadeAt(const std::string& text, const std::string& machine, std::vector<DeviceId> devices) {
  absl::StatusOr<Graph> graph = TestGraph(text);
  REQUIRE(graph.ok());
  SessionOptions options;
  options.machine = *ParseMachine(machine);
  options.kernels = TestKernels();
  options.placement.emplace();
  options.placement->device_of = std::move(devices);
  auto session = Session::Create(std::make_shared<const Graph>(*std::move(graph)), std::move(options));
  INFO(session.status().ToString());
  REQUIRE(session.ok());
  return *std::move(session);
}

// "value: from -> to", one line a transfer, in order of their starts.
std::string Transfers(const Trace& trace) {
  std::string text;
  for (const TraceEvent& e : trace.Events()) {
    if (!e.transfer) continue;
    const std::pair<std::string, std::string> ends = {e.op.substr(0, e.op.find(" -> ")),
                                                      e.op.substr(e.op.find(" -> ") + 4)};
    const auto shorten = [](const std::string& name) { return ParseTensorFlowName(name)->ShortName(); };
    absl::StrAppend(&text, e.name, ": ", shorten(ends.first), " -> ", shorten(ends.second), "\n");
  }
  return text;
}

const Tensor& Fed() {
  static const auto& fed = *new Tensor(Floats({4}, {1, 2, 3, 4}));
  return fed;
}

constexpr char kX[] = "x = Placeholder() {dtype=f32, shape=shape [4]}\n";

TEST_CASE("R037 a result made on a device comes back in host memory, by a transfer; a bound value is copied in") {
  // Decided otherwise: there is no binding of output buffers. What a caller gets and gives is host memory always.
  auto session = Made(absl::StrCat(kX, "y = Neg(x) @gpu:0\nv = VariableV2() {dtype=f32, shape=shape [4]} @gpu:0\n"));
  Trace trace;
  const auto result = session->Run({.feeds = {{"x", Fed()}}, .fetches = {"y"}, .trace = &trace});
  REQUIRE(result.ok());
  CHECK((*result)[0].data() == (*result)[0].kernel_data());
  CHECK(Show(result) == "f32[4] -1.0,-2.0,-3.0,-4.0");
  CHECK(absl::StrContains(Transfers(trace), "y:0: gpu:0 -> cpu:0\n"));
  REQUIRE(session->SetVariable("v", Fed()).ok());
  const auto value = session->GetVariable("v");
  CHECK(value->data() == value->kernel_data());
  CHECK(value->data() != Fed().data());
  CHECK(Show(value) == "f32[4] 1.0,2.0,3.0,4.0");
}

TEST_CASE("R116 one device against 1,000 random splits over two") {
  std::string text = absl::StrCat(kX, "w = Const() {dtype=f32, value=tensor<f32[4] 0.3,-1.7,2.5,...>}\n");
  for (int i = 0; i < 10; ++i) {
    const std::string in = i == 0 ? "x" : absl::StrCat("n", i - 1), other = i < 2 ? "w" : absl::StrCat("n", i - 2);
    const char* ops[] = {"Mul", "Add", "Sub", "Maximum"};
    absl::StrAppend(&text, "n", i, " = ",
                    i % 5 == 4 ? absl::StrCat("Tanh(", in, ")") : absl::StrCat(ops[i % 4], "(", in, ", ", other, ")"),
                    "\n");
  }
  const RunOptions run{.feeds = {{"x", Fed()}}, .fetches = {"n9", "n4"}};
  const std::string one = Show(MadeAt(text, "cpu:1", std::vector<DeviceId>(12, 0))->Run(run));
  std::mt19937 random(116);
  int differ = 0;
  for (int split = 0; split < 1000; ++split) {
    std::vector<DeviceId> devices;
    for (int n = 0; n < 12; ++n) devices.push_back(static_cast<DeviceId>(random() % 2));
    differ += Show(MadeAt(text, "cpu:1,gpu:1", devices)->Run(run)) != one;
  }
  CHECK(differ == 0);
}

TEST_CASE("R115 a cut keeps a dimension that is not known; what does not fit is found before anything runs") {
  auto session = Made(
      "x = Placeholder() {dtype=f32, shape=shape [?,4]}\ny = Neg(x) @gpu:0\n"
      "c = Const() {dtype=f32, value=tensor<f32[3,4] 1.0,...>}\nz = Add(y, c) @gpu:1\n");
  CHECK(session->graph().node(session->graph().Find("y")->id()).output_shape(0).ToString() == "[?,4]");
  const Tensor three = Floats({3, 4}, std::vector<float>(12, 2)), two = Floats({2, 4}, std::vector<float>(8, 2));
  CHECK(Show(session->Run({.feeds = {{"x", three}}, .fetches = {"z"}})).substr(0, 12) == "f32[3,4] -1.");
  Trace trace;
  CHECK(absl::StartsWith(Show(session->Run({.feeds = {{"x", two}}, .fetches = {"z"}, .trace = &trace})),
                         "INVALID_ARGUMENT: infer: node 'z' (Add): "));
  CHECK(trace.Events().empty());
}

TEST_CASE("R130 who needs a value elsewhere does not wait for who needs it here") {
  auto session =
      Made(absl::StrCat(kX, "op1 = Neg(x) @gpu:0\nop2 = Wait(op1) {ms=400} @gpu:0\nop3 = Neg(op1) @gpu:1\n"));
  Trace trace;
  REQUIRE(session->Run({.feeds = {{"x", Fed()}}, .fetches = {"op2", "op3"}, .trace = &trace}).ok());
  int64_t end2 = 0, start3 = 0;
  for (const TraceEvent& e : trace.Events()) {
    if (e.name == "op2" && !e.transfer) end2 = e.start_ns + e.duration_ns;
    if (e.name == "op3" && !e.transfer) start3 = e.start_ns;
  }
  CHECK(start3 > 0);
  CHECK(start3 < end2);
}

TEST_CASE("R134 who gets a value gets it whole, whatever its maker does in place right after sending") {
  auto session = Made(
      "x = Placeholder() {dtype=f32, shape=shape [4096]}\na = Neg(x) @gpu:0\nb = Neg(a) @gpu:0\n"
      "d = Neg(b) @gpu:0\ne = Neg(a) @gpu:1\nf = Neg(a)\n");
  for (int time = 0; time < 200; ++time) {
    const std::vector<float> values(4096, static_cast<float>(time + 1));
    const auto result = session->Run({.feeds = {{"x", Floats({4096}, values)}}, .fetches = {"e", "f", "d"}});
    REQUIRE(result.ok());
    CHECK(std::memcmp((*result)[0].data(), values.data(), 4096 * 4) == 0);
    CHECK(std::memcmp((*result)[1].data(), values.data(), 4096 * 4) == 0);
    CHECK((*result)[2].kernel<float>()[4095] == -values[0]);
  }
}

TEST_CASE("R139 state on cpu:0 takes no byte of a device's memory") {
  auto session = Made(absl::StrCat(kX, R"(
v = VariableV2() {dtype=f32, shape=shape [4]} @cpu:0
set = Assign(v, x) @cpu:0
y = Neg(v) @gpu:0
)"));
  REQUIRE(session->Run({.feeds = {{"x", Fed()}}, .targets = {"set"}}).ok());
  REQUIRE(session->SetVariable("v", Fed()).ok());
  for (const int device : {1, 2}) {
    CHECK(session->devices()[device]->allocations() == 0);
    CHECK(session->devices()[device]->bytes_in_use() == 0);
  }
  CHECK(Show(session->Run({.fetches = {"y"}})) == "f32[4] -1.0,-2.0,-3.0,-4.0");
  CHECK(session->devices()[1]->bytes_in_use() > 0);  // copies for the kernel that reads it, none that stays the state
  CHECK(session->devices()[2]->bytes_in_use() == 0);
}

TEST_CASE("R145 a kernel that fails while others wait: its error comes back, with its node, and all threads end") {
  for (int time = 0; time < 20; ++time) {
    auto session = Made(absl::StrCat(kX, R"(
late = Wait(x) {ms=5} @gpu:1
bad = Fail(late) @gpu:1
a = Neg(bad)
b = Neg(bad) @gpu:0
)"));
    CHECK(Show(session->Run({.feeds = {{"x", Fed()}}, .fetches = {"a", "b"}})) ==
          "INVALID_ARGUMENT: node 'bad' (Fail on gpu:1): expected luck, got none");
    CHECK(session->Run({.feeds = {{"x", Fed()}}, .fetches = {"late"}}).ok());
  }
}

TEST_CASE("R146 a receive whose send is not there is refused before anything runs") {
  auto session = Made(R"(
r = _Recv() {tensor_type=f32, tensor_name="0", send_device="a", send_device_incarnation=1, recv_device="b"} : f32[4]
y = Neg(r)
)");
  CHECK(Show(session->Run({.fetches = {"y"}})) ==
        "INVALID_ARGUMENT: partition: node 'r' (_Recv): expected a whole graph, got a part of one, and the matching "
        "send is not in the fetched set; run the graph that the part was cut from, or feed 'r:0'");
  CHECK(Show(session->Run({.feeds = {{"r:0", Fed()}}, .fetches = {"y"}})) == "f32[4] -1.0,-2.0,-3.0,-4.0");
}

TEST_CASE("R151 cancelling a run with 10,000 transfers pending gives one line with their number") {
  std::string text = absl::StrCat(kX, "late = Wait(x) {ms=300} @gpu:0\n"), inputs;
  for (int i = 0; i < 10000; ++i) {
    absl::StrAppend(&text, "a", i, " = Neg(late) @gpu:0\n");
    absl::StrAppend(&inputs, i == 0 ? "" : ", ", "a", i);
  }
  absl::StrAppend(&text, "sum = AddN(", inputs, ") {N=10000, T=f32} @gpu:1\n");
  auto session = Made(text);
  RunOptions run{.feeds = {{"x", Fed()}}, .fetches = {"sum"}};
  run.deadline = std::chrono::milliseconds(50);
  const std::string limited = Show(session->Run(run));
  INFO(limited);
  CHECK(absl::StartsWith(limited, "DEADLINE_EXCEEDED: run: expected to end within 50 ms, got no end; pending "));
  CHECK(absl::StrContains(limited, " more"));
  CHECK(limited.size() < 2000);
  CHECK_FALSE(absl::StrContains(limited, "\n"));
  run.deadline.reset();
  CHECK(Show(session->Run(run)) == "f32[4] -10000.0,-20000.0,-30000.0,-40000.0");
}

TEST_CASE("R152 1 to 64 devices plan and run; a device that is none ends it before the run") {
  for (int devices = 1; devices <= 64; ++devices) {
    std::string text = kX, last = "x";
    for (int i = 0; i < 8; ++i) {
      absl::StrAppend(&text, "n", i, " = Neg(", last, ") @gpu:", i * 7 % devices, "\n");
      last = absl::StrCat("n", i);
    }
    auto session = Made(text, absl::StrCat("cpu:1,gpu:", devices));
    CHECK(Show(session->Run({.feeds = {{"x", Fed()}}, .fetches = {last}})) == "f32[4] 1.0,2.0,3.0,4.0");
  }
  for (const DeviceId bad : {-1, 2, 1 << 30}) {
    SessionOptions options;
    options.machine = *ParseMachine("cpu:1,gpu:1");
    options.kernels = TestKernels();
    options.placement.emplace();
    options.placement->device_of = {0, bad};
    const auto session = Session::Create(std::make_shared<const Graph>(*TestGraph(absl::StrCat(kX, "y = Neg(x)\n"))),
                                         std::move(options));
    INFO(session.status().ToString());
    CHECK(absl::StartsWith(Show(session.status()), "INVALID_ARGUMENT: place: node 'y' (Neg): "));
  }
}

TEST_CASE("R155 a cell that the kernel table lacks: op, type, device, and the types that there are") {
  auto kernels = std::make_shared<KernelTable>();
  kernels->Add({.op = "Neg", .types = {{"T", {DType::kFloat32, DType::kFloat64}}}});
  SessionOptions options;
  options.machine = *ParseMachine("cpu:1,gpu:2");
  options.policy = Pins();
  options.kernels = std::move(kernels);
  const auto session = Session::Create(
      std::make_shared<const Graph>(*TestGraph("c = Const() {dtype=i32, value=tensor<i32[] 1>}\ny = Neg(c) @gpu:1\n")),
      std::move(options));
  REQUIRE(session.ok());
  CHECK(Show((*session)->Run({.fetches = {"y"}})) ==
        "UNIMPLEMENTED: plan: graph: expected a kernel for every op, got none for Neg {T=i32} ('y' on gpu:1; there are "
        "kernels for cpu {T=f32,f64})");
}

TEST_CASE("R179 all orders of setup, feed, fetch and repeat, and closing after any: a value or a named error") {
  const std::string text = absl::StrCat(kX, R"(
v = VariableV2() {dtype=f32, shape=shape [4]} @gpu:0
set = Assign(v, x) @gpu:0
y = Add(v, v) @gpu:0
z = Neg(y) @gpu:1
)");
  using Step = std::function<std::string(Session&)>;
  const std::vector<std::pair<std::string, Step>> steps = {
      {"setup",
       [](Session& s) {
         return Show(s.Run({.feeds = {{"x", Fed()}}, .targets = {"set"}}));
       }},
      {"fetch", [](Session& s) { return Show(s.Run({.fetches = {"z"}})); }},
      {"fetch fed",
       [](Session& s) {
         return Show(s.Run({.feeds = {{"y", Fed()}}, .fetches = {"z"}}));
       }},
      {"unfed", [](Session& s) { return Show(s.Run({.targets = {"set"}})); }},
      {"repeat",
       [](Session& s) {
         return Show(s.Run({.fetches = {"z", "z"}}));
       }},
  };
  const std::string value = "f32[4] -2.0,-4.0,-6.0,-8.0";
  const std::string unset =
      "FAILED_PRECONDITION: node 'y' (Add on gpu:0): variable 'v': expected a value, got none yet; run its initialiser "
      "as a target, or set it";
  std::vector<int> order = {0, 1, 2, 3, 4};
  do {
    for (size_t closed_after = 0; closed_after <= order.size(); closed_after += 5) {
      auto session = Made(text);
      bool is_set = false;
      for (size_t i = 0; i < closed_after; ++i) {
        is_set |= order[i] == 0;
        const std::string expected[] = {
            "", is_set ? value : unset, "f32[4] -1.0,-2.0,-3.0,-4.0",
            "INVALID_ARGUMENT: plan: node 'x' (Placeholder on cpu:0): expected to be fed, got no value; feed 'x:0'",
            is_set ? absl::StrCat(value, "; ", value) : unset};
        INFO(steps[order[i]].first << " at place " << i);
        CHECK(steps[order[i]].second(*session) == expected[order[i]]);
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("R188 the plan of two devices gives the same where both are one memory") {
  const std::string text = absl::StrCat(kX, "a = Tanh(x)\nb = Mul(a, x)\nc = Sub(b, a)\nd = Tanh(c)\n");
  const RunOptions run{.feeds = {{"x", Fed()}}, .fetches = {"d", "b"}};
  const std::vector<DeviceId> split = {0, 1, 0, 1, 0};
  const std::string two = Show(MadeAt(text, "cpu:1,gpu:1", split)->Run(run));
  CHECK(two == Show(MadeAt(text, "cpu:2", split)->Run(run)));  // the same parts and transfers, all in host memory
  CHECK(two == Show(MadeAt(text, "cpu:1", {0, 0, 0, 0, 0})->Run(run)));
}

TEST_CASE("R193 every placement of four weights gives one result") {
  std::string text = kX, last = "x", sets;
  for (int i = 0; i < 4; ++i) {
    absl::StrAppend(&text, "w", i, " = VariableV2() {dtype=f32, shape=shape [4]}\n");
  }
  for (int i = 0; i < 4; ++i) {
    absl::StrAppend(&text, "r", i, " = Identity(w", i, ")\ny", i, " = ", i % 2 == 0 ? "Mul" : "Add", "(", last, ", r",
                    i, ")\n");
    last = absl::StrCat("y", i);
  }
  std::string first;
  for (int placement = 0; placement < 16; ++placement) {
    std::vector<DeviceId> devices = {0};
    for (int i = 0; i < 4; ++i) devices.push_back(placement >> i & 1);
    for (int i = 0; i < 4; ++i) {
      devices.push_back(placement >> i & 1);  // a read is where its variable is
      devices.push_back(i % 2);
    }
    auto session = MadeAt(text, "cpu:1,gpu:1", devices);
    for (int i = 0; i < 4; ++i) {
      REQUIRE(session->SetVariable(absl::StrCat("w", i), Floats({4}, {0.1f * i, 1.3f, -2.7f, 1.0f / 3})).ok());
    }
    const std::string result = Show(session->Run({.feeds = {{"x", Fed()}}, .fetches = {"y3"}}));
    if (placement == 0) first = result;
    CHECK(absl::StartsWith(result, "f32[4] "));
    CHECK(result == first);
  }
}

TEST_CASE("R199 built with no devices, placed by a list of rules, looked at, run: the graph is untouched") {
  const auto graph = std::make_shared<const Graph>(
      *TestGraph(absl::StrCat(kX, "v = VariableV2() {dtype=f32, shape=shape [4]}\nr = Identity(v)\ny = Add(r, x)\n")));
  const uint64_t before = graph->Fingerprint();
  SessionOptions options;
  options.machine = *ParseMachine("cpu:1,gpu:1");
  options.policy = VariablesOn("/cpu:0") | Match("op=Add").On("/gpu:0") | Else("/cpu:0");
  options.kernels = TestKernels();
  const auto session = Session::Create(graph, std::move(options));
  REQUIRE(session.ok());
  std::string placed;
  for (NodeId n = 0; n < (*session)->graph().num_nodes(); ++n) {
    absl::StrAppend(&placed, (*session)->graph().node(n).name(), " ", (*session)->placement().device(n), " ",
                    (*session)->placement().author(n), "\n");
  }
  CHECK(placed == "x 0 else cpu:0\nv 0 variables-on cpu:0\nr 0 else cpu:0\ny 1 match \"op=Add\" on gpu:0\n");
  REQUIRE((*session)->SetVariable("v", Fed()).ok());
  CHECK(Show((*session)->Run({.feeds = {{"x", Fed()}}, .fetches = {"y"}})) == "f32[4] 2.0,4.0,6.0,8.0");
  CHECK(graph->Fingerprint() == before);
  for (NodeId n = 0; n < graph->num_nodes(); ++n) CHECK(graph->node(n).device().empty());
}

TEST_CASE("R086 a graph moved from gpu:0 to gpu:1 with its inner state: nothing is left on gpu:0") {
  const std::string text =
      "x = Placeholder() {dtype=f32, shape=shape [4]} @gpu:0\n"
      "dims = Const() {dtype=i32, value=tensor<i32[1] 4>} @gpu:0\n"
      "nil = Const() {dtype=f32, value=tensor<f32[] 0.0>} @gpu:0\n"
      "cell/zero_state = Fill(dims, nil) @gpu:0\n"
      "cell/state = VariableV2() {dtype=f32, shape=shape [4]} @gpu:0\n"
      "cell/init = Assign(cell/state, cell/zero_state) {_class=[\"loc:@cell/state\"]} @gpu:0\n"
      "cell/next = AssignAdd(cell/state, x) {_class=[\"loc:@cell/state\"]} @gpu:0\n"
      "y = Mul(cell/next, x) @gpu:0\n";
  const absl::StatusOr<Graph> written = TestGraph(text);
  REQUIRE(written.ok());
  ImportOptions import{.devices = ImportDevices::kMap};
  import.device_map["/device:GPU:0"] = "/device:GPU:1";
  absl::StatusOr<Graph> moved = ImportGraphDef(ExportGraphDef(*written), TestOps(), import);
  REQUIRE(moved.ok());
  CHECK_FALSE(absl::StrContains(ExportGraphDefText(*moved), "GPU:0"));
  SessionOptions options;
  options.machine = *ParseMachine("cpu:1,gpu:2");
  options.kernels = TestKernels();
  auto session = Session::Create(std::make_shared<const Graph>(*std::move(moved)), std::move(options));
  INFO(session.status());
  REQUIRE(session.ok());
  REQUIRE((*session)->Run({.targets = {"cell/init"}}).ok());
  Trace trace;
  CHECK(Show((*session)->Run({.feeds = {{"x", Fed()}}, .fetches = {"y"}, .trace = &trace})) ==
        "f32[4] 1.0,4.0,9.0,16.0");
  CHECK_FALSE(absl::StrContains(trace.ToChromeJson(), "gpu:0"));
  CHECK((*session)->devices()[1]->allocations() == 0);
  CHECK((*session)->devices()[2]->allocations() > 0);
}

TEST_CASE("R110 what is on one device is one part, and runs around what lies between on another") {
  // Decided: parts are not fused regions; one part a device, whose nodes run as soon as what they need is there.
  auto session = Made(absl::StrCat(kX,
                                   "a = Neg(x) @gpu:0\nbetween = Wait(a) {ms=50} @cpu:0\nb = Neg(between) @gpu:0\n"
                                   "c = Neg(x) @gpu:0\n"));
  Trace trace;
  CHECK(Show(session->Run({.feeds = {{"x", Fed()}}, .fetches = {"b", "c"}, .trace = &trace})) ==
        "f32[4] 1.0,2.0,3.0,4.0; f32[4] -1.0,-2.0,-3.0,-4.0");
  std::map<std::string, int64_t> start, end;
  for (const TraceEvent& e : trace.Events()) {
    if (e.transfer) continue;
    start[e.name] = e.start_ns;
    end[e.name] = e.start_ns + e.duration_ns;
  }
  CHECK(end["a"] <= start["between"]);
  CHECK(end["between"] <= start["b"]);
}

TEST_CASE("R118 one of 100 nodes is pinned, the rest is chosen around it; outputs that compute nothing run too") {
  std::string text =
      "x = Placeholder() {dtype=f32, shape=shape [4]}\nk = Const() {dtype=f32, value=tensor<f32[] 7.0>}\n";
  for (int i = 0; i < 98; ++i) {
    absl::StrAppend(&text, "n", i, " = Neg(", i == 0 ? std::string("x") : absl::StrCat("n", i - 1), ")",
                    i == 50 ? " @gpu:1" : "", "\n");
  }
  absl::StatusOr<Graph> graph = TestGraph(text);
  REQUIRE(graph.ok());
  REQUIRE(graph->num_nodes() == 100);
  SessionOptions options;
  options.machine = *ParseMachine("cpu:1,gpu:2");
  options.kernels = TestKernels();
  auto session = Session::Create(std::make_shared<const Graph>(*std::move(graph)), std::move(options));
  REQUIRE(session.ok());
  const Placement& placement = (*session)->placement();
  int pinned = 0;
  for (NodeId n = 0; n < 100; ++n) pinned += placement.author(n) == "pins";
  CHECK(pinned == 1);
  CHECK(placement.device((*session)->graph().Find("n50")->id()) == 2);
  CHECK(Show((*session)->Run({.feeds = {{"x", Fed()}}, .fetches = {"x", "k", "n97"}})) ==
        "f32[4] 1.0,2.0,3.0,4.0; f32[] 7.0; f32[4] 1.0,2.0,3.0,4.0");
}

TEST_CASE("R157 types of several homes in one expression: the same numbers and the same copies in every mode") {
  // Decided: there are no modes of copying. Every copy is planned and listed before anything runs, so that who wants none
  // asserts that there are none, and who wants to be warned reads the list; strict and soft are about places only.
  const std::string text =
      "x = Placeholder() {dtype=f32, shape=shape [4]}\n"
      "h = Const() {dtype=i32, value=tensor<i32[1] 3>} @cpu:0\n"
      "sum = PlusHost(x, h) @gpu:0\nlen = LengthOf(sum) @gpu:0\n"
      "scale = Cast(len) {SrcT=i32, DstT=f32} @cpu:0\ny = Mul(sum, scale) @gpu:1\n";
  std::string numbers, copies;
  for (const char* device : {"", "/gpu:0"}) {
    for (const PlacementMode mode : {PlacementMode::kStrict, PlacementMode::kSoft}) {
      absl::StatusOr<Graph> graph = TestGraph(text);
      INFO(graph.status());
      REQUIRE(graph.ok());
      SessionOptions options;
      options.machine = *ParseMachine(*device == '\0' ? "cpu:1" : "cpu:1,gpu:2");
      options.policy = *device == '\0' ? Policy(Else("cpu:0")) : Pins() | Policy(Else("cpu:0"));
      options.mode = mode;
      options.kernels = TestKernels();
      auto session = Session::Create(std::make_shared<const Graph>(*std::move(graph)), std::move(options));
      INFO(session.status());
      REQUIRE(session.ok());
      Trace trace;
      const std::string got = Show((*session)->Run({.feeds = {{"x", Fed()}}, .fetches = {"y"}, .trace = &trace}));
      std::string listed = Transfers(trace);
      std::vector<std::string> lines = absl::StrSplit(listed, '\n');
      std::sort(lines.begin(), lines.end());
      listed = absl::StrJoin(lines, "\n");
      if (numbers.empty()) numbers = got;
      CHECK(got == numbers);
      if (*device == '\0') {
        CHECK(listed.empty());
      } else {
        if (copies.empty()) copies = listed;
        CHECK(!listed.empty());
        CHECK(listed == copies);
      }
    }
  }
  CHECK(numbers == "f32[4] 16.0,20.0,24.0,28.0");
}

// The least that a plug-in's device can be: memory of its own, copies in and out, one stream.
class ToyDevice final : public Device {
 public:
  explicit ToyDevice(DeviceName name) : Device(std::move(name)), stream_(short_name()) {}
  Stream& compute() override { return stream_; }
  absl::Status CopyFromHost(const void* host, const Buffer& block, size_t offset, size_t size) override {
    std::memcpy(static_cast<char*>(block.kernel_data()) + offset, host, size);
    return absl::OkStatus();
  }
  absl::Status CopyToHost(const Buffer& block, size_t offset, void* host, size_t size) override {
    std::memcpy(host, static_cast<char*>(block.kernel_data()) + offset, size);
    return absl::OkStatus();
  }

 protected:
  absl::StatusOr<std::shared_ptr<Buffer>> AllocateBlock(size_t bytes) override { return AllocateHostBuffer(bytes); }

 private:
  Stream stream_;
};

// 100 x, so that its work cannot be mistaken for the cpu's.
absl::Status ToyNeg(KernelArgs& args) {
  BERTH_ASSIGN_OR_RETURN(Tensor * y, args.ForwardOrAllocate(0, 0));
  const float* x = args.input(0).kernel<float>();
  for (int64_t i = 0; i < y->num_elements(); ++i) y->kernel<float>()[i] = 100 * x[i];
  return absl::OkStatus();
}

TEST_CASE("R197 a plug-in's device with the least that one needs, and one op, runs its part of a graph") {
  absl::StatusOr<Graph> graph =
      TestGraph(absl::StrCat(kX, "a = Neg(x) @cpu:0\nb = Neg(a) @\"/device:TOY:0\"\nc = Neg(b) @cpu:0\n"));
  INFO(graph.status());
  REQUIRE(graph.ok());
  auto kernels = std::make_shared<KernelTable>();
  for (const auto& def : TestKernels()->all()) kernels->Add(*def);
  kernels->Add({.op = "Neg", .kind = "TOY", .run = ToyNeg});
  SessionOptions options;
  options.machine = *ParseMachineDef("device { name: \"cpu:0\" } device { name: \"/device:TOY:0\" }", "m");
  options.policy = Pins() | Policy(Else("cpu:0"));
  options.kernels = kernels;
  options.make_device = [](const MachineDevice& device) -> std::unique_ptr<Device> {
    if (device.kind() != "TOY") return nullptr;
    return std::make_unique<ToyDevice>(device.name);
  };
  auto session = Session::Create(std::make_shared<const Graph>(*std::move(graph)), std::move(options));
  INFO(session.status());
  REQUIRE(session.ok());
  CHECK(Show((*session)->Run({.feeds = {{"x", Fed()}}, .fetches = {"c", "b"}})) ==
        "f32[4] 100.0,200.0,300.0,400.0; f32[4] -100.0,-200.0,-300.0,-400.0");
}

}  // namespace
}  // namespace berth
